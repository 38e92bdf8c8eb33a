import GRDB

/// How sound a history is.
public struct HistoryHealth: Hashable, Sendable {
    /// The file is of an earlier version: the next command that uses it brings it forward.
    public var isOlder: Bool
    /// What SQLite complains of (`PRAGMA quick_check`); empty where all is sound. No more than a few lines.
    public var complaints: [String]
    /// Tables with rows that refer to rows that are not there (`PRAGMA foreign_key_check`), each once.
    public var orphans: [String]
}

extension StepDatabase {
    /// Looks through the whole file, which takes seconds where it is large, and writes nothing: a file of an earlier version stays as
    /// it is.
    ///
    /// - Throws: `missing`, `foreign`, `newerVersion`, `damaged` or why it cannot be read; `CancellationError` when cancelled.
    public static func examine(_ path: String, busyTimeout: Double = busyTimeout) async throws -> HistoryHealth {
        let path = absolute(path)
        do {
            guard try isThere(path) else { throw HistoryError.missing(path: path) }
            let queue = try openForReading(path, busyTimeout: busyTimeout)
            return try await queue.read { database in
                let schema = Schema.current
                let state = try schema.state(of: database)
                switch state {
                case .foreign: throw HistoryError.foreign(path: path)
                case .newer(let found): throw HistoryError.newerVersion(path: path, found: found, supported: schema.version)
                case .current, .older: break
                }
                let lines = try String.fetchAll(database, sql: "PRAGMA quick_check(\(mostComplaints))")
                let tables = try Row.fetchAll(database, sql: "SELECT DISTINCT \"table\" FROM pragma_foreign_key_check")
                return HistoryHealth(
                    isOlder: state != .current, complaints: lines == ["ok"] ? [] : lines, orphans: tables.map { $0[0] })
            }
        } catch is CancellationError {
            throw CancellationError()
        } catch {
            throw HistoryError(error, path: path)
        }
    }

    private static let mostComplaints = 3
}
