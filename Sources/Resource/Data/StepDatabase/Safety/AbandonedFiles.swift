import Foundation
import StepDomain
import Support

/// Files of a process that was killed before it completed them: copies of a history, which are as large as the history,
/// and check records.
enum AbandonedFiles {
    /// Removes the abandoned files of a history: beside it, in its directory of backups, and beside a backup. A file
    /// that cannot be removed is left for the next time.
    static func remove(ofHistory history: String, at backup: String) throws(HistoryError) {
        let backups = try AutomaticBackups.directory(of: history), history = HistoryLock.realPath(history)
        for directory in Set([directoryName(backup), directoryName(history), backups]) {
            for name in (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? [] {
                let path = directory + "/" + name
                if let target = target(ofCopy: name) {
                    let isOurs =
                        target == baseName(history) || directory == directoryName(backup) && target == baseName(backup)
                        || BackupName(file: target, of: history) != nil
                    if isOurs { removeCopy(path) }
                } else if let process = process(ofRecord: name, history), kill(process, 0) != 0, errno == ESRCH {
                    unlink(path)
                }
            }
        }
    }

    /// The final name for `.NAME.new-PID`: `NAME`. Nil for any other name.
    static func target(ofCopy name: String) -> String? {
        guard name.hasPrefix("."), let mark = name.range(of: ".new-", options: .backwards) else { return nil }
        let number = name[mark.upperBound...], target = name[..<mark.lowerBound].dropFirst()
        return !target.isEmpty && isNumber(number) ? String(target) : nil
    }

    /// Whether the name is `NAME.check.PID`, of any history.
    static func isRecord(_ name: String) -> Bool {
        guard let mark = name.range(of: ".check.", options: .backwards) else { return false }
        return isNumber(name[mark.upperBound...])
    }

    /// The process that writes `NAME.check.PID`.
    private static func process(ofRecord name: String, _ history: String) -> Int32? {
        let prefix = baseName(history) + ".check."
        guard name.hasPrefix(prefix), isNumber(name.dropFirst(prefix.count)) else { return nil }
        return Int32(name.dropFirst(prefix.count)).flatMap { $0 > 0 ? $0 : nil }
    }

    private static func isNumber(_ text: Substring) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { (0x30...0x39).contains($0) }
    }

    /// Removes a copy, unless a process is writing it and holds its lock. Process numbers are reused, but a lock ends
    /// with its process.
    private static func removeCopy(_ path: String) {
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard file >= 0 else { return }
        defer { close(file) }
        var status = stat()
        guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG, flock(file, LOCK_EX | LOCK_NB) == 0 else {
            return
        }
        for suffix in FileSuffix.ofSQLite + [""] { unlink(path + suffix) }
    }
}
