internal import StepDomain

/// From a ring's slots to samples in UTC, and what they tell of its clock.
///
/// A ring cannot be asked for the time. But other programs set it otherwise (to UTC, commonly), and three things then show:
/// slots of the future, a day of another date than asked for, and steps in slots that were over at the last sync.
struct ColmiReckoning {
    /// What the ring's clock seems to show.
    enum Verdict: Hashable {
        case right
        /// Off by these seconds (ahead positive), as far as can be told.
        case off(seconds: Int?)
        /// It was set to UTC since the last sync: its new slots are read as such.
        case utc
    }

    private(set) var verdict = Verdict.right
    private(set) var misplaced = 0
    private let clock: WallClock
    private let readThrough: Timestamp?
    /// By wall time.
    private let known: [Int: WallSlot]
    private var seen: [Int: WallSlot] = [:]

    init(clock: WallClock, cursor: PedometerCursor) {
        self.clock = clock
        readThrough = cursor.readThrough
        known = Dictionary((cursor.tail ?? []).map { ($0.wall, $0) }, uniquingKeysWith: { $1 })
    }

    /// Clocks of rings drift; a slot may seem this many seconds too early.
    static let drift = 120
    /// Seconds: the days that a ring holds, and one for clocks that are off.
    static let memory = (Colmi.oldestDay + 2) * 86_400
    /// Seconds around midnight in which the ring's day may lawfully be another than ours.
    private static let midnight = 900

    /// The day that the ring calls today, as days since 1970.
    func today(at now: Timestamp) -> Int { Self.day(ofWall: clock.wall(at: now)) }

    func wallDay(of moment: Timestamp) -> Int { Self.day(ofWall: clock.wall(at: moment)) }

    func isNearMidnight(_ now: Timestamp) -> Bool {
        let second = clock.wall(at: now) - today(at: now) * 86_400
        return second < Self.midnight || second > 86_400 - Self.midnight
    }

    /// The span of one of the ring's days, cut off at `now`.
    func span(ofWallDay day: Int, now: Timestamp) -> TimeSpan {
        TimeSpan(min(clock.moment(wall: day * 86_400), now), min(clock.moment(wall: (day + 1) * 86_400), now))
    }

    /// The samples of an answer. Slots out of all reach (more than nine days old, or of the future) are left to the raw frames
    /// and counted in `misplaced`.
    mutating func samples(of answer: ColmiDay, daysAgo: Int, now: Timestamp) -> [StepSample] {
        let length = answer.slotLength
        judge(answer, length, daysAgo: daysAgo, now: now)
        var samples: [StepSample] = []
        for record in answer.slots where record.steps > 0 {
            let (sample, slot) = reckon(record, length)
            seen[slot.wall] = slot
            guard sample.steps > 0 else { continue }
            if sample.start <= now + Self.drift, sample.start >= now - Self.memory {
                samples.append(sample)
            } else {
                misplaced += 1
            }
        }
        return samples
    }

    private func reckon(_ record: ColmiDay.Record, _ length: Int) -> (StepSample, WallSlot) {
        var reading = clock.reading(wall: record.wall, length: length)
        if verdict == .utc, readThrough.map({ reading.start >= $0 }) ?? true, isFresh(record) {
            let start = Timestamp(record.wall)
            reading = WallClock.Reading(start: start, utcOffset: clock.localTime.utcOffset(start))
        }
        var slot = WallSlot(wall: record.wall, start: reading.start, steps: record.steps)
        if let before = known[record.wall] {
            // The same wall time of another moment: what was in the slot then is that moment's.
            slot.base = before.start == reading.start ? before.base : before.steps
            if slot.base > record.steps { slot.base = 0 }   // the ring began the slot anew
        }
        let share = Double(record.steps - slot.base) / Double(max(record.steps, 1))
        let sample = StepSample(
            start: reading.start, length: length, steps: record.steps - slot.base,
            distance: Double(record.metres) * share, energy: record.energy * share, utcOffset: reading.utcOffset)
        return (sample, slot)
    }

    /// What the next sync has to know of this one, once the clock shows `wall`.
    func tail(today: Int, clockSetTo wall: Int) -> [WallSlot] {
        let oldest = wall - Self.memory
        return known.merging(seen) { $1 }.values
            .filter { slot in
                guard slot.wall >= oldest else { return false }
                // An hour is the longest slot.
                return slot.base > 0 || slot.wall + 3600 > wall || Self.day(ofWall: slot.wall) >= today
            }
            .sorted { $0.wall < $1.wall }
    }

    // MARK: The clock

    private mutating func judge(_ answer: ColmiDay, _ length: Int, daysAgo: Int, now: Timestamp) {
        guard verdict == .right, let last = answer.slots.last(where: isFresh) else { return }
        let found = Self.day(ofWall: last.wall)
        let expected = today(at: now) - daysAgo
        let ahead = last.wall - clock.wall(at: now)
        if ahead > Self.drift {
            verdict = last.wall <= now.seconds ? .utc : .off(seconds: ahead)
        } else if found != expected, !isNearMidnight(now) {
            let utc = Self.day(ofWall: now.seconds) - daysAgo
            verdict = utc == found ? .utc : .off(seconds: (found - expected) * 86_400)
        } else if answer.slots.contains(where: { hasGrownSinceOver($0, length) }) {
            verdict = .off(seconds: nil)
        }
    }

    /// It has steps that the last sync did not see: only such slots tell what the clock has shown since.
    private func isFresh(_ record: ColmiDay.Record) -> Bool { known[record.wall]?.steps != record.steps }

    /// Steps in a slot that was over when it was last read: the clock was put back since.
    private func hasGrownSinceOver(_ record: ColmiDay.Record, _ length: Int) -> Bool {
        guard let readThrough, let first = known.values.map(\.start).min(), isFresh(record) else { return false }
        let start = clock.reading(wall: record.wall, length: length).start
        guard start >= first, start + length <= readThrough - Self.drift else { return false }
        guard let before = known[record.wall] else { return record.steps > 0 }
        return before.start == start && record.steps > before.steps
    }

    static func day(ofWall wall: Int) -> Int { Day(of: Timestamp(wall), utcOffset: 0).daysSince1970 }
}
