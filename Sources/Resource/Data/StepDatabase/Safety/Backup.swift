import Foundation
import GRDB
public import StepDomain
import Support

extension StepDatabase {
    /// Copies a history to a file with access for its owner only. A sync may continue meanwhile.
    ///
    /// - Parameters:
    ///   - path: the path of the history; a history of an earlier version is copied as it is.
    ///   - target: an earlier backup there is replaced; any other file is not. Its directory must exist, unless it is
    ///     `AutomaticBackups.directory` or below.
    /// - Returns: the contents of the backup, read back from it.
    /// - Throws: `missing`, `empty`, `damaged` of the history; of the target `reserved`, `occupied`, or why it
    ///   cannot be written.
    static func backUp(_ path: String, to target: String) throws(HistoryError) -> HistoryContents {
        let path = try absolute(path), target = try absolute(target, as: .target)
        do {
            guard try isThere(path) else { throw HistoryError.missing(path: path) }
            try requireFree(target)
            return try reading(path) { try $0.writeWithoutTransaction { try backUp($0, of: path, to: target) } }
        } catch {
            throw HistoryError(error, path: path)
        }
    }

    static func backUp(_ database: Database, of path: String, to target: String) throws -> HistoryContents {
        if let refusal = Schema.current.refusal(of: path, in: try Schema.current.state(of: database)) { throw refusal }
        let file = try DatabaseCopy(for: target, ofHistory: path, role: .target)
        do {
            var contents = try file.copy(database, of: path, asHistory: false)
            // Another process may have created a file there meanwhile.
            try requireFree(target)
            try file.move()
            contents.path = target
            return contents
        } catch {
            file.remove()
            throw error
        }
    }

    /// - Throws: `reserved`, `occupied`, or why no file can be created there.
    private static func requireFree(_ target: String) throws(HistoryError) {
        if isReserved(baseName(target)) { throw .reserved(path: target) }
        let isOccupied: Bool
        do throws(HistoryError) { isOccupied = try isThere(target) } catch { throw error.of(.target) }
        if isOccupied, !isBackup(target) { throw .occupied(path: target) }
        // An existing journal or log belongs to another database, and SQLite would replay it into the backup.
        for suffix in FileSuffix.logs where !isEmptyOrMissing(HistoryLock.realPath(target) + suffix) {
            throw .occupied(path: target + suffix)
        }
    }

    /// Whether a file is a backup that istep made and not a history in use: it is istep's, it has no log of its own
    /// (bytes 18 and 19 of the header, https://www.sqlite.org/fileformat.html#file_format_version_numbers), and it was
    /// never used for a sync.
    static func isBackup(_ path: String) -> Bool {
        guard let handle = FileHandle(forReadingAtPath: path), let header = try? handle.read(upToCount: 100),
            header.count == 100
        else {
            return false
        }
        let application = header[68..<72].reduce(0) { $0 << 8 | Int($1) }
        return header.starts(with: Array("SQLite format 3\0".utf8)) && application == Schema.applicationID
            && header[18] == 1
            && header[19] == 1
            && HistoryWork.allCases.allSatisfy { access(HistoryLock.path(ofDatabase: path, for: $0), F_OK) != 0 }
    }
}

/// The automatic backups of istep: before a migration and once a week, in a directory `backups` beside the history.
public struct AutomaticBackups: Sendable {
    var schedule: BackupSchedule
    private let now: @Sendable () -> Timestamp
    private let localTime: LocalTime

    public init(_ schedule: BackupSchedule, now: @escaping @Sendable () -> Timestamp, localTime: LocalTime) {
        self.schedule = schedule
        self.now = now
        self.localTime = localTime
    }

    /// The directory of a history's backups.
    static func directory(of path: String) throws(HistoryError) -> String {
        directoryName(HistoryLock.realPath(try absolute(path))) + "/backups"
    }

    /// The existing backups, newest first, both automatic and manual.
    ///
    /// - Throws: why the directory cannot be read, if there is one.
    static func list(of path: String) throws(HistoryError) -> [BackupName] {
        let directory = try directory(of: path)
        // Foundation does not say why it cannot read a directory.
        let descriptor = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else {
            if errno == ENOENT { return [] }
            throw HistoryError(errno: errno, path: directory).of(.directory)
        }
        close(descriptor)
        let files = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
        let history = HistoryLock.realPath(try absolute(path))
        return files.compactMap { BackupName(file: $0, of: history) }.sorted(by: >)
    }

