import Foundation

extension SimulatedRing {
    /// What the ring sends back for a packet. One with a wrong length or checksum it does not hear.
    func answer(to packet: [UInt8], _ state: inout State) -> [[UInt8]] {
        guard RingPacket.isValid(packet) else { return [] }
        let command = packet[0]
        if state.behaviour.deaf.contains(command) { return [] }
        if state.behaviour.refuses.contains(command) { return [RingPacket.error(command)] }
        var replies =
            switch command {
            case 0x01: setClock(packet, &state)
            case 0x03: [RingPacket.make(0x03, [state.battery, 0])]
            case RingStepReply.command: steps(packet, state)
            // Heart rate of a day: the simulated person wears the ring for the steps.
            case 0x15: [RingPacket.make(0x15, [0xff])]
            default: [RingPacket.error(command)]
            }
        if state.behaviour.interjects {
            let live = liveSteps(state)
            replies = replies.flatMap { [live, $0] }
        }
        return replies
    }

    /// `01 YY MM DD hh mm ss [language]` in BCD; the answer is a list of abilities that nobody has read so far.
    private func setClock(_ packet: [UInt8], _ state: inout State) -> [[UInt8]] {
        let numbers = packet[1...6].compactMap(RingPacket.number)
        guard numbers.count == 6, (1...12).contains(numbers[1]), (1...31).contains(numbers[2]), numbers[3] < 24,
            numbers[4] < 60, numbers[5] < 60
        else { return [RingPacket.error(0x01)] }
        let shown = WallClock(
            year: 2000 + numbers[0], month: numbers[1], day: numbers[2], hour: numbers[3], minute: numbers[4],
            second: numbers[5])
        state.lead = shown.seconds - Int(now().timeIntervalSince1970.rounded(.down))
        return [RingPacket.make(0x01, [0, 1, 0, 0x22, 0, 0, 0, 0, 1, 6, 0x30])]
    }

    /// `43 dd 0F from to 01`: dd days before the ring's today, slots from…to.
    private func steps(_ packet: [UInt8], _ state: State) -> [[UInt8]] {
        let wanted = Int(packet[3])...max(Int(packet[3]), Int(packet[4]))
        let slots = slots(daysAgo: Int(packet[1]), state).filter { wanted.contains($0.index) }
        let packets = RingStepReply(slots: slots, calories: calories).packets
        return state.behaviour.omitsLastRecord && packets.count > 1 ? packets.dropLast() : packets
    }

    /// `73 12`: what the ring says unasked while its wearer walks; three big-endian u24 of the day so far.
    func liveSteps(_ state: State) -> [UInt8] {
        let today = slots(daysAgo: 0, state)
        var payload: [UInt8] = [0x12]
        for total in [today.map(\.steps), today.map(\.calories), today.map(\.metres)].map({ $0.reduce(0, +) }) {
            for shift in [16, 8, 0] { payload.append(UInt8(truncatingIfNeeded: total >> shift)) }
        }
        return RingPacket.make(0x73, payload)
    }
}
