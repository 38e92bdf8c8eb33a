public import Glibc

/// Starts a child that gets only what it is meant to have.
///
/// Foundation's `Process` goes through all open descriptors, and fails if hundreds are opened and closed meanwhile, as in these tests.
/// Its child also inherits the blocked signals, so that a shell waits forever for its own children.
///
/// A child gets no other descriptor than those that are listed. Some libraries open theirs without the flag that closes them on exec; a
/// server that held the socket of another test's connection would keep that test from noticing the end of the connection.
public enum Spawn {
    public struct Failure: Error, CustomStringConvertible {
        public let program: String
        public let code: Int32
        public var description: String { "\(program): \(String(cString: strerror(code)))" }
    }

    /// - Parameters:
    ///   - arguments: the first is the program's path.
    ///   - environment: nil for that of this process. A clock that these tests run with (`.ci/environments`) is the child's clock in any case.
    ///   - descriptors: the child's descriptors 0, 1, 2 … in order.
    ///   - inOwnGroup: the child leads a process group of its own.
    public static func start(
        _ arguments: [String], environment: [String: String]? = nil, descriptors: [Int32], inOwnGroup: Bool = false
    ) throws(Failure) -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for (number, descriptor) in descriptors.enumerated() {
            posix_spawn_file_actions_adddup2(&actions, descriptor, Int32(number))
        }
        _ = closeOthers?(&actions, Int32(descriptors.count))
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        setSignals(&attributes)
        let flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | (inOwnGroup ? POSIX_SPAWN_SETPGROUP : 0)
        posix_spawnattr_setflags(&attributes, Int16(flags))
        var pointers: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) } + [nil]
        var variables: [UnsafeMutablePointer<CChar>?] =
            (environment ?? [:]).merging(clock) { own, _ in own }.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { for pointer in pointers + variables { free(pointer) } }
        var identifier: pid_t = 0
        let code =
            environment == nil
            ? posix_spawn(&identifier, arguments[0], &actions, &attributes, &pointers, environ)
            : posix_spawn(&identifier, arguments[0], &actions, &attributes, &pointers, &variables)
        guard code == 0 else { throw Failure(program: arguments[0], code: code) }
        return identifier
    }

    private static let clock: [String: String] = ["LD_PRELOAD", "SHIFTED_CLOCK"].reduce(into: [:]) { variables, name in
        if let value = getenv(name) { variables[name] = String(cString: value) }
    }

    /// Waits for the end of a child that is about to end or has ended.
    /// - Returns: its exit status; nil if it was killed.
    public static func wait(for identifier: pid_t) -> Int32? {
        var status: Int32 = 0
        while waitpid(identifier, &status, 0) < 0, errno == EINTR {}
        return status & 0x7F == 0 ? status >> 8 & 0xFF : nil
    }

    private static func setSignals(_ attributes: inout posix_spawnattr_t) {
        var none = sigset_t(), all = sigset_t()
        sigemptyset(&none)
        sigfillset(&all)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setsigdefault(&attributes, &all)
    }

    private typealias CloseFrom = @convention(c) (UnsafeMutablePointer<posix_spawn_file_actions_t>, Int32) -> Int32

    /// `posix_spawn_file_actions_addclosefrom_np` of glibc 2.34 and later, which its header declares only with `_DEFAULT_SOURCE`.
    private static let closeOthers: CloseFrom? = {
        guard let symbol = dlsym(nil, "posix_spawn_file_actions_addclosefrom_np") else { return nil }
        return unsafeBitCast(symbol, to: CloseFrom.self)
    }()
}
