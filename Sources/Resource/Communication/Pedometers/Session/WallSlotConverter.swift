internal import StepDomain

/// Steps that a pedometer has stored under the time of its own clock.
struct WallRecord: Hashable {
    /// Seconds since 1970 as its clock showed them when the slot began.
    var wall: Int
    /// Seconds.
    var length: Int
    var steps: Int
    var metres: Int?
    /// Kilocalories.
    var energy: Double?
}

/// Converts slots of a pedometer's wall clock to samples in UTC.
///
/// Such a clock knows neither daylight saving nor travel: it shows what it was last set to. If istep has put it back,
/// it shows some times twice, and it is not known whether the pedometer adds the later steps to the earlier slots or
/// replaces them. These slots are not counted again, and do not account for their time: the day is partial.
struct WallSlotConverter {
    /// Seconds by which a clock may drift.
    static let drift = 120

    private(set) var clock: WallClockConverter
    /// The same without what the clock showed before the first setting.
    private let ownSettings: WallClockConverter
    /// Seconds that a pedometer of this model remembers. An older slot is an error.
    let memory: Int
    /// Slots in the future, older than the pedometer's memory, or of a day that is not certain. They are only in the
    /// raw frames.
    private(set) var misplaced = 0
    /// Seconds by which the latest slot is in the future.
    private(set) var secondsAhead: Int?
    /// The slots that were seen before their time.
    private var early: EarlySlots
    /// This machine's clock is not known to be right, and no clock of the pedometer agrees with it.
    private var isUnconfirmed: Bool
    /// The end of the latest slot, as the pedometer's clock showed it.
    private var latest: Int?
    /// What was observed of the clock, if that is not what it should show.
    private var observed: Observed?

    private enum Observed: Hashable {
        /// It was never set by istep, and shows the time of another zone: its slots are converted by what it shows.
        case zone(WallSlot)
        /// It is this many seconds ahead, since when is not known: slots near midnight are not counted.
        case off(seconds: Int)
        /// It shows another date: its slots are not counted.
        case unknown
    }

    /// - Parameter days: the number of days for which the pedometer keeps slots.
    init(_ context: SessionContext, days: Int) {
        ownSettings = WallClockConverter(context.pedometer.clock, context.localTime)
        clock = ownSettings
        memory = (days + 2) * 86_400
        early = EarlySlots(context)
        isUnconfirmed = !context.isClockTrusted
        // Its slots from before it was first set are in the time that it showed then.
        if let mark = context.pedometer.cursor.tail?.first(where: { $0.steps == 0 }),
            clock.settings.first.map({ $0.at >= mark.start }) ?? true
        {
            clock = clock.since(Self.setting(mark))
        }
    }

    /// The pedometer's clock was read.
    ///
    /// - Parameter ahead: seconds by which it is ahead of `wall(_:)`; negative if it is behind.
    mutating func observe(ahead: Int, at now: Timestamp) {
        if abs(ahead) <= 86_400 { isUnconfirmed = false }
        guard abs(ahead) > Self.drift else { return }
        guard abs(ahead) <= 86_400 else {
            observed = .unknown
            return
        }
        // A clock that was never set, or that another program has set, differs by whole quarters of an hour from local
        // time. If istep has set it before, it is not known when that was changed.
        let zone = Int((Double(ahead) / 900).rounded()) * 900
        guard ownSettings.settings.isEmpty, abs(ahead - zone) <= Self.drift else {
            observed = .off(seconds: ahead)
            return
        }
        // Without the drift, which each reading measures anew.
        let mark = WallSlot(wall: wall(now) + zone, start: now, steps: 0)
        observed = .zone(mark)
        clock = ownSettings.since(Self.setting(mark))
    }

    /// What the next reading has to know of the clock, and of slots that were seen before their time, for
    /// `PedometerCursor.tail`.
    ///
    /// - Parameter before: of the last reading.
    func tail(_ before: [WallSlot]?, now: Timestamp) -> [WallSlot]? {
        var marks = (before ?? []).filter { $0.steps == 0 }
        if case .zone(let mark) = observed { marks = [mark] }
        let tail = marks + (early.kept(since: now - memory) ?? [])
        return tail.isEmpty ? nil : tail
    }

