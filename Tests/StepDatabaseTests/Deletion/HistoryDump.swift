import GRDB

@testable import StepDatabase

extension StepDatabase {
    /// All rows of all tables of istep, but for what it calculates from the others.
    func dump(except omitted: Set<String> = []) throws -> [String: [String]] {
        try queue.read { database in
            var rows: [String: [String]] = [:]
            for table in try Schema.current.ownTables(in: database)
            where !["day_sum", "seal", "sealing"].contains(table) && !omitted.contains(table) {
                rows[table] = try Row.fetchAll(database, sql: "SELECT * FROM \(table)").map {
                    $0.databaseValues.map(\.description).joined(separator: "|")
                }.sorted()
            }
            return rows
        }
    }

    /// What is wrong with it: rows that refer to others which are not there, and rules that are broken.
    func complaints() throws -> [String] {
        try queue.read { database in
            try Row.fetchAll(database, sql: "PRAGMA foreign_key_check").map(\.description)
                + StepDatabase.brokenRules(database)
        }
    }
}
