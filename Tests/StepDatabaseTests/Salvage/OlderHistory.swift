import GRDB

@testable import StepDatabase

/// Histories as an earlier version of istep has left them.
enum OlderHistory {
    /// Writes the rows of a closed history into one of an earlier version, with the checksums of that version.
    ///
    /// - Returns: its path.
    static func write(_ path: String, version: Int) throws -> String {
        let older = path + ".v\(version)"
        let schema = Schema(migrations: Array(Schema.current.migrations.prefix(version)))
        let database = try StepDatabase(path: older, for: .writing, busyTimeout: 5, schema: schema)
        try database.queue.writeWithoutTransaction { database in
            try database.execute(sql: "PRAGMA foreign_keys = OFF; ATTACH '\(path)' AS current")
            try database.inTransaction {
                for table in try schema.ownTables(in: database) where !["day_sum", "seal", "sealing"].contains(table) {
                    let columns = try database.columns(in: table).map(\.name).joined(separator: ", ")
                    try database.execute(
                        sql: "INSERT INTO main.\(table) (\(columns)) SELECT \(columns) FROM current.\(table)")
                }
                try Seals(database).complete(atMost: .max)
                return .commit
            }
            try database.execute(sql: "DETACH current; PRAGMA foreign_keys = ON")
        }
        try database.close()
        return older
    }
}