    /// Whether all that the pedometer sent could be placed: the cursor must not pass what was not stored. Slots that
    /// were seen before their time by an earlier reading, and are not counted, do not hold it up.
    var isAllPlaced: Bool { secondsAhead == nil && observed != .unknown }

    /// Where the next reading continues; nil if nothing has changed.
    ///
    /// - Parameter moment: all that the pedometer knew of the time before it has been read.
    func cursor(_ before: PedometerCursor, through moment: Timestamp, now: Timestamp) -> PedometerCursor? {
        var cursor = isAllPlaced ? before.advanced(to: moment, now: now) : before.withoutFutureReading(at: now)
        cursor.tail = tail(before.tail, now: now)
        return isAllPlaced || cursor != before ? cursor : nil
    }

    /// Whether a slot may have its time still to come because this machine's clock is behind: then it has to stay on
    /// the pedometer.
    func mustStay(_ record: WallRecord, now: Timestamp) -> Bool {
        record.steps > 0 && clock.interpret(wall: record.wall, length: record.length).start.isAhead(of: now)
            && !early.isPedometerAhead(at: now)
    }

    private static func setting(_ mark: WallSlot) -> ClockState.Setting {
        ClockState.Setting(at: Timestamp(0), utcOffset: mark.wall - mark.start.seconds)
    }

    /// Whether a slot lies in the time that the pedometer can hold: from the beginning of its memory until now.
    func isPlaced(_ record: WallRecord, now: Timestamp) -> Bool {
        let start = clock.interpret(wall: record.wall, length: record.length).start
        return start <= now + Self.drift && start >= now - memory
    }

    /// The beginning of what a pedometer accounts for if it has sent all of its records, as its clock showed it: the
    /// first record after the last one at an impossible time. It is not known when that one was recorded, only that it
    /// was not later.
    ///
    /// - Parameter records: in the order in which the pedometer sent them.
    func beginning(of records: [WallRecord], now: Timestamp) -> Int? {
        let next = records.lastIndex { !isPlaced($0, now: now) }.map { $0 + 1 } ?? 0
        return records[next...].map(\.wall).min()
    }

    /// Nil for a slot without steps, and for one that must not be counted.
    mutating func sample(_ record: WallRecord, now: Timestamp) -> StepSample? {
        guard record.steps > 0, !isRepeated(record) else { return nil }
        let interpretation = clock.interpret(wall: record.wall, length: record.length)
        guard interpretation.start <= now + Self.drift, interpretation.start >= now - memory else {
            if early.isKnown(wall: record.wall, start: interpretation.start, steps: record.steps) { return nil }
            if interpretation.start > now {
                secondsAhead = max(secondsAhead ?? 0, interpretation.start - now)
                early.see(wall: record.wall, start: interpretation.start, steps: record.steps, at: now)
            }
            misplaced += 1
            return nil
        }
        guard isDayCertain(interpretation.start, record.length) else {
            misplaced += 1
            return nil
        }
        latest = max(latest ?? 0, record.wall + record.length)
        let steps = early.count(wall: record.wall, start: interpretation.start, steps: record.steps)
        guard steps > 0 else { return nil }
        let share = Double(steps) / Double(record.steps)
        return StepSample(
            start: interpretation.start, length: interpretation.seconds(for: steps, of: record.length),
            steps: steps,
            distance: record.metres.map { Double($0) * share },
            energy: record.energy.map { $0 * share }, utcOffset: interpretation.utcOffset)
    }

    /// The time of the slots in the future, if any, as a notice.
    var notices: [SyncNotice] {
        var notices: [SyncNotice] = []
        if let secondsAhead { notices.append(.clockWasOff(seconds: secondsAhead)) }
        if misplaced > 0 { notices.append(.implausible(samples: misplaced)) }
        return notices
    }

