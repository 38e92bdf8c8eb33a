public import BlueZ
public import StepDomain

/// One reading of one pedometer, as a value: an event in, an action out.
///
/// A session decides and never acts: it sees no bus, no clock and no link, so its tests need none. The driver carries
/// out each action and comes back with exactly one event, the answer to that action.
public protocol PedometerSession: Sendable {
    /// - Parameter now: when the event happened.
    mutating func next(after event: SessionEvent, at now: Timestamp) -> SessionAction
}

public enum SessionAction: Hashable, Sendable {
    /// Turn notifications on. Answer: `.done`.
    case subscribe(GATTAddress)
    /// Answer: `.done`.
    case write([UInt8], to: GATTAddress, response: Bool)
    /// Answer: `.value`.
    case read(GATTAddress)
    /// Wait for the next notification. Answer: `.value`, or `.silence` when none came for so many seconds.
    case receive(seconds: Double)
    /// Hand a batch over; frames are the driver's to add. Answer: `.done`, once it is committed.
    case deliver(SampleBatch, progress: ReadProgress)
    case finish(SessionReport)
    case fail(PedometerError)
}

public enum SessionEvent: Hashable, Sendable {
    /// The link is up and the services are known.
    case started
    case done
    case value([UInt8])
    case silence
}

/// What a session learnt besides its batches.
public struct SessionReport: Hashable, Sendable {
    /// Per cent, 0...100; nil where the protocol does not tell (the driver then asks the Battery Service).
    public var battery: Int?
    public var clockSet: ClockState.Setting?
    public var notices: [SyncNotice]

    public init(battery: Int? = nil, clockSet: ClockState.Setting? = nil, notices: [SyncNotice] = []) {
        self.battery = battery
        self.clockSet = clockSet
        self.notices = notices
    }
}

/// A characteristic, addressed as the design has it: by the UUIDs of service and characteristic.
public struct GATTAddress: Hashable, Sendable {
    public let service: BluetoothUUID
    public let characteristic: BluetoothUUID

    public init(_ service: BluetoothUUID, _ characteristic: BluetoothUUID) {
        self.service = service
        self.characteristic = characteristic
    }
}
