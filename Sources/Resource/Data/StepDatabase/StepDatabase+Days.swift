import GRDB
public import StepDomain

extension StepDatabase: StepHistory {
    public func stepData(of user: User, on day: Day) throws(HistoryError) -> StepData {
        try read { try stepData(of: user, on: day, $0) }
    }

    public func stepData(of user: User, on days: [Day]) throws(HistoryError) -> [StepData] {
        try read { database in try days.map { try stepData(of: user, on: $0, database) } }
    }

    private func stepData(of user: User, on day: Day, _ database: Database) throws -> StepData {
        var data = StepData(user: user, day: day)
        // Statements are kept: to share ten years, the same are asked thousands of times.
        let pedometers = try Row.fetchAll(
            database.cachedStatement(sql: "SELECT id, name FROM pedometer WHERE person = ? ORDER BY id"), arguments: [user.id])
        for row in pedometers {
            let track = try self.track(of: row[0], named: row[1], on: day, database)
            if !track.isEmpty { data.tracks.append(track) }
        }
        data.correction = try Int.fetchOne(
            database.cachedStatement(sql: "SELECT steps FROM correction WHERE person = ? AND day = ?"),
            arguments: [user.id, day.description])
        let inForce = " AND valid_from <= ? ORDER BY valid_from DESC LIMIT 1"
        data.profile = try Row.fetchOne(
            database.cachedStatement(sql: Profile.query + inForce), arguments: [user.id, day.description]
        ).map(Profile.init)
        data.plan = try Row.fetchOne(
            database.cachedStatement(sql: SportPlan.query + inForce), arguments: [user.id, day.description]
        ).map(SportPlan.init)
        data.lastSync = try lastSync(of: user.id, database)
        return data
    }

    public func setCorrection(
        _ steps: Int?, of user: User.ID, on day: Day, at moment: Timestamp
    ) throws(HistoryError) {
        try write { database in
            try require(.user, user, database)
            let before = try Int.fetchOne(
                database, sql: "SELECT steps FROM correction WHERE person = ? AND day = ?", arguments: [user, day.description])
            if steps != before { try noteChange(of: [day], person: user, isCounted: false, database) }
            if let steps {
                try database.execute(
                    sql: "INSERT OR REPLACE INTO correction VALUES (?, ?, ?, ?)",
                    arguments: [user, day.description, steps, moment.seconds])
            } else {
                try database.execute(
                    sql: "DELETE FROM correction WHERE person = ? AND day = ?", arguments: [user, day.description])
            }
        }
    }

    private func track(
        of pedometer: Pedometer.ID, named name: String, on day: Day, _ database: Database
    ) throws -> StepData.Track {
        // Anywhere on Earth the day falls within 14 hours of Greenwich's: that range is read by the primary keys, and the own
        // offset of each sample and span decides.
        let midnight = day.daysSince1970 * 86_400
        let reach = TimeSpan(
            Timestamp(midnight - StepSample.mostUTCOffset), Timestamp(midnight + 86_400 + StepSample.mostUTCOffset))
        func samples(in table: String) throws -> [StepSample] {
            let rows = try Row.fetchCursor(
                database.cachedStatement(
                    sql: """
                        SELECT start, length, steps, distance, energy, utc_offset FROM \(table)
                        WHERE pedometer = ?1 AND start >= ?2 - 50400 AND start < ?2 + 86400 + 50400
                            AND start + utc_offset >= ?2 AND start + utc_offset < ?2 + 86400
                        ORDER BY start
                        """),
                arguments: [pedometer, midnight])
            var samples: [StepSample] = []
            while let row = try rows.next() { samples.append(StepSample(row: row)) }
            return samples
        }
        return StepData.Track(
            pedometer: pedometer, name: name, samples: withoutOverlaps(try samples(in: "sample")),
            implausible: try samples(in: "implausible_sample"),
            coverage: try CoverageMerge.spans(of: pedometer, touching: reach, database).deciding(day))
    }

    /// The end of the last sync that was complete.
    private func lastSync(of user: User.ID, _ database: Database) throws -> Timestamp? {
        try Int.fetchOne(
            database.cachedStatement(
                sql: """
                    SELECT max((SELECT max(ended_at) FROM sync WHERE pedometer = pedometer.id AND outcome = 'complete'))
                    FROM pedometer WHERE person = ?
                    """),
            arguments: [user]
        ).map(Timestamp.init)
    }
}

extension StepSample {
    fileprivate init(row: Row) {
        self.init(
            start: Timestamp(row[0]), length: row[1], steps: row[2], distance: row[3], energy: row[4], utcOffset: row[5])
    }
}

extension StepData.Track {
    fileprivate var isEmpty: Bool { samples.isEmpty && implausible.isEmpty && coverage.isEmpty }
}
