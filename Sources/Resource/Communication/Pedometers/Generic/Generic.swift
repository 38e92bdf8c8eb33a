public import BlueZ
public import StepDomain

/// Any pedometer that shows its steps as a number in one characteristic: the user specifies which, and how it is encoded.
///
/// A characteristic, addressed by the UUIDs of its service and itself. Such a pedometer keeps no history; its steps are the differences
/// between readings.
public enum Generic: LinkedPedometerModel {
    public static let key = "generic"
    public static let title = "generic pedometer"

    /// Only the user knows.
    public static func evidence(in discovery: Discovery) -> KindEvidence? { nil }

    public static func services(of pedometer: Pedometer) throws(PedometerError) -> [BluetoothUUID] {
        [try GenericOptions(pedometer.options).address.service]
    }

    public static func protectedValue(of pedometer: Pedometer) throws(PedometerError) -> GATTAddress? {
        try GenericOptions(pedometer.options).address
    }

    public static func checkProtected(_ value: [UInt8], of pedometer: Pedometer) throws(PedometerError) {
        let format = try GenericOptions(pedometer.options).format
        guard format.decode(value) != nil else {
            throw .badOption("format", value: format.description, expected: format.shortage(value))
        }
    }

    /// For a count that only grows, a late reading loses nothing.
    public static func holdsTodayOnly(_ pedometer: Pedometer) -> Bool {
        (try? GenericOptions(pedometer.options))?.counting == .today
    }

    public static func live(_ pedometer: Pedometer, known: Int) throws(PedometerError) -> (any LiveSession)? {
        GenericLive(try GenericOptions(pedometer.options), pedometer, known: known)
    }

    public static func session(_ context: SessionContext) throws(PedometerError) -> any PedometerSession {
        GenericSession(try GenericOptions(context.pedometer.options), context)
    }

    /// Reading the number changes nothing.
    public static func probe(_ context: SessionContext) throws(PedometerError) -> any PedometerSession { try session(context) }
}

/// The options of a generic pedometer, as the user specifies them.
public struct GenericOptions: Hashable, Sendable {
    public enum Counting: String, Sendable, CaseIterable {
        /// Steps since the local midnight.
        case today
        /// Steps since some beginning. It decreases only by a restart or an overflow.
        case total
    }

    public var address: GATTAddress
    public var format: ValueFormat
    public var counting: Counting

    public init(address: GATTAddress, format: ValueFormat, counting: Counting) {
        self.address = address
        self.format = format
        self.counting = counting
    }

    /// Checks the options as the history keeps them: `service`, `characteristic`, `format`, `counts`.
    public init(_ options: [String: String]) throws(PedometerError) {
        func uuid(_ name: String) throws(PedometerError) -> BluetoothUUID {
            let text = options[name] ?? ""
            guard let uuid = BluetoothUUID(text) else {
                throw .badOption(name, value: text, expected: "a Bluetooth UUID, such as 2a19 or 00030001-78fc-48fe-8e23-433b3a1942d0")
            }
            return uuid
        }
        address = GATTAddress(try uuid("service"), try uuid("characteristic"))
        let format = options["format"] ?? "u32le"
        guard let value = ValueFormat(format) else {
            throw .badOption(
                "format", value: format,
                expected: "u16, u24 or u32, then le or be, then @ and the offset if it is not 0, such as u32le or u24be@1")
        }
        self.format = value
        let counts = options["counts"] ?? Counting.total.rawValue
        guard let counting = Counting(rawValue: counts) else {
            throw .badOption("counts", value: counts, expected: "today or total")
        }
        self.counting = counting
    }

    /// As the history keeps them.
    public var stored: [String: String] {
        [
            "service": address.service.description, "characteristic": address.characteristic.description,
            "format": format.description, "counts": counting.rawValue,
        ]
    }
}

/// An unsigned number inside a characteristic's value.
public struct ValueFormat: Hashable, Sendable, CustomStringConvertible {
    /// Bytes: 2, 3 or 4.
    public let width: Int
    public let isBigEndian: Bool
    /// Bytes before the number, 0...509.
    public let offset: Int

    /// `u16le`, `u24be`, `u32le@4`; nil for anything else.
    public init?(_ text: String) {
        let parts = text.lowercased().split(separator: "@", omittingEmptySubsequences: false)
        guard parts.count <= 2, parts[0].count == 5 else { return nil }
        switch parts[0].prefix(3) {
        case "u16": width = 2
        case "u24": width = 3
        case "u32": width = 4
        default: return nil
        }
        switch parts[0].suffix(2) {
        case "le": isBigEndian = false
        case "be": isBigEndian = true
        default: return nil
        }
        guard parts.count == 2 else {
            offset = 0
            return
        }
        guard let offset = Int(parts[1]), offset >= 0, offset + width <= 512 else { return nil }
        self.offset = offset
    }

    private init(width: Int) {
        self.width = width
        isBigEndian = false
        offset = 0
    }

    /// 4 bytes, little endian.
    static let uint32 = ValueFormat(width: 4)

    public var description: String {
        "u\(width * 8)\(isBigEndian ? "be" : "le")" + (offset == 0 ? "" : "@\(offset)")
    }

    /// One more than the greatest number.
    public var modulus: Int { 1 << (width * 8) }

