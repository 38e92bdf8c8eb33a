import Foundation
import GRDB
import TextSafety
public import StepDomain

/// Why the history could not be read or written. Everything that `StepDatabase` throws is one of these.
public enum HistoryError: Error, Hashable, Sendable {
    /// There is no database yet: nothing was ever added.
    case missing(path: String)
    /// Another program kept the database locked for longer than the busy timeout.
    case locked(path: String)
    /// The file, its directory or the file system may not be written (or not even be read).
    case readOnly(path: String, reason: String)
    /// A file that SQLite keeps beside the history (its log or the log's index) may not be read and written, such as
    /// one of another user.
    case closedLog(path: String, file: String, reason: String)
    /// The file is malformed, or is not a database.
    case damaged(path: String, reason: String)
    /// A file of 0 bytes, or a database without tables: there is no history to read, and reading does not create one.
    case empty(path: String)
    /// A repair found nothing to save, or could not make a sound history of it. The file is as it was.
    case irreparable(path: String, reason: String)
    /// The file would be overwritten, and it is not a backup of istep.
    case occupied(path: String)
    /// A backup was to be written into a directory that does not exist. It may be that of a disk that is not mounted.
    case noDirectory(path: String, directory: String)
    /// A name that istep or SQLite uses for files beside a history, such as locks: a backup of that name would be
    /// emptied or deleted.
    case reserved(path: String)
    /// The file at the history's path is not the one that was opened.
    case replaced(path: String)
    /// A database of another program.
    case foreign(path: String)
    /// A newer istep wrote the database: versions of the schema.
    case newerVersion(path: String, found: Int, supported: Int)
    /// The disk, or the quota on it, is full.
    case noSpace(path: String)
    /// The file could not be opened or created: the path is a directory, a device or a dangling link.
    case cannotOpen(path: String, reason: String)
    /// The disk failed to read or write.
    case inputOutput(path: String, reason: String)
    /// The file system has no locks, or cannot share memory between processes.
    case unsupported(path: String, MissingSupport)
    /// Another pedometer in use has that name.
    case nameTaken(String)
    /// A pedometer in use has that address; `name` is the name of that pedometer.
    case addressTaken(String, name: String)
    /// Not a valid name for a user or pedometer: too long, empty, or with control characters for terminals.
    case invalidName(String, reason: String)
    /// A value that a constraint of the schema refuses, such as a height of 20 m; the text is SQLite's message for the
    /// constraint.
    case invalidValue(String)
    /// No user, pedometer or sync has this number.
    case notFound(Subject, id: Int64)
    /// SQLite failed for a reason that the user cannot correct: a bug in istep.
    case failed(path: String, reason: String)
    /// The same error on a file that is not a history in use.
    indirect case of(Role, HistoryError)

    public enum Subject: String, Sendable { case user, pedometer, sync }

    /// The role of a file in the command that failed on it.
    public enum Role: Sendable {
        /// A backup that is read, to be restored.
        case backup
        /// The file that a backup is written to.
        case place
    }

    /// - Parameter role: nil for a history.
    func of(_ role: Role?) -> HistoryError {
        if case .of = self { return self }
        return role.map { .of($0, self) } ?? self
    }

    /// The same error on the file at `path`, for a file that has a temporary name.
    func naming(_ path: String) -> HistoryError {
        switch self {
        case .missing: .missing(path: path)
        case .locked: .locked(path: path)
        case .readOnly(_, let reason): .readOnly(path: path, reason: reason)
        case .closedLog(_, let file, let reason): .closedLog(path: path, file: file, reason: reason)
        case .damaged(_, let reason): .damaged(path: path, reason: reason)
        case .empty: .empty(path: path)
        case .foreign: .foreign(path: path)
        case .newerVersion(_, let found, let supported): .newerVersion(path: path, found: found, supported: supported)
        case .noSpace: .noSpace(path: path)
        case .cannotOpen(_, let reason): .cannotOpen(path: path, reason: reason)
        case .inputOutput(_, let reason): .inputOutput(path: path, reason: reason)
        case .unsupported(_, let missing): .unsupported(path: path, missing)
        case .failed(_, let reason): .failed(path: path, reason: reason)
        case .of(let role, let error): .of(role, error.naming(path))
        case .noDirectory(_, let directory): .noDirectory(path: path, directory: directory)
        case .irreparable, .occupied, .reserved, .replaced, .nameTaken, .addressTaken, .invalidName, .invalidValue,
            .notFound:
            self
        }
    }

