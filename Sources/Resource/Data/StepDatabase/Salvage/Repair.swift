import Foundation
import GRDB
import StepDomain

extension StepDatabase {
    /// Saves what can be read of a damaged history into a new file, replaces the history by it, and keeps the damaged
    /// one beside it.
    ///
    /// The caller holds the locks of syncing and sharing. A sound history stays as it is.
    ///
    /// - Returns: what was saved and what is lost; nil if the history is sound.
    /// - Throws: `irreparable` if nothing can be saved: nothing is changed then. `missing`, `empty`, `foreign`,
    ///   `newerVersion`, `noSpace`.
    static func repair(_ path: String, at moment: Timestamp, _ localTime: LocalTime) throws(HistoryError)
        -> SalvageReport?
    {
        let path = try absolute(path)
        do {
            guard try isThere(path) else { throw HistoryError.missing(path: path) }
            var status = stat()
            if stat(path, &status) == 0, status.st_size == 0 { throw HistoryError.empty(path: path) }
            let health = try check(path)
            if health.isSound {
                CheckRecord.remove(ofDatabase: path)
                return nil
            }
            let file = try DatabaseCopy(for: HistoryLock.realPath(path), ofHistory: path)
            do {
                var report = try fill(file, from: HistoryLock.realPath(path))
                if let wrong = try check(file.path).allComplaints.first {
                    throw HistoryError.irreparable(
                        path: path, reason: "the readable part is not a valid history: \(wrong)")
                }
                report.damaged =
                    try Replacement.put(
                        file, asHistory: path, keepingAs: "damaged", isDamaged: true, at: moment, localTime) ?? ""
                report.contents.path = path
                return report
            } catch {
                file.remove()
                throw error
            }
        } catch {
            throw HistoryError(error, path: path)
        }
    }

    private static func fill(_ file: DatabaseCopy, from path: String) throws -> SalvageReport {
        let salvage = try Salvage(path)
        var configuration = configuration(busyTimeout: busyTimeout)
        // References are corrected at the end.
        configuration.foreignKeysEnabled = false
        let queue = try DatabaseQueue(path: file.path, configuration: configuration)
        let report = try queue.writeWithoutTransaction { database in
            var report: SalvageReport?
            try database.inTransaction(.immediate) {
                report = try salvage.save(in: database)
                return .commit
            }
            _ = try String.fetchOne(database, sql: "PRAGMA journal_mode = WAL")
            return report
        }
        try queue.close()
        guard let report else { throw HistoryError.irreparable(path: path, reason: "nothing in it can be read") }
        return report
    }
}
