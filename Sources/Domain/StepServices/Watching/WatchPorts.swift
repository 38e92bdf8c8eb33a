public import StepDomain

/// What a watch works with.
public struct WatchContext: Sendable {
    public var histories: any HistorySource
    /// What the use cases work with, for a history.
    public var services: @Sendable (History) -> ServiceContext
    public var scanner: any PresenceScanner
    /// Follows pedometers that report steps live.
    public var reader: any PedometerReader
    /// Nil if no service manager started this process.
    public var supervisor: (any ServiceSupervisor)?
    public var output: any WatchOutput
    /// Reports the syncs of a watch in unattended mode.
    public var reporter: @Sendable (ServiceContext) -> UnattendedReporter
    /// Called after each sync. A sync uses some megabytes, which the allocator would keep for the next one.
    public var releaseMemory: @Sendable () -> Void
    /// Called before the history is read: the time zone of the machine may have changed, and `localTime` must use the
    /// new one.
    public var reloadTimeZone: @Sendable () -> Void
    public var localTime: LocalTime
    public var now: @Sendable () -> Timestamp
    /// Measures pauses.
    public var clock: any Clock<Duration>

    public init(
        histories: any HistorySource, services: @escaping @Sendable (History) -> ServiceContext,
        scanner: any PresenceScanner,
        reader: any PedometerReader, supervisor: (any ServiceSupervisor)? = nil, output: any WatchOutput,
        reporter: @escaping @Sendable (ServiceContext) -> UnattendedReporter,
        releaseMemory: @escaping @Sendable () -> Void = {},
        reloadTimeZone: @escaping @Sendable () -> Void = {}, localTime: LocalTime,
        now: @escaping @Sendable () -> Timestamp,
        clock: any Clock<Duration>
    ) {
        self.histories = histories
        self.services = services
        self.scanner = scanner
        self.reader = reader
        self.supervisor = supervisor
        self.output = output
        self.reporter = reporter
        self.releaseMemory = releaseMemory
        self.reloadTimeZone = reloadTimeZone
        self.localTime = localTime
        self.now = now
        self.clock = clock
    }
}

/// Shows what a watch does. Calls come from several tasks.
public protocol WatchOutput: Sendable {
    /// It watches for the pedometers of these names. Not called in unattended mode, or without a pedometer.
    func started(_ pedometers: [String])
    func status(_ status: WatchStatus)
    /// The status in one line, for the service manager.
    func text(for status: WatchStatus) -> String
    /// Steps of the pedometers that are connected.
    func live(_ figures: [LiveFigures.Figure])
    /// The result of a sync. Not called in unattended mode.
    ///
    /// - Throws: if it cannot be written.
    func synced(_ outcome: SyncService.Outcome) throws
    /// A problem that has just begun.
    func problem(_ error: any Error)
    /// Nothing follows.
    func ended()
}

/// What a watch is doing.
public enum WatchStatus: Hashable, Sendable {
    /// It reads the pedometer of this name.
    case reading(String)
    /// It listens for the pedometers of these names.
    case searching([String])
    /// All are read; when the next one is due.
    case idle(next: Timestamp)
    case noPedometer
}
