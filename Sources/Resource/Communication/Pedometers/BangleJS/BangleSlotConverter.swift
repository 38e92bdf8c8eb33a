internal import StepDomain

/// Converts a watch's records to samples in UTC; `BangleZone` decides where each belongs.
///
/// A record whose time is not known for sure is counted, and does not account for its time, so that its day is partial.
/// A record that was read before is not counted again. If clocks were put back, the hour that they show twice is stored
/// once: the day has a gap.
struct BangleSlotConverter {
    private let cursor: PedometerCursor
    private let localTime: LocalTime
    private let now: Timestamp
    private let clock: BangleClock?
    private var zone: BangleZone
    private var early: EarlySlots

    private var samples: [StepSample] = []
    private var spans: [TimeSpan] = []
    /// The end of the last record, in the watch's local time and in UTC.
    private var last: (wall: Int, end: Timestamp)?
    /// Whether each record has followed the one before, and the first one what was read before.
    private var isContiguous = true
    /// Those between records that this reading has met.
    private var gaps: [TimeSpan] = []
    private static let maximumGaps = 500
    /// The cursor of the last batch that could move it.
    private var settled: PedometerCursor
    /// Records that belong to an earlier time than it seems, since the watch's clock was put back: they are read again
    /// when it is known to which. Only then the cursor moves on.
    private var isWaiting = false
    /// Whether fewer days are requested than are unread: the others are left for the next sync.
    private var isLimited = false
    /// Older records are not wanted: more was requested than is needed.
    private var first = Timestamp(0)
    private(set) var pending = 0
    private var misplaced = 0
    /// Records do not fit into the time zone that the watch is believed to have.
    private var isMisaligned = false
    /// Seconds by which the latest record is in the future.
    private var secondsAhead: Int?

    /// Seconds for which records are requested, and some days: an older record is an error.
    private static let memory = (BangleJS.oldestDay + 3) * 86_400
    /// The version of "Health Tracking" that sends today, too.
    private static let sendsToday = BangleVersion("0.33")!
    /// All zones of the world have their midnight at such a time of UTC.
    private static let zoneStep = 300

    init(_ context: SessionContext, now: Timestamp, clock: BangleClock? = nil) {
        let (known, localTime) = (context.pedometer.cursor, context.localTime)
        early = EarlySlots(context)
        var cursor = known
        // Noted by a machine whose clock was ahead: all newer records would count as read.
        if known.readThrough?.isAhead(of: now) == true {
            (cursor.readThrough, cursor.utcOffset, cursor.deviceOffset) = (nil, nil, nil)
        }
        (self.cursor, self.localTime, self.now, self.clock) = (cursor, localTime, now, clock)
        settled = cursor
        zone = BangleZone(cursor, clock: clock, localTime: localTime, now: now)
    }

    /// The time since when records are requested.
    ///
    /// - Parameter days: at most this many days back, including today.
    mutating func requested(days: Int?) -> Timestamp {
        func start(_ days: Int) -> Timestamp { localTime.moment(localTime.day(of: now).advanced(by: 1 - days)) }
        let unread = max(start(BangleJS.oldestDay), cursor.readThrough.map { $0 - zone.margin } ?? Timestamp(0))
        guard let days, days < BangleJS.oldestDay, start(days) - zone.dayMargin > unread else { return unread }
        first = start(days)
        isLimited = first > cursor.readThrough ?? Timestamp(0)
        return first - zone.dayMargin
    }

    mutating func add(milliseconds: Int, steps: Int) {
        pending += 1
        let end = milliseconds / 1000
        guard (-Self.memory...Self.memory).contains(end - now.seconds), end % Self.zoneStep == 0 else {
            return misplaced += 1
        }
        guard let time = zone.time(end: end), time.start >= first else { return }
        if !time.isAligned { isMisaligned = true }
        let through = time.start + BangleJS.slot
        guard !through.isAhead(of: now) else {
            if case .changed = zone.rule { return isWaiting = true }
            // Of a watch that is a little ahead, it is read again when its time has come.
            if !time.start.isAhead(of: now) || isOfClock(through) { return }
            if early.isKnown(wall: time.wall, start: time.start, steps: steps) { return }
            early.see(wall: time.wall, start: time.start, steps: steps, at: now)
            secondsAhead = max(secondsAhead ?? 0, through - now)
            return misplaced += 1
        }
        let wallEnd = time.wall + BangleJS.slot
        // The watch stores idle records, too: one that does not follow the one before shows that others are missing, or
        // that it was off.
        if let last {
            // When clocks are put forward, only UTC goes on.
            if time.wall != last.wall, time.start != last.end { pass(TimeSpan(last.end, max(last.end, time.start))) }
        } else if let read = cursor.readThrough {
            isContiguous = time.start <= read
        }
        if last.map({ $0.wall < wallEnd }) ?? true { last = (wallEnd, through) }
        let counted = early.count(wall: time.wall, start: time.start, steps: steps)
        if counted > 0 {
            samples.append(
                StepSample(start: time.start, length: BangleJS.slot, steps: counted, utcOffset: time.utcOffset))
        }
        // What was made in the time of a record whose steps belong to another time is not known.
        guard time.isCertain, isClockRight, counted == steps else { return }
        if let open = spans.last, open.end == time.start {
            spans[spans.count - 1] = TimeSpan(open.start, through)
        } else {
            spans.append(TimeSpan(time.start, through))
        }
    }

