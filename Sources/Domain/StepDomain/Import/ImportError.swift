/// Why a file of another program cannot be imported. Nothing is stored. Its words are in `ImportErrorWords`.
public enum ImportError: CategorizedError, Hashable {
    case missing(path: String)
    /// It is the history itself, or a file of it.
    case inUse(path: String)
    /// It cannot be read from the disk, or is not readable for this user.
    case unreadable(path: String, reason: String)
    /// No format fits; `hint` says what the file seems to be.
    case unknownFormat(path: String, hint: String?)
    /// It can have steps or another count of this format, and its name does not say which.
    case unnamedCount(path: String, format: String)
    /// `--format` names none.
    case noSuchFormat(String, known: [String])
    /// It does not have what the named format has.
    case notOfFormat(path: String, format: String)
    /// Several formats fit.
    case ambiguousFormat(path: String, candidates: [String])
    /// A folder or an archive with several files of which each is a whole export; `files` are their paths in it.
    case severalExports(path: String, files: [String])
    /// The content is broken, or made to do harm.
    case malformed(path: String, reason: String)
    /// Another history whose schema has a later version than this program knows: its columns can mean something else.
    case newerHistory(path: String, found: Int, supported: Int)
    /// More than a person's history.
    case tooMuch(String)
    /// A record that no person or no clock can have made.
    case impossible(String)
    /// The columns of a CSV file cannot be told; the text says what is missing.
    case columns(String, advice: String)
    /// A history or an export of several people.
    case severalUsers(path: String, users: [String])
    /// It does not have the user whose steps were to come in.
    case noSuchUser(String, path: String, users: [String])
    /// A user was named, and the file names none.
    case noUsers(path: String)
    case noZone(String)
    case noImport(Int64)
    /// An earlier import of the same source was read in another time zone: both together would count its steps twice.
    case otherZone(ImportRecord.ID)

    /// Whether a file is broken rather than of another kind: of a folder, an older file counts then.
    package var isDamage: Bool {
        switch self {
        case .malformed, .unreadable: true
        default: false
        }
    }

    public var category: FailureCategory {
        switch self {
        case .missing: .unavailable
        case .unreadable: .unavailable
        case .noSuchFormat, .ambiguousFormat, .notOfFormat, .severalExports, .columns, .severalUsers, .noSuchUser,
            .noUsers, .noZone, .noImport, .otherZone, .inUse:
            .usage
        case .unknownFormat, .unnamedCount, .malformed, .newerHistory, .tooMuch, .impossible: .data
        }
    }
}
