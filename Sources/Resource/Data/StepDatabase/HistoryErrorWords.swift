import Foundation
public import StepDomain
import Support

extension HistoryError: ReportableError {
    public var problem: String { words.reported.problem }
    public var advice: String? { words.reported.advice }
    /// Problem and advice on one line. Names and paths are quoted, control characters escaped.
    public var description: String { words.line }

    private var words: ErrorWords { words(of: "history") }

    /// - Parameter file: `history`, or `backup` for a backup that is read.
    private func words(of file: String) -> ErrorWords {
        switch self {
        case .missing(let path):
            ErrorWords(
                "there is no history at \(quoted(path)) yet",
                "to create one: `istep add`; for steps of another program: `istep import FILE`; to try istep first: `istep demo`"
            )
        case .locked(let path):
            ErrorWords(
                "the \(file) \(quoted(path)) is locked by another program",
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
        case .closedLog(let path, let log, let reason):
            ErrorWords(
                "no permission for \(quoted(log)), the write-ahead log of the \(file): \(reason)",
                "change its owner to that of the history, and make it writable: `sudo chown --reference=\(shellQuoted(path)) \(shellQuoted(log)) && sudo chmod u+rw \(shellQuoted(log))`"
            )
        case .damaged(let path, Self.noDatabase) where file == "history":
            ErrorWords(
                "\(quoted(path)) is not a database, or its beginning is damaged",
                "if it is not your history, choose another file with --db; if it is, save the readable part: `istep doctor --repair --db \(shellQuoted(path))`; or restore a backup: `istep restore --db \(shellQuoted(path))`"
            )
        case .damaged(let path, let reason):
            ErrorWords(
                "the \(file) \(quoted(path)) is damaged: \(reason)",
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
        case .of(.target, let error):
            error.wordsOfTarget
        case .of(.directory, .readOnly(let path, let reason)), .of(.directory, .cannotOpen(let path, let reason)):
            ErrorWords(
                "cannot read the directory of backups \(quoted(path)): \(reason)",
                "change its owner (chown), and make it readable; to see whose it is: `ls -ld \(shellQuoted(path))`")
        case .of(.directory, let error):
            error.words(of: "directory of backups")
        case .occupied(let path):
            ErrorWords("\(quoted(path)) exists and is not an istep backup", "choose another name")
        case .replaced(let path):
            ErrorWords("the history \(quoted(path)) was replaced by another file meanwhile", "run the command again")
        case .foreign(let path):
            ErrorWords("\(quoted(path)) is the database of another program", "choose another file with --db")
        case .newerVersion(let path, let found, let supported):
            ErrorWords(
                "the \(file) \(quoted(path)) has schema version \(found); this istep supports up to \(supported)",
                "install the newer istep that wrote it, or choose another file with --db")
        case .noSpace(let path):
            ErrorWords(
                "no space left for the history \(quoted(path))",
                "free some space, then run the command again: nothing was lost")
        case .cannotOpen(let path, let reason):
            ErrorWords("cannot open the \(file) \(quoted(path)): \(reason)", "choose another file with --db")
        case .inputOutput(let path, let reason):
            ErrorWords(
                "input/output error in the \(file) \(quoted(path)): \(reason)",
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
        let words = words(of: "backup")
        return switch self {
        case .missing(let path):
            ErrorWords("no such file: \(quoted(path))", "to list the backups: `istep restore`")
        case .readOnly(let path, let reason):
            ErrorWords(
                "no permission to read the backup \(quoted(path)): \(reason)",
                "copy it to a directory of yours, and restore the copy")
        case .closedLog: words.advising("copy the backup to a directory of yours with its log, and restore the copy")
        case .damaged(let path, _):
            words.advising(
                "to list the other backups: `istep restore`; to repair a copy of this one: `cp \(shellQuoted(path)) copy.sqlite`, `istep doctor --repair --db copy.sqlite`, `istep restore copy.sqlite`"
            )
        case .empty(let path):
            ErrorWords("\(quoted(path)) is empty and not a backup", "to list the backups: `istep restore`")
        case .foreign(let path):
            ErrorWords(
                "\(quoted(path)) is the database of another program and not a backup of istep",
                "to list the backups: `istep restore`")
        case .newerVersion:
            words.advising(
                "install the newer istep that wrote it, or choose another backup; to list them: `istep restore`")
        case .noSpace(let path):
            ErrorWords(
                "no space left beside the backup \(quoted(path))",
                "free some space, or copy it to another disk and restore the copy")
        case .cannotOpen: words.advising("name the file of a backup; to list them: `istep restore`")
        case .inputOutput: words.advising("see `dmesg`, and choose another backup; to list them: `istep restore`")
        case .failed(let path, let reason):
            ErrorWords(
                "the backup \(quoted(path)) could not be used: \(reason)", "please report this as a bug of istep")
        default: words
        }
    }

    /// The text for the file that a backup is written to.
    private var wordsOfTarget: ErrorWords {
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
        case .locked: words(of: "backup").advising("name another file")
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
