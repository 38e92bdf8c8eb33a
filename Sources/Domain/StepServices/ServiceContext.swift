public import StepDomain
internal import Support

/// What the use cases work with: ports, the time and the place. The wiring of the program makes it.
public struct ServiceContext: Sendable {
    public var history: History
    public var lock: any WorkLock
    public var maintenance: any HistoryMaintenance
    /// Makes a reader that requests at most this many days (nil: all that is new) and knows the addresses of all
    /// registered pedometers.
    public var reader: @Sendable (_ days: Int?, _ registered: Set<String>) -> any PedometerReader
    /// Returns when a Bluetooth adapter that is just starting is available, or after a while without one.
    public var waitForAdapter: @Sendable () async -> Void
    /// The configured destinations that are enabled.
    ///
    /// Throws the errors of all of them.
    public var destinations: @Sendable () throws -> [any ShareDestination]
    /// Names of the configured destinations, whether they can be used or not.
    public var destinationNames: [String]
    public var localTime: LocalTime
    /// The name of the zone that the environment asks for and the machine does not have: `localTime` is UTC then. Nil
    /// for no such error.
    public var unknownZone: String?
    public var now: @Sendable () -> Timestamp
    /// Whether `now` is about right: this machine has a clock that runs while it is off, or a time server has set it.
    public var isClockBelieved: @Sendable () -> Bool
    /// Measures pauses.
    public var clock: any Clock<Duration>
    /// Imports the files of the configuration that have changed; nil if it names none.
    public var scheduledImports: (@Sendable () async -> [ScheduledImportReport])?

    public init(
        history: History, lock: any WorkLock, maintenance: any HistoryMaintenance,
        reader: @escaping @Sendable (_ days: Int?, _ registered: Set<String>) -> any PedometerReader,
        waitForAdapter: @escaping @Sendable () async -> Void,
        destinations: @escaping @Sendable () throws -> [any ShareDestination],
        destinationNames: [String], localTime: LocalTime, unknownZone: String? = nil,
        now: @escaping @Sendable () -> Timestamp, isClockBelieved: @escaping @Sendable () -> Bool = { true },
        clock: any Clock<Duration>, scheduledImports: (@Sendable () async -> [ScheduledImportReport])? = nil
    ) {
        self.scheduledImports = scheduledImports
        self.history = history
        self.lock = lock
        self.maintenance = maintenance
        self.reader = reader
        self.waitForAdapter = waitForAdapter
        self.destinations = destinations
        self.destinationNames = destinationNames
        self.localTime = localTime
        self.unknownZone = unknownZone
        self.now = now
        self.isClockBelieved = isClockBelieved
        self.clock = clock
    }

    /// Waits for a time server where that is needed before pedometers are read.
    ///
    /// - Parameter begins: called if it has to wait.
    /// - Returns: false if the clock may still be wrong.
    public func waitForClock(_ begins: @Sendable () -> Void) async -> Bool {
        await ClockWait(isBelieved: isClockBelieved, clock: clock).run(begins)
    }

    /// The days of this history that are to be shared.
    public var outbox: Outbox {
        Outbox(history: history, ledger: history, localTime: localTime, now: now, isClockBelieved: isClockBelieved)
    }

    /// Determines which notices hold now, and stores them until they have been shown.
    ///
    /// - Parameters:
    ///   - reports: of the run that has just ended.
    ///   - listening: of a watch, where there is one.
    /// - Throws: the history's error.
    @discardableResult
    public func updateNotices(reports: [SyncReport] = [], listening: ListeningState = ListeningState()) async throws
        -> StandingNotices
    {
        try await blocking {
            // Where the configuration is wrong, sharing reports it.
            let names = try? destinations().map(\.name)
            return try NoticeService(history, localTime: localTime, now: now)
                .updateNotices(reports: reports, destinations: names, listening: listening)
        }
    }

    /// Marks the notices that the output of a run has shown. What cannot be marked is shown again.
    public func markSeen(in outcome: SyncService.Outcome) async {
        let shown = outcome.shownNotices.map(\.id)
        if shown.isEmpty { return }
        try? await blocking { try history.markSeen(shown, at: now()) }
    }

    /// The same for the output of a share.
    public func markSeen(in reports: [ShareReport]) async {
        guard let standing = try? await blocking({ try history.standingNotices() }) else { return }
        var outcome = SyncService.Outcome(start: now())
        (outcome.shares, outcome.notices.notices) = (reports, standing)
        await markSeen(in: outcome)
    }
}
