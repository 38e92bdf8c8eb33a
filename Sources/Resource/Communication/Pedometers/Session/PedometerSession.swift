public import BlueZ
public import StepDomain
internal import Synchronization

/// One reading of one pedometer, as a value: an event in, an action out.
///
/// A session decides and never acts: it has no access to bus, clock and link, so its tests need none. The driver carries out each action
/// and returns exactly one event, the answer to that action.
///
/// When the link ends (or the reading is cancelled) the event is `.linkLost`, whatever the action was. The session may answer with a last
/// `.deliver`, so that the data received so far is stored; then the driver throws the link's error, and does not call the session again.
public protocol PedometerSession: Sendable {
    /// - Parameters:
    ///   - now: when the event happened.
    ///   - uptime: the same on a clock that is never set: for time-outs.
    mutating func next(after event: SessionEvent, at now: Timestamp, uptime: Duration) -> SessionAction
    /// Whether the actions from a `.deliver` to the next one only read. Then they may go on before the batch is stored, and the answer to
    /// `.deliver` comes at once (see `BatchStorage`). False before anything that changes the pedometer, such as its clock: the batch must be
    /// safe first.
    var readsOn: Bool { get }
}

extension PedometerSession {
    public var readsOn: Bool { false }

    /// Where the clock is not set during the reading.
    public mutating func next(after event: SessionEvent, at now: Timestamp) -> SessionAction {
        next(after: event, at: now, uptime: .seconds(now.seconds))
    }
}

public enum SessionAction: Hashable, Sendable {
    /// Turn notifications on; they replace those that were on before. Answer: `.done`.
    case subscribe(GATTAddress)
    /// Turn on the notifications of several characteristics of one service: they arrive as one sequence. Answer: `.done`.
    case subscribeAll([GATTAddress])
    /// Answer: `.done`.
    case write([UInt8], to: GATTAddress, response: Bool)
    /// Sends text or bytes to a serial port over GATT, in as many packets as the link needs. Answer: `.done`.
    case stream([UInt8], to: GATTAddress)
    /// Writes an optional characteristic, with response. Answer: `.done`, or `.absent` if there is no such characteristic or it refuses.
    case writeIfPresent([UInt8], to: GATTAddress)
    /// Answer: `.value`.
    case read(GATTAddress)
    /// Reads an optional characteristic. Answer: `.value`, or `.absent` if there is no such characteristic or it cannot be read.
    case readIfPresent(GATTAddress)
    /// Wait for the next notification. Answer: `.value`, or `.silence` if none arrived for this many seconds.
    case receive(seconds: Double)
    /// Hand a batch over; the driver adds the frames. Answer: `.done`, once it is committed, or at once if the session `readsOn`.
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
    /// The version of its firmware as it reports it, at most `longestFirmware` bytes; nil if it was not read.
    public var firmware: String?
    public var notices: [SyncNotice]

    /// Bytes. The longest known, of a ring, has 21.
    static let longestFirmware = 48

    public init(battery: Int? = nil, clockSet: ClockState.Setting? = nil, firmware: String? = nil, notices: [SyncNotice] = []) {
        self.battery = battery
        self.clockSet = clockSet
        self.firmware = firmware
        self.notices = notices
    }
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

/// The steps that a connected pedometer reports while its wearer walks, as a value: a notification in, today's steps out.
///
/// For display only: the stored steps are read by a `PedometerSession`, which can check how the figures came about.
public protocol LiveSession: Sendable {
    /// The characteristic that notifies.
    var address: GATTAddress { get }
    /// Today's steps according to the notification; nil if it contains something else, or an impossible value.
    mutating func steps(after value: [UInt8]) -> Int?
}

/// More steps than a person makes in a day; a live figure above this is an error.
let mostStepsOfADay = StepCorrection.stepRange.upperBound

extension Peripheral {
    /// Whether to write with a response: as wanted, except for a characteristic that can only be written in the other way.
    func takesResponse(_ wanted: Bool, _ characteristic: BluetoothUUID, in service: BluetoothUUID) -> Bool {
        let flags = characteristics(characteristic, in: service).first?.flags ?? []
        let other: GATTCharacteristic.Flags = wanted ? .writeWithoutResponse : .write
        return flags.intersection([.write, .writeWithoutResponse]) == other ? !wanted : wanted
    }
}

/// A BlueZ peripheral as a session's link.
final class PeripheralLink: SessionLink {
    private let peripheral: Peripheral
    private let notifications = Mutex<Notifications?>(nil)

    init(peripheral: Peripheral) { self.peripheral = peripheral }

    func subscribe(_ address: GATTAddress) async throws {
        let new = try await peripheral.notifications(of: address.characteristic, in: address.service)
        notifications.withLock { $0 = new }
    }

    func subscribeAll(_ addresses: [GATTAddress]) async throws {
        guard let service = addresses.first?.service else { return }
        let new = try await peripheral.notifications(of: addresses.map(\.characteristic), in: service)
        notifications.withLock { $0 = new }
    }

    func next(within limit: Duration) async throws -> [UInt8]? {
        guard var iterator = notifications.withLock({ $0?.makeAsyncIterator() }) else { throw NotSubscribed() }
        do {
            guard let value = try await iterator.next(within: limit) else { throw CancellationError() }
            return value
        } catch BluetoothError.timedOut {
            return nil
        } catch BluetoothError.cancelled {
            throw CancellationError()
        }
    }

    /// Firmware of one protocol differs in how it is written to.
    func write(_ bytes: [UInt8], to address: GATTAddress, response: Bool) async throws {
        let response = peripheral.takesResponse(response, address.characteristic, in: address.service)
        try await peripheral.write(bytes, to: address.characteristic, of: address.service, response: response)
    }

    func read(_ address: GATTAddress) async throws -> [UInt8] {
        try await peripheral.read(address.characteristic, of: address.service)
    }

    func stream(_ bytes: [UInt8], to address: GATTAddress) async throws {
        try await peripheral.writeInChunks(bytes, to: address.characteristic, of: address.service)
    }

    func readIfPresent(_ address: GATTAddress) async throws -> [UInt8]? {
        try await ifPresent(address) { peripheral throws(BluetoothError) in
            try await peripheral.read(address.characteristic, of: address.service)
        }
    }

    func writeIfPresent(_ bytes: [UInt8], to address: GATTAddress) async throws -> Bool {
        let flags = peripheral.characteristics(address.characteristic, in: address.service).first?.flags ?? []
        return try await ifPresent(address) { peripheral throws(BluetoothError) in
            try await peripheral.write(bytes, to: address.characteristic, of: address.service, response: flags.contains(.write))
        } != nil
    }

    /// Nil if there is no such characteristic, or it refuses, or demands pairing: the value is not worth that.
    private func ifPresent<R>(
        _ address: GATTAddress, _ body: (Peripheral) async throws(BluetoothError) -> R
    ) async throws(BluetoothError) -> R? {
        guard !peripheral.characteristics(address.characteristic, in: address.service).isEmpty else { return nil }
        do throws(BluetoothError) {
            return try await body(peripheral)
        } catch {
            if error.endsLink { throw error }
            return nil
        }
    }

    func batteryLevel() async -> Int? { await peripheral.batteryLevel() }

    /// A session that waits for notifications before it has subscribed to any.
    private struct NotSubscribed: Error {}
}