    /// A path for a backup made now.
    func backupPath(for path: String, _ origin: BackupName.Origin) throws(HistoryError) -> String {
        let directory = try Self.directory(of: path)
        var name = BackupName(of: HistoryLock.realPath(try absolute(path)), at: now(), localTime, origin)
        while access(directory + "/" + name.file, F_OK) == 0 { name = name.next }
        return directory + "/" + name.file
    }

    /// Whether a backup is due this week.
    ///
    /// - Throws: why the backups cannot be listed: one would be due after each sync, and no earlier one be deleted.
    func isDue(for path: String) throws(HistoryError) -> Bool {
        if schedule.count == 0 { return false }
        return schedule.isDue(try Self.list(of: path), today: localTime.day(of: now()))
    }

    /// Makes a backup, reads it back, and deletes earlier backups in excess of the limit.
    ///
    /// - Returns: the contents of the backup.
    @discardableResult
    func make(of path: String) throws(HistoryError) -> HistoryContents {
        let contents: HistoryContents
        do throws(HistoryError) {
            contents = try StepDatabase.backUp(path, to: try backupPath(for: path, .schedule))
        } catch {
            if case .damaged(_, let reason) = error {
                CheckRecord(of: path, at: now(), complaints: [reason])?.store(ofDatabase: path)
            }
            throw error
        }
        // The backup is identical to the history page by page: if the backup is sound, the history is too.
        CheckRecord(of: path, at: now(), complaints: [])?.store(ofDatabase: path)
        prune(path)
        return contents
    }

    /// Makes a backup before an import, also where the user wants none by a schedule, and deletes earlier ones of
    /// imports in excess of the limit.
    func makeBeforeImport(of path: String) throws(HistoryError) -> HistoryContents {
        let contents = try StepDatabase.backUp(path, to: try backupPath(for: path, .import))
        prune(path)
        return contents
    }

    /// The same over an open connection, before a migration.
    func make(of path: String, _ database: Database) throws {
        _ = try StepDatabase.backUp(database, of: path, to: try backupPath(for: path, .schedule))
        prune(path)
    }

    private func prune(_ path: String) {
        guard let directory = try? Self.directory(of: path), let backups = try? Self.list(of: path) else { return }
        for name in schedule.surplus(backups, today: localTime.day(of: now())) {
            unlink(directory + "/" + name.file)
        }
    }
}

extension StepDatabase {
    /// Reads the contents of a backup, and checks whether it is sound. Nothing is written to it.
    ///
    /// - Throws: `missing`, `empty`, `foreign`, `newerVersion`, `damaged` or why it cannot be read, of the backup
    ///   (`HistoryError.of`).
    static func contents(of path: String) throws(HistoryError) -> HistoryContents {
        let path = try absolute(path, as: .backup)
        do {
            let health = try check(path)
            if let first = health.allComplaints.first { throw HistoryError.damaged(path: path, reason: first) }
            return try reading(path) { try $0.read { try HistoryContents($0, path: path) } }
        } catch {
            throw HistoryError(error, path: path).of(.backup)
        }
    }
}

extension HistoryContents {
    init(_ database: Database, path: String) throws {
        var status = stat()
        self.init(
            path: path, version: try Int.fetchOne(database, sql: "PRAGMA user_version") ?? 0,
            size: stat(path, &status) == 0 ? Int(status.st_size) : 0,
            people: try String.fetchAll(database, sql: "SELECT name FROM person ORDER BY name_key"),
            pedometers: try String.fetchAll(database, sql: "SELECT name FROM pedometer ORDER BY forgotten, name_key"),
            samples: try Int.fetchOne(database, sql: "SELECT count(*) FROM sample") ?? 0,
            syncs: try Int.fetchOne(database, sql: "SELECT count(*) FROM sync") ?? 0,
            corrections: try Int.fetchOne(database, sql: "SELECT count(*) FROM correction") ?? 0,
            lastSync: try Int.fetchOne(database, sql: "SELECT max(ended_at) FROM sync WHERE outcome = 'complete'").map(
                Timestamp.init))
        // By the primary key: reads the first and last samples of each pedometer, not all of them.
        for pedometer in try Int64.fetchAll(database, sql: "SELECT id FROM pedometer") {
            for order in ["ASC", "DESC"] {
                guard
                    let row = try Row.fetchOne(
                        database,
                        sql: "SELECT start, utc_offset FROM sample WHERE pedometer = ? ORDER BY start \(order) LIMIT 1",
                        arguments: [pedometer])
                else { continue }
                let day = try Day(ofSampleAt: row.get(0), utcOffset: row.get(1))
                firstDay = min(firstDay ?? day, day)
                lastDay = max(lastDay ?? day, day)
            }
        }
    }
}
