/// The walks of a person with a desk job: commutes, lunch walks, two evening runs a week, a long Saturday walk, few
/// steps on Sunday. Every day of every year is defined, and the same seed always gives the same steps.
public struct WalkingHistory: Sendable, Hashable {
    public let seed: UInt64

    public init(seed: UInt64) { self.seed = seed }

    /// The slots of a day that have steps, by their start. The slot that contains `now` has steps in proportion to its
    /// age; later slots do not exist yet.
    /// - Parameter day: days since 1970-01-01.
    public func slots(day: Int, until now: WallClock) -> [WalkedSlot] {
        guard day <= now.dayNumber else { return [] }
        return (0..<96).compactMap { index in
            let start = WallClock(seconds: day * 86_400 + index * WalkedSlot.length)
            let age = now.seconds - start.seconds
            guard age > 0 else { return nil }
            let (whole, running) = stepsOfWholeSlot(day: day, index: index)
            let steps = age >= WalkedSlot.length ? whole : whole * age / WalkedSlot.length
            return steps > 0 ? Self.slot(start: start, steps: steps, running: running) : nil
        }
    }

    /// Gives the steps the distance and energy of an average person: 72 cm and 45 cal a step, 102 cm and 62 cal when
    /// running.
    static func slot(start: WallClock, steps: Int, running: Bool = false) -> WalkedSlot {
        WalkedSlot(
            start: start, steps: steps, calories: steps * (running ? 62 : 45),
            metres: steps * (running ? 102 : 72) / 100)
    }

    private func stepsOfWholeSlot(day: Int, index: Int) -> (steps: Int, running: Bool) {
        var random = RandomSource(seed: seed, day: day, index: index)
        // Walks do not start at the same minute every day: they move by up to a quarter of an hour each way.
        var habits = RandomSource(seed: seed, day: day, index: -1)
        let shift = habits.number(in: -1...1)
        for walk in Walk.of(weekday: WallClock.weekday(ofDay: day)) where walk.slots.contains(index - shift) {
            return (random.number(in: walk.steps), walk.running)
        }
        guard let indoorWalking = IndoorWalking.at(index: index, weekday: WallClock.weekday(ofDay: day)) else {
            return (0, false)
        }
        let happens = random.number(in: 0...99) < indoorWalking.percent
        return (happens ? random.number(in: indoorWalking.steps) : 0, false)
    }
}

/// A walk of the day: its slots counted from midnight, steps in a quarter of an hour.
private struct Walk {
    var slots: ClosedRange<Int>
    var steps: ClosedRange<Int>
    var running = false

    static func of(weekday: Int) -> [Walk] {
        switch weekday {
        case 5: [Walk(slots: 38...39, steps: 500...1_000), Walk(slots: 57...62, steps: 800...1_600)]
        case 6: [Walk(slots: 62...62, steps: 500...900)]
        default:
            commuting
                + (weekday == 1 || weekday == 3 ? [Walk(slots: 77...79, steps: 2_250...2_480, running: true)] : [])
        }
    }

    private static let commuting = [
        Walk(slots: 32...33, steps: 700...1_350), Walk(slots: 49...50, steps: 850...1_450),
        Walk(slots: 70...71, steps: 700...1_350),
    ]
}

/// The few steps of a day at home or at a desk.
private struct IndoorWalking {
    var percent: Int
    var steps: ClosedRange<Int>

    static func at(index: Int, weekday: Int) -> IndoorWalking? {
        switch (weekday, index) {
        case (6, 38...88): IndoorWalking(percent: 30, steps: 15...160)
        case (5, 34...90): IndoorWalking(percent: 45, steps: 20...240)
        case (0...4, 27...31): IndoorWalking(percent: 70, steps: 30...180)
        case (0...4, 36...69): IndoorWalking(percent: 50, steps: 15...170)
        case (0...4, 72...88): IndoorWalking(percent: 45, steps: 15...150)
        default: nil
        }
    }
}

/// A quarter of an hour (or an hour, see `SimulatedColmi.Granularity`) with steps in it.
public struct WalkedSlot: Sendable, Hashable {
    /// When it begins, by the pedometer's own clock.
    public var start: WallClock
    public var steps: Int
    /// Calories, not kilocalories: 1,000 are 1 kcal.
    public var calories: Int
    public var metres: Int

    /// The quarter-hour of the day, 0…95.
    public var index: Int { start.secondOfDay / Self.length }

    /// 900 seconds.
    static let length = 900
}

/// Pseudo-random numbers that are the same every time (SplitMix64, Steele, Lea and Flood 2014).
struct RandomSource: Sendable {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    init(seed: UInt64, day: Int, index: Int) {
        state =
            seed &* 0x9e37_79b9_7f4a_7c15 ^ UInt64(bitPattern: Int64(day)) &* 0xbf58_476d_1ce4_e5b9
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

    /// Uniform in the range, except for a bias far too small to matter here.
    mutating func number(in range: ClosedRange<Int>) -> Int {
        range.lowerBound + Int(next() % UInt64(range.count))
    }

    mutating func bytes(_ count: Int) -> [UInt8] {
        (0..<count).map { _ in UInt8(truncatingIfNeeded: next()) }
    }
}
