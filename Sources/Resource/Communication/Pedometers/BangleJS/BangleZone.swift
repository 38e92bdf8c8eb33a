internal import StepDomain

/// How the times of records become UTC.
///
/// A watch stores each record under its local date and time, without an offset, and calculates `ts` from that by the
/// offset that it has when it sends the record (`apps/health/lib.js`). So `ts` is UTC as long as the watch has not
/// changed its offset in between, whatever that offset is. This is known from what the watch reports at each reading.
/// If it has changed its offset since the last reading, the records before the change have to be shifted by the
/// difference; when it did so is known in part only.
struct BangleZone {
    enum Rule: Hashable {
        /// `ts` is UTC.
        case exact
        /// It is not known what the watch did: its offset is taken to have been that of this place at each time.
        case local
        /// The watch has added `seconds` to its offset since the last reading. `wall`: its local time, in seconds since
        /// 1970, at which clocks here changed by the same; nil if they did not.
        case changed(seconds: Int, wall: Int?)
    }

    /// Where a record belongs.
    struct RecordTime: Hashable {
        var start: Timestamp
        /// Its local time on the watch, in seconds since 1970.
        var wall: Int
        /// Seconds east of Greenwich of the place where the steps were made.
        var utcOffset: Int
        /// Whether its time is known for sure.
        var isCertain: Bool
        /// Whether it fits into the time zone that the watch is believed to have.
        var isAligned = true
    }

    let rule: Rule
    /// Seconds by which local time here has changed since the last reading by a journey; 0 for none.
    let journey: Int
    /// Whether a watch that does not report its offset is known to have another one than this place.
    let isElsewhere: Bool
    /// The offset of the watch now, and at the last reading: reported, or taken to be that of this place.
    let present: Int
    private let before: Int
    private let cursor: PedometerCursor
    private let clock: BangleClock?
    private let localTime: LocalTime
    private let now: Timestamp

    /// The end of the previous record, in the watch's local time.
    private var previousEnd: Int?
    /// The change of the offset has been passed.
    private var isSwitched = false
    /// The change was seen at the very time at which clocks here changed.
    private var isSwitchSeen = false

    /// Seconds on each side of a change of daylight saving that are not known for sure under the rule `local`.
    private static let aroundChange = 3_600

    init(_ cursor: PedometerCursor, clock: BangleClock?, localTime: LocalTime, now: Timestamp) {
        (self.cursor, self.clock, self.localTime, self.now) = (cursor, clock, localTime, now)
        let here = localTime.utcOffset(now)
        guard let read = cursor.readThrough else {
            (journey, before, isElsewhere, present) = (0, here, false, clock?.utcOffset ?? here)
            rule = present == here && clock?.followsRule != true ? .local : .exact
            return
        }
        let there = localTime.utcOffset(read)
        let hereBefore = cursor.utcOffset ?? there
        journey = there - hereBefore
        before = cursor.deviceOffset ?? hereBefore
        isElsewhere = clock == nil && cursor.deviceOffset.map { $0 != hereBefore } == true
        present = clock?.utcOffset ?? (isElsewhere ? before : here)
        let change = (clock?.offsetAtCursor ?? present) - before
        if isElsewhere {
            rule = .exact
        } else if journey == 0, clock == nil || cursor.deviceOffset == nil {
            rule = present == here && clock?.followsRule != true ? .local : .exact
        } else if change == 0 {
            rule = .exact
        } else {
            let follows = journey == 0 && before == there && present == here
            rule = .changed(
                seconds: change, wall: follows ? Self.change(from: before, after: read, until: now, localTime) : nil)
        }
    }

    /// The local time, in seconds since 1970, at which clocks with the offset `before` were changed.
    private static func change(from before: Int, after read: Timestamp, until now: Timestamp, _ localTime: LocalTime)
        -> Int?
    {
        // All changes are on a half hour of UTC.
        stride(from: read.seconds / 1_800 * 1_800, through: now.seconds, by: 1_800)
            .first { localTime.utcOffset(Timestamp($0)) != before }.map { $0 + before }
    }

    /// Seconds before the last reading since when records have to be requested.
    ///
    /// The watch compares `ts`, which may be shifted. And it sends whole days: it takes the date of the requested time
    /// in UTC as a day of its own calendar (`readAllRecordsSince` in `apps/health/lib.js`, and `Date.parse` of
    /// Espruino, which takes a date without a time as local midnight). West of Greenwich that may be tomorrow, so a day
    /// more is requested there.
    var margin: Int {
        var margin = journey == 0 ? 2 * 3_600 : 27 * 3_600
        if case .changed(let seconds, _) = rule { margin = max(margin, seconds + 3_600) }
        return margin + dayMargin
    }

