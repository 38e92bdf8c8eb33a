import TestSupport

/// The fault of a night.
enum NightFault: Hashable, Sendable, CaseIterable {
    /// The pedometer is in another place.
    case absent
    /// The link is lost in the middle, once.
    case drop
    /// Refuses connections: another program holds it.
    case refusal
    /// Packets get lost or garbled.
    case garbled
    /// `bluetoothd` is restarted in the middle of the sync.
    case daemonRestart
    /// The adapter is pulled out in the middle, and plugged in afterwards.
    case unplugged
    /// The machine loses power in the middle.
    case powerCut
    /// The disk is full, until the night after next.
    case fullDisk
    /// The machine's own clock is off by some minutes.
    case machineClock
    /// The machine sleeps all night.
    case asleep
}

/// Chooses the fault of each night at random.
struct Nights {
    private var dice: SeededGenerator
    private var absence = 0
    private var fullness = 0

    init(seed: UInt64) { dice = SeededGenerator(seed: seed) }

    mutating func next() -> NightFault? {
        if absence > 0 {
            absence -= 1
            return .absent
        }
        if fullness > 0 {
            fullness -= 1
            return .fullDisk
        }
        switch Int.random(in: 0..<100, using: &dice) {
        case 0..<12: return .absent
        case 12..<14:
            absence = Int.random(in: 3...11, using: &dice)  // a journey without the machine
            return .absent
        case 14..<24: return .drop
        case 24..<28: return .refusal
        case 28..<36: return .garbled
        case 36..<41: return .daemonRestart
        case 41..<46: return .unplugged
        case 46..<52: return .powerCut
        case 52..<54:
            fullness = 2
            return .fullDisk
        case 54..<58: return .machineClock
        case 58..<63: return .asleep
        default: return nil
        }
    }

    mutating func roll(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &dice) }
}
