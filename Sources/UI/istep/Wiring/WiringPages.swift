import Foundation
public import LocalServer
import Settings
import Support
public import StepDomain
import StepPages
import StepServices
import StepViews

/// The local page on its sockets.
struct PageServer {
    enum Endpoint {
        case port(UInt16)
        case path(String)
    }

    private let server: LocalServer
    private let pages: LocalPages
    private let access: AccessFolder
    private let temporary: URL?
    /// What precedes the paths of the pages.
    let base: String
    /// Whether systemd started it, and nobody reads its output.
    let isActivated: Bool

    /// - Parameter guest: for pages that others may look at.
    /// - Throws: `ListeningSocket.Failure`, `AccessFolder.Failure`.
    init(_ wiring: Wiring, at endpoint: Endpoint, guest: GuestAccess? = nil) throws {
        let inherited = try ListeningSocket.inherited(wiring.environment)
        isActivated = !inherited.isEmpty
        let sockets: [ListeningSocket]
        switch endpoint {
        case _ where isActivated: sockets = inherited
        case .port(let port): sockets = [try .loopback(port: port)]
        case .path(let path): sockets = [try .path(path)]
        }
        // After the sockets: a port that is in use must not leave a temporary folder behind.
        (access, temporary) = try wiring.accessFolder()
        base = sockets.lazy.compactMap { Self.base($0.address) }.first ?? "http://localhost"
        pages = wiring.pages(access, guest)
        let (pages, access, history) = (pages, access, Self.history(of: wiring))
        server = try LocalServer(sockets, idleTime: isActivated ? LocalServer.idleTime : nil, isBusy: { pages.isBusy })
        { request in
            // The token that a proof leads to opens no pages of guests.
            if guest == nil, let proof = access.proof(for: request, history: history) { return proof }
            return await pages.respond(to: request)
        }
    }

    /// What two servers of the same history have in common, wherever they were started.
    private static func history(of wiring: Wiring) -> String {
        URL(fileURLWithPath: wiring.databasePath).standardizedFileURL.resolvingSymlinksInPath().path
    }

    private static func base(_ address: ListeningSocket.Address) -> String? {
        guard case .loopback(let port, let isIPv6) = address else { return nil }
        return "http://\(isIPv6 ? "[::1]" : "127.0.0.1"):\(port)"
    }

    /// An address that opens the pages once.
    struct Opening {
        let address: String
        /// Where a file can be written that leads a browser to the address, and that only this user can read. The next
        /// one replaces it.
        let file: String

        /// - Parameter user: whose pages are opened; nil for those of the user that the server was started for.
        fileprivate init(_ base: String, _ access: AccessFolder, user: String? = nil) throws(AccessFolder.Failure) {
            address = base + Link(["open", try access.issueToken()], query: [("user", user ?? "")]).text
            file = access.path + "/open.html"
        }
    }

    /// - Throws: `AccessFolder.Failure`.
    func opening() throws -> Opening { try Opening(base, access) }

    func run() async {
        await server.run()
        // Before the process ends: a sync may hold a link to a pedometer.
        await pages.end()
        if let temporary { try? FileManager.default.removeItem(at: temporary) }
    }

    /// A new address of the server that this user runs already for the same history, or that systemd starts for this
    /// user at the next request. Nil if a server of another history has the port, or another program or user, who must
    /// not get a token.
    ///
    /// A server shows the steps of all users of its history, whichever it was started for. So `--user` does not need a
    /// server of its own: it selects whose pages the address opens.
    ///
    /// - Throws: `AccessFolder.Failure`; `ServiceError.unknownUser` of `--user`.
    static func runningOpening(_ wiring: Wiring, port: UInt16) throws -> Opening? {
        guard LoopbackOwner.user(ofPort: port) == getuid(), Paths(environment: wiring.environment).runtime != nil else {
            return nil
        }
        let access = try wiring.accessFolder().folder
        guard try ServerProbe(port: port).finds(history(of: wiring), by: access) else { return nil }
        // What is wrong with the history or the configuration, the pages show.
        let people = try? wiring.people(of: wiring.history(for: .reading))
        return try Opening("http://127.0.0.1:\(port)", access, user: people?.nameAmongSeveral())
    }
}

/// What the local page works with.
extension Wiring {
    /// The pages on the history and the configuration as they are at each request.
    func pages(_ access: AccessFolder, _ guest: GuestAccess? = nil) -> LocalPages {
        let wiring = self
        return LocalPages(
            PageServices(
                histories: histories, services: { wiring.reread().services($0) },
                people: { wiring.reread().people(of: $0) }, localTime: localTime, now: now,
                preferences: {
                    let current = wiring.reread()
                    return PageServices.Preferences(weekStart: current.weekStart, units: current.units)
                },
                modelTitle: { wiring.models.title($0) },
                access: access, create: { _ = try wiring.history(for: .creating) },
                scanner: { wiring.reread().scanner() }, catalog: Self.catalog, searchTime: chosenSearchTime,
                guest: guest, commandOptions: commandOptions))
    }

    /// Without the user: pages show any.
    private var commandOptions: CommandOptions {
        var commandOptions = CommandOptions(options)
        commandOptions.user = nil
        return commandOptions
    }

    /// The access of guests with the password in a file that only this user can read.
    ///
    /// - Throws: `CommandFailure`.
    func guestAccess(host: String, passwordFile: String) throws -> GuestAccess {
        let path = URL(fileURLWithPath: passwordFile).path
        let password: Secret
        do throws(SecretError) {
            password = try SecretSource.file(path).load(environment: environment)
        } catch {
            throw CommandFailure(.configuration, error.description)
        }
        guard password.reveal().count >= GuestAccess.shortestPassword else {
            throw CommandFailure(
                .configuration, "The password is shorter than \(GuestAccess.shortestPassword) characters.",
                advice: "Make one: `openssl rand -base64 18`")
        }
        let credentials = Data("\(GuestAccess.name):\(password.reveal())".utf8).base64EncodedString()
        return GuestAccess(host: host, credentials: credentials, user: options.user)
    }

    /// Where tokens and sessions are: below the user's run-time directory, which ends with the login; without one, in a
    /// folder of this process only.
    func accessFolder() throws -> (folder: AccessFolder, temporary: URL?) {
        if let runtime = Paths(environment: environment).runtime {
            return (try AccessFolder(path: runtime + "/serve"), nil)
        }
        let own = FileManager.default.temporaryDirectory.appendingPathComponent("istep-serve-\(UUID().uuidString)")
        return (try AccessFolder(path: own.path), own)
    }
}

extension ListeningSocket.Failure: ReportableError {
    public var category: FailureCategory {
        switch self {
        case .portInUse, .pathInUse: .temporary
        case .unusablePath: .usage
        case .notLocal: .configuration
        case .system: .unforeseen
        }
    }

    public var advice: String? {
        switch self {
        case .portInUse:
            "Another program, another user or a server of another history has it. Choose another one with --port; 0 is any that is free."
        case .pathInUse: "End that program, or choose another path."
        case .unusablePath: "Choose another path: `istep serve --socket FILE`"
        case .notLocal: "Only sockets of this machine are used: ListenStream=127.0.0.1:7837, or a path."
        case .system: nil
        }
    }
}

extension AccessFolder.Failure: ReportableError {
    public var category: FailureCategory { .permission }
    public var advice: String? { "It must be a directory of yours that only you can read." }
}