    /// What is wrong with a value that is too short.
    func shortage(_ value: [UInt8]) -> String {
        "the characteristic has \(value.count) \(value.count == 1 ? "byte" : "bytes"), and this format needs \(offset + width)"
    }

    /// Nil if the value is too short.
    public func decode(_ value: [UInt8]) -> Int? {
        guard value.count >= offset + width else { return nil }
        let bytes = value[offset..<offset + width]
        return (isBigEndian ? Array(bytes) : bytes.reversed()).reduce(0) { $0 << 8 | Int($1) }
    }
}

/// Reads the one value and calculates the steps since the reading before; reads the pedometer's clock if that decides to which day the
/// steps belong.
struct GenericSession: PedometerSession {
    private let options: GenericOptions
    private let context: SessionContext
    /// The value that was read, while the clock is being read.
    private var pending: CounterReading?
    private var report = SessionReport()

    init(_ options: GenericOptions, _ context: SessionContext) {
        self.options = options
        self.context = context
    }

    mutating func next(after event: SessionEvent, at now: Timestamp, uptime: Duration) -> SessionAction {
        switch event {
        case .started:
            return .read(options.address)
        case .value(let bytes):
            if let pending { return deliver(pending, DeviceClock(currentTime: bytes)) }
            guard let value = options.format.decode(bytes) else {
                return .fail(.undecodable("its format is \(options.format), but \(options.format.shortage(bytes))"))
            }
            let reading = CounterReading(at: now, value: value, utcOffset: context.localTime.utcOffset(now))
            guard options.counting == .today, counterOfToday.dependsOnClock(reading) else { return deliver(reading, nil) }
            pending = reading
            return .readIfPresent(DeviceClock.address)
        case .absent, .linkLost:
            guard let pending else { return .finish(report) }
            return deliver(pending, nil)
        case .done, .silence:
            return .finish(report)
        }
    }

    private var counterOfToday: CounterOfToday { CounterOfToday(cursor: context.pedometer.cursor, localTime: context.localTime) }

    private var growingCounter: GrowingCounter {
        GrowingCounter(cursor: context.pedometer.cursor, localTime: context.localTime, modulus: options.format.modulus)
    }

    private mutating func deliver(_ reading: CounterReading, _ clock: DeviceClock?) -> SessionAction {
        var result =
            switch options.counting {
            case .today: counterOfToday.steps(reading, clock: clock)
            case .total: growingCounter.steps(reading)
            }
        pending = nil
        // They belong to the data that this batch makes final.
        result.batch.notices = result.notices
        return .deliver(result.batch, progress: .reading(done: 1, of: 1))
    }
}

/// A counter that notifies. If it counts today's steps its value is used as it is; otherwise what it has gained since the last reading is
/// added.
struct GenericLive: LiveSession {
    private let options: GenericOptions
    /// Today's steps by the last reading, and the counter then.
    private let known: Int
    private let counter: Int?

    init(_ options: GenericOptions, _ pedometer: Pedometer, known: Int) {
        self.options = options
        self.known = known
        counter = pedometer.cursor.counter?.value
    }

    var address: GATTAddress { options.address }

    mutating func steps(after value: [UInt8]) -> Int? {
        guard let value = options.format.decode(value) else { return nil }
        let steps: Int
        switch options.counting {
        case .today: steps = value
        case .total:
            // A counter that restarted or overflowed is left to the next reading.
            guard let counter, value >= counter else { return nil }
            steps = known + value - counter
        }
        return steps <= mostStepsOfADay ? steps : nil
    }
}

/// The clock of a pedometer as its Current Time characteristic (0x2A2B of the Current Time Service 0x1805) shows it.
///
/// Layout (Bluetooth GATT Specification Supplement, Current Time and Date Time): year as u16 little-endian, month 1...12, day 1...31,
/// hours, minutes, seconds; then weekday, fractions of a second and the reason of the last adjustment, which are not needed here.
struct DeviceClock: Hashable {
    static let address = GATTAddress("1805", "2a2b")

    /// Seconds since 1970 as the pedometer's clock shows them: local time, if it is right.
    let wall: Int

    init(wall: Int) { self.wall = wall }

    /// Nil if the value is too short or not a valid time; a year, month or day of 0 means "unknown".
    init?(currentTime value: [UInt8]) {
        guard value.count >= 7, let year = value.little(0, 2) else { return nil }
        self.init(
            year: year, month: Int(value[2]), day: Int(value[3]), hour: Int(value[4]), minute: Int(value[5]), second: Int(value[6]))
    }

    /// A value to write, of all 10 bytes: InfiniTime before 1.14 reads beyond a shorter one (its issue 1724).
    var currentTime: [UInt8] {
        let time = fields
        let numbers = [time.month, time.day, time.hour, time.minute, time.second, weekday + 1]
        // No fraction of a second; adjust reason: external reference time update (bit 1).
        return [UInt8].little(time.year, 2) + numbers.map { UInt8($0) } + [0, 0x02]
    }

    /// The day that it shows, as days since 1970.
    var day: Int { Day(of: Timestamp(wall), utcOffset: 0).daysSince1970 }

    /// Seconds since its last midnight.
    var secondOfDay: Int { wall - day * 86_400 }

    /// Seconds that it is ahead of local time.
    func lead(over reading: CounterReading) -> Int { wall - (reading.at.seconds + reading.utcOffset) }
}
