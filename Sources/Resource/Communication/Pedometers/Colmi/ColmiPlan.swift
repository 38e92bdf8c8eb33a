internal import StepDomain

/// Which days of a ring are requested, in which order, and where the next sync continues from.
///
/// Days are numbered since 1970 by the ring's calendar. A request names a day by its distance from the ring's today,
/// which is not always this machine's: around midnight their clocks need not agree, midnight may pass during the
/// transfer, and another program may have set the ring's clock. Each answer with records has a date, which shows what
/// the ring's today is; the plan follows it.
///
/// Order: today first, because it shows most about the ring's clock; then the days since the last sync, oldest first,
/// so that the cursor moves on with each; then the days that were missing before. A day that failed is requested last,
/// so that it cannot hold up the others.
struct ColmiPlan {
    /// Days before today that a ring holds.
    static let oldestDay = 7

    /// Days still to be requested, in order.
    private(set) var queue: [Int] = []
    /// Days that were processed, with any result.
    private var processed: Set<Int> = []
    /// Whether any day was answered: with records, or with "no data".
    private(set) var hasAnswer = false
    /// Notices that the next batch has to contain.
    var notices: [SyncNotice] = []
    private(set) var cursor: PedometerCursor
    private var gaps: [Int: DayGap.Reason]
    /// Days that were received completely in this session.
    private var received: Set<Int> = []
    /// The first day since the last sync; nil if the ring was never read.
    private let first: Int?
    /// This machine's day at the beginning, by the ring's calendar as far as it was known.
    private let today: Int
    private let limit: Int?
    /// Days that the ring's today is ahead of this machine's.
    private(set) var lead = 0
    private var leadChanges = 0
    /// Whether the days that are left are requested for the second time.
    private(set) var isRechecked = false
    /// Whether an answer to an earlier request came, or "no data" that may be one.
    var answersAreLate = false
    /// The ring's current day and when it was read.
    private var running: (day: Int, at: Timestamp)?

    /// Clocks change the ring's today at most twice in a session: it turns out to be another day, then midnight passes.
    /// One more change is allowed as a reserve; a ring with inconsistent dates ends there.
    private static let mostLeadChanges = 3

    /// - Parameters:
    ///   - today: the day at the beginning, by the ring's calendar.
    ///   - first: the day of `cursor.readThrough`; nil if the ring was never read.
    ///   - limit: at most this many days back, including today.
    ///   - start: the moment at which one of the ring's days begins.
    init(_ cursor: PedometerCursor, today: Int, first: Int?, limit: Int?, start: (Int) -> Timestamp) {
        self.cursor = cursor
        self.today = today
        self.limit = limit
        let oldest = today - Self.oldestDay
        self.first = first.map { max($0, oldest) }
        gaps = Dictionary((cursor.missing ?? []).map { ($0.day.daysSince1970, $0.reason) }, uniquingKeysWith: { $1 })
        for day in gaps.keys where day > today + 1 { gaps[day] = nil }  // noted by a machine whose clock was ahead
        expire(before: oldest)
        if let first, first < oldest {
            notices.append(.lost(from: Day(daysSince1970: first), through: Day(daysSince1970: oldest - 1)))
            self.cursor.readThrough = start(oldest)
        }
        let since = Array(min(self.first ?? oldest, today)..<today)
        queue = ([today] + since).filter { gaps[$0] == nil } + gaps.keys.sorted()
        if !queue.contains(today) { queue.append(today) }
        queue = queue.filter(isWithinLimit)
    }

    /// Only today, for a reading that is thrown away.
    static func todayOnly(_ cursor: PedometerCursor, today: Int) -> ColmiPlan {
        ColmiPlan(cursor, today: today, first: today, limit: 1, start: { Timestamp($0 * 86_400) })
    }

    /// Days that were processed, with any result.
    var done: Int { processed.count }

    /// All days of the plan, as far as it is known now.
    var planned: Int { processed.union(queue.filter { (0...Self.oldestDay).contains(today + lead - $0) }).count }

    // MARK: Requests

    /// The next day to request and its distance from the ring's today; nil when nothing is left.
    ///
    /// - Parameter today: this machine's day now, by the ring's calendar.
    mutating func next(today: Int) -> (day: Int, daysAgo: Int)? {
        while let day = queue.first {
            let daysAgo = today + lead - day
            if (0...Self.oldestDay).contains(daysAgo) { return (day, daysAgo) }
            queue.removeFirst()
            // Before its midnight the ring has not begun that day: it is read with the next sync. After midnight, the
            // oldest day is gone. A day before the first one was read before, under its own date.
            if daysAgo > 0, let first, day >= first, gaps[day] == nil { gaps[day] = .unanswered }
        }
        // The ring's today was another day, or midnight has passed, or answers come late: "no data" may have been for
        // another day. These days are requested again once, at the end.
        guard today > self.today || leadChanges > 0 || answersAreLate, !isRechecked else { return nil }
        isRechecked = true
        let open: Set<DayGap.Reason> = answersAreLate ? [.unconfirmed, .unanswered] : [.unconfirmed]
        queue = gaps.filter { open.contains($0.value) && (0...Self.oldestDay).contains(today + lead - $0.key) }.keys
            .sorted()
        return queue.isEmpty ? nil : next(today: today)
    }