    func isDamage(of path: String) -> Bool {
        switch self {
        case .damaged(path, _): true
        case .of(_, let error): error.isDamage(of: path)
        default: false
        }
    }
}

extension HistoryError: ReportableError {
    public var category: FailureCategory {
        switch self {
        // A missing file that the command line names is a usage error. A history that does not exist yet is not.
        case .of(_, .missing): .usage
        case .of(_, let error): error.category
        case .missing: .unavailable
        // Also a newer version: the file is sound, but this program cannot interpret its content. This is not a bug in
        // the program, and no change to the configuration would correct it.
        case .damaged, .irreparable, .foreign, .newerVersion, .empty: .data
        // User input is checked earlier: what the schema refuses came from a pedometer, a file or a bug in istep.
        case .invalidValue: .data
        case .unsupported: .configuration
        // A full disk is a temporary condition: the nightly sync is retried.
        case .locked, .noSpace, .replaced: .temporary
        case .readOnly, .closedLog: .permission
        case .cannotOpen, .noDirectory, .occupied, .reserved, .nameTaken, .addressTaken, .invalidName: .usage
        // Users do not enter row numbers.
        case .inputOutput, .failed, .notFound: .unforeseen
        }
    }

    public var problem: String { words.reported.problem }
    public var advice: String? { words.reported.advice }
    /// Problem and advice on one line. Names and paths are quoted, control characters escaped.
    public var description: String { words.line }

    private var words: ErrorWords {
        switch self {
        case .missing(let path):
            ErrorWords("there is no history at \(quoted(path)) yet", "to create one: `istep add`")
        case .locked(let path):
            ErrorWords(
                "the history \(quoted(path)) is locked by another program",
                "try again once it is done; to see which program it is: `fuser \(shellQuoted(path))`")
        case .readOnly(let path, Self.readOnlyFileSystem):
            ErrorWords(
                "the file system of the history \(quoted(path)) is read-only",
                "mount it writable, or choose another history with --db")
        case .readOnly(let path, let reason):
            ErrorWords(
                "no permission for the history \(quoted(path)): \(reason)",
                "change the owner of the file and its directory (chown), and make them writable, or choose another history with --db"
            )
        case .closedLog(let path, let file, let reason):
            ErrorWords(
                "no permission for \(quoted(file)), the write-ahead log of the history: \(reason)",
                "change its owner to that of the history, and make it writable: `sudo chown --reference=\(shellQuoted(path)) \(shellQuoted(file)) && sudo chmod u+rw \(shellQuoted(file))`"
            )
        case .damaged(let path, Self.noDatabase):
            ErrorWords(
                "\(quoted(path)) is not a database, or its beginning is damaged",
                "if it is not your history, choose another file with --db; if it is, save the readable part: `istep doctor --repair --db \(shellQuoted(path))`; or restore a backup: `istep restore --db \(shellQuoted(path))`"
            )
        case .damaged(let path, let reason):
            ErrorWords(
                "the history \(quoted(path)) is damaged: \(reason)",
                "to save the readable part: `istep doctor --repair --db \(shellQuoted(path))`; to list the backups, and restore one: `istep restore --db \(shellQuoted(path))`"
            )
        case .empty(let path):
            ErrorWords(
                "\(quoted(path)) is an empty file",
                "to restore a backup: `istep restore`; to create a new history: `istep add`")
        case .irreparable(let path, let reason):
            ErrorWords(
                "the history \(quoted(path)) cannot be repaired: \(reason); it was left as it is",
                "to list the backups, and restore one: `istep restore --db \(shellQuoted(path))`")
        case .reserved(let path):
            ErrorWords(
                "\(quoted(path)) is a name that istep or SQLite uses for a file beside a history",
                "choose another name, such as history-copy.sqlite")
        case .noDirectory(let path, let directory):
            ErrorWords(
                "cannot write the backup \(quoted(path)): there is no directory \(quoted(directory))",
                "mount its disk, create the directory, or name another file")
        case .of(.backup, let error):
            error.wordsOfBackup
        case .of(.place, let error):
            error.wordsOfPlace
        case .occupied(let path):
            ErrorWords("\(quoted(path)) exists and is not an istep backup", "choose another name")
        case .replaced(let path):
            ErrorWords("the history \(quoted(path)) was replaced by another file meanwhile", "run the command again")
        case .foreign(let path):
            ErrorWords("\(quoted(path)) is the database of another program", "choose another file with --db")
        case .newerVersion(let path, let found, let supported):
            ErrorWords(
                "the history \(quoted(path)) has schema version \(found); this istep supports up to \(supported)",
                "install the newer istep that wrote it, or choose another file with --db")
        case .noSpace(let path):
            ErrorWords(
                "no space left for the history \(quoted(path))",
                "free some space, then run the command again: nothing was lost")
        case .cannotOpen(let path, let reason):
            ErrorWords("cannot open the history \(quoted(path)): \(reason)", "choose another file with --db")
        case .inputOutput(let path, let reason):
            ErrorWords(
                "input/output error in the history \(quoted(path)): \(reason)",
                "copy the file to another disk, and see `dmesg`")
        case .unsupported(let path, let missing):
            ErrorWords("cannot keep the history at \(quoted(path)): \(missing.problem)", MissingSupport.advice)
        case .nameTaken(let name):
            ErrorWords("a pedometer named \(quoted(name)) exists already", "choose another name with --name")
        case .addressTaken(let address, let name):
            ErrorWords("the pedometer \(address) was already added as \(quoted(name))", "remove it with `istep forget`")
        case .invalidName(let name, let reason):
            ErrorWords("\(quoted(name)) cannot be a name: \(reason)")
        case .invalidValue(let reason):
            ErrorWords("the history does not accept a value: \(reason); nothing of it was stored", "please report this")
        case .notFound(let subject, let id):
            ErrorWords("the history has no \(subject.rawValue) number \(id)")
        case .failed(let path, let reason):
            ErrorWords(
                "SQLite reported an error for the history \(quoted(path)): \(reason)",
                "please report this as a bug of istep")
        }
    }

