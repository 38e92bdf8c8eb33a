import GRDB
public import StepDomain

/// Deleting parts of a history.
extension StepDatabase: DeletionStore {
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
        try read { try DeletedDay.all(of: user, in: Day.first...Day.last, $0).filter(\.isClosed) }
    }

    public func readmit(_ days: ClosedRange<Day>, of user: User.ID) throws(HistoryError) -> Int {
        try write { database in
            try database.execute(
                sql: "UPDATE deleted_day SET closed = 0 WHERE person = ? AND day BETWEEN ? AND ? AND closed",
                arguments: [user, days.lowerBound.inCalendar.description, days.upperBound.inCalendar.description])
            return database.changesCount
        }
    }

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
