import GRDB
import StepDomain

/// Reads all that the history holds on days of a user. Days that follow each other are read together: to share ten
/// years, the same statements run some hundred times instead of some ten thousand times.
struct DayDataReader {
    /// Days of a run: a day has up to 1,440 samples, and all samples of a run are in memory at once.
    static let maximumDays = 32

    private let user: User
    private let database: Database
    private let pedometers: [Source]
    private let lastSync: Timestamp?
    private let exclusions: [Exclusion]

    /// A pedometer or a source of imports.
    private struct Source {
        let id: Pedometer.ID, name: String, isImported: Bool
    }

    init(_ user: User, _ database: Database) throws {
        self.user = user
        self.database = database
        pedometers = try Row.fetchAll(
            database.cachedStatement(
                sql: "SELECT id, name, \(Pedometer.isImported) FROM pedometer WHERE person = ? ORDER BY id"),
            arguments: [user.id]
        ).map { Source(id: try $0.get(0), name: try $0.get(1), isImported: try $0.get(2)) }
        lastSync = try Row.fetchOne(
            database.cachedStatement(
                sql: """
                    SELECT max((SELECT max(ended_at) FROM sync WHERE pedometer = pedometer.id AND outcome = 'complete'))
                    FROM pedometer WHERE person = ? AND NOT \(Pedometer.isImported)
                    """),
            arguments: [user.id]
        )?.timeIfPresent(0)
        exclusions = try StepDatabase.exclusions(of: user.id, database)
    }

    /// - Parameter count: at least 1.
    func dayData(from first: Day, count: Int) throws -> [DayData] {
        let last = first.advanced(by: count - 1)
        var days = (0..<count).map { DayData(user: user, day: first.advanced(by: $0), lastSync: lastSync) }
        for source in pedometers {
            for (index, track) in try tracks(of: source, from: first, count: count).enumerated()
            where !track.isEmpty {
                days[index].tracks.append(track)
            }
        }
        for index in days.indices { days[index].tracks = days[index].tracks.excluding(exclusions) }
        try addTotals(to: &days)
        let corrections = try Row.fetchAll(
            database.cachedStatement(
                sql: "SELECT day, steps, reason, entered_at FROM correction WHERE person = ? AND day BETWEEN ? AND ?"),
            arguments: [user.id, first.description, last.description])
        for row in corrections {
            let index = try row.day(0).daysSince1970 - first.daysSince1970
            if days.indices.contains(index) { days[index].correction = try StepCorrection(row: row) }
        }
        for deletion in try DeletedDay.all(of: user.id, in: first...last, database) {
            let index = deletion.day.daysSince1970 - first.daysSince1970
            if days.indices.contains(index) { days[index].deletion = deletion }
        }
        let profiles = try effective(Profile.query, "profile", from: first, through: last).map(Profile.init)
        let plans = try effective(SportPlan.query, "plan", from: first, through: last).map(SportPlan.init)
        for index in days.indices {
            days[index].profile = profiles.effective(on: days[index].day)
            days[index].plan = plans.effective(on: days[index].day)
            days[index].exclusions = exclusions.filter { $0.touches(days[index].day) }
        }
        return days
    }

    /// Adds what the pedometers themselves count to their tracks.
    private func addTotals(to days: inout [DayData]) throws {
        guard let first = days.first?.day, let last = days.last?.day else { return }
        let rows = try Row.fetchAll(
            database.cachedStatement(
                sql: """
                    SELECT pedometer, day, at, total, slots FROM device_total JOIN pedometer ON id = pedometer
                    WHERE person = ? AND day BETWEEN ? AND ?
                    """),
            arguments: [user.id, first.description, last.description])
        for row in rows {
            let pedometer: Pedometer.ID = try row.get(0)
            let total = DeviceTotal(
                day: try row.day(1), at: try row.time(2), total: try row.get(3), slots: try row.get(4))
            let index = total.day.daysSince1970 - first.daysSince1970
            guard days.indices.contains(index),
                let track = days[index].tracks.firstIndex(where: { $0.pedometer == pedometer })
            else { continue }
            days[index].tracks[track].deviceTotal = total
        }
    }

    /// What was effective on any of the days, the oldest first.
    private func effective(_ query: String, _ table: String, from first: Day, through last: Day) throws -> [Row] {
        try Row.fetchAll(
            database.cachedStatement(
                sql: """
                    \(query) AND valid_from <= ?3 AND valid_from >= coalesce(
                        (SELECT max(valid_from) FROM \(table) WHERE person = ?1 AND valid_from <= ?2), '')
                    ORDER BY valid_from
                    """),
            arguments: [user.id, first.description, last.description])
    }

