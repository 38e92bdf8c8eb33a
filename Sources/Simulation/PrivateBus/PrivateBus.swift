internal import Dispatch
internal import Glibc
internal import Support
internal import Synchronization

/// A private message bus: a `dbus-daemon` with its own configuration, whose socket only this user can access.
///
/// It ends with `stop`, when the last reference is released, and always when this process ends; its files are removed
/// with it.
public final class PrivateBus: Sendable {
    /// Where to connect to, such as `unix:path=/tmp/dbus-Tz1bQm/bus`.
    public let address: String
    /// The daemon's process. Until `stop` the number is not reused, even if the daemon ends before.
    public let processIdentifier: Int32

    private let daemon: BusDaemon
    private let isRunning = Mutex(true)

    private static let secondsToStart = 10

    private init(_ daemon: BusDaemon, _ directory: BusDirectory) {
        self.daemon = daemon
        address = directory.address
        processIdentifier = daemon.identifier
    }

    deinit {
        stop()
    }

    /// Starts a bus, and returns when it accepts connections.
    /// - Parameters:
    ///   - closedNames: no client may send to the owners of these names, as with a system bus's policy for unauthorized
    ///     users.
    ///   - parent: where the directory of the bus is made (default: `TMPDIR`); `/tmp` if it is not suitable for the
    ///     path of a socket.
    /// - Throws: `PrivateBusError`; no process or file is then left behind.
    public static func start(closedNames: [String] = [], below parent: String? = nil) async throws(PrivateBusError)
        -> PrivateBus
    {
        let parent = parent ?? getenv("TMPDIR").map { String(cString: $0) } ?? ""
        let result = await withCheckedContinuation { continuation in
            // Starting blocks until the child is ready, which must not occupy a thread of Swift's pool.
            DispatchQueue.global().async {
                continuation.resume(returning: Result { () throws(PrivateBusError) in try launch(closedNames, parent) })
            }
        }
        return try result.get()
    }

    /// Ends the bus, and waits until it has ended and its files are removed. A second call does nothing.
    public func stop() {
        isRunning.withLock { isRunning in
            guard isRunning else { return }
            isRunning = false
            daemon.end()
        }
    }

    private static func launch(_ closedNames: [String], _ parent: String) throws(PrivateBusError) -> PrivateBus {
        let program = try BusDaemon.find()
        let directory = try BusDirectory.create(closedNames, below: parent)
        return PrivateBus(try BusDaemon.start(program, directory, seconds: secondsToStart), directory)
    }
}

/// Why a private bus could not be started.
public enum PrivateBusError: Error, Sendable, Hashable {
    /// There is no program `dbus-daemon` in any of these directories.
    case daemonNotFound(searched: [String])
    /// It was found, but did not start.
    case cannotStart(reason: String)
    /// It was started, but did not report within this time.
    case noAnswer(seconds: Int)
}

extension PrivateBusError: CustomStringConvertible {
    /// One line with the failure and, if it is known, the remedy.
    public var description: String {
        switch self {
        case .daemonNotFound(let searched):
            "dbus-daemon was not found in \(searched.joined(separator: ":")); install it (Debian and Ubuntu: sudo apt-get install dbus-daemon)"
        case .cannotStart(let reason):
            "dbus-daemon could not be started: \(reason)"
        case .noAnswer(let seconds):
            "dbus-daemon did not come up within \(seconds) s"
        }
    }
}

/// The daemon, started through a shell that guards it: the shell ends the daemon and removes its files as soon as this
/// process closes its end of a socket, either on purpose or because it ends for any reason.
struct BusDaemon: Sendable {
    /// The daemon's process; it is not waited for before the guard ends, so the number is not reused.
    let identifier: pid_t
    private let shell: pid_t
    /// Its end makes the guard end the daemon.
    private let guardSocket: Int32

    /// `$1` is the program, `$2` the directory. Descriptor 0 is the socket that this process closes when it ends; on 3
    /// the daemon reports that it listens. Signals from the terminal go to the whole process group, and would prevent
    /// the guard from cleaning up.
    private static let guardScript = """
        trap '' HUP INT QUIT TERM
        "$1" --config-file="$2/bus.conf" --nofork --nopidfile --print-address=1 --print-pid=1 \
            </dev/null >&3 2>"$2/errors" 3>&- &
        exec 3>&-
        read -r line
        kill -KILL $!
        wait
        rm -f "$2/bus" "$2/bus.conf" "$2/errors"
        rmdir "$2"
        """

    /// The variables that the shell and `dbus-daemon` need. The environment of this process can contain secrets, and
    /// every program that the daemon starts would inherit them.
    private static var environment: [String: String] {
        (["PATH", "HOME", "TMPDIR"] as [String]).reduce(into: [:]) { variables, name in
            variables[name] = getenv(name).map { String(cString: $0) }
        }
    }

    /// Starts the daemon in `directory`, which the guard removes from then on, and waits until it listens.
    static func start(_ program: String, _ directory: BusDirectory, seconds: Int) throws(PrivateBusError) -> BusDaemon {
        let guardSocket: SocketPair
        let readiness: SocketPair
        do throws(PrivateBusError) {
            guardSocket = try SocketPair()
            readiness = try SocketPair()
        } catch {
            directory.remove()
            throw error
        }
        let shell: pid_t
        do throws(Spawn.Failure) {
            shell = try Spawn.start(
                "/bin/sh", ["sh", "-c", guardScript, "sh", program, directory.path], environment: environment,
                descriptors: [0: guardSocket.childEnd, 3: readiness.childEnd])
        } catch {
            directory.remove()
            throw .cannotStart(reason: error.description)
        }
        guardSocket.closeChildEnd()
        readiness.closeChildEnd()
        let answer = readiness.readLines(2, seconds: seconds)
        guard answer.count == 2, let identifier = pid_t(answer[1]) else {
            let errors = directory.readErrors()
            end(shell, guardSocket.takeParentEnd())
            if answer.isEmpty, errors.isEmpty { throw .noAnswer(seconds: seconds) }
            throw .cannotStart(reason: errors.isEmpty ? "it ended at once" : errors)
        }
        return BusDaemon(identifier: identifier, shell: shell, guardSocket: guardSocket.takeParentEnd())
    }

    /// Ends the daemon and waits until it has ended and its files are removed. Call it once.
    func end() {
        Self.end(shell, guardSocket)
    }

    private static func end(_ shell: pid_t, _ guardSocket: Int32) {
        close(guardSocket)
        Spawn.wait(for: shell)
    }

    /// Searched after `PATH`, which need not contain them for a service.
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
