import Foundation
import Synchronization

/// A server of the machine's own, started for a test in a directory of its own, which goes with it. A shell stands guard: it
/// ends the server as soon as this process closes the other end of its standard input, on purpose or by coming to an end.
final class ServerProcess: Sendable {
    struct Failure: Error {
        var words: String
    }

    /// Where the server keeps what it has.
    let directory: URL
    /// The line by which it told that it is ready.
    let readiness: String
    private let lifeline: FileHandle
    private let life: Life

    private final class Life: Sendable {
        let hasEnded = Atomic(false)
    }

    /// Whether it is there no more: some servers tell that they are ready before they are.
    var hasEnded: Bool { life.hasEnded.load(ordering: .acquiring) }

    private static let guardScript = """
        trap '' HUP INT QUIT TERM
        directory=$1
        shift
        cd "$directory" || exit
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
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent("istep-server-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        let life = Life()
        let lifeline = try SocketPair(), output = try SocketPair()
        let words = ["sh", "-c", guardScript, "guard", directory.path, program] + (try arguments(directory))
        let shell = try spawn(words, input: lifeline.theirs, output: output.theirs)
        try lifeline.theirs.close()
        try output.theirs.close()
        let said = await withCheckedContinuation { (continuation: Answer) in
            // A real thread: it waits for the server for as long as that lives.
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

    /// Foundation's `Process` looks which descriptors are open, and breaks where hundreds come and go meanwhile, as here; it
    /// also leaves to the child which signals are blocked, and a shell that has them all blocked waits in vain for its own.
    private static func spawn(_ words: [String], input: FileHandle, output: FileHandle) throws -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, input.fileDescriptor, 0)
        for number in [1, 2] as [Int32] { posix_spawn_file_actions_adddup2(&actions, output.fileDescriptor, number) }

        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var none = sigset_t(), all = sigset_t()
        sigemptyset(&none)
        sigfillset(&all)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setsigdefault(&attributes, &all)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))

        var pointers: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
        defer { for pointer in pointers { free(pointer) } }
        var identifier: pid_t = 0
        let failure = posix_spawn(&identifier, "/bin/sh", &actions, &attributes, &pointers, environ)
        guard failure == 0 else { throw Failure(words: "/bin/sh: \(String(cString: strerror(failure)))") }
        return identifier
    }
}

/// Two connected sockets that no child inherits: a guard that held the lifeline of another would keep that other one waiting.
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
