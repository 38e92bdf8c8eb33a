internal import Glibc

/// The child process.
enum Daemon {
    /// Looked in after `PATH`, which for a service need not hold it.
    private static let usualDirectories = ["/usr/bin", "/bin", "/usr/local/bin"]

    static func find() throws(PrivateBusError) -> String {
        let path = getenv("PATH").map { String(cString: $0) } ?? ""
        var searched: [String] = []
        for directory in path.split(separator: ":").map(String.init) + usualDirectories
        where directory.hasPrefix("/") && !searched.contains(directory) {
            let program = directory + "/dbus-daemon"
            if access(program, X_OK) == 0 { return program }
            searched.append(directory)
        }
        throw .daemonNotFound(searched: searched)
    }

    /// Starts the daemon; it writes its address to `readiness` when it listens, and its complaints to a file of the directory.
    static func spawn(_ program: String, _ directory: BusDirectory, readiness: Int32) throws(PrivateBusError) -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_adddup2(&actions, readiness, 1)
        posix_spawn_file_actions_addopen(&actions, 2, directory.complaints, O_WRONLY | O_CREAT | O_TRUNC, 0o600)

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

        let arguments = [program, "--config-file=\(directory.configuration)", "--nofork", "--nopidfile", "--print-address=1"]
        var pointers: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) } + [nil]
        defer { for pointer in pointers { free(pointer) } }
        var identifier: pid_t = 0
        let failure = posix_spawn(&identifier, program, &actions, &attributes, &pointers, environ)
        guard failure == 0 else { throw .cannotStart(reason: "\(program): \(String(cString: strerror(failure)))") }
        return identifier
    }

    /// Waits until the daemon listens.
    /// - Returns: false if it ended, nil if `seconds` passed.
    static func awaitReadiness(_ readiness: Int32, seconds: Int) -> Bool? {
        var descriptor = pollfd(fd: readiness, events: Int16(POLLIN), revents: 0)
        while true {
            let events = poll(&descriptor, 1, Int32(seconds) * 1000)
            if events < 0, errno == EINTR { continue }
            guard events > 0 else { return nil }
            var byte: UInt8 = 0
            // The address comes in one write, before which the daemon listens already.
            return read(readiness, &byte, 1) == 1
        }
    }

    /// Ends the daemon and waits for that. It keeps nothing that would need an orderly end.
    static func end(_ identifier: pid_t) {
        kill(identifier, SIGKILL)
        var status: Int32 = 0
        while waitpid(identifier, &status, 0) < 0, errno == EINTR {}
    }
}