    /// The part of `margin` that the choice of days needs.
    var dayMargin: Int {
        let offsets = [present, localTime.utcOffset(now), cursor.deviceOffset, cursor.utcOffset].compactMap(\.self)
        return offsets.contains { $0 < 0 } ? 86_400 : 0
    }

    /// Seconds by which the watch may have changed its offset since the last reading; nil if it has not, or as is
    /// known.
    var uncertainChange: Int? {
        switch rule {
        case .changed(let seconds, nil): return seconds
        case .exact, .changed: return journey == 0 ? nil : journey
        case .local:
            let change = present - before
            return cursor.readThrough == nil || change == 0 ? nil : change
        }
    }

    /// Where a record belongs; nil if it was read before.
    ///
    /// - Parameter end: its `ts`, in seconds. Records come in the order of their local times.
    mutating func time(end: Int) -> RecordTime? {
        let (start, wall) = (end - BangleJS.slot, end - BangleJS.slot + present)
        defer { previousEnd = wall + BangleJS.slot }
        let isAligned = wall % BangleJS.slot == 0
        guard isAligned, rule != .exact else {
            if let read = cursor.readThrough, start < read.seconds { return nil }
            let isCertain = isAligned && !isElsewhere && journey == 0
            return time(start, wall, isCertain: isCertain, isAligned: isAligned)
        }
        let readWall = cursor.readThrough.map { $0.seconds + before }
        if case .changed(let seconds, let change) = rule {
            guard let readWall, wall >= readWall else { return nil }
            return time(wall, readWall, changedBy: seconds, at: change)
        }
        let limit = cursor.readThrough.map { $0.seconds + (cursor.utcOffset ?? localTime.utcOffset($0)) }
        if let limit, wall < limit { return nil }
        // If the watch did not follow a change of clocks, `ts` is UTC: then this record may have been read, too.
        if let read = cursor.readThrough, start < read.seconds { return nil }
        let day = Day(of: Timestamp(wall), utcOffset: 0)
        let moment = localTime.moment(day, seconds: wall - day.daysSince1970 * 86_400)
        return time(moment.seconds, wall, isCertain: localTime.utcOffset(moment) == present && !isNearChange(moment))
    }

    /// A record since the last reading, after which the watch has changed its offset.
    ///
    /// A watch whose clock is put forward skips that time: until its records skip so much, its clock was not put
    /// forward. If the clock is put back, the records show nothing, because the watch does not store a local time twice
    /// ("Already written" in `apps/health/boot.js`).
    private mutating func time(_ wall: Int, _ readWall: Int, changedBy seconds: Int, at change: Int?) -> RecordTime {
        let (old, new) = (wall - before, wall - before - seconds)
        guard seconds > 0 else {
            guard let change, wall < change else { return time(new, wall, isCertain: false) }
            return time(old, wall, isCertain: journey == 0, utcOffset: journey == 0 ? nil : before)
        }
        let reached = previousEnd.map { max($0, readWall) } ?? readWall
        if !isSwitched, wall - reached >= seconds || Timestamp(old + BangleJS.slot).isAhead(of: now) {
            isSwitched = true
            isSwitchSeen = reached == change && wall == reached + seconds
        }
        guard isSwitched else {
            return time(old, wall, isCertain: journey == 0, utcOffset: journey == 0 ? nil : before)
        }
        return time(new, wall, isCertain: isSwitchSeen && journey == 0)
    }

    private func time(
        _ start: Int, _ wall: Int, isCertain: Bool, isAligned: Bool = true, utcOffset: Int? = nil
    ) -> RecordTime {
        let start = Timestamp(start)
        return RecordTime(
            start: start, wall: wall, utcOffset: utcOffset ?? localTime.utcOffset(start), isCertain: isCertain,
            isAligned: isAligned)
    }

    private func isNearChange(_ start: Timestamp) -> Bool {
        localTime.utcOffset(start - Self.aroundChange) != localTime.utcOffset(start + BangleJS.slot + Self.aroundChange)
    }

    /// What the watch's offset was at the last record, for the cursor; nil if it is not known, or if it need not be
    /// because it follows a rule.
    ///
    /// - Parameter used: the offset by which that record was placed: that before a change, if the record was made
    ///   before it.
    func offset(used: Int) -> Int? {
        guard let clock else { return isElsewhere ? cursor.deviceOffset : nil }
        return clock.followsRule || (rule == .local && used != present) ? nil : used
    }
}
