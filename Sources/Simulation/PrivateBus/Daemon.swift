internal import Glibc

/// The daemon, started through a shell that stands guard: it ends the daemon and removes its files as soon as this process closes
/// its end of a socket, on purpose or by coming to an end in whatever way.
struct Daemon: Sendable {
    /// The daemon's process; not waited for by anybody before the guard ends, so the number stays its own.
    let identifier: pid_t
    private let shell: pid_t
    private let lifeline: Int32

    /// `$1` is the program, `$2` the directory; 0 is the lifeline, 3 where the daemon tells that it listens.
    /// Signals from the terminal go to the whole process group, and would keep the guard from tidying up.
    private static let guardScript = """
        trap '' HUP INT QUIT TERM
        "$1" --config-file="$2/bus.conf" --nofork --nopidfile --print-address=1 --print-pid=1 \
            </dev/null >&3 2>"$2/complaints" 3>&- &
        exec 3>&-
        read -r line
        kill -KILL $!
        wait
        rm -f "$2/bus" "$2/bus.conf" "$2/complaints"
        rmdir "$2"
        """

    /// Starts the daemon in `directory`, which from then on the guard removes, and waits until it listens.
    static func start(_ program: String, _ directory: BusDirectory, seconds: Int) throws(PrivateBusError) -> Daemon {
        let lifeline: SocketPair
        let readiness: SocketPair
        do throws(PrivateBusError) {
            lifeline = try SocketPair()
            readiness = try SocketPair()
        } catch {
            directory.remove()
            throw error
        }
        let shell: pid_t
        do throws(PrivateBusError) {
            shell = try Spawn.shell(guardScript, [program, directory.path], [0: lifeline.theirs, 3: readiness.theirs])
        } catch {
            directory.remove()
            throw error
        }
        lifeline.closeTheirs()
        readiness.closeTheirs()
        let answer = readiness.readLines(2, seconds: seconds)
        guard answer.count == 2, let identifier = pid_t(answer[1]) else {
            let complaints = directory.readComplaints()
            end(shell, lifeline.takeOurs())
            if answer.isEmpty, complaints.isEmpty { throw .noAnswer(seconds: seconds) }
            throw .cannotStart(reason: complaints.isEmpty ? "it ended at once" : complaints)
        }
        return Daemon(identifier: identifier, shell: shell, lifeline: lifeline.takeOurs())
    }

    /// Ends the daemon and waits until it has ended and its files are gone. To be called once.
    func end() {
        Self.end(shell, lifeline)
    }

    private static func end(_ shell: pid_t, _ lifeline: Int32) {
        close(lifeline)
        var status: Int32 = 0
        while waitpid(shell, &status, 0) < 0, errno == EINTR {}
    }

    /// Looked in after `PATH`, which need not hold them for a service.
    private static let usualDirectories = ["/usr/bin", "/bin", "/usr/local/bin"]

    /// - Throws: `PrivateBusError.daemonNotFound`.
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
}
