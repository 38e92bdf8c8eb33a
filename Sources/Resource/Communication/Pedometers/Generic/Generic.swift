public import BlueZ
public import StepDomain

/// Any pedometer that shows its steps as a number in one characteristic: the user tells which, and how it is written.
///
/// It is the design's own case: three UUIDs and a value. Such a pedometer keeps no history; its steps are the differences
/// between readings.
public enum Generic: PedometerModel {
    public static let key = "generic"
    public static let title = "generic pedometer"

    /// Only the user can tell.
    public static func recognises(_ discovery: Discovery) -> Bool { false }

    public static func services(of pedometer: Pedometer) throws(PedometerError) -> [BluetoothUUID] {
        [try GenericOptions(pedometer.options).address.service]
    }

    public static func protectedValue(of pedometer: Pedometer) throws(PedometerError) -> GATTAddress? {
        try GenericOptions(pedometer.options).address
    }

    /// A count that only grows loses nothing by being read late.
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
    public static func look(_ context: SessionContext) throws(PedometerError) -> any PedometerSession { try session(context) }
}

/// What a user tells of a generic pedometer.
public struct GenericOptions: Hashable, Sendable {
    public enum Counting: String, Sendable, CaseIterable {
        /// Steps since the local midnight.
        case today
        /// Steps since some beginning, never set back but by a restart or by running over.
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

    public var description: String {
        "u\(width * 8)\(isBigEndian ? "be" : "le")" + (offset == 0 ? "" : "@\(offset)")
    }

    /// One more than the greatest number.
    public var modulus: Int { 1 << (width * 8) }

    /// Nil where the value is too short.
    public func decode(_ value: [UInt8]) -> Int? {
        guard value.count >= offset + width else { return nil }
        let bytes = value[offset..<offset + width]
        return (isBigEndian ? Array(bytes) : bytes.reversed()).reduce(0) { $0 << 8 | Int($1) }
    }
}
