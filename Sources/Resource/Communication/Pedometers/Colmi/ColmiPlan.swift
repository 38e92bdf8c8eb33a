internal import StepDomain

/// The `DayPlan` of a ring, which follows the ring's today.
///
/// A request names a day by its distance from the ring's today, which is not always this machine's: around midnight
/// their clocks need not agree, midnight may pass during the transfer, and another program may have set the ring's
/// clock. Each answer with records has a date, which shows what the ring's today is; the plan follows it.
struct ColmiPlan {
    /// Days before today that a ring holds.
    static let oldestDay = 7

    private var days: DayPlan
    /// Days that were processed, with any result.
    private var processed: Set<Int> = []
    /// Whether any day was answered: with records, or with "no data".
    private(set) var hasAnswer = false
    /// Notices that the next batch has to contain.
    var notices: [SyncNotice] = []
    private(set) var cursor: PedometerCursor
    /// Days that were received completely in this session.
    private var received: Set<Int> = []
    private let limit: Int?
    /// Days that the ring's today is ahead of this machine's.
    private(set) var dayOffset = 0
    private var dayOffsetChanges = 0
    /// Whether the days that are left are requested for the second time.
    private(set) var isRechecked = false
    /// Whether an answer to an earlier request came, or "no data" that may be one.
    var answersAreLate = false
    /// The ring's current day and when it was read.
    private var running: (day: Int, at: Timestamp)?

    /// Clocks change the ring's today at most twice in a session: it turns out to be another day, then midnight passes.
    /// One more change is allowed as a reserve; a ring with inconsistent dates ends there.
    private static let maximumDayOffsetChanges = 3

    /// - Parameters:
    ///   - today: the day at the beginning, by the ring's calendar.
    ///   - first: the day of `cursor.readThrough`; nil if the ring was never read.
    ///   - limit: at most this many days back, including today.
    ///   - start: the moment at which one of the ring's days begins.
    init(_ cursor: PedometerCursor, today: Int, first: Int?, limit: Int?, start: (Int) -> Timestamp) {
        // A gap of a later day than tomorrow was noted by a machine whose clock was ahead.
        days = DayPlan(
            cursor, today: today, first: first, oldestDay: Self.oldestDay, limit: limit, .todayFirst, newest: today + 1)
        notices = days.lost
        self.cursor = cursor
        self.limit = limit
        if let first, first < days.oldest { self.cursor.readThrough = start(days.oldest) }
    }

    /// Only today, for a reading that is thrown away.
    static func todayOnly(_ cursor: PedometerCursor, today: Int) -> ColmiPlan {
        ColmiPlan(cursor, today: today, first: today, limit: 1, start: { Timestamp($0 * 86_400) })
    }

    /// Days that were processed, with any result.
    var done: Int { processed.count }

    /// All days of the plan, as far as it is known now.
    var planned: Int {
        processed.union(days.queue.filter { (0...Self.oldestDay).contains(days.today + dayOffset - $0) }).count
    }

    // MARK: Requests

    /// The next day to request and its distance from the ring's today; nil when nothing is left.
    ///
    /// - Parameter today: this machine's day now, by the ring's calendar.
    mutating func next(today: Int) -> (day: Int, daysAgo: Int)? {
        while let day = days.queue.first {
            let daysAgo = today + dayOffset - day
            if (0...Self.oldestDay).contains(daysAgo) { return (day, daysAgo) }
            days.queue.removeFirst()
            // Before its midnight the ring has not begun that day: it is read with the next sync. After midnight, the
            // oldest day is gone. A day before the first one was read before, under its own date.
            if daysAgo > 0, let first = days.first, day >= first, days.gaps[day] == nil {
                days.gaps[day] = .unanswered
            }
        }
        // The ring's today was another day, or midnight has passed, or answers come late: "no data" may have been for
        // another day. These days are requested again once, at the end.
        guard today > days.today || dayOffsetChanges > 0 || answersAreLate, !isRechecked else { return nil }
        isRechecked = true
        let open: Set<DayGap.Reason> = answersAreLate ? [.unconfirmed, .unanswered] : [.unconfirmed]
        days.queue = days.gaps.filter {
            open.contains($0.value) && (0...Self.oldestDay).contains(today + dayOffset - $0.key)
        }.keys.sorted()
        return days.queue.isEmpty ? nil : next(today: today)
    }

    // MARK: Answers

    /// A day was received completely.
    ///
    /// - Parameter ringToday: the ring's day at the time of the answer.
    mutating func receive(_ day: Int, ringToday: Int, at now: Timestamp) {
        hasAnswer = true
        received.insert(day)
        days.gaps[day] = nil
        remove(day)
        if day == ringToday { running = (day, now) }
    }

