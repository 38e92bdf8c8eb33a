internal import Dispatch
internal import Synchronization

/// A message bus of our own: a `dbus-daemon` with its own configuration, whose socket only this user can reach.
///
/// It ends with `stop`, when the last reference goes, and in any case when this process ends; its files go with it.
public final class PrivateBus: Sendable {
    /// Where to connect to, such as `unix:path=/tmp/dbus-Tz1bQm/bus`.
    public let address: String
    /// The daemon's process. Until `stop` the number stands for no other process, even if the daemon ends before.
    public let processIdentifier: Int32

    private let daemon: Daemon
    private let isRunning = Mutex(true)

    private static let secondsToStart = 10

    private init(_ daemon: Daemon, _ directory: BusDirectory) {
        self.daemon = daemon
        address = directory.address
        processIdentifier = daemon.identifier
    }

    deinit {
        stop()
    }

    /// Starts a bus, and returns when it can be connected to.
    /// - Parameter closedNames: nobody may send anything to who owns one of these, as a system bus's policy has it for strangers.
    /// - Throws: `PrivateBusError`; nothing is then left behind.
    public static func start(closedNames: [String] = []) async throws(PrivateBusError) -> PrivateBus {
        let result = await withCheckedContinuation { continuation in
            // Starting waits for the child, which no thread of Swift's own pool should.
            DispatchQueue.global().async {
                continuation.resume(returning: Result { () throws(PrivateBusError) in try launch(closedNames) })
            }
        }
        return try result.get()
    }

    /// Ends the bus, and waits until it has ended and its files are gone. Stopping again does nothing.
    public func stop() {
        isRunning.withLock { isRunning in
            guard isRunning else { return }
            isRunning = false
            daemon.end()
        }
    }

    private static func launch(_ closedNames: [String]) throws(PrivateBusError) -> PrivateBus {
        let program = try Daemon.find()
        let directory = try BusDirectory.create(closedNames)
        return PrivateBus(try Daemon.start(program, directory, seconds: secondsToStart), directory)
    }
}
