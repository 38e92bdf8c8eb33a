public import Glibc

/// Starts a program that inherits only what it needs.
///
/// Foundation's `Process` goes through all open descriptors, and fails if hundreds are opened and closed meanwhile. Its
/// child also inherits which signals are blocked and ignored, so that a shell may wait forever for its own children.
public enum Spawn {
    public struct Failure: Error, CustomStringConvertible {
        public let program: String
        /// A number of errno(3).
        public let code: Int32
        public var description: String { "\(program): \(String(cString: strerror(code)))" }
    }

    /// The child has default signal handling, whatever this process ignores or blocks. It gets no other descriptor than
    /// those listed: some libraries open theirs without the flag that closes them on exec, and a child that holds one
    /// end of a connection keeps the other from noticing the end.
    ///
    /// - Parameters:
    ///   - program: its path.
    ///   - arguments: as the program sees them; the first is its own name.
    ///   - descriptors: those of this process by their number in the child. A descriptor of this process must not have
    ///     the number of another one in the child. 0, 1 and 2 are `/dev/null` if they are not listed.
    ///   - leadsGroup: the child leads a process group of its own.
    public static func start(
        _ program: String, _ arguments: [String], environment: [String: String], descriptors: [Int32: Int32],
        leadsGroup: Bool = false
    ) throws(Failure) -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for (number, descriptor) in descriptors { posix_spawn_file_actions_adddup2(&actions, descriptor, number) }
        for number: Int32 in 0...2 where descriptors[number] == nil {
            posix_spawn_file_actions_addopen(&actions, number, "/dev/null", number == 0 ? O_RDONLY : O_WRONLY, 0)
        }
        _ = closeFrom?(&actions, max(2, descriptors.keys.max() ?? 2) + 1)

        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var none = sigset_t(), all = sigset_t()
        sigemptyset(&none)
        sigfillset(&all)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setsigdefault(&attributes, &all)
        let flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | (leadsGroup ? POSIX_SPAWN_SETPGROUP : 0)
        posix_spawnattr_setflags(&attributes, Int16(flags))

        var words: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) } + [nil]
        var variables: [UnsafeMutablePointer<CChar>?] = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { for pointer in words + variables { free(pointer) } }
        var identifier: pid_t = 0
        let code = posix_spawn(&identifier, program, &actions, &attributes, &words, &variables)
        guard code == 0 else { throw Failure(program: program, code: code) }
        return identifier
    }

    /// Waits for the end of a child that is about to end or has ended. Blocks.
    /// - Returns: its exit status; nil if it was killed, or is not a child of this process.
    @discardableResult
    public static func wait(for identifier: pid_t) -> Int32? {
        var status: Int32 = 0
        while waitpid(identifier, &status, 0) < 0 {
            if errno != EINTR { return nil }
        }
        return status & 0x7F == 0 ? status >> 8 & 0xFF : nil
    }

    private typealias CloseFrom = @convention(c) (UnsafeMutablePointer<posix_spawn_file_actions_t>, Int32) -> Int32

    /// `posix_spawn_file_actions_addclosefrom_np` of glibc 2.34 and later, which its header declares only with
    /// `_DEFAULT_SOURCE`. With an older one the child inherits what has no flag that closes it on exec.
    private static let closeFrom: CloseFrom? = {
        guard let symbol = dlsym(nil, "posix_spawn_file_actions_addclosefrom_np") else { return nil }
        return unsafeBitCast(symbol, to: CloseFrom.self)
    }()
}