    /// The times of a span of the pedometer's clock, from the beginning of its memory until now, without those that its
    /// clock has shown twice.
    ///
    /// - Parameters:
    ///   - wall: seconds since 1970 as its clock showed them.
    ///   - now: the end, if the span ends later.
    func spans(_ wall: Range<Int>, now: Timestamp) -> [TimeSpan] {
        guard secondsAhead == nil, observed != .unknown else { return [] }  // its times are not certain
        func moment(_ wall: Int) -> Timestamp { max(now - memory, min(clock.moment(wall: wall), now)) }
        // If this machine's clock is ahead, the time since the latest slot has not passed.
        let end = isUnconfirmed ? min(wall.upperBound, latest ?? wall.lowerBound) : wall.upperBound
        var left = [TimeSpan(moment(wall.lowerBound), moment(max(wall.lowerBound, end)))]
        for (before, after) in putBack {
            let repeated = TimeSpan(after.at, after.at + (before.utcOffset - after.utcOffset))
            left = left.flatMap { span in
                span.overlaps(repeated)
                    ? [
                        TimeSpan(span.start, max(span.start, repeated.start)),
                        TimeSpan(min(repeated.end, span.end), span.end),
                    ] : [span]
            }
        }
        return left.flatMap(certain).filter { !$0.isEmpty }
    }

    /// Whether a slot is of the same day whenever the clock was changed.
    private func isDayCertain(_ start: Timestamp, _ length: Int) -> Bool {
        switch observed {
        case nil, .zone: true
        case .off(let seconds):
            clock.localTime.day(of: start - max(0, seconds))
                == clock.localTime.day(of: start + max(0, -seconds) + max(0, length - 1))
        case .unknown: false
        }
    }

    /// A span without the times around midnight that the clock cannot account for.
    private func certain(_ span: TimeSpan) -> [TimeSpan] {
        guard case .off(let seconds) = observed, !span.isEmpty else { return [span] }
        var (parts, start) = ([TimeSpan](), span.start)
        let days = clock.localTime.day(of: span.start)...clock.localTime.day(of: span.end).advanced(by: 1)
        var day = days.lowerBound
        while day <= days.upperBound {
            let midnight = clock.localTime.moment(day)
            let end = min(midnight - abs(seconds), span.end)
            if end > start { parts.append(TimeSpan(start, end)) }
            start = max(start, midnight + abs(seconds))
            day = day.advanced(by: 1)
        }
        if span.end > start { parts.append(TimeSpan(start, span.end)) }
        return parts
    }

    /// What the pedometer's clock shows now, as far as that is known.
    func wall(_ now: Timestamp) -> Int {
        if case .off(let seconds) = observed { clock.wall(at: now) + seconds } else { clock.wall(at: now) }
    }

    /// The day that the pedometer calls today, as days since 1970.
    func today(_ now: Timestamp) -> Int { DeviceClock(wall: wall(now)).day }

    /// The day on which the pedometer was last read, by its clock; nil if it never was, or at a time in the future.
    func dayOfReading(_ cursor: PedometerCursor, now: Timestamp) -> Int? {
        cursor.withoutFutureReading(at: now).readThrough.map { DeviceClock(wall: wall($0)).day }
    }

    private func isRepeated(_ record: WallRecord) -> Bool {
        putBack.contains { before, after in
            let shown = (after.at.seconds + after.utcOffset - record.length + 1)..<(after.at.seconds + before.utcOffset)
            return shown.contains(record.wall)
        }
    }

    /// Settings that put the clock back, each with the one before it.
    private var putBack: [(before: ClockState.Setting, after: ClockState.Setting)] {
        zip(clock.settings, clock.settings.dropFirst()).filter { $1.utcOffset < $0.utcOffset }.map { ($0, $1) }
    }
}

extension Timestamp {
    /// Whether it is further in the future than clocks drift: such a mark was made while a clock was ahead.
    func isAhead(of now: Timestamp) -> Bool { self > now + WallSlotConverter.drift }
}

extension PedometerCursor {
    /// All that the pedometer knew of the time before `moment` has been read.
    func advanced(to moment: Timestamp, now: Timestamp) -> PedometerCursor {
        var cursor = withoutFutureReading(at: now)
        cursor.readThrough = max(moment, cursor.readThrough ?? moment)
        return cursor
    }

    /// A mark in the future was made by a machine whose clock was ahead: with it, newer steps would stay unread.
    func withoutFutureReading(at now: Timestamp) -> PedometerCursor {
        guard readThrough?.isAhead(of: now) == true else { return self }
        var cursor = self
        cursor.readThrough = nil
        return cursor
    }
}