    /// SQLite's message for `SQLITE_NOTADB`.
    static let noDatabase = "file is not a database"
    /// The system's message for `EROFS`.
    static let readOnlyFileSystem = String(cString: strerror(EROFS))

    /// The text for a backup that is read.
    private var wordsOfBackup: ErrorWords {
        switch self {
        case .missing(let path):
            ErrorWords("no such file: \(quoted(path))", "to list the backups: `istep restore`")
        case .locked(let path):
            ErrorWords(
                "the backup \(quoted(path)) is locked by another program",
                "try again once it is done; to see which program it is: `fuser \(shellQuoted(path))`")
        case .readOnly(let path, let reason):
            ErrorWords(
                "no permission to read the backup \(quoted(path)): \(reason)",
                "copy it to a directory of yours, and restore the copy")
        case .closedLog(_, let file, let reason):
            ErrorWords(
                "no permission for \(quoted(file)), the write-ahead log of the backup: \(reason)",
                "copy the backup to a directory of yours with its log, and restore the copy")
        case .damaged(let path, let reason):
            ErrorWords(
                "the backup \(quoted(path)) is damaged: \(reason)",
                "to list the other backups: `istep restore`; to repair a copy of this one: `cp \(shellQuoted(path)) copy.sqlite`, `istep doctor --repair --db copy.sqlite`, `istep restore copy.sqlite`"
            )
        case .empty(let path):
            ErrorWords("\(quoted(path)) is empty and not a backup", "to list the backups: `istep restore`")
        case .foreign(let path):
            ErrorWords(
                "\(quoted(path)) is the database of another program and not a backup of istep",
                "to list the backups: `istep restore`")
        case .newerVersion(let path, let found, let supported):
            ErrorWords(
                "the backup \(quoted(path)) has schema version \(found); this istep supports up to \(supported)",
                "install the newer istep that wrote it, or choose another backup; to list them: `istep restore`")
        case .noSpace(let path):
            ErrorWords(
                "no space left beside the backup \(quoted(path))",
                "free some space, or copy it to another disk and restore the copy")
        case .cannotOpen(let path, let reason):
            ErrorWords(
                "cannot open the backup \(quoted(path)): \(reason)",
                "name the file of a backup; to list them: `istep restore`")
        case .inputOutput(let path, let reason):
            ErrorWords(
                "input/output error in the backup \(quoted(path)): \(reason)",
                "see `dmesg`, and choose another backup; to list them: `istep restore`")
        case .failed(let path, let reason):
            ErrorWords(
                "the backup \(quoted(path)) could not be used: \(reason)", "please report this as a bug of istep")
        default: words
        }
    }

