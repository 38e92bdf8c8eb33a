internal import StepDomain

/// 16 bytes: `[0]` command, with bit 7 set in an error reply; `[1...14]` payload; `[15]` the sum of the others, low 8
/// bits.
struct ColmiPacket: Hashable {
    static let length = 16

    enum Command {
        static let setTime: UInt8 = 0x01
        static let battery: UInt8 = 0x03
        static let support: UInt8 = 0x3c
        static let steps: UInt8 = 0x43
        static let total: UInt8 = 0x48
        static let unasked: UInt8 = 0x73
    }

    /// `[1]` of an unsolicited packet that reports today's steps.
    static let unaskedSteps: UInt8 = 0x12

    let bytes: [UInt8]

    /// - Parameter payload: at most 14 bytes; the rest is zero.
    init(_ command: UInt8, _ payload: [UInt8] = []) {
        var bytes = [command] + payload.prefix(Self.length - 2)
        bytes += Array(repeating: 0, count: Self.length - 1 - bytes.count)
        self.bytes = bytes + [Self.checksum(bytes)]
    }

    /// Nil if the length or the checksum is wrong.
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

    /// `48`: today's total. The answer: steps, running steps, calories, metres, 24 bits each, big-endian.
    ///
    /// Source: Gadgetbridge and colmi-docs (Puxtril). Another client calls this command "bind", with the answer `48 00
    /// 01`, which would be 256 steps and nothing else: so the answer is only a check of the slots, and must have metres
    /// or calories.
    static let totalRequest = ColmiPacket(Command.total)

    /// Today's steps in an answer to `totalRequest`; nil if it means something else: some dozens of steps without a
    /// metre and a calorie are not possible.
    var total: Int? {
        let steps = Int(bytes[1]) << 16 | Int(bytes[2]) << 8 | Int(bytes[3])
        return steps > 30 && bytes[4...12].allSatisfy { $0 == 0 } ? nil : steps
    }

    /// `01 YY MM DD hh mm ss`, each as binary-coded decimal, then the language (1: English).
    ///
    /// - Parameter wall: the time that the ring's clock is set to, in seconds since 1970.
    static func setTime(wall: Int) -> ColmiPacket {
        let time = DeviceClock(wall: wall).fields
        let numbers = [time.year % 100, time.month, time.day, time.hour, time.minute, time.second]
        return ColmiPacket(Command.setTime, numbers.map { UInt8((($0 / 10) << 4) + $0 % 10) } + [1])
    }

    /// 0...99, or nil if a nibble is not a decimal digit.
    static func decimal(_ byte: UInt8) -> Int? {
        let (tens, ones) = (Int(byte >> 4), Int(byte & 0x0f))
        return tens < 10 && ones < 10 ? tens * 10 + ones : nil
    }
}
