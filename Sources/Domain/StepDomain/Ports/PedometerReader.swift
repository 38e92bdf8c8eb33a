/// Reads pedometers over the air: what communication must do for the domain.
public protocol PedometerReader: Sendable {
    /// Searches for pedometers, connects to each that is in range, reads all that it has since its cursor, sets its
    /// clock, disconnects.
    ///
    /// Each batch goes to the receiver, and the next is asked for only after `merge` has returned: what was handed over
    /// is stored whatever happens next. A batch that the receiver refuses ends the reading of that pedometer. Each
    /// pedometer ends exactly once, in any order. Returns when all have ended and no link is left, also when the task
    /// is cancelled.
    func read(_ pedometers: [Pedometer], for receiver: any ReadingReceiver) async

    /// Stays connected and reports today's steps as the pedometer sends them, until the link ends or the task is
    /// cancelled. Stores nothing.
    ///
    /// - Parameters:
    ///   - known: today's steps before.
    ///   - keep: called with each value of a counter of which `batch(of:from:)` makes a batch.
    ///   - report: called with each figure; the first time with nil, when it is connected.
    /// - Returns: false for a pedometer that does not send steps by itself; then it did not connect.
    /// - Throws: how the link ended, or why there was none.
    func follow(
        _ pedometer: Pedometer, known: KnownSteps, keep: @escaping @Sendable (CounterReading) -> Void,
        report: @escaping @Sendable (Int?) -> Void
    ) async throws -> Bool

    /// What a value that was reported live adds to the history; nil for a model of which that is not certain.
    func batch(of reading: CounterReading, from pedometer: Pedometer) -> SampleBatch?

    /// Whether the pedometer keeps only today's count, which it resets at midnight.
    func holdsTodayOnly(_ pedometer: Pedometer) -> Bool

    /// Whether the pedometer advertises its steps, and is read without a connection.
    func advertisesSteps(_ pedometer: Pedometer) -> Bool
}

/// Today's steps of a pedometer that is about to be followed.
public struct KnownSteps: Hashable, Sendable, ExpressibleByIntegerLiteral {
    /// By a reading just before.
    public var own: Int
    /// What it has counted today for other users, before it was passed on: a model that reports all that it has counted
    /// today reports these, too.
    public var others: Int

    public init(own: Int, others: Int = 0) {
        self.own = own
        self.others = others
    }

    public init(integerLiteral own: Int) { self.init(own: own) }
}

/// Receives what a reading of pedometers delivers. Called for one pedometer from one task at a time.
public protocol ReadingReceiver: Sendable {
    func progress(_ progress: ReadProgress, of pedometer: Pedometer)
    /// Stores a batch.
    ///
    /// - Throws: an error if it cannot be stored.
    func merge(_ batch: SampleBatch, of pedometer: Pedometer) async throws
    /// Reports the result of reading a pedometer. Its link may still be up.
    ///
    /// - Parameter result: a failure is an error of the reader; batches handed over before stay.
    func end(of pedometer: Pedometer, _ result: Result<ReadReport, any Error>) async
    /// Reports that all links to a pedometer are down; not called if there was none.
    ///
    /// - Parameter seconds: how long it was connected, from the beginning of each link to its end.
    func disconnected(_ pedometer: Pedometer, after seconds: Double)
}

/// The progress of a reading.
public enum ReadProgress: Hashable, Sendable {
    case searching
    /// The adapter had received nothing, was switched off and on, and the search begins again.
    case adapterRestarted
    case connecting
    /// The link was lost.
    case reconnecting
    /// Days, or readings of a counter.
    case reading(done: Int, of: Int)
}

/// The result of a reading besides its batches.
public struct ReadReport: Hashable, Sendable {
    /// Per cent, 0...100, if the pedometer reports it.
    public var battery: Int?
    /// How the clock was set, if this reading set it.
    public var clockSet: ClockState.Setting?
    /// The version of its firmware, as received; nil if it was not read.
    public var firmware: String?
    public var notices: [SyncNotice]
    /// Seconds from the connection until the last value was received; nil if there was no connection, for example
    /// because advertisements were read. The link is up for longer: BlueZ takes about 2 s to disconnect.
    public var readSeconds: Double?

    public init(
        battery: Int? = nil, clockSet: ClockState.Setting? = nil, firmware: String? = nil, notices: [SyncNotice] = [],
        readSeconds: Double? = nil
    ) {
        self.battery = battery
        self.clockSet = clockSet
        self.firmware = firmware
        self.notices = notices
        self.readSeconds = readSeconds
    }
}