    // MARK: Answers

    /// A day was received completely.
    ///
    /// - Parameter ringToday: the ring's day at the time of the answer.
    mutating func receive(_ day: Int, ringToday: Int, at now: Timestamp) {
        hasAnswer = true
        received.insert(day)
        gaps[day] = nil
        remove(day)
        if day == ringToday { running = (day, now) }
    }

    /// The ring has no data for a day.
    ///
    /// - Parameter isCertain: whether it is certain that the answer is for this day: it has no date.
    mutating func receiveNothing(for day: Int, isToday: Bool, isCertain: Bool, at now: Timestamp) {
        hasAnswer = true
        remove(day)
        gaps[day] = isCertain ? nil : .unconfirmed
        if isToday, isCertain { running = (day, now) }
    }

    /// A day was not received, or only in part.
    mutating func miss(_ day: Int, _ reason: DayGap.Reason) {
        if reason == .incomplete { hasAnswer = true }
        remove(day)
        gaps[day] = reason
    }

    /// An answer has shown the ring's today. It differs from the day that was assumed when `requested` was requested.
    ///
    /// - Parameters:
    ///   - today: this machine's day now, by the ring's calendar.
    ///   - isNearMidnight: the two differ for a moment only.
    mutating func follow(ringToday: Int, today: Int, requested: Int, isNearMidnight: Bool) {
        guard leadChanges < Self.mostLeadChanges else { return miss(requested, .incomplete) }
        leadChanges += 1
        lead = ringToday - today
        if lead < 0, !isNearMidnight { for day in unreached(today) where gaps[day] == nil { gaps[day] = .unconfirmed } }
        guard leadChanges == 1, abs(lead) > 0 else { return }
        // The ring stores what it counted since the last sync under its own dates. That of its today, unless this
        // answer has it, may hold steps of the time in which its clock was ahead. At midnight the next sync requests
        // it.
        let since = max((first ?? today - Self.oldestDay) + min(lead, 0), ringToday - Self.oldestDay)
        let last = isNearMidnight ? ringToday - 1 : ringToday
        guard since <= last else { return }
        queue += (since...last).filter {
            !queue.contains($0) && !received.contains($0) && gaps[$0] == nil && isWithinLimit($0)
        }
    }

    /// The days that a ring whose clock is behind has not reached: it may still hold them, since its clock may have
    /// been set back. One that is years behind had an empty battery, and holds none.
    private func unreached(_ today: Int) -> [Int] {
        guard lead > -366 else { return [] }
        let first = max(today + lead + 1, today - Self.oldestDay)
        return first <= today ? (first...today).filter { isWithinLimit($0) && !received.contains($0) } : []
    }

    /// The ring's clock was set to this machine's.
    ///
    /// - Returns: whether days are to be requested that it had not reached before.
    mutating func reopen(today: Int) -> Bool {
        guard lead < 0 else { return false }
        let days = unreached(today)
        (lead, isRechecked) = (0, true)
        queue = days.filter(isWithinLimit)
        return !queue.isEmpty
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
        guard let index = queue.firstIndex(of: day) else { return }
        queue.remove(at: index)
        processed.insert(day)
    }

    private func isWithinLimit(_ day: Int) -> Bool { limit.map { day > today + min(lead, 0) - $0 } ?? true }

    private mutating func expire(before oldest: Int) {
        let old = gaps.filter { $0.key < oldest }
        for day in old.keys { gaps[day] = nil }
        let lost = old.filter { $0.value != .unconfirmed }.keys.sorted()
        if !lost.isEmpty { notices.append(.tooOld(lost.map(Day.init(daysSince1970:)))) }
    }

    // MARK: The next sync

    /// Where the next sync continues if this one ends here.
    ///
    /// - Parameters:
    ///   - start: the moment at which one of the ring's days begins.
    ///   - tail: the slots that the next sync needs if the clock is set; nil if it is not.
    mutating func cursor(at now: Timestamp, start: (Int) -> Timestamp, tail: [WallSlot]? = nil) -> PedometerCursor {
        let missing = gaps.sorted { $0.key < $1.key }.map { DayGap(Day(daysSince1970: $0.key), $0.value) }
        cursor.missing = missing.isEmpty ? nil : missing
        if let tail { cursor.tail = tail }
        if let end = readThrough(start) { cursor.readThrough = max(end, cursor.readThrough ?? end) }
        return cursor
    }

    /// Everything before this time was requested in this session or an earlier one; nil if `readThrough` does not
    /// change.
    private func readThrough(_ start: (Int) -> Timestamp) -> Timestamp? {
        let oldest = first ?? today - Self.oldestDay
        // Limited to fewer days than there are: the others are left for the next sync.
        if let limit, today - limit >= oldest { return nil }
        let left = queue.filter { $0 >= oldest && gaps[$0] == nil }
        if let next = left.filter({ $0 < today }).min() { return next > oldest ? start(next) : nil }
        guard let running, !left.contains(today) else { return start(today) }
        // The ring's day continued after it was read. A day that is far off is corrected by setting the clock.
        return lead >= -1 ? min(running.at, start(running.day + 1) - 1) : running.at
    }
}