    /// Seconds by which the watch's clock is ahead (positive) or behind; nil if it is right, or did not report its
    /// time.
    private var clockOffset: Int? {
        clock.map { $0.time - now }.flatMap { abs($0) > BangleClock.tolerance ? $0 : nil }
    }

    /// What was noticed about the records and the clock.
    var notices: [SyncNotice] {
        var notices: [SyncNotice] = []
        let clockOffset = clockOffset
        // A clock that is ahead is the cause.
        if misplaced > 0, (clockOffset ?? 0) <= 0 { notices.append(.implausible(samples: misplaced)) }
        if let secondsAhead = clockOffset ?? secondsAhead { notices.append(.clockWasOff(seconds: secondsAhead)) }
        if let clock, clock.utcOffset != localTime.utcOffset(now) {
            notices.append(.zoneDiffers(seconds: clock.utcOffset))
        } else if isMisaligned {
            notices.append(.zoneDiffers(seconds: nil))
        }
        if isTodayMissing { notices.append(.appOutdated("Health Tracking", needs: "0.33")) }
        return notices
    }

    /// Before version 0.33, the app's answer ends with the day before (`apps/health/ChangeLog`): at a midnight of the
    /// watch.
    private var isTodayMissing: Bool {
        if let health = clock?.health { return health < Self.sendsToday }
        guard let last, now - last.end >= 3 * BangleJS.slot else { return false }
        return last.wall % 86_400 == 0
    }

    /// Whether a record that ends in the future is one of the present, because the watch's clock is ahead by up to an
    /// hour.
    private func isOfClock(_ end: Timestamp) -> Bool {
        guard let clockOffset, (1...3600).contains(clockOffset) else { return false }
        return !(end - clockOffset).isAhead(of: now)
    }

    /// Whether records are missing in a gap, or the watch was off, shows a second reading: a notification is not lost
    /// twice at the same place.
    private mutating func pass(_ gap: TimeSpan) {
        // Also a known one: the cursor may stay before it once more.
        if gaps.count < Self.maximumGaps, !gaps.contains(gap) { gaps.append(gap) }
        if cursor.gaps?.contains(gap) != true { isContiguous = false }
    }

    /// Since when a clock has been off by more than a record is not known.
    private var isClockRight: Bool { clockOffset.map { abs($0) <= BangleJS.slot } ?? true }

    /// A batch of the records that were added since the previous batch.
    ///
    /// - Parameters:
    ///   - isComplete: all records have arrived.
    ///   - movesOn: nothing has been lost so far, so that the next sync may continue after these records.
    ///   - isLast: no other batch follows: if not all records have arrived, the cursor goes back.
    mutating func batch(isComplete: Bool, movesOn: Bool = false, isLast: Bool = false) -> SampleBatch {
        defer { (samples, spans, pending) = ([], [], 0) }
        var batch = SampleBatch(samples: samples)
        // Each record accounts for its own ten minutes, also an idle one: the watch stores those, too.
        batch.coverage = spans
        guard !isLimited else { return batch }
        if isComplete || (movesOn && isContiguous && !isUnsettled) {
            batch.cursor = moved
            settled = moved ?? settled
            if batch.cursor != nil || isWaiting, let change = zone.uncertainChange {
                batch.notices = [.zoneChanged(seconds: change)]
            }
        } else if isLast {
            batch.cursor = cursor
        } else if movesOn, !gaps.isEmpty, !isUnsettled {
            batch.cursor = settled
            batch.cursor?.gaps = gaps
        }
        if early.hasNew, batch.cursor == nil, isComplete || isLast { batch.cursor = cursor }
        batch.cursor?.tail = early.kept(since: now - Self.memory)
        return batch
    }

    /// A change of the zone, after which the records are read by one sync or not at all.
    private var isUnsettled: Bool { if case .changed = zone.rule { true } else { zone.journey != 0 } }

    /// Nil if there was no record: after a change of the zone, the local time up to which was read must then stay as it
    /// is.
    private var moved: PedometerCursor? {
        guard let last, !isWaiting else { return nil }
        let moment = max(last.end, cursor.readThrough ?? last.end)
        var cursor = cursor
        cursor.gaps = nil
        cursor.readThrough = moment
        cursor.utcOffset = localTime.utcOffset(moment)
        cursor.deviceOffset = zone.offset(used: last.wall - last.end.seconds)
        return cursor
    }
}
