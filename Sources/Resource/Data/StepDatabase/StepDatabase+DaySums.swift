import Foundation
import GRDB
import GRDBSQLite
public import StepDomain

/// Stored sums of days, from which statistics are made.
///
/// They are in the table `day_sum`, as far as they have been calculated since the samples of the day last changed: the
/// triggers of the schema delete those of changed days.
extension StepDatabase {
    public func daySeriesInput(
        of user: User, in days: ClosedRange<Day>, progress: (_ done: Int, _ all: Int) throws -> Void
    ) throws -> DaySeriesInput {
        let missing = try read { try DaySumTable(user.id, $0).missing(in: days) }
        if missing.count > 0 { try fill(missing, of: user, in: days, progress) }
        // One transaction for all that is returned. What another process has changed meanwhile, or what could not be
        // stored, is calculated here.
        return try read { database in
            let table = DaySumTable(user.id, database)
            let sums = try table.sums(in: days) { try table.calculate($0, user) }
            return DaySeriesInput(
                user: user, sums: sums, corrections: try corrections(of: user.id, in: days, database),
                profiles: try Row.fetchAll(database, sql: Profile.query + " ORDER BY valid_from", arguments: [user.id])
                    .map(Profile.init),
                plans: try Row.fetchAll(database, sql: SportPlan.query + " ORDER BY valid_from", arguments: [user.id])
                    .map(SportPlan.init))
        }
    }

    private func corrections(of user: User.ID, in days: ClosedRange<Day>, _ database: Database) throws -> [Day:
        StepCorrection]
    {
        let rows = try Row.fetchAll(
            database, sql: "SELECT day, steps, reason, entered_at FROM correction WHERE person = ?", arguments: [user])
        return try rows.reduce(into: [:]) { corrections, row in
            let day = try row.day(0)
            if days.contains(day) { corrections[day] = try StepCorrection(row: row) }
        }
    }

    /// Days for each transaction: some 70 ms of minute samples, for which a sync may have to wait.
    private static let daysAtOnce = 4 * DayDataReader.maximumDays

    /// Calculates sums and stores them, as long as that is possible: a history that may not be written, on a full disk
    /// or in use by another program is read without storing anything.
    ///
    /// Deletes rows before the first day with data: they can remain after a correction was removed.
    private func fill(
        _ missing: [Day], of user: User, in days: ClosedRange<Day>, _ progress: (_ done: Int, _ all: Int) throws -> Void
    ) throws {
        let all = days.count
        var done = all - missing.count
        try progress(done, all)
        for start in stride(from: 0, to: missing.count, by: Self.daysAtOnce) {
            let part = Array(missing[start..<min(start + Self.daysAtOnce, missing.count)])
            guard
                store({ database in
                    let table = DaySumTable(user.id, database)
                    if start == 0, let known = try Self.firstKnownDay(of: user.id, database) {
                        try table.remove(before: min(known, days.lowerBound))
                    }
                    // Another process may have been faster.
                    guard let first = part.first, let last = part.last else { return }
                    let missing = Set(try table.missing(in: first...last))
                    for sums in try table.calculate(part.filter(missing.contains), user) { try table.store(sums) }
                })
            else { return }
            done += part.count
            try progress(done, all)
        }
    }

    /// Writes what can be calculated again at any time, also by a connection that was opened for reading.
    ///
    /// Calculation and storing are one transaction under the write lock, so that no change of a sample comes between
    /// them.
    ///
    /// - Returns: whether it was stored.
    private func store(_ body: (Database) throws -> Void) -> Bool {
        guard isFileInPlace, (try? CheckRecord.refuseDamaged(path, busyTimeout: busyTimeout)) != nil else {
            return false
        }
        do {
            try queue.writeWithoutTransaction { database in
                // What is lost by a power failure can be calculated again, so no fsync is needed.
                try database.execute(sql: "PRAGMA synchronous = NORMAL")
                // After 250 ms, the sums are not stored.
                sqlite3_busy_timeout(database.sqliteConnection, 250)
                defer {
                    sqlite3_busy_timeout(database.sqliteConnection, Int32(busyTimeout * 1000))
                    try? database.execute(sql: "PRAGMA synchronous = FULL")
                }
                try database.inTransaction(.immediate) {
                    try requireVersion(database)
                    // A read-only open does not compare the schema. This is done before the first write, because an
                    // unknown trigger would run.
                    guard isFileInPlace, try !isForReading || schema.differences(in: database).isEmpty else {
                        throw CannotStore()
                    }
                    try body(database)
                    return .commit
                }
            }
            return true
        } catch {
            // What is wrong with the samples themselves is reported by the reading that follows.
            return false
        }
    }

    private struct CannotStore: Error {}
}

/// Nothing that istep does can make a stored sum differ from its samples: triggers of the schema remove it with every
/// change. Another program that writes to the file without them, or a fault of istep, could.
extension StepDatabase {
    /// The days whose stored sums differ from the sums of their samples, the newest first.
    ///
    /// - Parameter days: how many of the newest days with a stored sum are checked for each person; a year of minute
    ///   samples takes some 0.2 s.
    func wrongSums(inNewest days: Int = .max) throws(HistoryError) -> [Day] {
        try read { database in try wrongSumsOfPeople(inNewest: days, database).flatMap(\.days).sorted(by: >) }
    }

    /// Removes all stored sums that differ from the samples; the next reading calculates them again.
    ///
    /// - Returns: the number of days.
    func correctSums() throws(HistoryError) -> Int {
        // Found without the write lock: this may take seconds. A sum that was removed needlessly meanwhile costs only
        // its calculation.
        let wrong = try read { database in try wrongSumsOfPeople(inNewest: .max, database) }
        let count = wrong.reduce(0) { $0 + $1.days.count }
        if count > 0 {
            try write { database in
                for (person, days) in wrong { for day in days { try DaySumTable(person, database).remove(day) } }
            }
        }
        return count
    }

    private func wrongSumsOfPeople(inNewest count: Int, _ database: Database) throws -> [(person: User.ID, days: [Day])]
    {
        try Row.fetchAll(database, sql: "SELECT id, name FROM person").map { row in
            let user = try User(row: row)
            let table = DaySumTable(user.id, database)
            let days = try table.newest(count)
            var wrong: [Day] = []
            for run in days.runs(ofAtMost: DayDataReader.maximumDays) {
                let range = run.first...run.first.advanced(by: run.count - 1)
                let stored = Dictionary(try table.stored(in: range).map { ($0.day, $0) }) { first, _ in first }
                for right in try table.calculate(Array(range), user) where stored[right.day] != right {
                    wrong.append(right.day)
                }
            }
            return (user.id, wrong)
        }
    }
}
