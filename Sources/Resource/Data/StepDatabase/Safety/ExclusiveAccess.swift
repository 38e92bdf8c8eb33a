import Foundation
import GRDB

/// Keeps other programs from writing to a history, and from opening it, while its file is replaced.
enum ExclusiveAccess {
    /// Empties the log of the history, and runs `body` while no other program can write to it or open it.
    ///
    /// A program that had the file open keeps the old file. istep checks this before each write; other programs do not.
    ///
    /// A damaged history is only kept from being opened, because nothing may be written to it. The same applies to a
    /// file that SQLite cannot open or write.
    ///
    /// - Throws: `locked` if another program does not end its transaction, even one that only reads; what `body`
    ///   throws.
    static func hold(_ path: String, isDamaged: Bool, _ body: () throws -> Void) throws {
        guard !isDamaged, (try? StepDatabase.isThere(path)) == true else { return try withoutOpening(path, body) }
        var isBegun = false, isDone = false
        do {
            let queue = try DatabaseQueue(
                path: path, configuration: StepDatabase.configuration(busyTimeout: StepDatabase.busyTimeout))
            defer { try? queue.close() }
            try queue.writeWithoutTransaction { database in
                try withEmptyLog(database, path) {
                    isBegun = true
                    try withoutOpening(path, body)
                    isDone = true
                }
            }
        } catch {
            // The file is replaced: that its connection cannot be closed properly does not matter any more.
            if isDone { return }
            if isBegun { throw error }
            let error = HistoryError(error, path: path)
            if case .locked = error { throw error }
            try withoutOpening(path, body)
        }
    }

    /// Runs `body` in a transaction that keeps others from writing, while the log is empty.
    private static func withEmptyLog(_ database: Database, _ path: String, _ body: () throws -> Void) throws {
        let deadline = ContinuousClock.now + .seconds(StepDatabase.busyTimeout)
        while true {
            // Waits for the transactions of others, for as long as the busy timeout.
            _ = try Row.fetchOne(database, sql: "PRAGMA wal_checkpoint(TRUNCATE)")
            var isEmpty = false
            try database.inTransaction(.immediate) {
                // Another program can have written between the two.
                isEmpty = StepDatabase.isEmptyOrMissing(path + FileSuffix.log)
                if isEmpty { try body() }
                return .rollback
            }
            if isEmpty { return }
            guard ContinuousClock.now < deadline else { throw HistoryError.locked(path: path) }
        }
    }

    private static func withoutOpening(_ path: String, _ body: () throws -> Void) throws {
        let lock = PendingByteLock(path)
        defer { lock?.release() }
        try body()
    }
}

/// A lock on the byte that each connection locks for a moment when it opens a database
/// (https://www.sqlite.org/src/file/src/os_unix.c, PENDING_BYTE): meanwhile, SQLite in other processes waits for as
/// long as its busy timeout.
///
/// An "open file description" lock, because a POSIX lock would belong to the whole process, and so would not exclude
/// its other descriptors.
private struct PendingByteLock {
    private let file: Int32

    /// Nil if the file system does not support such locks, or if another program holds the byte for more than a second.
    init?(_ path: String) {
        // The kernel expects 64-bit offsets.
        guard MemoryLayout<off_t>.size == 8 else { return nil }
        let file = Foundation.open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard file >= 0 else { return nil }
        var lock = flock()
        lock.l_type = Int16(F_WRLCK)
        lock.l_whence = Int16(SEEK_SET)
        lock.l_start = 0x4000_0000
        lock.l_len = 1
        let deadline = ContinuousClock.now + .seconds(1)
        while fcntl(file, Self.setLock, &lock) != 0 {
            guard [EAGAIN, EACCES, EINTR].contains(errno), ContinuousClock.now < deadline else {
                close(file)
                return nil
            }
            // As SQLite's own busy handler: a program that opens the history holds the byte for less than a
            // millisecond.
            usleep(1000)
        }
        self.file = file
    }

    func release() { close(file) }

    /// `F_OFD_SETLK` of Linux.
    private static let setLock: Int32 = 37
}
