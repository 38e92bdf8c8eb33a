internal import StepDomain

/// The days of a pedometer that is asked for one day after the other: which are to be requested, which are missing, and
/// where the next sync continues. The rule is the same for all such models.
///
/// Days are numbered since 1970 by the pedometer's calendar. A day that did not arrive, or not completely, is a gap: it
/// does not hold up the cursor, and the next syncs request it again until the pedometer no longer holds it. Then it is
/// reported.
struct DayPlan {
    enum Order {
        /// Each day moves the cursor on.
        case oldestFirst
        /// For a pedometer that may hold fewer days than it could. A day of which a part has arrived comes last: over a
        /// link that always ends at the same place, it would keep the others from being read.
        case newestFirst
        /// Today, which shows most about the pedometer's clock; then the days since the last sync, oldest first; then
        /// those that were missing before.
        case todayFirst
    }

    /// The day at the beginning.
    let today: Int
    /// The oldest day that the pedometer holds.
    let oldest: Int
    /// The first day since the last sync, among those that it holds; nil if it was never read.
    let first: Int?
    /// Whether no limit leaves out a day since the last sync.
    let isWhole: Bool
    /// The days that it no longer holds: those that were missing, and those since the last sync.
    let lost: [SyncNotice]
    /// The days that were missing after the sync before.
    let known: [Int: DayGap.Reason]
    /// The days that are missing, as far as it is known now.
    var gaps: [Int: DayGap.Reason]
    /// Days still to be requested, in order.
    var queue: [Int] = []
    /// Days that `next` has returned, and all that it was to return.
    private(set) var done = 0, planned = 0

    var progress: ReadProgress { .reading(done: done, of: max(planned, 1)) }

    /// Before the days are known.
    static let empty = DayPlan()

    private init() {
        (today, oldest, first, isWhole, lost, known, gaps) = (0, 0, nil, false, [], [:], [:])
    }

    /// - Parameters:
    ///   - first: the day of `cursor.readThrough`; nil if the pedometer was never read.
    ///   - oldestDay: days before today that it holds.
    ///   - limit: at most this many days back, including today.
    ///   - newest: the last day that may be missing.
    init(
        _ cursor: PedometerCursor, today: Int, first: Int?, oldestDay: Int, limit: Int?, _ order: Order,
        newest: Int? = nil
    ) {
        let oldest = today - oldestDay
        let known = Dictionary(
            (cursor.missing ?? []).map { ($0.day.daysSince1970, $0.reason) }, uniquingKeysWith: { $1 })
        let gaps = known.filter { $0.key >= oldest && $0.key <= newest ?? today }
        (self.today, self.oldest, self.known, self.gaps) = (today, oldest, known, gaps)
        self.first = first.map { max($0, oldest) }
        isWhole = limit.map { $0 > today - (first ?? oldest) } ?? true

        let tooOld = known.filter { $0.key < oldest && $0.value != .unconfirmed }.keys.sorted()
        var lost: [SyncNotice] = tooOld.isEmpty ? [] : [.tooOld(tooOld.map(Day.init(daysSince1970:)))]
        if let first, first < oldest {
            lost.append(.lost(from: Day(daysSince1970: first), through: Day(daysSince1970: oldest - 1)))
        }
        self.lost = lost

        let start = limit.map { max(oldest, today - $0 + 1) } ?? oldest
        let recent = min(max(first ?? oldest, start), today)...today
        let rank: (Int) -> Int = { day in
            switch order {
            case .oldestFirst: day
            case .newestFirst:
                today - day + (gaps[day] == .incomplete && !recent.contains(day) ? oldestDay : 0)
            case .todayFirst: gaps[day] != nil ? day + oldestDay + 1 : day == today ? oldest - 1 : day
            }
        }
        queue = Set(recent).union(gaps.keys.filter { $0 >= start }).sorted { rank($0) < rank($1) }
        planned = queue.count
    }

    /// The plan of a pedometer that has a wall clock.
    init(_ context: SessionContext, _ converter: WallSlotConverter, oldestDay: Int, _ order: Order, at now: Timestamp) {
        let cursor = context.pedometer.cursor
        self.init(
            cursor, today: converter.today(now), first: converter.dayOfReading(cursor, now: now), oldestDay: oldestDay,
            limit: context.days, order)
    }

    /// What to report of days that the pedometer no longer holds: nothing if not all days were requested.
    var expired: [SyncNotice] { isWhole ? lost : [] }

    // MARK: Requests and answers

    /// The next day to request; nil when nothing is left. It is no gap any more until its answer shows that.
    mutating func next() -> Int? {
        guard !queue.isEmpty else { return nil }
        done += 1
        let day = queue.removeFirst()
        gaps[day] = nil
        return day
    }

    /// The pedometer did not answer for a day. One that was never read may have no record of the oldest days, and may
    /// not answer for them.
    ///
    /// - Parameters:
    ///   - isExpected: whether it should have the day. If not, the day is requested once more.
    ///   - believed: why the day was missing before, if a second silence shows that there is no such day.
    mutating func silence(_ day: Int, isExpected: Bool, believed: Set<DayGap.Reason>) {
        let isBelieved = known[day].map(believed.contains) ?? false
        gaps[day] = isBelieved ? nil : isExpected ? .unanswered : .unconfirmed
    }

    /// The pedometer has no days before this one.
    mutating func drop(before day: Int) {
        for old in queue where old < day { gaps[old] = nil }
        queue.removeAll { $0 < day }
    }

    // MARK: The next sync

    /// The days that are missing, for `PedometerCursor.missing`.
    ///
    /// - Parameter rest: why those that are left are missing; nil if the cursor does not pass them.
    func missing(rest: DayGap.Reason? = nil) -> [DayGap]? {
        var all = gaps
        if let rest { for day in queue where all[day] == nil { all[day] = rest } }
        return all.isEmpty ? nil : all.sorted { $0.key < $1.key }.map { DayGap(Day(daysSince1970: $0.key), $0.value) }
    }

    /// Where the next sync continues if this one ends here; nil if the cursor stays as it is.
    ///
    /// - Parameters:
    ///   - before: the cursor of this sync so far.
    ///   - moment: all days before it were requested; nil if that is in doubt.
    ///   - rest: as for `missing`.
    func cursor(
        _ before: PedometerCursor, through moment: Timestamp?, rest: DayGap.Reason? = nil,
        _ converter: WallSlotConverter, now: Timestamp
    ) -> PedometerCursor? {
        guard converter.isAllPlaced else { return converter.cursor(before, through: now, now: now) }
        guard isWhole, let moment else {
            // What the clock shows is known, and is needed after it was set.
            var cursor = before.withoutFutureReading(at: now)
            cursor.tail = converter.tail(before.tail, now: now)
            return cursor == before ? nil : cursor
        }
        var cursor = before.advanced(to: min(moment, now), now: now)
        cursor.missing = missing(rest: rest)
        cursor.tail = converter.tail(before.tail, now: now)
        return cursor
    }
}
