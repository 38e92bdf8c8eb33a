import ArgumentParser
import Foundation
import StepPages
import StepServices
import StepViews
import Support

struct ServeCommand: AsyncParsableCommand, Subcommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Show your days in a browser on this machine; sync and share there.",
        discussion: """
            Serves pages of days, weeks, months and years, the outbox, pedometers, plan and profile at 127.0.0.1 until you press Ctrl-C. \
            Nothing is reachable from other machines, and other users of this machine cannot see the pages. The printed address works once, \
            within an hour. The browser that opened it keeps access until it is closed, and for a week after its last use at most.

              istep serve --open                     opens your browser
              istep serve --port 0                   any free port
              istep serve --socket ~/istep.sock      a socket file in place of a port
              ssh -L 7837:127.0.0.1:7837 HOST        tunnel to 'istep serve' on HOST

            For others in the house: --guests HOST serves days only, which nobody can change, to those who have the password, through a web \
            server of yours that encrypts and is reached as HOST. The manual has an example.

              istep serve --guests steps.home.example --password-file FILE

            To use the pages without a terminal: systemctl --user enable --now istep-serve.socket. systemd then starts the server at the \
            first request; the server ends ten minutes after the last one. 'istep serve --open' then opens the pages.
            """)
    static let documents = [JSONUse(.serve), JSONUse(.guests, "--guests HOST")]

    @Flag(help: "Open the pages in your browser.")
    var open = false

    @Option(help: ArgumentHelp("Listen on this port of 127.0.0.1; 0 for any that is free.", valueName: "number"))
    var port: UInt16?

    @Option(
        help: ArgumentHelp("Listen at a socket file, which only you can use, in place of a port.", valueName: "file"))
    var socket: String?

    @Option(
        help: ArgumentHelp(
            "Serve days for others to look at, behind a web server that is reached as this host.", valueName: "host"))
    var guests: String?

    @Option(
        help: ArgumentHelp(
            "With --guests: the file with their password, which only you can read.", valueName: "file"),
        completion: .file())
    var passwordFile: String?

    @OptionGroup var common: CommonOptions
    @OptionGroup var bluetooth: BluetoothOptions

    /// On a telephone's keys it spells STEP. IANA has not assigned it.
    private static let standardPort: UInt16 = 7837
    /// The port of a demo, which can run beside the user's own pages.
    private static let demoPort: UInt16 = 7838
    private static let guestPort: UInt16 = 7839

    func validate() throws {
        if socket != nil, port != nil || open {
            throw ValidationError("--socket cannot be combined with --port or --open.")
        }
        if (guests == nil) != (passwordFile == nil) {
            throw ValidationError("--guests and --password-file need each other.")
        }
        if let guests {
            if open || socket != nil { throw ValidationError("--guests cannot be combined with --open or --socket.") }
            if !Self.isHost(guests) { throw ValidationError("--guests needs a host, such as steps.home.example.") }
        }
        if socket?.isEmpty == true { throw ValidationError("--socket needs a path.") }
    }

    /// Whether browsers can send it as a host: a name or an address, with a port if it is not the standard one.
    private static func isHost(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.count <= 255
            && text.utf8.allSatisfy { byte in
                Character(UnicodeScalar(byte)).isASCII
                    && (Character(UnicodeScalar(byte)).isLetter || Character(UnicodeScalar(byte)).isNumber
                        || "-.:[]".utf8.contains(byte))
            }
    }

    private func serve(guests host: String, _ passwordFile: String, _ wiring: Wiring) async throws {
        let guest = try wiring.guestAccess(host: host, passwordFile: passwordFile)
        if common.user != nil { _ = try wiring.people(of: wiring.history(for: .reading)).user(creating: .never) }
        let server = try PageServer(wiring, at: .port(port ?? Self.guestPort), guest: guest)
        if !server.isActivated { try wiring.show(GuestsView(address: server.base, host: host)) }
        try await run(server, wiring)
    }

    func run() async throws {
        // A service that systemd starts for a connection would fail for each one while the configuration has an error.
        let isActivated = ProcessEnvironment.current["LISTEN_FDS"] != nil
        let wiring = try Wiring(common.values(bluetooth), toleratesProblems: isActivated)
        if let guests, let passwordFile { return try await serve(guests: guests, passwordFile, wiring) }
        let port = port ?? (wiring.isInDemo ? Self.demoPort : Self.standardPort)
        // Another server of this user, or the socket of systemd, has the port: the pages are there.
        if socket == nil, port != 0, !isActivated,
            let opening = try await blocking({ try PageServer.runningOpening(wiring, port: port) })
        {
            return try await show(opening, wiring, isRunning: true)
        }
        let server = try PageServer(wiring, at: socket.map { .path($0) } ?? .port(port))
        // Under systemd the output is a log: no token may be in it. The socket listens already: a browser that is
        // opened here is answered as soon as the server runs.
        if !server.isActivated { try await show(try server.opening(), wiring, isRunning: false) }
        try await run(server, wiring)
    }

    /// Until it is interrupted, or the demo has ended whose days it shows.
    private func run(_ server: PageServer, _ wiring: Wiring) async throws {
        guard wiring.isInDemo else { return await server.run() }
        let isEndOfDemo = await withTaskGroup(of: Bool.self) { group in
            group.addTask {
                await server.run()
                return false
            }
            group.addTask {
                await wiring.untilDemoEnds()
                return true
            }
            defer { group.cancelAll() }
            return await group.next() == true
        }
        if isEndOfDemo, !Task.isCancelled { try wiring.say("The demo has ended, and its pages with it.") }
    }

    private func show(_ opening: PageServer.Opening, _ wiring: Wiring, isRunning: Bool) async throws {
        try wiring.show(ServeView(address: opening.address, socket: socket, isRunning: isRunning))
        guard open else { return }
        try PrivateFile.write(
            OpeningPage.source(leadingTo: opening.address), to: opening.file,
            advice: "Without --open, open the printed address yourself.")
        // The user's own browser, also from a demo.
        let browser = WebBrowser(file: opening.file, environment: ProcessEnvironment.outer)
        // Here some xdg-open shows the page itself, and ends when it is closed: the server must not wait for it.
        // A Ctrl-C ends both.
        if isRunning { try await blocking { browser.openAndWait(leadsGroup: false) } } else { browser.open() }
    }
}

/// The user's browser.
struct WebBrowser {
    /// A file that leads on to the pages. The address itself is in no program's arguments, which all users of the
    /// machine can read.
    let file: String
    let environment: [String: String]

    /// Returns at once; reports later if there is no browser.
    func open() { Thread.detachNewThread { openAndWait(leadsGroup: true) } }

    /// Blocks.
    ///
    /// - Parameter leadsGroup: whether the browser has a process group of its own, so that a Ctrl-C in the terminal
    ///   does not end it.
    func openAndWait(leadsGroup: Bool) {
        let arguments = ["env", "xdg-open", file]
        guard
            let process = try? Spawn.start(
                "/usr/bin/env", arguments, environment: environment, descriptors: [:], leadsGroup: leadsGroup),
            Spawn.wait(for: process) == 0
        else {
            return Output.error.line(
                "istep: No browser could be started (xdg-open). Open the address above yourself.", .warning)
        }
    }
}
