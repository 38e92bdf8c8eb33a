import Quoting

/// Why the history could not be read or written. Everything that `StepDatabase` throws is one of these.
public enum HistoryError: Error, Hashable, Sendable {
    /// There is no database yet: nothing was ever added.
    case missing(path: String)
    /// Another program kept the database locked for longer than the busy time-out.
    case locked(path: String)
    /// The file, its directory or the file system may not be written (or not even be read).
    case readOnly(path: String, reason: String)
    /// A file of SQLite's beside the history, its log or the log's index, may not be read and written, as one of another user.
    case closedLog(path: String, file: String, reason: String)
    /// The file is malformed, or no database at all.
    case damaged(path: String, reason: String)
    /// A database, but another program's.
    case foreign(path: String)
    /// A newer istep wrote the database: versions of the schema.
    case newerVersion(path: String, found: Int, supported: Int)
    /// The disk, or the quota on it, is full.
    case noSpace(path: String)
    /// The file could not be opened or created: the path names a directory, a device, a link to nothing.
    case cannotOpen(path: String, reason: String)
    /// The disk failed to read or write.
    case inputOutput(path: String, reason: String)
    /// Another pedometer in use has that name.
    case nameTaken(String)
    /// A pedometer in use has that address: the name it goes by.
    case addressTaken(String, name: String)
    /// No name for a user or pedometer: too long, empty, or with characters that terminals obey.
    case invalidName(String, reason: String)
    /// A value that the history does not take, such as a height of 20 m: what the schema says of it.
    case invalidValue(String)
    /// No user, pedometer or sync has this number.
    case notFound(Subject, id: Int64)
    /// SQLite refused for a reason that has no remedy but a report: a fault of istep.
    case failed(path: String, reason: String)

    public enum Subject: String, Sendable { case user, pedometer, sync }
}

extension HistoryError {
    /// What kind of end a command comes to by this error; raw values are the exit codes of sysexits.h.
    public enum Category: Int32, Sendable {
        case general = 1
        case usage = 64
        case data = 65
        case software = 70
        case inputOutput = 74
        case temporary = 75
        case permission = 77
    }

    public var category: Category {
        switch self {
        case .missing: .general
        // 65 for a newer version too: the file is sound, but to this program its content is data that it cannot
        // interpret. It is no fault of the program (70) and nothing in the configuration (78) would mend it.
        case .damaged, .foreign, .newerVersion: .data
        // A full disk passes, so that the nightly sync is to be tried again.
        case .locked, .noSpace: .temporary
        case .readOnly, .closedLog: .permission
        case .inputOutput: .inputOutput
        case .cannotOpen, .nameTaken, .addressTaken, .invalidName, .invalidValue, .notFound: .usage
        case .failed: .software
        }
    }
}

extension HistoryError: CustomStringConvertible {
    /// What failed on what and why, and what to do next. Names and paths are quoted, control characters escaped.
    public var description: String {
        switch self {
        case .missing(let path):
            "there is no history at \(quoted(path)) yet; `istep add` starts one"
        case .locked(let path):
            "the history \(quoted(path)) is locked by another program; "
                + "try again once it is done (`fuser \(shellQuoted(path))` tells which it is)"
        case .readOnly(let path, let reason):
            "no permission for the history \(quoted(path)): \(reason); "
                + "make the file and its directory yours and writable, or choose another with --db"
        case .closedLog(let path, let file, let reason):
            "no permission for \(quoted(file)), the log of the history: \(reason); "
                + "make it the history's owner's: `sudo chown --reference=\(shellQuoted(path)) \(shellQuoted(file))`, and writable"
        case .damaged(let path, let reason):
            "the history \(quoted(path)) is damaged: \(reason); restore it from a backup, or save what can be read with "
                + "`sqlite3 \(shellQuoted(path)) .recover | sqlite3 recovered.sqlite`"
        case .foreign(let path):
            "\(quoted(path)) is the database of another program; choose another file with --db"
        case .newerVersion(let path, let found, let supported):
            "the history \(quoted(path)) is of version \(found), and this istep knows versions up to \(supported); "
                + "install the newer istep that wrote it, or choose another file with --db"
        case .noSpace(let path):
            "no space left for the history \(quoted(path)); free some, then run the command again: nothing was lost"
        case .cannotOpen(let path, let reason):
            "cannot open the history \(quoted(path)): \(reason); choose another file with --db"
        case .inputOutput(let path, let reason):
            "the disk failed on the history \(quoted(path)): \(reason); copy the file to a sound disk, and look at `dmesg`"
        case .nameTaken(let name):
            "a pedometer named \(quoted(name)) exists already; choose another name with --name"
        case .addressTaken(let address, let name):
            "the pedometer \(address) was added already, as \(quoted(name)); `istep forget` takes it out of use"
        case .invalidName(let name, let reason):
            "\(quoted(name)) cannot be a name: \(reason)"
        case .invalidValue(let reason):
            "the history does not take that value: \(reason)"
        case .notFound(let subject, let id):
            "the history has no \(subject.rawValue) number \(id)"
        case .failed(let path, let reason):
            "the history \(quoted(path)) failed: \(reason); please report this as a fault of istep"
        }
    }
}
