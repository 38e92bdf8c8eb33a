import Foundation
import GRDB
import StepDomain
import Support

/// Replaces a history by another file, and keeps the old file beside it.
///
/// SQLite finds the log of a file by the name of the file, and would replay the log of the old file into the new one.
/// So the log is emptied and moved before the new file gets the name, and meanwhile no other program can write to the
/// old file or open it (`ExclusiveAccess`). Whatever ends the process, the path then leads to the old history, whose
/// log is empty, or to the new one. The log of a file that is known to be damaged is not emptied here: it is moved as
/// it is, right before the new file gets the name.
enum Replacement {
    /// - Parameters:
    ///   - new: the new file, self-contained and on the same file system; it has no log.
    ///   - reason: part of the name under which the old one is kept: `history-REASON-2026-11-22T030405.sqlite`.
    ///   - isDamaged: whether the old file is known to be damaged, and must be kept byte by byte.
    ///   - beforeRename: called while the old log is moved and the old file still has the name; for tests.
    /// - Returns: the path of the old history; nil if there was none.
    /// - Throws: `locked` while another program uses the old history and its log is not empty; any error leaves the old
    ///   history as it was.
    static func put(
        _ new: DatabaseCopy, asHistory path: String, keepingAs reason: String, isDamaged: Bool = false,
        at moment: Timestamp,
        _ localTime: LocalTime, beforeRename: () throws -> Void = {}
    ) throws -> String? {
        let path = HistoryLock.realPath(path)
        var status = stat()
        let isThere = lstat(path, &status) == 0
        if isThere { new.setGroup(status.st_gid) }
        // This waits for the disk, so it comes before the old file is touched.
        try new.synchronize()
        var old = ReplacedFiles(path, keptAs: keptPath(for: path, reason, moment, localTime))
        try ExclusiveAccess.hold(path, isDamaged: isDamaged || !isThere) {
            do {
                try old.setAside(isThere: isThere)
                try beforeRename()
                try old.setAsideNewLogs()
                try new.rename()
            } catch {
                old.putBack()
                throw error
            }
        }
        synchronizeDirectory(of: path)
        old.cleanUp(isDamaged: isDamaged)
        CheckRecord.remove(ofDatabase: path)
        return isThere ? old.name : nil
    }

    private static func keptPath(for path: String, _ reason: String, _ moment: Timestamp, _ localTime: LocalTime)
        -> String
    {
        let directory = directoryName(path)
        var name = BackupName(of: stem(path) + "-" + reason, at: moment, localTime, .user)
        while access(directory + "/" + name.file, F_OK) == 0 { name = name.next }
        return directory + "/" + name.file
    }

    private static func stem(_ path: String) -> String {
        let name = baseName(path)
        return name.hasSuffix(".sqlite") ? String(name.dropLast(7)) : name
    }
}

/// The files of a history that is replaced.
private struct ReplacedFiles {
    private let path: String
    /// The path under which the old file is kept.
    let name: String
    /// A second name was not possible: the file itself was renamed.
    private var isRenamed = false
    private var isLinked = false
    private var logs: [String] = []

    init(_ path: String, keptAs name: String) {
        self.path = path
        self.name = name
    }

    /// - Parameter isThere: whether there is a file, and not only the log of one that was deleted.
    mutating func setAside(isThere: Bool) throws(HistoryError) {
        if isThere {
            // The old file gets a second name first, so that the history has a file at any moment. Not all file systems
            // support this.
            isLinked = link(path, name) == 0
            if !isLinked {
                guard rename(path, name) == 0 else { throw HistoryError(errno: errno, path: name) }
                isRenamed = true
            }
        }
        for suffix in FileSuffix.ofSQLite where access(path + suffix, F_OK) == 0 {
            guard rename(path + suffix, name + suffix) == 0 else {
                throw HistoryError(errno: errno, path: path + suffix)
            }
            logs.append(suffix)
        }
    }

    /// A program that has opened the old file meanwhile has created a log again.
    func setAsideNewLogs() throws(HistoryError) {
        for suffix in FileSuffix.ofSQLite where access(path + suffix, F_OK) == 0 {
            let isEmpty = suffix == FileSuffix.logIndex || StepDatabase.isEmptyOrMissing(path + suffix)
            let isGone = isEmpty ? unlink(path + suffix) == 0 : rename(path + suffix, name + ".later" + suffix) == 0
            if !isGone { throw HistoryError(errno: errno, path: path + suffix) }
        }
    }

    func putBack() {
        if isRenamed { rename(name, path) }
        for suffix in logs { rename(name + suffix, path + suffix) }
        if isLinked { unlink(name) }
    }

    /// SQLite creates the index of a log again, and removes an empty log of a file that no other program has open.
    func cleanUp(isDamaged: Bool) {
        unlink(name + FileSuffix.logIndex)
        let log = name + FileSuffix.log
        guard !isDamaged, access(name, F_OK) == 0, access(log, F_OK) == 0, StepDatabase.isEmptyOrMissing(log) else {
            return
        }
        _ = try? StepDatabase.reading(name, busyTimeout: 0) {
            try $0.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM sqlite_schema") }
        }
    }
}

extension StepDatabase {
    /// Replaces a history by a backup. The backup stays as it is, and the old history is kept beside the new one.
    ///
    /// What has been sent remains known: the restored history takes over the ledger of the old one (`LedgerTakeover`).
    /// The caller holds the locks of syncing and sharing.
    ///
    /// - Returns: what became of the old history.
    /// - Throws: `missing`, `empty`, `foreign`, `newerVersion` or `damaged` of the backup (`HistoryError.of`);
    ///   `noSpace` and similar errors of the history's place.
    static func restore(
        _ backup: String, to path: String, at moment: Timestamp, _ localTime: LocalTime
    ) throws(HistoryError) -> ReplacedHistory {
        let backup = try absolute(backup, as: .backup), path = try absolute(path)
        do {
            // Before any SQL reads from a file that may belong to another user or program.
            _ = try contents(of: backup)
            try createDirectory(of: path)
            let file = try DatabaseCopy(for: HistoryLock.realPath(path), ofHistory: path)
            do {
                let queue: DatabaseQueue
                do { queue = try openForReading(backup) } catch { throw HistoryError(error, path: backup).of(.backup) }
                do {
                    defer { try? queue.close() }
                    _ = try queue.writeWithoutTransaction {
                        try file.copy($0, of: backup, as: .backup, asHistory: true)
                    }
                }
                var replaced = ReplacedHistory()
                if (try? isThere(path)) == true {
                    let takeover = LedgerTakeover(from: path)
                    replaced.isSharingUncertain = try !takeover.store(in: file, at: moment)
                }
                replaced.path = try Replacement.put(file, asHistory: path, keepingAs: "replaced", at: moment, localTime)
                return replaced
            } catch {
                file.remove()
                throw error
            }
        } catch {
            throw HistoryError(error, path: path)
        }
    }
}
