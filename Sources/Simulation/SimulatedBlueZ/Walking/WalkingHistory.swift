/// How somebody with a desk job walks: commutes, lunch walks, two evening runs a week, a long Saturday walk, a lazy
/// Sunday. Every day of every year is defined, and the same seed always gives the same steps.
public struct WalkingHistory: Sendable, Hashable {
    public let seed: UInt64

    public init(seed: UInt64) { self.seed = seed }

    /// The slots of a day that have steps, by their start; a slot that `now` lies in is as full as it is old, and later
    /// ones do not exist yet.
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

    /// Gives the steps the distance and energy of an average person: 72 cm and 45 cal a step, 102 cm and 62 cal when running.
    static func slot(start: WallClock, steps: Int, running: Bool = false) -> WalkedSlot {
        WalkedSlot(
            start: start, steps: steps, calories: steps * (running ? 62 : 45),
            metres: steps * (running ? 102 : 72) / 100)
    }

    private func stepsOfWholeSlot(day: Int, index: Int) -> (steps: Int, running: Bool) {
        var dice = Dice(seed: seed, day: day, index: index)
        // Nobody leaves home at the same minute every day: outings move by up to a quarter of an hour each way.
        var habits = Dice(seed: seed, day: day, index: -1)
        let shift = habits.roll(-1...1)
        for outing in Outing.of(weekday: WallClock.weekday(ofDay: day)) where outing.slots.contains(index - shift) {
            return (dice.roll(outing.steps), outing.running)
        }
        guard let pottering = Pottering.at(index: index, weekday: WallClock.weekday(ofDay: day)) else { return (0, false) }
        let happens = dice.roll(0...99) < pottering.percent
        return (happens ? dice.roll(pottering.steps) : 0, false)
    }
}

/// A walk that belongs to the day: slots counted from midnight, steps in a quarter of an hour.
private struct Outing {
    var slots: ClosedRange<Int>
    var steps: ClosedRange<Int>
    var running = false

    static func of(weekday: Int) -> [Outing] {
        switch weekday {
        case 5: [Outing(slots: 38...39, steps: 500...1_000), Outing(slots: 57...62, steps: 800...1_600)]
        case 6: [Outing(slots: 62...62, steps: 500...900)]
        default:
            commuting + (weekday == 1 || weekday == 3 ? [Outing(slots: 77...79, steps: 2_250...2_480, running: true)] : [])
        }
    }

    private static let commuting = [
        Outing(slots: 32...33, steps: 700...1_350), Outing(slots: 49...50, steps: 850...1_450),
        Outing(slots: 70...71, steps: 700...1_350),
    ]
}

/// The small steps of a day at home or at a desk.
private struct Pottering {
    var percent: Int
    var steps: ClosedRange<Int>

    static func at(index: Int, weekday: Int) -> Pottering? {
        switch (weekday, index) {
        case (6, 38...88): Pottering(percent: 30, steps: 15...160)
        case (5, 34...90): Pottering(percent: 45, steps: 20...240)
        case (0...4, 27...31): Pottering(percent: 70, steps: 30...180)
        case (0...4, 36...69): Pottering(percent: 50, steps: 15...170)
        case (0...4, 72...88): Pottering(percent: 45, steps: 15...150)
        default: nil
        }
    }
}
