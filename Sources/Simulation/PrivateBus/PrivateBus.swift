internal import Dispatch
internal import Glibc
internal import Synchronization

/// A message bus of our own: a `dbus-daemon` with its own configuration, whose socket only this user can reach.
///
/// It ends with `stop`, or when the last reference goes. Nothing ends it if this process is killed outright.
public final class PrivateBus: Sendable {
    /// Where to connect to, such as `unix:path=/tmp/dbus-Tz1bQm/bus`.
    public let address: String
    /// The daemon's process. It stays valid until `stop`, even if the daemon ends before.
    public let processIdentifier: Int32

    private let directory: BusDirectory
    private let isRunning = Mutex(true)

    private static let secondsToStart = 10

    private init(_ directory: BusDirectory, _ processIdentifier: Int32) {
        self.directory = directory
        self.processIdentifier = processIdentifier
        address = directory.address
    }

    deinit {
        stop()
    }

    /// Starts a bus, and returns when it can be connected to.
    /// - Throws: `PrivateBusError`; nothing is then left behind.
    public static func start() async throws(PrivateBusError) -> PrivateBus {
        let result = await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                continuation.resume(returning: Result { () throws(PrivateBusError) in try launch() })
            }
        }
        return try result.get()
    }

    /// Ends the bus, waits until it has ended, and removes its files. Stopping again does nothing.
    public func stop() {
        isRunning.withLock { isRunning in
            guard isRunning else { return }
            isRunning = false
            Daemon.end(processIdentifier)
            directory.remove()
        }
    }

    private static func launch() throws(PrivateBusError) -> PrivateBus {
        let program = try Daemon.find()
        // A pair of sockets rather than a pipe: only that can be made close-on-exec at once from Swift.
        var pair: [Int32] = [-1, -1]
        guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &pair) == 0 else {
            throw .cannotStart(reason: String(cString: strerror(errno)))
        }
        defer { close(pair[0]) }
        let bus = try spawn(program, readiness: pair[1])
        switch Daemon.awaitReadiness(pair[0], seconds: secondsToStart) {
        case true: return bus
        case false:
            let complaints = bus.directory.readComplaints()
            throw .cannotStart(reason: complaints.isEmpty ? "it ended at once" : complaints)
        case nil: throw .noAnswer(seconds: secondsToStart)
        }
    }

    /// - Parameter readiness: closed here, so that nobody but the daemon holds it.
    private static func spawn(_ program: String, readiness: Int32) throws(PrivateBusError) -> PrivateBus {
        defer { close(readiness) }
        let directory = try BusDirectory.create()
        do throws(PrivateBusError) {
            return PrivateBus(directory, try Daemon.spawn(program, directory, readiness: readiness))
        } catch {
            directory.remove()
            throw error
        }
    }
}
