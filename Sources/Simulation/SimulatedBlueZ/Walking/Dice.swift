/// Numbers that look random and are the same every time (SplitMix64, Steele, Lea and Flood 2014).
struct Dice: Sendable {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    init(seed: UInt64, day: Int, index: Int) {
        state = seed &* 0x9e37_79b9_7f4a_7c15 ^ UInt64(bitPattern: Int64(day)) &* 0xbf58_476d_1ce4_e5b9
            ^ UInt64(bitPattern: Int64(index)) &* 0x94d0_49bb_1331_11eb
        _ = next()
    }

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var z = state
        z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
        z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
        return z ^ (z >> 31)
    }

    /// Evenly from the range, but for a bias far too small to matter here.
    mutating func roll(_ range: ClosedRange<Int>) -> Int {
        range.lowerBound + Int(next() % UInt64(range.count))
    }

    mutating func bytes(_ count: Int) -> [UInt8] {
        (0..<count).map { _ in UInt8(truncatingIfNeeded: next()) }
    }
}
