public import BlueZ
public import StepDomain

/// One reading of one pedometer, as a value: an event in, an action out.
///
/// A session decides and never acts: it has no access to bus, clock and link, so its tests need none. The driver
/// carries out each action and returns exactly one event, the answer to that action.
///
/// When the link ends (or the reading is cancelled) the event is `.linkLost`, whatever the action was. The session may
/// answer with a last `.deliver`, so that the data received so far is stored; then the driver throws the link's error,
/// and does not call the session again.
public protocol PedometerSession: Sendable {
    /// - Parameters:
    ///   - now: when the event happened.
    ///   - uptime: the same on a clock that is never set: for timeouts.
    mutating func next(after event: SessionEvent, at now: Timestamp, uptime: Duration) -> SessionAction
    /// Whether the actions from a `.deliver` to the next one only read. Then they may continue before the batch is
    /// stored, and the answer to `.deliver` comes at once (see `BatchStorage`). False before anything that changes the
    /// pedometer, such as its clock: the batch must be stored first.
    var readsOn: Bool { get }
}

extension PedometerSession {
    public var readsOn: Bool { false }
}

public enum SessionAction: Hashable, Sendable {
    /// Turn notifications on; they replace those that were on before. Answer: `.done`.
    case subscribe(GATTAddress)
    /// Turn on the notifications of several characteristics of one service: they arrive as one sequence. Answer:
    /// `.done`.
    case subscribeAll([GATTAddress])
    /// Answer: `.done`.
    case write([UInt8], to: GATTAddress, response: Bool)
    /// Sends text or bytes to a serial port over GATT, in as many packets as the link needs. Answer: `.done`.
    case stream([UInt8], to: GATTAddress)
    /// Writes an optional characteristic, with response. Answer: `.done`, or `.absent` if there is no such
    /// characteristic or it refuses.
    case writeIfPresent([UInt8], to: GATTAddress)
    /// Answer: `.value`.
    case read(GATTAddress)
    /// Reads an optional characteristic. Answer: `.value`, or `.absent` if there is no such characteristic or it cannot
    /// be read.
    case readIfPresent(GATTAddress)
    /// Wait for the next notification. Answer: `.value`, or `.silence` if none arrived for this many seconds.
    case receive(seconds: Double)
    /// Hand a batch over; the driver adds the frames. Answer: `.done`, once it is committed, or at once if the session
    /// `readsOn`.
    case deliver(SampleBatch, progress: ReadProgress)
    case finish(SessionReport)
    case fail(PedometerError)
}

public enum SessionEvent: Hashable, Sendable {
    /// The link is up and the services are known.
    case started
    case done
    /// At most `RawFrame.longest` bytes.
    case value([UInt8])
    case silence
    case absent
    case linkLost
}

/// Information that a session has read besides its batches.
public struct SessionReport: Hashable, Sendable {
    /// Per cent, 0...100; nil if the protocol does not report it (the driver then reads the Battery Service).
    public var battery: Int?
    public var clockSet: ClockState.Setting?
    /// The version of its firmware as it reports it, at most `maximumFirmware` bytes; nil if it was not read.
    public var firmware: String?
    public var notices: [SyncNotice] = []

    /// Bytes. The longest known, of a ring, has 21.
    static let maximumFirmware = 48
}

/// A characteristic, addressed by the UUIDs of its service and itself.
public struct GATTAddress: Hashable, Sendable {
    public let service: BluetoothUUID
    public let characteristic: BluetoothUUID

    public init(_ service: BluetoothUUID, _ characteristic: BluetoothUUID) {
        self.service = service
        self.characteristic = characteristic
    }
}

/// The steps that a connected pedometer reports while its wearer walks, as a value: a notification in, today's steps
/// out.
///
/// For display: the stored steps are read by a `PedometerSession`, which can check how the figures came about. A
/// `storableCount` is stored as well if no session has read it before it was set to zero.
public protocol LiveSession: Sendable {
    /// The characteristic that notifies.
    var address: GATTAddress { get }
    /// Called before the subscription, with whether the peripheral has a characteristic: which of several notifies may
    /// depend on it.
    ///
    /// - Returns: the requests after the subscription that make it send its steps; written without response.
    mutating func begin(_ has: (GATTAddress) -> Bool) -> [(request: [UInt8], to: GATTAddress)]
    /// What the pedometer has to receive from time to time; nil if it keeps the link without.
    var keepAlive: KeepAlive? { get }
    /// Today's steps according to the notification; nil if it contains something else, or an impossible value.
    mutating func steps(after value: [UInt8]) -> Int?
    /// The same, for a model to which the moment matters.
    ///
    /// - Parameter utcOffset: seconds east of Greenwich at that moment.
    mutating func steps(after value: [UInt8], at now: Timestamp, utcOffset: Int) -> Int?
    /// The last value, if it may be stored as a reading; nil if values are for display only.
    var storableCount: Int? { get }
    /// Whether it adds what the counter has gained to the known steps; false if it reports all that the pedometer has
    /// counted today, for whomever.
    var countsFromKnown: Bool { get }
}

extension LiveSession {
    public mutating func begin(_ has: (GATTAddress) -> Bool) -> [(request: [UInt8], to: GATTAddress)] { [] }
    public var keepAlive: KeepAlive? { nil }
    public mutating func steps(after value: [UInt8], at now: Timestamp, utcOffset: Int) -> Int? { steps(after: value) }
    public var storableCount: Int? { nil }
    public var countsFromKnown: Bool { false }
}

/// A value that is written again and again, without response: otherwise the pedometer ends the link.
public struct KeepAlive: Hashable, Sendable {
    public var value: [UInt8]
    public var address: GATTAddress
    public var pause: Duration

    /// - Parameter pause: between two writes; the first is after one pause.
    public init(_ value: [UInt8], to address: GATTAddress, every pause: Duration) {
        self.value = value
        self.address = address
        self.pause = pause
    }
}

/// More steps than a person makes in a day; a live figure above this is an error.
let maximumStepsOfADay = DaySummary.possibleSteps.upperBound
