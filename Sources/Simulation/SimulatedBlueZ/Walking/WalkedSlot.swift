/// A quarter of an hour (or an hour, see `SimulatedRing.Granularity`) with steps in it.
public struct WalkedSlot: Sendable, Hashable {
    /// When it begins, by the pedometer's own clock.
    public var start: WallClock
    public var steps: Int
    /// Calories, not kilocalories: 1,000 are 1 kcal.
    public var calories: Int
    public var metres: Int

    public init(start: WallClock, steps: Int, calories: Int, metres: Int) {
        self.start = start
        self.steps = steps
        self.calories = calories
        self.metres = metres
    }

    /// The quarter-hour of the day, 0…95.
    public var index: Int { start.secondOfDay / Self.length }

    /// 900 seconds.
    static let length = 900
}
