internal import StepDomain

/// 16 bytes: `[0]` command, with bit 7 set in an error reply; `[1...14]` payload; `[15]` the sum of the others, low 8 bits.
struct ColmiPacket: Hashable {
    static let length = 16

    enum Command {
        static let setTime: UInt8 = 0x01
        static let battery: UInt8 = 0x03
        static let steps: UInt8 = 0x43
        static let unasked: UInt8 = 0x73
    }

    /// `[1]` of an unasked packet that tells today's steps.
    static let unaskedSteps: UInt8 = 0x12

    let bytes: [UInt8]

    /// - Parameter payload: at most 14 bytes; the rest is zero.
    init(_ command: UInt8, _ payload: [UInt8] = []) {
        var bytes = [command] + payload.prefix(Self.length - 2)
        bytes += Array(repeating: 0, count: Self.length - 1 - bytes.count)
        self.bytes = bytes + [Self.checksum(bytes)]
    }

    /// Nil where the length or the checksum is wrong.
    init?(received bytes: [UInt8]) {
        guard bytes.count == Self.length, Self.checksum(bytes.dropLast()) == bytes[15] else { return nil }
        self.bytes = bytes
    }

    var command: UInt8 { bytes[0] & 0x7f }
    var isError: Bool { bytes[0] & 0x80 != 0 }
    subscript(index: Int) -> UInt8 { bytes[index] }

    /// Little endian.
    func uint16(at index: Int) -> Int { Int(bytes[index]) | Int(bytes[index + 1]) << 8 }

    private static func checksum(_ bytes: some Sequence<UInt8>) -> UInt8 { bytes.reduce(0, &+) }
}

extension ColmiPacket {
    /// `43 dd 0F 00 5F 01`: the steps of a day, `daysAgo` before the ring's today, slots 0 to 95.
    static func stepsRequest(daysAgo: Int) -> ColmiPacket {
        ColmiPacket(Command.steps, [UInt8(daysAgo), 0x0f, 0x00, 0x5f, 0x01])
    }

    static let batteryRequest = ColmiPacket(Command.battery)

    /// `01 YY MM DD hh mm ss`, each as binary-coded decimal, then the language (1: English).
    ///
    /// - Parameter wall: seconds since 1970 as the ring's clock shall show them.
    static func setTime(wall: Int) -> ColmiPacket {
        let day = Day(of: Timestamp(wall), utcOffset: 0)
        let (date, second) = (day.components, wall - day.daysSince1970 * 86_400)
        let fields = [date.year % 100, date.month, date.day, second / 3600, second / 60 % 60, second % 60]
        return ColmiPacket(Command.setTime, fields.map { UInt8(($0 / 10) << 4 + $0 % 10) } + [1])
    }

    /// 0...99, or nil where a nibble is no decimal digit.
    static func decimal(_ byte: UInt8) -> Int? {
        let (tens, ones) = (Int(byte >> 4), Int(byte & 0x0f))
        return tens < 10 && ones < 10 ? tens * 10 + ones : nil
    }
}
