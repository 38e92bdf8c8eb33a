internal import Foundation
internal import Glibc
internal import Support
internal import Synchronization

/// A program that ends with this process at the latest. Its directory is removed with it.
public final class GuardedProcess: Sendable {
    public enum Problem: Error {
        /// None of these files exists.
        case notInstalled([String])
        /// The program or resource, and the reason.
        case cannotStart(String, String)
    }

    /// Its output, both standard output and standard error.
    public let said: Log
    private let shell: pid_t
    private let lifeline: Ends
    private let isStopped = Mutex(false)

    /// Kills the program and its children as soon as it reads a line or the end of input, which also comes when this
    /// process ends.
    private static let guardScript = """
        trap '' HUP INT QUIT TERM
        directory=$1
        cd "$directory" || exit
        export TMPDIR="$directory"
        shift
        setsid "$@" </dev/null 2>&1 &
        exec >/dev/null 2>&1
        read -r line
        kill -s KILL -- -$! || kill -s KILL $!  # dash does not accept 'kill -KILL --'
        wait
        rm -rf "$directory"
        """

    private init(_ shell: pid_t, _ lifeline: Ends, _ said: Log) {
        self.shell = shell
        self.lifeline = lifeline
        self.said = said
    }

    /// A new directory for a program's files, which no other user can read.
    public static func makeDirectory(_ name: String) throws -> String {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("\(name)-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        return path
    }

    /// The path of a program that may not be in the users' PATH.
    public static func find(_ name: String) throws(Problem) -> String {
        let paths = ["/usr/sbin", "/usr/bin", "/usr/local/sbin", "/usr/local/bin"].map { "\($0)/\(name)" }
        guard let found = paths.first(where: { access($0, X_OK) == 0 }) else { throw .notInstalled(paths) }
        return found
    }

    /// - Parameters:
    ///   - environment: added to that of this process.
    ///   - directory: removed at the end.
    public static func start(
        _ program: String, _ arguments: [String], environment: [String: String] = [:], directory: String
    ) throws(Problem) -> GuardedProcess {
        let lifeline = try Ends(), output = try Ends()
        let shell = try spawn(
            ["/bin/sh", "-c", guardScript, "sh", directory, program] + arguments,
            environment: ProcessInfo.processInfo.environment.merging(environment) { $1 },
            descriptors: [lifeline.theirs, output.theirs, output.theirs])
        lifeline.closeTheirs()
        output.closeTheirs()
        return GuardedProcess(shell, lifeline, Log(reading: output.ours))
    }

    /// Ends it and waits until its files are gone. Stopping again does nothing.
    public func stop() async {
        guard takeLifeline() else { return }
        await said.end()
        _ = Spawn.wait(for: shell)
    }

    /// Ends it without waiting. Ending again does nothing.
    public func end() {
        guard takeLifeline() else { return }
        Thread.detachNewThread { [shell] in _ = Spawn.wait(for: shell) }
    }

    /// - Returns: false if it was closed before.
    private func takeLifeline() -> Bool {
        let isFirst = isStopped.withLock { isStopped in
            defer { isStopped = true }
            return !isStopped
        }
        if isFirst { lifeline.closeOurs() }
        return isFirst
    }

    /// Runs a program to its end.
    /// - Returns: its exit status, nil if it was killed, and what it wrote.
    public static func run(
        _ program: String, _ arguments: [String], in directory: String
    ) async throws(Problem) -> (status: Int32?, said: String) {
        let output = try Ends(), input = try Ends()
        let words = ["/bin/sh", "-c", #"cd "$1" && shift && exec "$@""#, "sh", directory, program] + arguments
        let child = try spawn(words, environment: nil, descriptors: [input.theirs, output.theirs, output.theirs])
        output.closeTheirs()
        input.closeTheirs()
        input.closeOurs()
        let log = Log(reading: output.ours)
        await log.end()
        return (Spawn.wait(for: child), log.text)
    }

    private static func spawn(_ words: [String], environment: [String: String]?, descriptors: [Int32]) throws(Problem)
        -> pid_t
    {
        do { return try Spawn.start(words, environment: environment, descriptors: descriptors) } catch {
            throw .cannotStart(error.program, String(cString: strerror(error.code)))
        }
    }
}
