/// A ring's unasked packets `73 12`: today's steps, calories and metres, 24 bits each, while its wearer walks.
///
/// One source has them big-endian (colmi_r02_client), another little-endian. Which it is shows beside the total that the ring told for
/// the day just before: what is nearer to it holds, and then for the rest of the link.
struct ColmiLive: LiveSession {
    let address = Colmi.answers
    /// Today's steps by the last reading.
    private let known: Int
    private var isBigEndian: Bool?

    init(known: Int) { self.known = known }

    mutating func steps(after value: [UInt8]) -> Int? {
        guard let packet = ColmiPacket(received: value), packet.command == ColmiPacket.Command.unasked, !packet.isError,
            packet[1] == ColmiPacket.unaskedSteps
        else { return nil }
        let bytes = (2...4).map { Int(packet[$0]) }
        let (big, little) = (bytes[0] << 16 | bytes[1] << 8 | bytes[2], bytes[2] << 16 | bytes[1] << 8 | bytes[0])
        // Zero, or the same from both ends, tells nothing of the order.
        if isBigEndian == nil, big != little { isBigEndian = abs(big - known) <= abs(little - known) }
        let steps = isBigEndian ?? true ? big : little
        return steps <= mostStepsOfADay ? steps : nil
    }
}