    /// The text for the file that a backup is written to.
    private var wordsOfPlace: ErrorWords {
        switch self {
        case .readOnly(let path, Self.readOnlyFileSystem):
            ErrorWords(
                "cannot write the backup \(quoted(path)): the file system is read-only",
                "name a file on another file system")
        case .readOnly(let path, let reason):
            ErrorWords(
                "no permission to write the backup \(quoted(path)): \(reason)",
                "make its directory writable, or name another file")
        case .noSpace(let path):
            ErrorWords(
                "no space left for the backup \(quoted(path))",
                "free some space, or name a file on another disk; the history is unchanged")
        case .cannotOpen(let path, let reason):
            ErrorWords("cannot write the backup \(quoted(path)): \(reason)", "name another file")
        case .inputOutput(let path, let reason):
            ErrorWords(
                "input/output error while the backup \(quoted(path)) was written: \(reason)",
                "name a file on another disk, and see `dmesg`")
        case .locked(let path):
            ErrorWords("the backup \(quoted(path)) is locked by another program", "name another file")
        case .unsupported(let path, let missing):
            ErrorWords(
                "cannot write the backup \(quoted(path)): \(missing.problem)",
                "name a file on a local disk, and copy that")
        case .damaged(let path, let reason):
            ErrorWords(
                "the backup \(quoted(path)) was damaged while it was written: \(reason)",
                "check the disk, or name a file on another disk")
        case .failed(let path, let reason):
            ErrorWords(
                "the backup \(quoted(path)) could not be written: \(reason)", "please report this as a bug of istep")
        default: words
        }
    }
}

extension HistoryError {
    /// Converts an error of GRDB, SQLite or decoding to an error on the history.
    init(_ error: any Error, path: String) {
        switch error {
        case let error as HistoryError: self = error
        case let error as DatabaseError: self.init(sqlite: error, path: path)
        // Only this module writes rows, and constraints check them. A row that cannot be decoded was therefore altered.
        case is RowDecodingError, is DecodingError:
            self = .damaged(path: path, reason: "a row is invalid")
        default: self = .failed(path: path, reason: "\(error)")
        }
    }

    private init(sqlite error: DatabaseError, path: String) {
        let reason = error.message ?? error.resultCode.description
        switch error.resultCode {
        // SQLite reports a file system without record locks (ENOLCK) as a lock of another program.
        case .SQLITE_BUSY, .SQLITE_LOCKED: self = .unsupported(path) ?? .locked(path: path)
        case .SQLITE_READONLY, .SQLITE_PERM, .SQLITE_AUTH:
            self = .closedLog(ofDatabase: path) ?? .readOnly(path: path, reason: reason)
        case .SQLITE_CORRUPT, .SQLITE_NOTADB: self = .damaged(path: path, reason: reason)
        case .SQLITE_FULL: self = .noSpace(path: path)
        case .SQLITE_CANTOPEN: self = .unopened(path: path, reason: reason)
        // SQLite also reports this error if the index of its log cannot grow by one page (SQLITE_IOERR_SHMSIZE).
        case .SQLITE_IOERR:
            self =
                Self.isFull(besides: path)
                ? .noSpace(path: path) : .unsupported(path) ?? .inputOutput(path: path, reason: reason)
        // istep's statements name only tables, columns and functions that exist, unless the schema of the file is
        // damaged.
        case .SQLITE_ERROR
        where ["no such table", "no such column", "unknown function", "unsupported file format"].contains(
            where: reason.hasPrefix):
            self = .damaged(path: path, reason: reason)
        case .SQLITE_CONSTRAINT: self = .invalidValue(reason)
        default: self = .failed(path: path, reason: "\(reason) (SQLite \(error.extendedResultCode.rawValue))")
        }
    }

