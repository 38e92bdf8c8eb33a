import Foundation
import GRDB
import StepDomain
import Support

/// Opens the file of a history, and creates or migrates it.
extension StepDatabase {
    /// A connection, and the file to which it belongs.
    typealias Connection = (queue: DatabaseQueue, file: FileIdentity?)

    static func open(
        _ path: String, for access: Access, busyTimeout: Double, schema: Schema, backups: AutomaticBackups?
    ) throws -> Connection {
        switch access {
        case .writing:
            try createFile(at: path)
            return try openForWriting(path, busyTimeout: busyTimeout, schema: schema, backups: backups)
        case .reading:
            guard try isThere(path) else { throw HistoryError.missing(path: path) }
            let connection = try connect(path, busyTimeout: busyTimeout)
            let state = try connection.queue.read(schema.state)
            if state == .current { return connection }
            try connection.queue.close()
            if let refusal = schema.refusal(of: path, in: state) { throw refusal }
            return try openForWriting(path, busyTimeout: busyTimeout, schema: schema, backups: backups)
        }
    }

    private static func openForWriting(
        _ path: String, busyTimeout: Double, schema: Schema, backups: AutomaticBackups?
    ) throws -> Connection {
        // Before SQLite creates its log's files, which get the mode of the file.
        if access(path, W_OK) != 0 { throw HistoryError(errno: errno, path: path) }
        makeLogsWritable(path)
        try CheckRecord.refuseDamaged(path, busyTimeout: busyTimeout)
        let connection = try open(path) {
            try DatabaseQueue(path: path, configuration: configuration(busyTimeout: busyTimeout))
        }
        try connection.queue.writeWithoutTransaction { database in
            // SQLite's default, unless SQLite was built with another default for WAL (SQLITE_DEFAULT_WAL_SYNCHRONOUS).
            try database.execute(sql: "PRAGMA synchronous = FULL")
            let state = try consistentState(of: database, schema)
            guard case .older(let version) = state else {
                if let refusal = schema.refusal(of: path, in: state) { throw refusal }
                return
            }
            // An empty history needs no backup.
            if version > 0, let backups, backups.schedule.count > 0 { try backups.make(of: path, database) }
            try setJournalMode(database, timeout: busyTimeout)
            try schema.migrate(database) {
                if connection.file != FileIdentity(path) { throw HistoryError.replaced(path: path) }
            }
        }
        return connection
    }

    /// Opens the file to which the path leads.
    ///
    /// While another process replaces the file (`Replacement`), SQLite may open the old one, and would use it with the
    /// log of the new one. Such a connection is closed before anything is written, and the new file is opened.
    private static func open(_ path: String, _ connect: () throws -> DatabaseQueue) throws -> Connection {
        for _ in 0..<3 {
            let file = FileIdentity(path)
            let queue: DatabaseQueue
            do {
                queue = try connect()
            } catch {
                // The old file with the log of the new one can look damaged.
                if file != FileIdentity(path) { continue }
                throw error
            }
            if file == FileIdentity(path) { return (queue, file) }
            try queue.close()
        }
        throw HistoryError.replaced(path: path)
    }

    /// Read in one transaction: while another process creates the history, separate queries could see the old version
    /// number and the new tables.
    ///
    /// The schema is compared with istep's before anything is written: a trigger of another program would run with the
    /// first statement.
    private static func consistentState(of database: Database, _ schema: Schema) throws -> Schema.State {
        var state = Schema.State.foreign
        try database.inTransaction(.deferred) {
            state = try schema.state(of: database)
            switch state {
            case .current, .older:
                if let first = try schema.differences(in: database).first { state = .inconsistent(first) }
            case .newer, .foreign, .inconsistent: break
            }
            return .commit
        }
        return state
    }

    /// The mode is stored in the file. If the file system cannot share memory (some network ones), SQLite keeps its
    /// rollback journal, which loses nothing either.
    ///
    /// SQLite does not retry here, because it changes from reading to writing, and two processes that do so would wait
    /// for each other.
    private static func setJournalMode(_ database: Database, timeout: Double) throws {
        let deadline = ContinuousClock.now + .seconds(timeout)
        while true {
            do {
                return try database.execute(sql: "PRAGMA journal_mode = WAL")
            } catch let error as DatabaseError where error.resultCode == .SQLITE_BUSY && ContinuousClock.now < deadline
            {
                // On this thread, as SQLite's own busy handler does: everything here may block, and callers on Swift's
                // threads use `blocking`. The other process finishes within milliseconds.
                usleep(5000)
            }
        }
    }

    /// Opens without writing.
    ///
    /// Not with SQLite's read-only flag: such a connection may not delete the log's two files, and leaves them behind
    /// when it closes. SQLite falls back to this mode automatically if the file may not be written.
    ///
    /// - Throws: `missing` if there is no file.
    static func openForReading(_ path: String, busyTimeout: Double = busyTimeout) throws -> DatabaseQueue {
        guard try isThere(path) else { throw HistoryError.missing(path: path) }
        return try connect(path, busyTimeout: busyTimeout).queue
    }

