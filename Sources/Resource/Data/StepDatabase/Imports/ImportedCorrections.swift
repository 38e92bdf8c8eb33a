import GRDB
import StepDomain

/// Corrections that imports of other histories bring to a user, in the caller's transaction.
///
/// What holds is in `correction`. A row there is an import's if one says it in the same words.
struct ImportedCorrections {
    let database: Database
    let user: User.ID

    /// What of a file is stored.
    struct Content {
        /// What the import says.
        var said: [(day: Day, words: Words)] = []
        /// Those that hold from now on.
        var new: [(day: Day, words: Words)] = []
        var counts = DecisionCounts()
        /// Whether no import has said any of it in the same words.
        var isNew = false

        fileprivate mutating func take(_ words: Words, on day: Day) {
            new.append((day, words))
            counts.taken += 1
        }
    }

    /// A correction as it is compared: by when it was entered.
    struct Words: Hashable, Comparable {
        var steps: Int
        var enteredAt: Int
        var reason: String?

        /// - Parameter moment: of the import. A clock that was ahead does not outdo what is entered later.
        fileprivate init(_ correction: StepCorrection, importedAt moment: Timestamp = .last) {
            enteredAt = min(correction.enteredAt?.seconds ?? 0, moment.seconds)
            (steps, reason) = (correction.steps, correction.reason)
        }

        /// Of a row that has these columns from an index on.
        fileprivate init(_ row: Row, at index: Int) throws {
            (steps, enteredAt, reason) = (try row.get(index), try row.get(index + 1), try row.get(index + 2))
        }

        static func < (one: Self, other: Self) -> Bool {
            (one.enteredAt, one.steps, one.reason ?? "") < (other.enteredAt, other.steps, other.reason ?? "")
        }
    }

    func examine(_ corrections: [ForeignDecisions.Correction], at now: Timestamp) throws -> Content {
        var content = Content()
        var seen: Set<Day> = []
        for entry in corrections where seen.insert(entry.day).inserted {
            let day = entry.day, correction = entry.correction
            let said = try said(on: day), present = try present(day)
            if let present, !said.contains(where: { $0.words == present }) {
                // A copy of this history that comes back says the same.
                if present != Words(correction) { content.counts.kept += 1 }
                continue
            }
            let words = Words(correction, importedAt: now)
            content.said.append((day, words))
            let known = said.filter { $0.words == Words(correction, importedAt: $0.importedAt) }.map(\.words).min()
            if known == nil { content.isNew = true }
            guard let present else {
                if known == nil { content.take(words, on: day) } else { content.counts.kept += 1 }
                continue
            }
            if present < known ?? words { content.take(words, on: day) }
        }
        return content
    }

    func store(_ content: Content, of id: ImportRecord.ID) throws {
        // What the user has taken back does not hold again when what replaces it is taken back: earlier imports no
        // longer say it.
        for (day, _) in content.new where try present(day) == nil {
            try database.cachedStatement(
                sql: """
                    DELETE FROM import_correction WHERE day = ? AND import IN (SELECT id FROM import WHERE person = ?)
                    """
            ).execute(arguments: [day.description, user])
        }
        for (day, words) in content.said {
            try database.cachedStatement(
                sql: "INSERT INTO import_correction (import, day, steps, entered_at, reason) VALUES (?, ?, ?, ?, ?)"
            ).execute(arguments: [id, day.description, words.steps, words.enteredAt, words.reason])
        }
        for (day, words) in content.new { try set(words, on: day) }
    }

    /// Takes back what an import has said that is not there any more.
    ///
    /// - Returns: the number of those that do not hold any more.
    func takeBack(_ gone: [(day: Day, words: Words)]) throws -> Int {
        var count = 0
        for (day, words) in gone where try present(day) == words {
            let left = try said(on: day).map(\.words)
            if left.contains(words) { continue }
            let next = left.max()
            try set(next, on: day)
            // A clock that was ahead: a later import says the same, as entered later.
            if next?.steps != words.steps || next?.reason != words.reason { count += 1 }
        }
        return count
    }

    /// What an import says.
    func said(by id: ImportRecord.ID) throws -> [(day: Day, words: Words)] {
        try Row.fetchAll(
            database,
            sql: "SELECT day, steps, entered_at, reason FROM import_correction WHERE import = ? ORDER BY day",
            arguments: [id]
        ).map { (try $0.day(0), try Words($0, at: 1)) }
    }

    /// Takes days out of what imports say.
    ///
    /// - Returns: the imports that have had any of them.
    func removeDays(_ days: ClosedRange<Day>) throws -> Set<ImportRecord.ID> {
        let arguments: StatementArguments = [user] + days.texts
        let condition = "day BETWEEN ?2 AND ?3 AND import IN (SELECT id FROM import WHERE person = ?1)"
        let imports = Set(
            try Int64.fetchAll(
                database, sql: "SELECT import FROM import_correction WHERE \(condition)", arguments: arguments))
        try database.execute(sql: "DELETE FROM import_correction WHERE \(condition)", arguments: arguments)
        return imports
    }

    private func present(_ day: Day) throws -> Words? {
        try Row.fetchOne(
            database.cachedStatement(
                sql: "SELECT steps, entered_at, reason FROM correction WHERE person = ? AND day = ?"),
            arguments: [user, day.description]
        ).map { try Words($0, at: 0) }
    }

    /// What imports say of a day, each with the moment when it was made.
    private func said(on day: Day) throws -> [(words: Words, importedAt: Timestamp)] {
        try Row.fetchAll(
            database.cachedStatement(
                sql: """
                    SELECT import.at, import_correction.steps, entered_at, reason FROM import_correction
                    JOIN import ON import.id = import WHERE day = ? AND person = ?
                    """), arguments: [day.description, user]
        ).map { (try Words($0, at: 1), try $0.time(0)) }
    }

    private func set(_ words: Words?, on day: Day) throws {
        guard let words else {
            return try database.execute(
                sql: "DELETE FROM correction WHERE person = ? AND day = ?", arguments: [user, day.description])
        }
        try database.execute(
            sql: "INSERT OR REPLACE INTO correction (person, day, steps, entered_at, reason) VALUES (?, ?, ?, ?, ?)",
            arguments: [user, day.description, words.steps, words.enteredAt, words.reason])
    }
}
