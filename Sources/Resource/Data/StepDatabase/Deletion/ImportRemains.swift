import Foundation
import GRDB
import StepDomain

/// What is left of imports when days or sources are deleted.
struct ImportRemains {
    let database: Database

    /// Takes days out of what the imports of a user say.
    ///
    /// - Returns: the number of imports of which nothing is left.
    func trim(to days: ClosedRange<Day>, of person: User.ID) throws -> Int {
        let rows = try Row.fetchAll(
            database,
            sql: """
                SELECT import_content.id, day, content FROM import_content JOIN pedometer ON pedometer.id = pedometer
                WHERE person = ? AND day BETWEEN ? AND ?
                """,
            // A part is a day of UTC, and has what began on it; its spans can begin before.
            arguments: [
                person, days.lowerBound.daysSince1970 - Self.reach, days.upperBound.daysSince1970 + Self.reach,
            ])
        var imports: Set<ImportRecord.ID> = []
        for row in rows {
            let id: Int64 = try row.get(0), number: Int = try row.get(1), data: Data = try row.get(2)
            let day = Day(daysSince1970: number)
            guard let content = PackedDay(Array(data), of: day) else {
                throw notWritten("the content \(id) of an import")
            }
            let rest = content.without(DaySet(days))
            if rest == content { continue }
            imports.formUnion(
                try Int64.fetchAll(database, sql: "SELECT import FROM import_part WHERE content = ?", arguments: [id]))
            if rest.isEmpty {
                try database.execute(sql: "DELETE FROM import_part WHERE content = ?", arguments: [id])
                try database.execute(sql: "DELETE FROM import_content WHERE id = ?", arguments: [id])
            } else {
                try database.execute(
                    sql: "UPDATE import_content SET content = ? WHERE id = ?",
                    arguments: [Data(rest.bytes(of: day)), id])
            }
        }
        imports.formUnion(try ImportDecisions(database: database, user: person).removeDays(days))
        return try count(imports)
    }

    /// Days of UTC by which a span of a part can reach over the day.
    private static let reach = 2

    /// The imports that have no other source.
    func imports(onlyOf source: Pedometer.ID) throws -> [ImportRecord.ID] {
        try Int64.fetchAll(
            database,
            sql: """
                SELECT import FROM import_track AS of WHERE pedometer = ?1
                AND NOT EXISTS (SELECT 1 FROM import_track WHERE import = of.import AND pedometer <> ?1) ORDER BY import
                """, arguments: [source])
    }

    /// Takes a source out of all imports.
    ///
    /// - Returns: the number of imports of which nothing is left.
    func remove(_ source: Pedometer.ID) throws -> Int {
        let imports = try Int64.fetchAll(
            database, sql: "SELECT import FROM import_track WHERE pedometer = ?", arguments: [source])
        try database.execute(
            sql: "DELETE FROM import_part WHERE content IN (SELECT id FROM import_content WHERE pedometer = ?)",
            arguments: [source])
        for table in ["import_content", "import_track"] {
            try database.execute(sql: "DELETE FROM \(table) WHERE pedometer = ?", arguments: [source])
        }
        return try count(Set(imports))
    }

    /// Removes the sources of a user that no import has any more, and that have nothing of their own, such as time
    /// without steps that was moved to the user.
    ///
    /// - Returns: their names.
    func removeEmptySources(of person: User.ID) throws -> [String] {
        let rows = try Row.fetchAll(
            database,
            sql: """
                SELECT id, name FROM pedometer WHERE person = ? AND \(Pedometer.isImported)
                AND NOT EXISTS (SELECT 1 FROM import_track WHERE import_track.pedometer = pedometer.id)
                AND NOT EXISTS (SELECT 1 FROM sample WHERE sample.pedometer = pedometer.id)
                AND NOT EXISTS (SELECT 1 FROM coverage WHERE coverage.pedometer = pedometer.id) ORDER BY name_key
                """, arguments: [person])
        for row in rows { try SourceDeletion.deleteRows(of: try row.get(0), database) }
        return try rows.map { try $0.get(1) }
    }

    /// Makes the counts of imports those of what is left of them, and removes those of which nothing is: one that has
    /// brought corrections can still be taken back.
    func count(_ imports: Set<ImportRecord.ID>) throws -> Int {
        var removed = 0
        for id in imports.sorted() {
            let rows = try Row.fetchAll(
                database,
                sql: """
                    SELECT pedometer, day, import_content.content FROM import_part
                    JOIN import_content ON import_content.id = import_part.content WHERE import = ?
                    """, arguments: [id])
            var (sources, days, steps) = (Set<Int64>(), Set<Day>(), 0)
            for row in rows {
                let data: Data = try row.get(2), number: Int = try row.get(1)
                sources.insert(try row.get(0))
                for sample in PackedDay(Array(data), of: Day(daysSince1970: number))?.samples ?? [] {
                    days.insert(sample.day)
                    steps += sample.steps
                }
            }
            let list = "[\(sources.sorted().map(String.init).joined(separator: ","))]"
            try database.execute(
                sql: """
                    DELETE FROM import_track WHERE import = ? AND pedometer NOT IN (SELECT value FROM json_each(?))
                    """, arguments: [id, list])
            if rows.isEmpty, try !ImportDecisions.hasAny(of: id, database) {
                try database.execute(sql: "DELETE FROM import WHERE id = ?", arguments: [id])
                removed += 1
            } else {
                try database.execute(
                    sql: "UPDATE import SET days = ?, steps = ?, first_day = ?, last_day = ? WHERE id = ?",
                    arguments: [days.count, steps, days.min()?.description, days.max()?.description, id])
            }
        }
        return removed
    }
}
