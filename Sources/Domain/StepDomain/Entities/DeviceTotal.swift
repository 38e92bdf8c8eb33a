/// A day's total as the pedometer itself calculates it, and the sum of the slots that it had sent until then.
///
/// It is a check of the slots and is never counted as steps: which packet holds it is not certain for all firmware, and
/// a pedometer can send any number.
public struct DeviceTotal: Hashable, Sendable {
    /// The day by the pedometer's calendar.
    public var day: Day
    /// When it was read.
    public var at: Timestamp
    /// The pedometer's own figure, as received.
    public var total: Int
    /// The sum of its slots of the day, read just before.
    public var slots: Int

    public init(day: Day, at: Timestamp, total: Int, slots: Int) {
        self.day = day
        self.at = at
        self.total = total
        self.slots = slots
    }

    /// The range that a history holds: three bytes of a packet.
    public static let range = 0...0xff_ffff
    /// Steps by which the total may be ahead of the slots: the two are read within two seconds, and a person makes at
    /// most five steps a second (`StepSample.maximumStepsPerSecond`).
    public static let tolerance = 10

    /// Negative if the total is smaller.
    public var difference: Int { total - slots }
    /// Whether the two do not agree.
    public var differs: Bool { !(0...Self.tolerance).contains(difference) }
    /// Whether a person can have made as many steps in a day.
    public var isPossible: Bool { DaySummary.isPlausible(total) }
}
