/// Why a file of another program cannot be imported. Nothing is stored.
public enum ImportError: ReportableError, Hashable {
    case missing(path: String)
    /// It cannot be read from the disk, or is not readable for this user.
    case unreadable(path: String, reason: String)
    /// No format fits; `hint` says what the file seems to be.
    case unknownFormat(path: String, hint: String?)
    /// `--format` names none.
    case noSuchFormat(String, known: [String])
    /// It does not have what the named format has.
    case notOfFormat(path: String, format: String)
    /// Several formats fit.
    case ambiguousFormat(path: String, candidates: [String])
    /// The content is broken, or made to do harm.
    case malformed(path: String, reason: String)
    /// More than a person's history.
    case tooMuch(String)
    /// A record that no person or no clock can have made.
    case impossible(String)
    /// The columns of a CSV file cannot be told; the text says what is missing.
    case columns(String, advice: String)
    /// A history or an export of several people.
    case severalUsers(path: String, users: [String])
    case noZone(String)
    case noImport(Int64)
    /// An earlier import of the same source was read in another time zone: both together would count its steps twice.
    case otherZone(ImportRecord.ID)

    public var category: FailureCategory {
        switch self {
        case .missing: .unavailable
        case .unreadable: .unavailable
        case .noSuchFormat, .ambiguousFormat, .notOfFormat, .columns, .severalUsers, .noZone, .noImport, .otherZone:
            .usage
        case .unknownFormat, .malformed, .tooMuch, .impossible: .data
        }
    }

    public var description: String {
        switch self {
        case .missing(let path): "There is no file \(path)."
        case .unreadable(let path, let reason): "\(path) cannot be read: \(reason)."
        case .unknownFormat(let path, let hint):
            "\(path) has no format that can be imported\(hint.map { ": \($0)" } ?? "")."
        case .noSuchFormat(let key, _): "There is no format \(key)."
        case .notOfFormat(let path, let format): "\(path) is not of the format \(format)."
        case .ambiguousFormat(let path, let candidates):
            "\(path) can be of several formats: \(candidates.joined(separator: ", "))."
        case .malformed(let path, let reason): "\(path) cannot be imported: \(reason). Nothing was stored."
        case .tooMuch(let what): "The file has \(what). Nothing was stored."
        case .impossible(let what): "The file has a record that cannot be right: \(what). Nothing was stored."
        case .columns(let problem, _): problem
        case .severalUsers(let path, let users):
            "\(path) has \(users.count) users: \(users.joined(separator: ", "))."
        case .noZone(let name): "This machine has no time zone \(name)."
        case .noImport(let id): "There is no import \(id)."
        case .otherZone(let id): "Import \(id) has the same source in another time zone. Nothing was stored."
        }
    }
}
