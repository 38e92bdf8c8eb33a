import Foundation
import ProcessStage
import Synchronization

/// A server installed on this machine, started for a test in its own directory, which is removed with it. A shell guards the server:
/// it kills the server as soon as this process closes the other end of the shell's standard input, explicitly or by ending.
final class ServerProcess: Sendable {
    struct Failure: Error {
        var words: String
    }

    /// The directory for the server's data.
    let directory: URL
    /// The line that reported that the server is ready.
    let readiness: String
    private let lifeline: FileHandle
    private let life: Life

    private final class Life: Sendable {
        let hasEnded = Atomic(false)
    }

    /// Whether the server has ended: some servers report that they are ready before they are.
    var hasEnded: Bool { life.hasEnded.load(ordering: .acquiring) }

    private static let guardScript = """
        trap '' HUP INT QUIT TERM
        directory=$1
        shift
        cd "$directory" || exit
        export TMPDIR="$directory"
        setsid "$@" </dev/null &
        exec >/dev/null 2>&1
        read -r line
        kill -KILL -- -$! || kill -KILL $!
        wait
        rm -rf "$directory"
        """

    /// - Parameters:
    ///   - arguments: made from the server's directory.
    ///   - isReady: whether a line of the server's output means that it is ready.
    /// - Throws: `Failure` with the server's output if it ends instead.
    static func start(
        _ program: String, _ arguments: (URL) throws -> [String], until isReady: @escaping @Sendable (String) -> Bool
    ) async throws -> ServerProcess {
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent("istep-server-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        let life = Life()
        let lifeline = try SocketPair(), output = try SocketPair()
        let words = ["/bin/sh", "-c", guardScript, "guard", directory.path, program] + (try arguments(directory))
        let shell = try Spawn.start(words, descriptors: [lifeline.theirs, output.theirs, output.theirs].map(\.fileDescriptor))
        try lifeline.theirs.close()
        try output.theirs.close()
        let said = await withCheckedContinuation { (continuation: Answer) in
            // A real thread, because it blocks until the server ends.
            Thread.detachNewThread {
                listen(to: output.ours, until: isReady, continuation)
                life.hasEnded.store(true, ordering: .releasing)
                waitpid(shell, nil, 0)
            }
        }
        guard let readiness = said.readiness else {
            try lifeline.ours.close()
            throw Failure(words: "\(program) did not start:\n\(said.words)")
        }
        return ServerProcess(directory: directory, readiness: readiness, lifeline: lifeline.ours, life: life)
    }

    private init(directory: URL, readiness: String, lifeline: FileHandle, life: Life) {
        (self.directory, self.readiness, self.lifeline, self.life) = (directory, readiness, lifeline, life)
    }

    deinit { stop() }

    func stop() { try? lifeline.close() }

    private typealias Answer = CheckedContinuation<(readiness: String?, words: String), Never>

    private static func listen(to output: FileHandle, until isReady: (String) -> Bool, _ continuation: Answer) {
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

/// Two connected sockets that no child inherits: a guard that held the lifeline of another guard would keep that one waiting.
private struct SocketPair {
    let theirs: FileHandle
    let ours: FileHandle

    init() throws {
        var ends: [Int32] = [0, 0]
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else { throw ServerProcess.Failure(words: String(cString: strerror(errno))) }
        theirs = FileHandle(fileDescriptor: ends[0], closeOnDealloc: true)
        ours = FileHandle(fileDescriptor: ends[1], closeOnDealloc: true)
    }
}
