internal import StepDomain

/// Converts a ring's slots to samples in UTC, and detects from them that its clock is off.
///
/// A ring's clock cannot be read. Other programs may set it (commonly to UTC), which shows in three ways: slots in the
/// future, a day of another date than requested, and new steps in slots that had ended before the last sync.
struct ColmiSlotConverter {
    /// What the ring's clock seems to show.
    enum Verdict: Hashable {
        case right
        /// Off by this many seconds (positive if ahead), if that is known.
        case off(seconds: Int?)
        /// It was set to UTC since the last sync: its new slots are read as UTC.
        case utc
    }

    private(set) var verdict = Verdict.right
    private(set) var misplaced = 0
    private let clock: WallClockConverter
    private let readThrough: Timestamp?
    private let early: EarlySlots
    /// The slots of the last reading, by wall time, and those that this one has seen before their time.
    private var known: [Int: WallSlot]
    private var seen: [Int: WallSlot] = [:]
    private var hasSeenEarly = false

    /// - Parameter cursor: that of the context, or a part of it.
    init(_ context: SessionContext, cursor: PedometerCursor) {
        clock = WallClockConverter(context.pedometer.clock, context.localTime)
        early = EarlySlots(context)
        readThrough = cursor.readThrough
        known = Dictionary((cursor.tail ?? []).map { ($0.wall, $0) }, uniquingKeysWith: { $1 })
    }

    /// Seconds: the days that a ring holds, and one more for clocks that are off.
    static let memory = (ColmiPlan.oldestDay + 2) * 86_400
    /// Seconds before and after midnight in which a correct ring may be on another day than this machine.
    private static let midnight = 900

    /// The day that the ring calls today, as days since 1970.
    func today(at now: Timestamp) -> Int { DeviceClock(wall: clock.wall(at: now)).day }

    func wallDay(of moment: Timestamp) -> Int { DeviceClock(wall: clock.wall(at: moment)).day }

    /// The moment at which one of the ring's days begins.
    func start(_ day: Int) -> Timestamp { clock.moment(wall: day * 86_400) }

    func isNearMidnight(_ now: Timestamp) -> Bool {
        let second = clock.wall(at: now) - today(at: now) * 86_400
        return second < Self.midnight || second > 86_400 - Self.midnight
    }

    /// The span of one of the ring's days, as far as the ring can remember it, cut off at `now`; nil if nothing is
    /// left.
    ///
    /// - Parameter end: the last moment of the ring's clock that it accounts for; nil for the end of the day.
    func span(ofWallDay day: Int, through end: Int? = nil, now: Timestamp) -> TimeSpan? {
        func moment(_ wall: Int) -> Timestamp { max(now - Self.memory, min(clock.moment(wall: wall), now)) }
        let span = TimeSpan(moment(day * 86_400), moment(max(day * 86_400, min(end ?? .max, (day + 1) * 86_400))))
        return span.isEmpty ? nil : span
    }

    /// The samples of an answer. Slots more than nine days old or in the future are counted in `misplaced` and kept
    /// only in the raw frames.
    ///
    /// `EarlySlots` has the rule for those in the future; unlike other models, a ring adds later steps to them, and its
    /// slots are kept for a clock that was set back as well.
    ///
    /// - Parameter daysAgo: as requested, counted from the ring's today.
    mutating func samples(of answer: ColmiDay, daysAgo: Int, now: Timestamp) -> [StepSample] {
        // A ring that has sent a slot off the hour counts quarters, even on a day without another such slot.
        let countsQuarters = known.keys.contains { $0 % 3600 != 0 } || seen.keys.contains { $0 % 3600 != 0 }
        let length = countsQuarters ? 900 : answer.slotLength
        assessClock(answer, length, daysAgo: daysAgo, now: now)
        var samples: [StepSample] = []
        for record in answer.slots where record.steps > 0 {
            var (sample, slot) = convert(record, length)
            let isEarly = sample.start.isAhead(of: now)
            if isEarly, early.isPedometerAhead(at: now) {
                slot.base = record.steps
                known[slot.wall] = slot
                hasSeenEarly = true
            }
            seen[slot.wall] = slot
            guard sample.steps > 0 else { continue }
            if isEarly || sample.start < now - Self.memory {
                misplaced += 1
            } else {
                samples.append(sample)
            }
        }
        return samples
    }