    /// A failed system call on `path`.
    init(errno code: Int32, path: String) {
        let reason = String(cString: strerror(code))
        switch code {
        case EACCES, EPERM, EROFS: self = .readOnly(path: path, reason: reason)
        case ENOSPC, EDQUOT: self = .noSpace(path: path)
        case EIO: self = .inputOutput(path: path, reason: reason)
        default: self = .cannotOpen(path: path, reason: reason)
        }
    }

    /// SQLite reports only that it could not open the file; the file system gives the reason.
    private static func unopened(path: String, reason: String) -> HistoryError {
        var status = stat()
        guard stat(path, &status) == 0 else { return HistoryError(errno: errno, path: path) }
        if isFull(besides: path) { return .noSpace(path: path) }
        if access(path, R_OK) != 0 { return HistoryError(errno: errno, path: path) }
        let directory = directoryName(path)
        if access(directory, W_OK) != 0 {
            // SQLite needs the directory for the write-ahead log beside the file.
            return .readOnly(path: path, reason: "its directory: " + String(cString: strerror(errno)))
        }
        return .closedLog(ofDatabase: path) ?? .cannotOpen(path: path, reason: reason)
    }

    /// Nil if the file system has all that a history needs.
    static func unsupported(_ path: String) -> HistoryError? {
        FileSystemSupport.missing(besides: path).map { .unsupported(path: path, $0) }
    }

    /// Whether not even one page can be written beside the history. This is tried, because `statvfs` does not report
    /// quotas.
    ///
    /// The log's index grows by 32 KiB (https://www.sqlite.org/walformat.html).
    static func isFull(besides path: String) -> Bool {
        guard let file = FileSystemSupport.temporaryFile(besides: path) else {
            return errno == ENOSPC || errno == EDQUOT
        }
        defer { close(file) }
        let code = posix_fallocate(file, 0, 32 * 1024)
        return code == ENOSPC || code == EDQUOT
    }

    /// The user may write the history but not a file of its log, for example after a copy from a backup. SQLite then
    /// opens neither.
    private static func closedLog(ofDatabase path: String) -> HistoryError? {
        guard access(path, R_OK | W_OK) == 0 else { return nil }
        for file in StepDatabase.logs(ofDatabase: path) where access(file, R_OK | W_OK) != 0 && errno != ENOENT {
            return .closedLog(path: path, file: file, reason: String(cString: strerror(errno)))
        }
        return nil
    }
}

/// The text of an error: what failed, and what to do about it.
struct ErrorWords {
    /// Without a full stop.
    let problem: String
    /// Also without a full stop; commands are in backticks.
    let advice: String?

    init(_ problem: String, _ advice: String? = nil) {
        self.problem = problem
        self.advice = advice
    }

    var line: String { advice.map { "\(problem); \($0)" } ?? problem }

    /// For a report that shows the two separately: the advice as a sentence.
    var reported: (problem: String, advice: String?) {
        guard let advice else { return (problem, nil) }
        // A path that contains backticks must not become a command to paste.
        guard Self.hasOnlyOwnCommands(advice) else { return (line, nil) }
        let period = advice.hasSuffix("`") || advice.hasSuffix(".") ? "" : "."
        return (problem, advice.prefix(1).uppercased() + advice.dropFirst() + period)
    }

    private static func hasOnlyOwnCommands(_ markup: String) -> Bool {
        let pieces = markup.split(separator: "`", omittingEmptySubsequences: false)
        let commands = pieces.enumerated().filter { $0.offset % 2 == 1 }.map(\.element)
        return pieces.count % 2 == 1
            && commands.allSatisfy { command in
                ["istep ", "sudo ", "fuser ", "ls ", "cp ", "dmesg"].contains { command.hasPrefix($0) }
            }
    }
}
