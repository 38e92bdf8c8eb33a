internal import Glibc

/// Starting a child with what it shall have and nothing else.
///
/// Foundation's `Process` goes through all open descriptors, and breaks where hundreds come and go meanwhile, as in these tests; and
/// it leaves to the child which signals are blocked, so that a shell waits in vain for its own children.
enum Spawn {
    /// - Parameters:
    ///   - arguments: the first is the program's path.
    ///   - descriptors: what the child gets, by its number there.
    static func start(
        _ arguments: [String], environment: [String: String], descriptors: [Int32: Int32]
    ) throws(GuardedProcess.Problem) -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for (number, descriptor) in descriptors { posix_spawn_file_actions_adddup2(&actions, descriptor, number) }
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        setSignals(&attributes)
        let environment = environment.map { "\($0.key)=\($0.value)" }
        var pointers: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) } + [nil]
        var variables: [UnsafeMutablePointer<CChar>?] = environment.map { strdup($0) } + [nil]
        defer { for pointer in pointers + variables { free(pointer) } }
        var identifier: pid_t = 0
        let failure = posix_spawn(&identifier, arguments[0], &actions, &attributes, &pointers, &variables)
        guard failure == 0 else { throw .cannotStart(arguments[0], String(cString: strerror(failure))) }
        return identifier
    }

    /// Waits for the end of a child that is about to end, or has.
    /// - Returns: its exit status; nil if it was killed.
    static func wait(for identifier: pid_t) -> Int32? {
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
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
    }
}