    private func convert(_ record: ColmiDay.Record, _ length: Int) -> (StepSample, WallSlot) {
        var interpretation = clock.interpret(wall: record.wall, length: length)
        if verdict == .utc, readThrough.map({ interpretation.start >= $0 }) ?? true, isFresh(record) {
            let start = Timestamp(record.wall)
            interpretation = WallClockConverter.Interpretation(
                start: start, length: length, utcOffset: clock.localTime.utcOffset(start))
        }
        var slot = WallSlot(wall: record.wall, start: interpretation.start, steps: record.steps)
        if let before = known[record.wall] {
            // The same wall time at another moment: the earlier steps in the slot belong to the earlier moment.
            slot.base = before.start == interpretation.start ? before.base : before.steps
            if slot.base > record.steps { slot.base = 0 }  // the ring restarted the slot
        }
        let share = Double(record.steps - slot.base) / Double(max(record.steps, 1))
        let steps = record.steps - slot.base
        let sample = StepSample(
            start: interpretation.start, length: interpretation.seconds(for: steps, of: length), steps: steps,
            distance: Double(record.metres) * share, energy: record.energy * share, utcOffset: interpretation.utcOffset)
        return (sample, slot)
    }

    /// The slots that the next sync needs if the ring's clock has been set to `wall`.
    func tail(today: Int, clockSetTo wall: Int) -> [WallSlot] {
        let oldest = wall - Self.memory
        return known.merging(seen) { $1 }.values
            .filter { slot in
                guard slot.wall >= oldest else { return false }
                // An hour is the longest slot.
                return slot.base > 0 || slot.wall + 3600 > wall || DeviceClock(wall: slot.wall).day >= today
            }
            .sorted { $0.wall < $1.wall }
    }

    /// The slots that the next sync needs if this one ends before its last day: those that were seen before their time.
    /// Nil for no others than before.
    var earlyTail: [WallSlot]? { hasSeenEarly ? known.values.sorted { $0.wall < $1.wall } : nil }

    // MARK: The clock

    private mutating func assessClock(_ answer: ColmiDay, _ length: Int, daysAgo: Int, now: Timestamp) {
        guard verdict == .right, let last = answer.slots.last(where: isFresh) else { return }
        let found = DeviceClock(wall: last.wall).day
        let expected = today(at: now) - daysAgo
        let ahead = last.wall - clock.wall(at: now)
        if ahead > WallSlotConverter.drift {
            verdict = last.wall <= now.seconds ? .utc : .off(seconds: ahead)
        } else if found != expected, !isNearMidnight(now) {
            let utc = DeviceClock(wall: now.seconds).day - daysAgo
            verdict = utc == found ? .utc : .off(seconds: (found - expected) * 86_400)
        } else if answer.slots.contains(where: { hasGrownSinceOver($0, length) }) {
            verdict = .off(seconds: nil)
        }
    }

    /// Whether a day has steps that the last sync did not have.
    func hasNews(_ answer: ColmiDay) -> Bool { answer.slots.contains { $0.steps > 0 && isFresh($0) } }

    /// Whether a record has steps that the last sync did not have: only such slots show anything about the clock since
    /// then.
    private func isFresh(_ record: ColmiDay.Record) -> Bool { known[record.wall]?.steps != record.steps }

    /// Whether steps were added to a slot that had ended when it was last read: then the clock was put back since.
    private func hasGrownSinceOver(_ record: ColmiDay.Record, _ length: Int) -> Bool {
        guard let readThrough, let first = known.values.map(\.start).min(), isFresh(record) else { return false }
        let slot = clock.interpret(wall: record.wall, length: length), start = slot.start
        guard start >= first, start + slot.length <= readThrough - WallSlotConverter.drift else { return false }
        guard let before = known[record.wall] else { return record.steps > 0 }
        return before.start == start && record.steps > before.steps
    }
}
