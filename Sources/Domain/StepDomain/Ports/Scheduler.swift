/// Starts syncs without the user: what a service manager must do for the domain.
public protocol Scheduler: Sendable {
    /// Enables the nightly sync, the one before midnight for pedometers that keep only today's count, and the one when
    /// an adapter is plugged in.
    ///
    /// - Parameter watching: whether `watch` runs as a service, too. If not, a service that was enabled before is
    ///   stopped and disabled.
    /// - Returns: the state afterwards.
    func enable(watching: Bool) async throws -> SyncSchedule

    /// Disables everything that `enable` enables. A sync that is running is not stopped.
    ///
    /// - Returns: the state afterwards.
    func disable() async throws -> SyncSchedule

    /// What starts a sync, when it last did, and when it will.
    func schedule() async throws -> SyncSchedule
}

/// The names of the systemd units that sync automatically.
public enum SyncUnitName {
    /// Syncs every night.
    public static let nightTimer = "istep-sync.timer"
    /// Syncs before midnight, for pedometers that keep only today's count.
    public static let midnightTimer = "istep-midnight.timer"
    public static let midnightService = "istep-midnight.service"
    /// The service that the nightly timer runs. If it is enabled itself, it is also started when an adapter is plugged
    /// in.
    public static let service = "istep-sync.service"
    /// Keeps running and watches.
    public static let watch = "istep-watch.service"
}

/// The state of automatic sync.
public struct SyncSchedule: Hashable, Sendable {
    /// The owner of the units, for whom they run.
    public enum Owner: Sendable, Hashable {
        /// A user by login name; whether it continues while the user is not logged in, if that is known.
        case user(String, lingers: Bool?)
        case machine
    }

    /// Something that starts a sync.
    public struct Trigger: Sendable, Hashable {
        /// Whether it is enabled to start automatically, and whether it is active now.
        public var isEnabled: Bool
        public var isActive: Bool
        public var last: Timestamp?
        public var next: Timestamp?

        public init(isEnabled: Bool, isActive: Bool, last: Timestamp? = nil, next: Timestamp? = nil) {
            self.isEnabled = isEnabled
            self.isActive = isActive
            self.last = last
            self.next = next
        }
    }

    /// How the last sync that was started this way ended.
    public struct Run: Sendable, Hashable {
        public var end: Timestamp
        /// Exit code; nil if a signal killed it. A sync that its time limit interrupts ends by itself, with 143.
        public var exitCode: Int?
        /// How it ended, as the service manager reports it.
        public var result: String

        public init(end: Timestamp, exitCode: Int?, result: String) {
            self.end = end
            self.exitCode = exitCode
            self.result = result
        }
    }

    public var owner: Owner
    public var night: Trigger
    public var midnight: Trigger
    public var adapter: Trigger
    public var watch: Trigger
    public var lastRun: Run?

    public init(owner: Owner, night: Trigger, midnight: Trigger, adapter: Trigger, watch: Trigger, lastRun: Run? = nil)
    {
        self.owner = owner
        self.night = night
        self.midnight = midnight
        self.adapter = adapter
        self.watch = watch
        self.lastRun = lastRun
    }
}

/// The service manager that started this process (systemd): what it must do for a use case that keeps running.
///
/// No call waits: a manager that does not read its messages must not delay the service. Each returns whether the report
/// was accepted.
public protocol ServiceSupervisor: Sendable {
    /// The longest interval between two calls of `alive`; nil if there is no watchdog.
    var watchdogInterval: Duration? { get }

    /// Start-up is complete.
    @discardableResult func ready(_ status: String) -> Bool
    /// What the service is doing, in one line.
    @discardableResult func status(_ text: String) -> Bool
    /// Resets the watchdog.
    @discardableResult func alive() -> Bool
    /// The service begins to stop.
    @discardableResult func stopping() -> Bool
}
