import Foundation
import StepDomain

/// The result of the last check of a whole history, in a small file beside it: `history.sqlite.check`.
///
/// It is not stored in the history, because nothing is written to a damaged one. It is valid for the file as it was
/// then, identified by inode number, size and time of change: a file that was replaced or changed in any way is checked
/// again.
struct CheckRecord: Codable, Hashable, Sendable {
    /// When, in seconds since 1970.
    var checkedAt: Timestamp
    /// Empty if the history was sound.
    var complaints: [String]
    private var number: UInt64
    private var size: Int64
    private var changedAt: Int64
    private var changedAtNanoseconds: Int64

    init?(of path: String, at moment: Timestamp, complaints: [String]) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        checkedAt = moment
        self.complaints = complaints
        number = UInt64(status.st_ino)
        size = Int64(status.st_size)
        changedAt = Int64(status.st_mtim.tv_sec)
        changedAtNanoseconds = Int64(status.st_mtim.tv_nsec)
    }

    /// Whether the history is unchanged since the check.
    func holds(for path: String) -> Bool {
        guard let now = CheckRecord(of: path, at: checkedAt, complaints: complaints) else { return false }
        return now == self
    }

    static func path(ofDatabase path: String) -> String { HistoryLock.realPath(path) + FileSuffix.check }

    /// Nil if the history was never checked, or if the record cannot be read.
    static func read(ofDatabase path: String) -> CheckRecord? {
        let file = Self.path(ofDatabase: path)
        // A record has a few lines; a longer file is not a record.
        guard let handle = FileHandle(forReadingAtPath: file), let bytes = try? handle.read(upToCount: 16_384) else {
            return nil
        }
        return try? JSONDecoder().decode(CheckRecord.self, from: bytes)
    }

    /// Writes the record to a separate file and renames that, so that half a record is never read. If it cannot be
    /// written, as on a full disk, the next check finds the same damage again.
    @discardableResult
    func store(ofDatabase path: String) -> Bool {
        let file = Self.path(ofDatabase: path), new = file + ".\(getpid())"
        guard let text = try? json(self) else { return false }
        // Left by a process of the same number that was killed.
        unlink(new)
        let descriptor = OwnerFiles.create(new, ofDatabase: HistoryLock.realPath(path))
        guard descriptor >= 0 else { return false }
        let isWritten =
            text.withCString { write(descriptor, $0, strlen($0)) } == text.utf8.count && fsync(descriptor) == 0
        close(descriptor)
        if isWritten, rename(new, file) == 0 { return true }
        unlink(new)
        return false
    }

    static func remove(ofDatabase path: String) { unlink(Self.path(ofDatabase: path)) }

    /// Stores that the history was found damaged during use.
    static func note(_ complaint: String, of path: String) {
        CheckRecord(of: path, at: Timestamp(Int(time(nil))), complaints: [complaint])?.store(ofDatabase: path)
    }

    /// - Throws: `damaged` for a history that a check found to be damaged, before anything is written to it. A history
    ///   that has changed since then is checked again.
    static func refuseDamaged(_ path: String, busyTimeout: Double) throws {
        guard let known = read(ofDatabase: path), let first = known.complaints.first else { return }
        if known.holds(for: path) { throw HistoryError.damaged(path: path, reason: first) }
        let health = try StepDatabase.check(path, busyTimeout: busyTimeout)
        let complaints = health.allComplaints
        CheckRecord(of: path, at: Timestamp(Int(time(nil))), complaints: complaints)?.store(ofDatabase: path)
        if let first = complaints.first { throw HistoryError.damaged(path: path, reason: first) }
    }
}
