import Foundation
import Synchronization

/// A server of the machine's own, started for a test in a directory of its own, which goes with it. A shell stands guard: it
/// ends the server as soon as this process closes the other end of a pipe, on purpose or by coming to an end.
final class ServerProcess: Sendable {
    struct Failure: Error {
        var words: String
    }

    /// Where the server keeps what it has.
    let directory: URL
    /// The line by which it told that it is ready.
    let readiness: String
    private let lifeline: FileHandle
    private let shell: Process

    private static let guardScript = """
        trap '' HUP INT QUIT TERM
        directory=$1
        shift
        exec 2>&1
        "$@" </dev/null &
        exec >/dev/null 2>&1
        read -r line
        kill -KILL $!
        wait
        rm -rf "$directory"
        """

    /// - Parameters:
    ///   - arguments: made with the directory that the server can have.
    ///   - isReady: whether a line of the server's output tells that it answers.
    /// - Throws: `Failure` with what it said, where it ended instead.
    static func start(
        _ program: String, _ arguments: (URL) throws -> [String], until isReady: @escaping @Sendable (String) -> Bool
    ) async throws -> ServerProcess {
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent("istep-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        let lifeline = try pair(), output = try pair()
        let shell = Process()
        shell.executableURL = URL(fileURLWithPath: "/bin/sh")
        shell.arguments = ["-c", guardScript, "guard", directory.path, program] + (try arguments(directory))
        shell.currentDirectoryURL = directory
        shell.standardInput = lifeline.theirs
        shell.standardOutput = output.theirs
        shell.standardError = output.theirs
        let said = try await withCheckedThrowingContinuation { (continuation: Answer) in
            // A real thread: it waits for the server for as long as that lives. Swift's own threads have signals blocked, and
            // a shell that inherits that waits for its children in vain.
            Thread.detachNewThread {
                var none = sigset_t()
                sigemptyset(&none)
                pthread_sigmask(SIG_SETMASK, &none, nil)
                do {
                    try shell.run()
                    try lifeline.theirs.close()
                    try output.theirs.close()
                } catch {
                    return continuation.resume(throwing: error)
                }
                listen(to: output.ours, until: isReady, continuation)
            }
        }
        guard let readiness = said.readiness else {
            try lifeline.ours.close()
            throw Failure(words: "\(program) did not start:\n\(said.words)")
        }
        return ServerProcess(directory: directory, readiness: readiness, lifeline: lifeline.ours, shell: shell)
    }

    /// Inherited by nobody: a guard that held the lifeline of another would keep that other one waiting.
    private static func pair() throws -> (theirs: FileHandle, ours: FileHandle) {
        var ends: [Int32] = [0, 0]
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else { throw Failure(words: String(cString: strerror(errno))) }
        return (FileHandle(fileDescriptor: ends[0], closeOnDealloc: true), FileHandle(fileDescriptor: ends[1], closeOnDealloc: true))
    }

    private init(directory: URL, readiness: String, lifeline: FileHandle, shell: Process) {
        (self.directory, self.readiness, self.lifeline, self.shell) = (directory, readiness, lifeline, shell)
    }

    deinit { stop() }

    func stop() { try? lifeline.close() }

    private typealias Answer = CheckedContinuation<(readiness: String?, words: String), any Error>

    private static func listen(
        to output: FileHandle, until isReady: (String) -> Bool, _ continuation: Answer
    ) {
        var rest = "", words = ""
        var isWaiting = true
        while true {
            let data = output.availableData
            if data.isEmpty { break }
            guard isWaiting else { continue }
            rest += String(decoding: data, as: UTF8.self)
            while let end = rest.firstIndex(of: "\n"), isWaiting {
                let line = String(rest[..<end])
                rest.removeSubrange(...end)
                words += line + "\n"
                if isReady(line) {
                    isWaiting = false
                    continuation.resume(returning: (line, words))
                }
            }
        }
        if isWaiting { continuation.resume(returning: (nil, words + rest)) }
    }
}
