internal import StepDomain

/// Slots that a reading has seen before their time: the same for all models that store steps under times.
///
/// Either the pedometer's clock was ahead when it stored them: their steps were made at another time, which is not
/// known, and are not counted when the time of the slot has come either. Or this machine's clock is behind, as that of
/// a board without a battery may be until a time server has set it: then they are counted later. The first is certain
/// if this machine's clock is known to be right, or if istep has set the pedometer by a later time than the present
/// one.
///
/// What a pedometer adds to such a slot once its clock is right is counted. If it replaces the slot by fewer steps, all
/// of these count.
struct EarlySlots {
    private let isClockTrusted: Bool
    /// False if this machine's clock is more in doubt than the one by which the pedometer was set.
    private let setsClock: Bool
    private let settings: [ClockState.Setting]
    /// The slots whose steps, or a part of them, were made at another time, by the time on the pedometer's clock.
    private(set) var known: [Int: WallSlot]
    /// Whether this reading has seen one.
    private(set) var hasNew = false

    /// Slots that are kept. A later one is seen again by the next reading.
    static let most = 2_000

    init(_ context: SessionContext) {
        (isClockTrusted, setsClock) = (context.isClockTrusted, context.setsClock)
        settings = context.pedometer.clock.settings
        let slots = (context.pedometer.cursor.tail ?? []).filter { $0.base > 0 }
        known = Dictionary(slots.map { ($0.wall, $0) }, uniquingKeysWith: { $1 })
    }

    /// Whether a slot in the future shows that the pedometer is ahead, and not that this machine is behind.
    func isPedometerAhead(at now: Timestamp) -> Bool {
        isClockTrusted || setsClock && settings.contains { $0.at.isAhead(of: now) }
    }

    /// A slot in the future was seen.
    mutating func see(wall: Int, start: Timestamp, steps: Int, at now: Timestamp) {
        guard steps > 0, isPedometerAhead(at: now) else { return }
        known[wall] = WallSlot(wall: wall, start: start, base: steps, steps: steps)
        hasNew = true
    }

    /// Whether an earlier reading has seen a slot in the future, with the same steps.
    func isKnown(wall: Int, start: Timestamp, steps: Int) -> Bool {
        known[wall].map { $0.start == start && $0.base == steps } ?? false
    }

    /// The steps of a slot that count, now that its time has come.
    func count(wall: Int, start: Timestamp, steps: Int) -> Int {
        guard let slot = known[wall], slot.start == start, slot.base <= steps else { return steps }
        return steps - slot.base
    }

    /// Those that the next reading needs; nil for none.
    ///
    /// - Parameter oldest: the beginning of the pedometer's memory.
    func kept(since oldest: Timestamp) -> [WallSlot]? {
        let slots = known.values.filter { $0.start >= oldest }.sorted { $0.wall < $1.wall }.prefix(Self.most)
        return slots.isEmpty ? nil : Array(slots)
    }
}
