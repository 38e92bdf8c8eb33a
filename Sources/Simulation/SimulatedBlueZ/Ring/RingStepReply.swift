/// The ring's answer to "the steps of a day" (command 0x43): a header and a packet for each slot, or "no data".
struct RingStepReply {
    static let command: UInt8 = 0x43

    var slots: [WalkedSlot]
    var calories: SimulatedRing.CalorieProtocol

    /// - Header: `43 F0 n c`, n the number of records, c = 1 when calories are sent in tens.
    /// - Record: year, month and day in BCD, quarter-hour of the day, index, total, calories, steps and metres as u16 LE.
    /// - No data: `43 FF`.
    var packets: [[UInt8]] {
        guard !slots.isEmpty else { return [RingPacket.make(Self.command, [0xff])] }
        let header = RingPacket.make(Self.command, [0xf0, UInt8(slots.count), calories == .tens ? 1 : 0])
        return [header] + slots.enumerated().map { index, slot in record(slot, index) }
    }

    private func record(_ slot: WalkedSlot, _ index: Int) -> [UInt8] {
        let start = slot.start
        let energy = calories == .tens ? slot.calories / 10 : slot.calories
        let head: [UInt8] = [
            RingPacket.bcd(start.year % 100), RingPacket.bcd(start.month), RingPacket.bcd(start.day),
            UInt8(slot.index), UInt8(index), UInt8(slots.count),
        ]
        return RingPacket.make(Self.command, head + little(energy) + little(slot.steps) + little(slot.metres))
    }

    private func little(_ number: Int) -> [UInt8] {
        let clamped = UInt16(clamping: number)
        return [UInt8(truncatingIfNeeded: clamped), UInt8(truncatingIfNeeded: clamped >> 8)]
    }
}
