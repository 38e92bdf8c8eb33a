import Foundation
import SimulatedBlueZ
import TestSupport
import Testing

/// What reaches standard output, standard error and the terminal behind them, and what happens when it does not.
@Suite(.timeLimit(.minutes(5))) struct OutputTests {
    @Test(arguments: [["show"], ["show", "--json"], ["status"], ["plan"], ["--help"], ["--version"]])
    func `output that cannot be written is an error`(_ words: [String]) async throws {
        let istep = Command(folder: try Folder())
        _ = try await istep("plan", "8000")
        for redirection in [">/dev/full", ">&-"] {
            let result = try await istep.start(words, redirected: redirection).result
            #expect(result.status == 1, "\(redirection)")
            #expect(result.error.contains("could not be written"), "\(redirection)")
        }
        #expect(try await istep("show").status == 0)
    }

    @Test func `control characters in arguments and configuration are not printed`() async throws {
        let folder = try Folder()
        let istep = Command(folder: folder)
        _ = try await istep("plan", "8000")
        let config = folder.path + "/config.toml"
        try Data("user = \"\\u001b[31mme\"\n".utf8).write(to: URL(fileURLWithPath: config))
        let lines = [
            ["sync", "x\u{1b}[31m"], ["show", "\u{1b}[31mred"], ["show", "--config", config], ["forget", "\u{9b}31m"],
            ["show", "--db", "\u{1b}]0;x\u{7}"], ["\u{1b}[2J"], ["add", "a\u{202e}:b"],
        ]
        for words in lines {
            let result = try await istep.run(words)
            #expect(result.status != 0)
            #expect(!result.error.isEmpty)
            let steering = (result.output + result.error).unicodeScalars.filter { scalar in
                scalar != "\n" && [.control, .format].contains(scalar.properties.generalCategory)
            }
            #expect(steering.isEmpty, "\(words)")
        }
    }

    @Test func `an error replaces the progress line`() async throws {
        let terminal = try Terminal()
        let scan = try await Command(folder: try Folder()).start(["scan"], redirected: "2>\(terminal.path)").result
        #expect(scan.status == 69)
        #expect(terminal.text().contains("\r\u{1b}[Kistep: "))
        try await Household.live { home in
            let add = try await home.istep.start(["add", "nobody", "--timeout", "1"], redirected: "2>\(terminal.path)")
                .result
            #expect(add.status == 75)
            #expect(terminal.text().contains("\r\u{1b}[Kistep: "))
        }
    }

    /// Emacs' shell showed the sequences.
    @Test func `a terminal that knows no control sequences gets none`() async throws {
        let terminal = try Terminal()
        var istep = Command(folder: try Folder())
        istep.environment["TERM"] = "dumb"
        let scan = try await istep.start(["scan"], redirected: "2>\(terminal.path)").result
        let text = terminal.text()
        #expect(scan.status == 69 && text.contains("istep: ") && !text.contains("\u{1b}"))
    }

    /// bash expands candidates once more: the name of a device near it was run as a command.
    @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: "/bin/bash")))
    func `names that a shell completes are not run`() async throws {
        let folder = try Folder(), istep = Command(folder: folder)
        let names = ["$(touch ran)", "O'Brien", "`touch ran`", "a b"]
        for name in names { #expect(try await istep("users", "add", name).status == 0, "\(name)") }
        let process = ChildProcess()
        process.executableURL = URL(fileURLWithPath: "/bin/bash")
        let program = try Command.program
        process.arguments = [
            "-c",
            """
            cd "$HOME" && PATH="\(program.deletingLastPathComponent().path):$PATH"
            source <(istep --generate-completion-script bash)
            COMP_WORDS=(istep show --user "") COMP_CWORD=3 COMP_LINE="istep show --user " COMP_POINT=18 cur=""
            _istep istep "" --user
            printf '%s\\n' "${COMPREPLY[@]}"
            """,
        ]
        process.environment = istep.environment
        let result = try await Running(process).result
        #expect(result.output.split(separator: "\n").map(String.init).sorted() == names.sorted(), "\(result)")
        #expect(!FileManager.default.fileExists(atPath: folder.path + "/ran"))
    }

    /// On a terminal one line is overwritten with each device that is found.
    @Test func `a scan without a terminal writes one line of progress`() async throws {
        try await Household.live { home in
            let scan = try await home.istep("scan", "--timeout", "1")
            #expect(
                scan.status == 0 && scan.output.contains(home.ring.address) && scan.output.contains(home.watch.address))
            #expect(scan.error == "Scanning for 1 second\n")
        }
    }

    @Test func `a signal ends a command that is blocked on its output`() async throws {
        try await Household.live { home in
            _ = try await home.istep("add", home.ring.address, "--timeout", "120")
            let pipe = try FullPipe(in: home.folder)
            let running = try home.istep.start(["sync"], redirected: ">'\(pipe.path)'")
            // The first disconnection is that of 'add'. After the second all is read, and only the result is left to be
            // written.
            var disconnections = 0
            for await event in home.stack.events {
                if case .disconnected = event { disconnections += 1 }
                if disconnections == 2 { break }
            }
            running.send(SIGTERM)
            #expect(await running.result.status == 128 + SIGTERM)
            pipe.close()
        }
    }
}

/// A terminal without a user.
private final class Terminal {
    let path: String
    private let master: Int32
    /// Kept open: otherwise what a program has written could be lost when it ends.
    private let slave: Int32

    init() throws {
        // Does what posix_openpt(), unlockpt() and ptsname() do, which Glibc's module does not provide.
        master = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
        let (TIOCSPTLCK, TIOCGPTN) = (UInt(0x4004_5431), UInt(0x8004_5430))
        var (lock, number) = (Int32(0), UInt32(0))
        try #require(master >= 0 && ioctl(master, TIOCSPTLCK, &lock) == 0 && ioctl(master, TIOCGPTN, &number) == 0)
        path = "/dev/pts/\(number)"
        slave = open(path, O_RDWR | O_NOCTTY | O_CLOEXEC)
        try #require(slave >= 0)
        _ = fcntl(master, F_SETFL, O_NONBLOCK)
    }

    /// What was written to it since the last call.
    func text() -> String {
        var (text, buffer) = ([UInt8](), [UInt8](repeating: 0, count: 4096))
        while case let count = read(master, &buffer, buffer.count), count > 0 { text += buffer.prefix(count) }
        return String(decoding: text, as: UTF8.self)
    }

    deinit {
        Foundation.close(master)
        Foundation.close(slave)
    }
}

/// A named pipe that is full and that no program reads.
private final class FullPipe: Sendable {
    let path: String
    private let descriptor: Int32

    init(in folder: Folder) throws {
        path = folder.path + "/pipe"
        try #require(mkfifo(path, 0o600) == 0)
        descriptor = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC)
        try #require(descriptor >= 0)
        while write(descriptor, "x", 1) == 1 {}
    }

    func close() { Foundation.close(descriptor) }
}