    /// What the pedometers counted on each day.
    ///
    /// - Parameter count: at least 1, at most `maximumDays`.
    func sums(from first: Day, count: Int) throws -> [DaySums] {
        var days = [[DayData.Track]](repeating: [], count: count)
        for source in pedometers {
            for (index, track) in try tracks(of: source, from: first, count: count, forSums: true).enumerated()
            where !track.isEmpty {
                days[index].append(track)
            }
        }
        return days.enumerated().map { DaySums($1.excluding(exclusions), of: first.advanced(by: $0)) }
    }

    /// The track of each day, with the samples of excluded time.
    ///
    /// - Parameter forSums: whether data that sums do not need is left out.
    private func tracks(
        of source: Source, from first: Day, count: Int, forSums: Bool = false
    ) throws -> [DayData.Track] {
        let pedometer = source.id
        let samples = try self.samples(of: pedometer, in: "sample", from: first, count: count)
        let implausible =
            forSums
            ? []
            : try self.samples(of: pedometer, in: "implausible_sample", isChecked: false, from: first, count: count)
        let coverage = try CoverageMerge.spans(of: pedometer, touching: Self.reach(of: first, count: count), database)
        return (0..<count).map { index in
            let day = first.advanced(by: index)
            return DayData.Track(
                pedometer: pedometer, name: source.name, isImported: source.isImported,
                samples: samples[index].withoutOverlaps, implausible: forSums ? [] : implausible[index],
                coverage: Self.spans(coverage, touching: Self.reach(of: day, count: 1)).deciding(day))
        }
    }

    /// The same spans as `CoverageMerge.spans` reads for this day alone. If another program has made spans overlap, a
    /// span that ended earlier hides those that began before it: a day must not depend on the days that are read with
    /// it.
    ///
    /// - Parameter spans: sorted by start.
    private static func spans(_ spans: [CoveredSpan], touching span: TimeSpan) -> ArraySlice<CoveredSpan> {
        let begun = spans.prefix { $0.span.start <= span.end }
        return begun.suffix(from: begun.lastIndex { $0.span.end < span.start }.map { $0 + 1 } ?? begun.startIndex)
    }

    /// Everywhere on Earth a day is within 14 hours of the day at Greenwich: that range is read by the primary keys,
    /// and the offset of each sample and span decides.
    private static func reach(of first: Day, count: Int) -> TimeSpan {
        let midnight = first.daysSince1970 * 86_400
        return TimeSpan(
            Timestamp(midnight - StepSample.maximumUTCOffset),
            Timestamp(midnight + count * 86_400 + StepSample.maximumUTCOffset))
    }

    /// The samples of each day, by their own offset, sorted by start.
    ///
    /// - Throws: an error for a sample that istep never counts, which is damage. The table of implausible samples has
    ///   them as they were received.
    private func samples(
        of pedometer: Pedometer.ID, in table: String, isChecked: Bool = true, from first: Day, count: Int
    ) throws -> [[StepSample]] {
        let (midnight, reach) = (first.daysSince1970 * 86_400, Self.reach(of: first, count: count))
        let statement = try database.cachedStatement(
            sql: """
                SELECT start, length, steps, distance, energy, utc_offset FROM \(table)
                WHERE pedometer = ?1 AND start >= ?2 AND start < ?3 ORDER BY start
                """)
        var days = [[StepSample]](repeating: [], count: count)
        try statement.rows(of: database, for: [pedometer, Int64(reach.start.seconds), Int64(reach.end.seconds)]) {
            row in
            let sample = try StepSample(row: row)
            if isChecked, !sample.countsInHistory { throw notWritten("the sample \(sample)") }
            let (local, isTooMuch) = sample.start.seconds.addingReportingOverflow(sample.utcOffset)
            guard !isTooMuch, local >= midnight, local < midnight + count * 86_400 else { return }
            days[(local - midnight) / 86_400].append(sample)
        }
        return days
    }
}

extension StepSample {
    fileprivate init(row: RawRow) throws {
        self.init(
            start: Timestamp(try row.integer(0)), length: try row.integer(1), steps: try row.integer(2),
            distance: row.number(3),
            energy: row.number(4), utcOffset: try row.integer(5))
    }
}

extension DayData.Track {
    fileprivate var isEmpty: Bool {
        samples.isEmpty && excluded.isEmpty && implausible.isEmpty && coverage.isEmpty
    }
}

extension [Day] {
    /// Runs of consecutive days, each with at most `limit` days.
    func runs(ofAtMost limit: Int) -> [(first: Day, count: Int)] {
        reduce(into: []) { runs, day in
            if let run = runs.last, run.count < limit, run.first.advanced(by: run.count) == day {
                runs[runs.count - 1].count += 1
            } else {
                runs.append((day, 1))
            }
        }
    }
}