    /// Opens a file without writing, for the duration of `body`.
    static func reading<T>(_ path: String, busyTimeout: Double = busyTimeout, _ body: (DatabaseQueue) throws -> T)
        throws -> T
    {
        let queue = try openForReading(path, busyTimeout: busyTimeout)
        defer { try? queue.close() }
        return try body(queue)
    }

    private static func connect(_ path: String, busyTimeout: Double) throws -> Connection {
        makeLogsWritable(path)
        return try open(path) { try queueForReading(path, configuration(busyTimeout: busyTimeout)) }
    }

    private static func queueForReading(_ path: String, _ configuration: Configuration) throws -> DatabaseQueue {
        do {
            return try DatabaseQueue(path: path, configuration: configuration)
        } catch let error as DatabaseError
            where [.SQLITE_CANTOPEN, .SQLITE_READONLY, .SQLITE_IOERR, .SQLITE_FULL].contains(error.resultCode)
        {
            // In a directory that may not be written, or on a full disk, the log's files cannot be created. No other
            // process can write then either, so SQLite may treat the file as immutable, unless a log or a journal is
            // left, which is part of the history.
            let real = HistoryLock.realPath(path), directory = directoryName(real)
            guard access(directory, W_OK) != 0 || HistoryError.isFull(besides: real), access(real, R_OK) == 0,
                FileSuffix.logs.allSatisfy({ isEmptyOrMissing(real + $0) })
            else { throw error }
            return try DatabaseQueue(path: immutableURI(real), configuration: configuration)
        }
    }

    static func configuration(busyTimeout: Double) -> Configuration {
        var configuration = Configuration()
        configuration.busyMode = .timeout(busyTimeout)
        configuration.label = "istep.history"
        return configuration
    }

    /// Creates the file with access for its owner only; SQLite gives the log's files the same mode.
    private static func createFile(at path: String) throws(HistoryError) {
        if try isThere(path) { return }
        try createDirectory(of: path)
        // A history that is moved to such a file system reports it when it is locked.
        if let error = HistoryError.unsupported(path) { throw error }
        let descriptor = OwnerFiles.create(path, ofDatabase: nil)
        if descriptor < 0 {
            if errno == EEXIST { return }  // another process was faster
            let error = HistoryError(errno: errno, path: path)
            guard case .readOnly(_, let reason) = error, reason != HistoryError.readOnlyFileSystem else { throw error }
            throw .readOnly(path: path, reason: "no file can be created in \(quoted(directoryName(path))): \(reason)")
        }
        Foundation.close(descriptor)
    }

    /// Whether a file that can be a history exists. A file that can never be one is refused before SQLite opens it,
    /// because SQLite would block on a named pipe and write to a device.
    static func isThere(_ path: String) throws(HistoryError) -> Bool {
        var status = stat()
        if stat(path, &status) != 0 {
            guard errno == ENOENT else { throw HistoryError(errno: errno, path: path) }
            // SQLite would create the target of a dangling link, readable by all users.
            if lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFLNK {
                throw .cannotOpen(path: path, reason: "it is a symbolic link to a file that does not exist")
            }
            return false
        }
        switch status.st_mode & S_IFMT {
        case S_IFREG: return true
        case S_IFDIR: throw .cannotOpen(path: path, reason: "it is a directory")
        default: throw .cannotOpen(path: path, reason: "it is not a regular file")
        }
    }

    /// - Parameter database: the path of a history: its owner gets a directory that root creates beside it.
    static func createDirectory(_ path: String, ofDatabase database: String? = nil) throws(HistoryError) {
        if path.isEmpty || path == "/" || access(path, F_OK) == 0 { return }
        try createDirectory(directoryName(path), ofDatabase: database)
        if OwnerFiles.createDirectory(path, ofDatabase: database) != 0 && errno != EEXIST {
            throw HistoryError(errno: errno, path: path)
        }
    }

    /// Creates the directory of a file. Errors name the file, and the directory in which none can be created.
    static func createDirectory(of file: String, ofDatabase database: String? = nil) throws(HistoryError) {
        do throws(HistoryError) {
            try createDirectory(directoryName(file), ofDatabase: database)
        } catch {
            switch error {
            case .readOnly(let path, let reason) where reason != HistoryError.readOnlyFileSystem:
                let parent = directoryName(path)
                throw .readOnly(
                    path: file,
                    reason: "no directory can be created in \(quoted(parent.isEmpty ? "/" : parent)): \(reason)")
            default: throw error.naming(file)
            }
        }
    }

    /// SQLite creates its log's files with the mode of the history. If the history was read-only for a time, the files
    /// stay read-only and block access to a history that is writable again.
    static func makeLogsWritable(_ path: String) {
        for file in logs(ofDatabase: path) {
            var status = stat()
            guard stat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_mode & 0o600 != 0o600,
                status.st_uid == geteuid() || geteuid() == 0
            else { continue }
            // If this fails, opening reports the file.
            chmod(file, status.st_mode & 0o7777 | 0o600)
        }
    }

    static func isEmptyOrMissing(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) != 0 || status.st_size == 0
    }

    /// https://www.sqlite.org/uri.html
    private static func immutableURI(_ path: String) -> String {
        "file:" + percentEncoded(path, keeping: { $0.isUnreserved || $0 == UInt8(ascii: "/") }) + "?immutable=1"
    }
}