    /// The ring has no data for a day.
    ///
    /// - Parameter isCertain: whether it is certain that the answer is for this day: it has no date.
    mutating func receiveNothing(for day: Int, isToday: Bool, isCertain: Bool, at now: Timestamp) {
        hasAnswer = true
        remove(day)
        days.gaps[day] = isCertain ? nil : .unconfirmed
        if isToday, isCertain { running = (day, now) }
    }

    /// A day was not received, or only in part.
    mutating func miss(_ day: Int, _ reason: DayGap.Reason) {
        if reason == .incomplete { hasAnswer = true }
        remove(day)
        days.gaps[day] = reason
    }

    /// An answer has shown the ring's today. It differs from the day that was assumed when `requested` was requested.
    ///
    /// - Parameters:
    ///   - today: this machine's day now, by the ring's calendar.
    ///   - isNearMidnight: the two differ for a moment only.
    mutating func follow(ringToday: Int, today: Int, requested: Int, isNearMidnight: Bool) {
        guard dayOffsetChanges < Self.maximumDayOffsetChanges else { return miss(requested, .incomplete) }
        dayOffsetChanges += 1
        dayOffset = ringToday - today
        if dayOffset < 0, !isNearMidnight {
            for day in unreached(today) where days.gaps[day] == nil { days.gaps[day] = .unconfirmed }
        }
        guard dayOffsetChanges == 1, abs(dayOffset) > 0 else { return }
        // The ring stores what it counted since the last sync under its own dates. That of its today, unless this
        // answer has it, may hold steps of the time in which its clock was ahead. At midnight the next sync requests
        // it.
        let since = max((days.first ?? today - Self.oldestDay) + min(dayOffset, 0), ringToday - Self.oldestDay)
        let last = isNearMidnight ? ringToday - 1 : ringToday
        guard since <= last else { return }
        days.queue += (since...last).filter {
            !days.queue.contains($0) && !received.contains($0) && days.gaps[$0] == nil && isWithinLimit($0)
        }
    }

    /// The days that a ring whose clock is behind has not reached: it may still hold them, since its clock may have
    /// been set back. One that is years behind had an empty battery, and holds none.
    private func unreached(_ today: Int) -> [Int] {
        guard dayOffset > -366 else { return [] }
        let first = max(today + dayOffset + 1, today - Self.oldestDay)
        return first <= today ? (first...today).filter { isWithinLimit($0) && !received.contains($0) } : []
    }

    /// The ring's clock was set to this machine's.
    ///
    /// - Returns: whether days are to be requested that it had not reached before.
    mutating func reopen(today: Int) -> Bool {
        guard dayOffset < 0 else { return false }
        let new = unreached(today)
        (dayOffset, isRechecked) = (0, true)
        days.queue = new.filter(isWithinLimit)
        return !days.queue.isEmpty
    }

    /// The ring was asked for its own total of today.
    ///
    /// - Parameter isKnown: false if it refused the request or did not answer.
    mutating func askedTotal(isKnown: Bool, at now: Timestamp) { cursor.lacksTotalSince = isKnown ? nil : now }

    /// The ring was asked for its battery.
    ///
    /// - Parameter isKnown: false if it did not answer. This is only stored of a ring that answers at all.
    mutating func askedBattery(isKnown: Bool, at now: Timestamp) {
        if isKnown || hasAnswer { cursor.lacksBatterySince = isKnown ? nil : now }
    }

    private mutating func remove(_ day: Int) {
        guard let index = days.queue.firstIndex(of: day) else { return }
        days.queue.remove(at: index)
        processed.insert(day)
    }

    private func isWithinLimit(_ day: Int) -> Bool { limit.map { day > days.today + min(dayOffset, 0) - $0 } ?? true }

    // MARK: The next sync

    /// Where the next sync continues if this one ends here.
    ///
    /// - Parameters:
    ///   - start: the moment at which one of the ring's days begins.
    ///   - tail: the slots that the next sync needs if the clock is set; nil if it is not.
    mutating func cursor(start: (Int) -> Timestamp, tail: [WallSlot]? = nil) -> PedometerCursor {
        cursor.missing = days.missing()
        if let tail { cursor.tail = tail }
        if let end = readThrough(start) { cursor.readThrough = max(end, cursor.readThrough ?? end) }
        return cursor
    }

    /// Everything before this time was requested in this session or an earlier one; nil if `readThrough` does not
    /// change.
    private func readThrough(_ start: (Int) -> Timestamp) -> Timestamp? {
        let (today, oldest) = (days.today, days.first ?? days.oldest)
        // Limited to fewer days than there are: the others are left for the next sync.
        if let limit, today - limit >= oldest { return nil }
        let left = days.queue.filter { $0 >= oldest && days.gaps[$0] == nil }
        if let next = left.filter({ $0 < today }).min() { return next > oldest ? start(next) : nil }
        guard let running, !left.contains(today) else { return start(today) }
        // The ring's day continued after it was read. A day that is far off is corrected by setting the clock.
        return dayOffset >= -1 ? min(running.at, start(running.day + 1) - 1) : running.at
    }
}
