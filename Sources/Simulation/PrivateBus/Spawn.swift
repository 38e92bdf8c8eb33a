internal import Glibc

/// Starting a child process.
enum Spawn {
    /// Runs a script by `/bin/sh`.
    /// - Parameters:
    ///   - arguments: `$1` and so on; the script is never put together from them.
    ///   - descriptors: what the child gets, by its number there.
    /// - Throws: `PrivateBusError.cannotStart`.
    static func shell(
        _ script: String, _ arguments: [String], _ descriptors: [Int32: Int32]
    ) throws(PrivateBusError) -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for (number, descriptor) in descriptors { posix_spawn_file_actions_adddup2(&actions, descriptor, number) }
        posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0)
        posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)

        // A fresh start for signals, whatever this process ignores or blocks.
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var none = sigset_t()
        sigemptyset(&none)
        var all = sigset_t()
        sigfillset(&all)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setsigdefault(&attributes, &all)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))

        var pointers: [UnsafeMutablePointer<CChar>?] = (["sh", "-c", script, "sh"] + arguments).map { strdup($0) } + [nil]
        defer { for pointer in pointers { free(pointer) } }
        var identifier: pid_t = 0
        let failure = posix_spawn(&identifier, "/bin/sh", &actions, &attributes, &pointers, environ)
        guard failure == 0 else { throw .cannotStart(reason: "/bin/sh: \(String(cString: strerror(failure)))") }
        return identifier
    }
}
