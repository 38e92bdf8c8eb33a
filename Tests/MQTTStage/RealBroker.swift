internal import Foundation
internal import Glibc
internal import Synchronization

/// A `mosquitto` of the test's own, on a port of 127.0.0.1. It ends with `stop`, and in any case with this process.
public final class RealBroker: Sendable {
    public enum Problem: Error {
        case notInstalled
        /// What it said.
        case didNotStart(String)
    }

    public let port: Int
    /// Its directory, which goes with it.
    public let directory: String
    private let process: Process
    private let lifeline: FileHandle
    private let said: Log

    /// Starts a broker.
    /// - Parameters:
    ///   - users: names and passwords; nil to let anybody in.
    ///   - options: further lines of its configuration. `DIRECTORY` in them stands for its directory.
    ///   - files: what else is in the directory, by name.
    public static func start(
        users: [String: String]? = nil, options: [String] = [], files: [String: String] = [:]
    ) async throws -> RealBroker {
        while true {
            let port = FreePort.find()
            do {
                return try await start(port, users, options, files)
            } catch Problem.didNotStart(let said) where said.contains("Address already in use") {
                // Somebody was quicker.
            }
        }
    }

    /// Runs `body` with a broker, and ends that on the way out.
    public static func with(
        users: [String: String]? = nil, options: [String] = [], files: [String: String] = [:],
        _ body: (RealBroker) async throws -> Void
    ) async throws {
        let broker = try await start(users: users, options: options, files: files)
        do {
            try await body(broker)
        } catch {
            await broker.stop()
            throw error
        }
        await broker.stop()
    }

    /// Ends it and waits until its files are gone.
    public func stop() async {
        await withCheckedContinuation { continuation in
            process.terminationHandler = { _ in continuation.resume() }
            try? lifeline.write(contentsOf: Data("end\n".utf8))
        }
    }

    /// What it has written to its log.
    public var log: String { said.text }

    // MARK: Starting

    /// Ends the broker and its files as soon as a line comes or this process is gone. Without a `wait`: that needs signals which
    /// may be blocked here, and those who start a child leave them so.
    private static let guardScript = """
        "$1" -c "$2/broker.conf" </dev/null 2>&1 &
        read -r line
        kill -KILL $!
        rm -rf "$2"
        """

    private init(port: Int, directory: String, process: Process, lifeline: FileHandle, said: Log) {
        self.port = port
        self.directory = directory
        self.process = process
        self.lifeline = lifeline
        self.said = said
    }

    private static func start(
        _ port: Int, _ users: [String: String]?, _ options: [String], _ files: [String: String]
    ) async throws -> RealBroker {
        guard let program = find("mosquitto") else { throw Problem.notInstalled }
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent("mosquitto-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: false)
        for (name, text) in files { try text.write(toFile: "\(directory)/\(name)", atomically: false, encoding: .utf8) }
        var lines = ["user root", "listener \(port) 127.0.0.1", "persistence false", "log_dest stderr", "allow_anonymous \(users == nil)"]
        if let users {
            try await writePasswords(users, to: "\(directory)/passwords")
            lines.append("password_file \(directory)/passwords")
        }
        lines += options.map { $0.replacingOccurrences(of: "DIRECTORY", with: directory) }
        try lines.joined(separator: "\n").write(toFile: "\(directory)/broker.conf", atomically: false, encoding: .utf8)

        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = ["-c", guardScript, "sh", program, directory]
        let (input, lifeline) = try socketPair(), (output, reading) = try socketPair()
        process.standardInput = input
        process.standardOutput = output
        process.standardError = output
        try process.run()
        try input.close()
        try output.close()
        let said = Log(reading: reading)
        let broker = RealBroker(port: port, directory: directory, process: process, lifeline: lifeline, said: said)
        guard await said.contains(" running", orAnyOf: ["Error: ", "error"]) else {
            await broker.stop()
            throw Problem.didNotStart(said.text)
        }
        return broker
    }

    /// Two connected ends that no other child inherits: with a pipe of Foundation's each would keep the others from ending.
    private static func socketPair() throws -> (FileHandle, FileHandle) {
        var pair: [Int32] = [-1, -1]
        guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &pair) == 0 else { throw POSIXError(.EMFILE) }
        return (
            FileHandle(fileDescriptor: pair[0], closeOnDealloc: true), FileHandle(fileDescriptor: pair[1], closeOnDealloc: true)
        )
    }

    private static func writePasswords(_ users: [String: String], to path: String) async throws {
        guard let program = find("mosquitto_passwd") else { throw Problem.notInstalled }
        let text = users.sorted { $0.key < $1.key }.map { "\($0.key):\($0.value)\n" }.joined()
        try text.write(toFile: path, atomically: false, encoding: .utf8)
        let process = Process()
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = ["-U", path]
        try await withCheckedThrowingContinuation { continuation in
            process.terminationHandler = { _ in continuation.resume() }
            do { try process.run() } catch { continuation.resume(throwing: error) }
        }
    }

    private static func find(_ name: String) -> String? {
        ["/usr/sbin", "/usr/bin", "/usr/local/sbin", "/usr/local/bin"].map { "\($0)/\(name)" }
            .first { FileManager.default.isExecutableFile(atPath: $0) }
    }
}
