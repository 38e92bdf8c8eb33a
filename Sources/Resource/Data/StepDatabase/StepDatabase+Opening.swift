import Foundation
import GRDB

extension StepDatabase {
    static func open(
        _ path: String, for access: Access, busyTimeout: Double, schema: Schema
    ) throws -> DatabaseQueue {
        switch access {
        case .writing:
            try createFile(at: path)
            return try openForWriting(path, busyTimeout: busyTimeout, schema: schema)
        case .reading:
            guard try isThere(path) else { throw HistoryError.missing(path: path) }
            let queue = try openForReading(path, busyTimeout: busyTimeout)
            switch try queue.read(schema.state) {
            case .current:
                return queue
            case .older:
                try queue.close()
                return try openForWriting(path, busyTimeout: busyTimeout, schema: schema)
            case .newer(let found):
                throw HistoryError.newerVersion(path: path, found: found, supported: schema.version)
            case .foreign:
                throw HistoryError.foreign(path: path)
            }
        }
    }

    private static func openForWriting(_ path: String, busyTimeout: Double, schema: Schema) throws -> DatabaseQueue {
        let queue = try DatabaseQueue(path: path, configuration: configuration(busyTimeout: busyTimeout))
        try queue.writeWithoutTransaction { database in
            // SQLite's default, unless whoever built it chose another for WAL (SQLITE_DEFAULT_WAL_SYNCHRONOUS).
            try database.execute(sql: "PRAGMA synchronous = FULL")
            switch try consistentState(of: database, schema) {
            case .current:
                break
            case .older:
                try setJournalMode(database, patience: busyTimeout)
                try schema.migrate(database)
            case .newer(let found):
                throw HistoryError.newerVersion(path: path, found: found, supported: schema.version)
            case .foreign:
                throw HistoryError.foreign(path: path)
            }
        }
        return queue
    }

    /// Looked at in one transaction: while another process is making the history, three queries by themselves could see the
    /// version of before and the tables of after.
    private static func consistentState(of database: Database, _ schema: Schema) throws -> Schema.State {
        var state = Schema.State.foreign
        try database.inTransaction(.deferred) {
            state = try schema.state(of: database)
            return .commit
        }
        return state
    }

    /// The mode stays with the file. Where the file system cannot share memory (some network ones) SQLite keeps its rollback
    /// journal, which loses nothing either.
    ///
    /// SQLite does not wait by itself here, for it goes from reading to writing and two that do so would wait for each other.
    private static func setJournalMode(_ database: Database, patience: Double) throws {
        let deadline = ContinuousClock.now + .seconds(patience)
        while true {
            do {
                return try database.execute(sql: "PRAGMA journal_mode = WAL")
            } catch let error as DatabaseError where error.resultCode == .SQLITE_BUSY && ContinuousClock.now < deadline {
                usleep(5000)        // as SQLite's own busy handler does; the other is done in milliseconds
            }
        }
    }

    /// Opens without writing.
    ///
    /// Not with SQLite's read-only flag: such a connection leaves the log's two files behind when it closes, for it may
    /// not clear them away. SQLite falls back to it by itself where the file may not be written.
    static func openForReading(_ path: String, busyTimeout: Double) throws -> DatabaseQueue {
        let configuration = configuration(busyTimeout: busyTimeout)
        do {
            return try DatabaseQueue(path: path, configuration: configuration)
        } catch let error as DatabaseError where [.SQLITE_CANTOPEN, .SQLITE_READONLY].contains(error.resultCode) {
            // In a directory that may not be written, the log's files cannot be made. Nobody can be writing then, so
            // SQLite may take the file for unchangeable; unless a log is left, which holds part of the history.
            let directory = (path as NSString).deletingLastPathComponent
            guard access(directory, W_OK) != 0, access(path, R_OK) == 0, isEmptyOrMissing(path + "-wal") else { throw error }
            return try DatabaseQueue(path: immutableURI(path), configuration: configuration)
        }
    }

    private static func configuration(busyTimeout: Double) -> Configuration {
        var configuration = Configuration()
        configuration.busyMode = .timeout(busyTimeout)
        configuration.label = "istep.history"
        return configuration
    }

    /// Makes the file for its owner's eyes only; SQLite gives the log's files the same mode.
    private static func createFile(at path: String) throws(HistoryError) {
        if try isThere(path) { return }
        try createDirectory((path as NSString).deletingLastPathComponent)
        let descriptor = Foundation.open(path, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0o600)
        if descriptor < 0 {
            if errno == EEXIST { return }   // another process was quicker
            throw HistoryError(errno: errno, path: path)
        }
        Foundation.close(descriptor)
    }

    /// Whether there is a file that a history can be in; what can never be one is refused before SQLite opens it, for a named
    /// pipe would make it wait and a device would be written to.
    static func isThere(_ path: String) throws(HistoryError) -> Bool {
        var status = stat()
        if stat(path, &status) != 0 {
            guard errno == ENOENT else { throw HistoryError(errno: errno, path: path) }
            // SQLite would make the file that a link points to, and for everybody to read.
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

    private static func createDirectory(_ path: String) throws(HistoryError) {
        if path.isEmpty || path == "/" || access(path, F_OK) == 0 { return }
        try createDirectory((path as NSString).deletingLastPathComponent)
        if mkdir(path, 0o700) != 0 && errno != EEXIST { throw HistoryError(errno: errno, path: path) }
    }

    private static func isEmptyOrMissing(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) != 0 || status.st_size == 0
    }

    /// https://www.sqlite.org/uri.html
    private static func immutableURI(_ path: String) -> String {
        let plain = CharacterSet(charactersIn: "/-._~").union(.alphanumerics)
        return "file:" + (path.addingPercentEncoding(withAllowedCharacters: plain) ?? path) + "?immutable=1"
    }
}
