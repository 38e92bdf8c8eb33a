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
    private let cursor: PedometerCursor

    init(clock: WallClock, cursor: PedometerCursor) {
        self.clock = clock
        self.cursor = cursor
    }

    /// Clocks of rings drift; a slot may seem this many seconds too early.
    private static let drift = 120
    /// Seconds: the days that a ring holds, and one for clocks that are off.
    static let memory = (Colmi.oldestDay + 2) * 86_400

    /// The day that the ring calls today, as days since 1970.
    func today(at now: Timestamp) -> Int { wallDay(clock.wall(at: now)) }

    func wallDay(of moment: Timestamp) -> Int { wallDay(clock.wall(at: moment)) }

    /// The span of one of the ring's days, cut off at `now`.
    func span(ofWallDay day: Int, now: Timestamp) -> TimeSpan {
        let start = clock.reading(wall: day * 86_400, length: 1).start
        let end = clock.reading(wall: (day + 1) * 86_400, length: 1).start
        return TimeSpan(min(start, now), min(end, now))
    }

    /// The samples of an answer. Slots out of all reach (more than nine days old, or of the future) are left to the raw frames
    /// and counted in `misplaced`.
    mutating func samples(of answer: ColmiDay, daysAgo: Int, now: Timestamp) -> [StepSample] {
        judge(answer, daysAgo: daysAgo, now: now)
        let length = answer.slotLength
        let all = answer.slots.filter { $0.steps > 0 }.map { sample($0, length: length) }
        let within = all.filter { $0.start <= now + Self.drift && $0.start >= now - Self.memory }
        misplaced += all.count - within.count
        return within
    }

    private func sample(_ record: ColmiDay.Record, length: Int) -> StepSample {
        var reading = clock.reading(wall: record.wall, length: length)
        if verdict == .utc, isNew(reading.start) {
            let start = Timestamp(record.wall)
            reading = WallClock.Reading(start: start, utcOffset: clock.localTime.utcOffset(start))
        }
        return StepSample(
            start: reading.start, length: length, steps: record.steps, distance: Double(record.metres),
            energy: record.energy, utcOffset: reading.utcOffset)
    }

    private func isNew(_ moment: Timestamp) -> Bool { cursor.readThrough.map { moment >= $0 } ?? true }

    // MARK: The clock

    private mutating func judge(_ answer: ColmiDay, daysAgo: Int, now: Timestamp) {
        guard verdict == .right, let last = answer.slots.last else { return }
        let expected = today(at: now) - daysAgo
        let found = wallDay(last.wall)
        let ahead = last.wall - clock.wall(at: now)
        // Around midnight the ring's day may lawfully be another than ours.
        let second = clock.wall(at: now) - today(at: now) * 86_400
        let nearMidnight = second < 600 || second > 85_800

        if ahead > Self.drift {
            verdict = last.wall <= now.seconds ? .utc : .off(seconds: ahead)
        } else if found != expected, !nearMidnight {
            verdict = wallDay(now.seconds) - daysAgo == found ? .utc : .off(seconds: (found - expected) * 86_400)
        } else if hasGrownSinceOver(answer) {
            verdict = .off(seconds: nil)
        }
    }

    /// Steps in a slot that was over when it was last read: the clock was put back since.
    private func hasGrownSinceOver(_ answer: ColmiDay) -> Bool {
        guard let readThrough = cursor.readThrough, let tail = cursor.tail, let first = tail.first?.start else { return false }
        let known = Dictionary(tail.map { ($0.start, $0.steps) }, uniquingKeysWith: max)
        let length = answer.slotLength
        return answer.slots.contains { record in
            let sample = sample(record, length: length)
            guard sample.start >= first, sample.span.end <= readThrough - Self.drift else { return false }
            return sample.steps > known[sample.start] ?? 0
        }
    }

    private func wallDay(_ wall: Int) -> Int { Day(of: Timestamp(wall), utcOffset: 0).daysSince1970 }
}
