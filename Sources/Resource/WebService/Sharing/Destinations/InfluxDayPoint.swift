internal import StepDomain

/// Where the point of a day stands, and where an earlier delivery may have left another one.
///
/// The point of a day that is over has its lasting time, which depends on nothing but the day and the zone. In Europe
/// this time is in the future until the early afternoon, in Japan until the evening, and graphs that end now do not
/// show it. Until then the point of today stands at the day's last sample. When it moves, the server must remove the
/// earlier one; on a server that does not, it stays where it is.
///
/// An earlier point is found without knowing its exact time, because the answer to the delivery that wrote it may have
/// been lost: all times of the local day at which the point of today can have stood are cleared. Lasting times are not
/// among them, so that no point of another day, and none of a table with other tags, is removed.
struct InfluxDayPoint: Sendable {
    let payload: SharePayload
    /// Where the point is to stand.
    let time: Timestamp
    /// Where it stands if the server does not carry out the removals, and when the day is over.
    let timeIfNotRemoved: Timestamp
    /// Empty if no other point of the day can be there.
    let removals: [TimeSpan]

    /// - Parameters:
    ///   - span: the local day.
    ///   - now: no point is put after it, except at its lasting time.
    init(_ payload: SharePayload, span: TimeSpan, now: Timestamp) {
        let day = payload.day, zoned = Self.time(of: day.day, utcOffset: day.utcOffset)
        // In seconds since 1970. Any other value belongs to a destination of another kind that had this name before.
        let known = payload.remoteID.flatMap { Int($0) }
            .flatMap { (zoned.seconds - 86_400...zoned.seconds + 86_400).contains($0) ? Timestamp($0) : nil }
        // Deliveries since layout 1 have a remote id.
        let isOld = payload.isConfirmed && payload.remoteID == nil
        let oldTime = Self.oldTime(of: day.day)
        // A lasting point keeps its first time: it does not move when the day's first sample arrives later, from
        // another place.
        let lasting = known.flatMap { Self.lastingTimes(of: day.day).contains($0) ? $0 : nil } ?? zoned
        let current = day.summary.isInProgress ? Self.currentTime(day, span: span, now: now) : nil
        let time = current.map { min($0, lasting) } ?? lasting

        var removals: [TimeSpan] = []
        if let known, known != time { removals.append(Self.second(known)) }
        if isOld { removals.append(Self.second(oldTime)) }
        let mayHaveMoved = known.map { !Self.isLasting($0) } ?? false
        // Of today, another machine may have written a point before its lasting time.
        if mayHaveMoved || payload.isRepeated || time != lasting || day.summary.isInProgress {
            removals += Self.currentSpans(span)
        }

        self.payload = payload
        self.time = time
        self.removals = removals
        timeIfNotRemoved = known ?? (isOld ? oldTime : lasting)
    }

    // MARK: Times

    /// The lasting time of a day's point: 12:00 UTC, or 09:00 UTC where clocks are twelve hours ahead of UTC or more.
    ///
    /// This time is in the day by local time (00:00 to 23:59 from UTC-12 to UTC+11:59, 21:00 to 23:00 from UTC+12 to
    /// UTC+14), so that a table or a graph in the zone of the user's browser shows it on its date. It is also in the
    /// day by UTC, by which `GROUP BY time(1d)` of InfluxDB and steps of one day in VictoriaMetrics divide time unless
    /// a zone is given. No single time does both from UTC-12 to UTC+14. Apart from Pacific islands it depends neither
    /// on the place nor on summer time, so that two machines write the same points and points of consecutive days are
    /// 24 hours apart.
    static func time(of day: Day, utcOffset: Int) -> Timestamp {
        Timestamp(day.daysSince1970 * 86_400 + (utcOffset < 12 * 3600 ? 12 : 9) * 3600)
    }

    /// The time of a day's point in layout 0: 00:00 UTC, which is the evening before in America.
    static func oldTime(of day: Day) -> Timestamp { Timestamp(day.daysSince1970 * 86_400) }

    /// Seconds of a UTC day at which lasting points stand, of any layout.
    private static let lastingSeconds = [0, 9 * 3600, 12 * 3600]

    private static func lastingTimes(of day: Day) -> [Timestamp] {
        lastingSeconds.map { Timestamp(day.daysSince1970 * 86_400 + $0) }
    }

    private static func isLasting(_ time: Timestamp) -> Bool { lastingSeconds.contains(time.secondOfDay) }

    /// The time of the point of today: its last sample, or now if it was entered by hand. Never within a second of a
    /// lasting time, of which the removal of current points keeps clear.
    private static func currentTime(_ day: SharedDay, span: TimeSpan, now: Timestamp) -> Timestamp {
        let time = max(span.start, min(day.lastSample ?? now, now))
        return lastingSeconds.contains { abs(time.secondOfDay - $0) <= 1 || time.secondOfDay == 86_399 }
            ? time + 2 : time
    }

    private static func second(_ time: Timestamp) -> TimeSpan { TimeSpan(time, time + 1) }

    /// The local day without the seconds around lasting times.
    private static func currentSpans(_ span: TimeSpan) -> [TimeSpan] {
        let first = span.start.seconds - span.start.secondOfDay
        let days = stride(from: first, through: span.end.seconds, by: 86_400)
        let lasting = days.flatMap { day in lastingSeconds.map { day + $0 } }.filter {
            span.start.seconds - 1...span.end.seconds ~= $0
        }
        let starts = [span.start.seconds] + lasting.map { $0 + 1 },
            ends = lasting.map { $0 - 1 } + [span.end.seconds - 1]
        return zip(starts, ends).filter { $0 < $1 }.map { TimeSpan(Timestamp($0), Timestamp($1)) }
    }
}

extension Timestamp {
    /// 0...86399, of a UTC day.
    fileprivate var secondOfDay: Int { ((seconds % 86_400) + 86_400) % 86_400 }
}
