internal import Foundation
internal import Glibc
internal import Synchronization

/// A program that ends with this process at the latest, and its directory with it.
public final class GuardedProcess: Sendable {
    public enum Problem: Error {
        /// None of these is there.
        case notInstalled([String])
        case noSocket
    }

    /// What it writes, to either output.
    public let said: Log
    private let process: Process
    private let lifeline: FileHandle
    private let isStopped = Mutex(false)

    /// Ends the program as soon as a line comes or this process is gone. Without a `wait`: that needs signals which may be
    /// blocked here, and those who start a child leave them so.
    private static let guardScript = """
        directory=$1
        shift
        "$@" </dev/null 2>&1 &
        read -r line
        kill -KILL $!
        rm -rf "$directory"
        """

    private init(_ process: Process, _ lifeline: FileHandle, _ said: Log) {
        self.process = process
        self.lifeline = lifeline
        self.said = said
    }

    /// A new directory for a program's files, which nobody else can look into.
    public static func makeDirectory(_ name: String) throws -> String {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("\(name)-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        return path
    }

    /// Where a program is that may not be on the path of users.
    public static func find(_ name: String) throws -> String {
        let paths = ["/usr/sbin", "/usr/bin", "/usr/local/sbin", "/usr/local/bin"].map { "\($0)/\(name)" }
        guard let found = paths.first(where: { FileManager.default.isExecutableFile(atPath: $0) }) else { throw Problem.notInstalled(paths) }
        return found
    }

    /// - Parameters:
    ///   - environment: besides that of this process.
    ///   - directory: removed at the end.
    public static func start(
        _ program: String, _ arguments: [String], environment: [String: String] = [:], directory: String
    ) throws -> GuardedProcess {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = ["-c", guardScript, "sh", directory, program] + arguments
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        let (input, lifeline) = try socketPair(), (output, reading) = try socketPair()
        process.standardInput = input
        process.standardOutput = output
        process.standardError = output
        try process.run()
        try input.close()
        try output.close()
        return GuardedProcess(process, lifeline, Log(reading: reading))
    }

    /// Ends it and waits until its files are gone. Stopping again does nothing.
    public func stop() async {
        let isFirst = isStopped.withLock { isStopped in
            defer { isStopped = true }
            return !isStopped
        }
        guard isFirst else { return }
        await withCheckedContinuation { continuation in
            process.terminationHandler = { _ in continuation.resume() }
            try? lifeline.write(contentsOf: Data("end\n".utf8))
        }
    }

    /// Runs a program to its end.
    /// - Returns: its exit status and what it wrote to standard error.
    public static func run(_ program: String, _ arguments: [String], in directory: String) async throws -> (status: Int32, said: String) {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = arguments
        process.currentDirectoryURL = URL(fileURLWithPath: directory)
        let complaints = directory + "/complaints"
        try Data().write(to: URL(fileURLWithPath: complaints))
        process.standardError = FileHandle(forWritingAtPath: complaints)
        let status = try await withCheckedThrowingContinuation { continuation in
            process.terminationHandler = { continuation.resume(returning: $0.terminationStatus) }
            do { try process.run() } catch { continuation.resume(throwing: error) }
        }
        return (status, (try? String(contentsOfFile: complaints, encoding: .utf8)) ?? "")
    }

    /// Two connected ends that no other child inherits: with a pipe of Foundation's each would keep the others from ending.
    private static func socketPair() throws -> (FileHandle, FileHandle) {
        var pair: [Int32] = [-1, -1]
        guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &pair) == 0 else { throw Problem.noSocket }
        return (
            FileHandle(fileDescriptor: pair[0], closeOnDealloc: true), FileHandle(fileDescriptor: pair[1], closeOnDealloc: true)
        )
    }
}
