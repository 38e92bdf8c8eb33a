import Foundation
import TestSupport
import Testing

extension Folder {
    /// Writes the configuration that a `Command` of this folder reads.
    ///
    /// - Parameter text: in TOML; `FOLDER` stands for the path of the folder.
    func configure(_ text: String) throws {
        let directory = path + "/config/istep"
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        try Data(text.replacing("FOLDER", with: path).utf8).write(
            to: URL(fileURLWithPath: directory + "/config.toml"))
    }
}

/// The built program, run as a user would run it: tests compare everything that it does.
struct Command {
    struct Result {
        var status: Int32
        var output: String
        var error: String

        /// Standard output as JSON.
        var json: [String: Any] {
            (try? JSONSerialization.jsonObject(with: Data(output.utf8)) as? [String: Any]) ?? [:]
        }
    }

    var environment: [String: String]
    /// Keeps the folder: the program would make it again, and it would stay.
    private let folder: Folder

    /// - Parameters:
    ///   - folder: home, configuration, data and run-time folder.
    ///   - bus: a D-Bus address; nil for an address without a listener.
    ///   - timeZone: in the form of POSIX. It is noon in the default: no day ends during a test that says `today` or
    ///     `yesterday` more than once. (The program uses the machine's clock, and has no setting for the time.)
    init(folder: Folder, bus: String? = nil, timeZone: String = zoneAtNoon) {
        self.folder = folder
        environment = [
            "PATH": ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin",
            "HOME": folder.path, "XDG_CONFIG_HOME": folder.path + "/config", "XDG_DATA_HOME": folder.path + "/data",
            "XDG_RUNTIME_DIR": folder.path, "USER": "anna", "LANG": "C.UTF-8", "TZ": timeZone,
            "DBUS_SYSTEM_BUS_ADDRESS": bus ?? "unix:path=\(folder.path)/no-bus",
        ]
    }

    /// The same for all tests of this process: commands of a test that are created in different hours have the same
    /// day.
    private static let zoneAtNoon: String = {
        let hour = Int(Date().timeIntervalSince1970) / 3600 % 24
        return "LOCAL\(hour - 12)"  // POSIX writes offsets west of Greenwich as positive.
    }()

    /// Beside the test bundle, where the package manager puts it.
    static var program: URL {
        get throws {
            let me = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
            return URL(fileURLWithPath: me).deletingLastPathComponent().appendingPathComponent("istep")
        }
    }

    /// Starts the program; `Running.result` waits for its end.
    func start(_ arguments: [String]) throws -> Running {
        let process = ChildProcess()
        process.executableURL = try Self.program
        process.arguments = arguments
        process.environment = environment
        return try Running(process)
    }

    /// Starts the program by a shell that redirects it, such as `>/dev/full`, or by a program of that shell, such as
    /// `nohup`.
    func start(_ arguments: [String], redirected: String = "", by launcher: String = "") throws -> Running {
        let process = ChildProcess()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = ["-c", "exec \(launcher) \"$0\" \"$@\" \(redirected)", try Self.program.path] + arguments
        process.environment = environment
        return try Running(process)
    }

    func callAsFunction(_ arguments: String...) async throws -> Result { try await start(arguments).result }

    func run(_ arguments: [String]) async throws -> Result { try await start(arguments).result }
}

/// A running program. Its output goes to files: reading pipes would block threads that the simulation needs.
final class Running: Sendable {
    let processIdentifier: Int32
    private let ended: Task<Int32, Never>
    private let output: URL
    private let error: URL
    private let folder: Folder

    init(_ process: ChildProcess) throws {
        folder = try Folder()
        output = URL(fileURLWithPath: folder.path + "/output")
        error = URL(fileURLWithPath: folder.path + "/error")
        for file in [output, error] { try Data().write(to: file) }
        process.standardOutput = try FileHandle(forWritingTo: output)
        process.standardError = try FileHandle(forWritingTo: error)
        let (stream, end) = AsyncStream<Int32>.makeStream()
        process.terminationHandler = { process in
            // As in a shell: 128 plus the signal's number.
            end.yield(
                process.terminationReason == .uncaughtSignal
                    ? 128 + process.terminationStatus : process.terminationStatus)
            end.finish()
        }
        try process.run()
        processIdentifier = process.processIdentifier
        ended = Task { await stream.first { _ in true } ?? -1 }
    }

    var result: Command.Result {
        get async {
            // A test that exceeds its time limit is cancelled: a program that hangs must not block it any longer.
            let status = await withTaskCancellationHandler {
                await ended.value
            } onCancel: {
                send(SIGKILL)
            }
            return Command.Result(status: status, output: text(output), error: text(error))
        }
    }

    /// Standard output so far.
    var outputSoFar: String { text(output) }

    /// Returns once standard output matches.
    func until(_ isWanted: (String) -> Bool) async throws { try await wait(for: output, isWanted) }

    /// Returns once standard error matches.
    func untilError(_ isWanted: (String) -> Bool) async throws { try await wait(for: error, isWanted) }

    private func wait(for file: URL, _ isWanted: (String) -> Bool) async throws {
        let (changes, end) = try FileChanges.stream(of: file.path)
        let ending = Task { [ended] in
            _ = await ended.value
            end()
        }
        defer { ending.cancel() }
        guard !isWanted(text(file)) else { return }
        for await _ in changes where isWanted(text(file)) { return }
        try Task.checkCancellation()
        guard isWanted(text(file)) else { throw EndedBefore(output: text(output), error: text(self.error)) }
    }

    /// The program ended before its output contained what a test waited for.
    struct EndedBefore: Error {
        var output: String
        var error: String
    }

    private func text(_ file: URL) -> String {
        String(decoding: (try? Data(contentsOf: file)) ?? Data(), as: UTF8.self)
    }

    /// Whether the program is still running.
    var isAlive: Bool { kill(processIdentifier, 0) == 0 }

    func send(_ signal: Int32) { kill(processIdentifier, signal) }
}

/// A folder for one test, removed together with this object.
final class Folder: Sendable {
    let path: String

    init() throws {
        let name = "istep-test-\(OrphanGuard.run)-\(UInt32.random(in: .min ... .max))"
        path = FileManager.default.temporaryDirectory.appendingPathComponent(name).path
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    }

    deinit {
        // Removal ends at a file that has gone in between, such as the log of a history that is just closed.
        for _ in 0..<3 where FileManager.default.fileExists(atPath: path) {
            try? FileManager.default.removeItem(atPath: path)
        }
    }
}
