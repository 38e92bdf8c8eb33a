import GRDB
public import StepDomain

/// Deleting parts of a history.
extension StepDatabase {
    public func delete(_ deletion: Deletion, at moment: Timestamp, isPreview: Bool) throws(HistoryError)
        -> DeletionLosses
    {
        // Foreign keys are not checked: `sample` has no index by its sync, so each deleted sync would be looked for in
        // all samples.
        try changed(isPreview: isPreview) { database in
            try require(.user, deletion.owner.id, database)
            switch deletion {
            case .days(let days, let user):
                return try DayDeletion(database: database, user: user, days: days, now: moment).run()
            case .source(let source, let user):
                try require(.pedometer, source.pedometer.id, database)
                return try SourceDeletion(database: database, user: user, now: moment).run(source.pedometer.id)
            case .user(let user): return try UserDeletion(database: database, user: user, now: moment).run()
            }
        }
    }

    /// One transaction that writes, or one that is taken back.
    func changed<T>(isPreview: Bool, _ body: (Database) throws -> T) throws(HistoryError) -> T {
        if isPreview { return try undone(body) }
        return try writeManyRows { database in
            // What is deleted is overwritten in the file
            // (https://www.sqlite.org/pragma.html#pragma_secure_delete).
            try database.execute(sql: "PRAGMA secure_delete = ON")
            return try body(database)
        }
    }

    public func closedDays(of user: User.ID) throws(HistoryError) -> [DeletedDay] {
        try read { try DeletedDay.all(of: user, in: Period.calendar, $0).filter(\.isClosed) }
    }

    public func readmit(_ days: ClosedRange<Day>, of user: User.ID) throws(HistoryError) -> Int {
        try write { database in
            let closed = try DeletedDay.all(of: user, in: days, database).filter(\.isClosed).map(\.day)
            for day in closed {
                try database.cachedStatement(sql: "UPDATE deleted_day SET closed = 0 WHERE person = ? AND day = ?")
                    .execute(arguments: [user, day.description])
            }
            try requestAgain(closed, of: user, database)
            return closed.count
        }
    }

    /// Pedometers that are asked for one day after the other are asked for these days with the next sync, as for days
    /// that are missing. One that no longer holds a day does not report that.
    private func requestAgain(_ days: [Day], of user: User.ID, _ database: Database) throws {
        for row in try Row.fetchAll(
            database, sql: Pedometer.query + " WHERE person = ? AND NOT forgotten", arguments: [user])
        {
            let pedometer = try Pedometer(row: row)
            var cursor = pedometer.cursor
            guard let readThrough = cursor.readThrough else { continue }
            let last = Day(of: readThrough, utcOffset: cursor.utcOffset ?? 0), missing = cursor.missing ?? []
            let wanted = days.filter { day in
                day <= last && day >= last.advanced(by: -Self.longestMemory) && !missing.contains { $0.day == day }
            }
            if wanted.isEmpty { continue }
            cursor.missing = (missing + wanted.map { DayGap($0, .unconfirmed) }).sorted { $0.day < $1.day }
            try database.execute(
                sql: "UPDATE pedometer SET cursor = ? WHERE id = ?", arguments: [try json(cursor), pedometer.id])
        }
    }

    /// Days that no pedometer holds longer.
    private static let longestMemory = 60

    public func heldSources() throws(HistoryError) -> [HeldSource] {
        try read { database in
            func rows(_ condition: String) throws -> [Pedometer] {
                try Row.fetchAll(database, sql: Pedometer.query + " WHERE \(condition) ORDER BY name_key, id").map(
                    Pedometer.init)
            }
            return try rows("NOT forgotten").map { HeldSource($0, isInUse: true) }
                + rows("forgotten").map { HeldSource($0, isInUse: false) }
        }
    }

    public func renameUser(_ id: User.ID, to name: String) throws(HistoryError) {
        let name = try CheckedName(name)
        try write { database in
            try require(.user, id, database)
            try database.execute(
                sql: "UPDATE person SET name = ?, name_key = ? WHERE id = ?", arguments: [name.text, name.key, id])
            try database.execute(
                sql: "UPDATE notice SET name = ? WHERE subject = ? AND ended_at IS NULL",
                arguments: [name.text, Notice.Subject.user(id).description])
        }
    }
}
