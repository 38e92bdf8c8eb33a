/// The frames of a Colmi ring: 16 bytes, command first, checksum last (the sum of the others, modulo 256).
enum RingPacket {
    static let length = 16

    /// - Parameter payload: at most 14 bytes; what is missing is zero.
    static func make(_ command: UInt8, _ payload: [UInt8] = []) -> [UInt8] {
        var packet = [command] + payload.prefix(length - 2)
        packet += [UInt8](repeating: 0, count: length - 1 - packet.count)
        return packet + [checksum(packet)]
    }

    /// A command that the ring does not know or refuses comes back with bit 7 set.
    static func error(_ command: UInt8) -> [UInt8] { make(command | 0x80, [0xee]) }

    static func isValid(_ packet: [UInt8]) -> Bool {
        packet.count == length && packet.last == checksum(packet.dropLast())
    }

    static func checksum(_ bytes: some Sequence<UInt8>) -> UInt8 { bytes.reduce(0, &+) }

    /// 37 is 0x37.
    static func bcd(_ number: Int) -> UInt8 { UInt8((number / 10 % 10) << 4 + number % 10) }

    /// nil when a digit is above 9.
    static func number(_ bcd: UInt8) -> Int? {
        let (tens, ones) = (Int(bcd >> 4), Int(bcd & 15))
        return tens < 10 && ones < 10 ? tens * 10 + ones : nil
    }
}
