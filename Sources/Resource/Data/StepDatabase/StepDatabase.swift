import Foundation
import GRDB

/// The history in a SQLite file that the user owns.
///
/// Every call is one transaction on one connection, calls from several tasks stand in line, and several processes may
/// have the file open: writers wait for each other up to the busy time-out. A commit survives a kill of the process,
/// and with `synchronous = FULL` a power cut too. All that is thrown is `HistoryError`.
public final class StepDatabase: Sendable {
    /// What a database is opened for.
    public enum Access: Sendable {
        /// Looks only: never creates the file, and works on one that may not be written. It writes in one case, which
        /// is a file of an older version.
        case reading
        /// Creates the file where there is none (mode 0600, its directories 0700).
        case writing
    }

    /// Absolute.
    public let path: String
    let queue: DatabaseQueue
    private let access: Access

    /// Seconds to wait for another program that has the database locked.
    public static let busyTimeout = 5.0

    /// Opens, and where needed creates or brings forward, the database at `path`.
    ///
    /// - Parameters:
    ///   - path: of the database file; a relative one counts from the working directory.
    ///   - busyTimeout: seconds for which each call waits for another program's lock.
    public convenience init(
        path: String, for access: Access = .writing, busyTimeout: Double = StepDatabase.busyTimeout
    ) throws(HistoryError) {
        try self.init(path: path, for: access, busyTimeout: busyTimeout, schema: .current)
    }

    init(path: String, for access: Access, busyTimeout: Double, schema: Schema) throws(HistoryError) {
        self.path = absolute(path)
        self.access = access
        do {
            queue = try Self.open(self.path, for: access, busyTimeout: busyTimeout, schema: schema)
        } catch {
            throw HistoryError(error, path: self.path)
        }
    }

    /// Closes the file, which otherwise happens with the last reference. Calls after it fail.
    public func close() throws(HistoryError) {
        do { try queue.close() } catch { throw HistoryError(error, path: path) }
    }

    func read<T>(_ body: (Database) throws -> T) throws(HistoryError) -> T {
        do { return try queue.read(body) } catch { throw HistoryError(error, path: path) }
    }

    /// One transaction, under the write lock from its start: two that read first and then write could deadlock.
    func write<T>(_ body: (Database) throws -> T) throws(HistoryError) -> T {
        if access == .reading { throw .readOnly(path: path, reason: "it was opened for reading") }
        do { return try queue.write(body) } catch { throw HistoryError(error, path: path) }
    }
}

/// A relative path counts from the working directory. What looks like a URI to SQLite (`file:`) is a name here.
func absolute(_ path: String) -> String {
    path.hasPrefix("/") ? path : FileManager.default.currentDirectoryPath + "/" + path
}
