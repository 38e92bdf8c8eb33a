import GRDB
import StepDomain

/// A history that was filled with the rows of an export, before it is committed: what the rows say together.
struct RestoredHistory {
    private let database: Database

    init(_ database: Database) { self.database = database }

    /// What is wrong with it, in words; nil if nothing is.
    func fault() throws -> String? {
        if let row = try Row.fetchOne(database, sql: "PRAGMA foreign_key_check") {
            let table: String = try row.get(0)
            return "a row of \(table) refers to one that is not there"
        }
        if let rule = try ColumnRule.all.first(where: { try $0.isViolated(in: database) }) {
            return "\(rule.table) has a value in \(rule.column) that istep does not write"
        }
        for (words, sql) in Self.rulesOfImports
        where try Bool.fetchOne(database, sql: "SELECT EXISTS (\(sql))") ?? false { return words }
        return try StepDatabase.brokenRules(database).first
    }

    private static let rulesOfImports = [
        (
            "an import has a source of another user",
            """
            SELECT 1 FROM import_track JOIN import ON import.id = import JOIN pedometer ON pedometer.id = pedometer
            WHERE import.person <> pedometer.person
            """
        ),
        (
            "an import refers to a sync of another source",
            "SELECT 1 FROM import_track JOIN sync ON sync.id = sync WHERE sync.pedometer <> import_track.pedometer"
        ),
        (
            "an import has a content of a source that it does not have",
            """
            SELECT 1 FROM import_part AS part JOIN import_content AS content ON content.id = part.content
            WHERE NOT EXISTS (SELECT 1 FROM import_track AS track
                WHERE track.import = part.import AND track.pedometer = content.pedometer)
            """
        ),
    ]

    /// Sources of imports that the export does not have: a later import must not replace what they say, as it would
    /// take their coverage for that of imports that are not there. So it becomes a source of its own.
    func separateSources() throws {
        try database.execute(
            sql: "UPDATE pedometer SET address = printf('IMPORT-R%09X', id) WHERE \(Pedometer.isImported)")
    }

    /// The days that have anything, for an export that does not say them.
    func noteDays(of people: [User.ID]) throws {
        for person in people {
            var changed = ChangedDays()
            let counted = try Int.fetchAll(
                database,
                sql: """
                    SELECT DISTINCT (start + utc_offset + 86400) / 86400 - 1 FROM sample JOIN pedometer ON id = pedometer
                    WHERE person = ?
                    """, arguments: [person])
            for day in counted { changed.insert(Day(daysSince1970: day)) }
            let spans = try Row.fetchAll(
                database,
                sql: """
                    SELECT start, until, coverage.utc_offset FROM coverage JOIN pedometer ON id = pedometer
                    WHERE person = ?
                    """, arguments: [person])
            for row in spans {
                changed.insert(
                    TimeSpan(try row.time(0), try row.time(1)), utcOffset: try row.get(2), neighbours: [])
            }
            try changed.store(of: person, database)
            let corrected = try String.fetchAll(
                database, sql: "SELECT day FROM correction WHERE person = ?", arguments: [person])
            try noteChange(of: Set(corrected.map(Day.init(column:))), person: person, isCounted: false, database)
        }
    }
}
