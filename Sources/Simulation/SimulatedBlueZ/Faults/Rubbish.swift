/// What can become of a notification.
public enum Rubbish: Sendable, Hashable {
    /// The last byte is another.
    case wrongChecksum
    /// Only the first bytes arrive.
    case truncated(to: Int)
    /// Bytes follow that do not belong to it.
    case extended(by: Int)
    /// The same number of other bytes.
    case random(seed: UInt64)
    /// It never arrives.
    case swallowed
    /// It arrives twice.
    case doubled
    case replaced([UInt8])

    func applied(to packet: [UInt8]) -> [[UInt8]] {
        switch self {
        case .wrongChecksum: [packet.dropLast() + packet.suffix(1).map { ~$0 }]
        case .truncated(let count): [Array(packet.prefix(count))]
        case .extended(let count): [packet + [UInt8](repeating: 0xa5, count: count)]
        case .random(let seed):
            // The packet takes part, so that a run of them is not the same packet again and again.
            [noise(seed: packet.reduce(seed) { $0 &* 31 &+ UInt64($1) }, count: packet.count)]
        case .swallowed: []
        case .doubled: [packet, packet]
        case .replaced(let bytes): [bytes]
        }
    }

    private func noise(seed: UInt64, count: Int) -> [UInt8] {
        var dice = Dice(seed: seed)
        return dice.bytes(count)
    }
}
