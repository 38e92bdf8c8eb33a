public import StepDomain

/// Why a file cannot be imported, and what to do about it.
public enum ImportErrorWords {
    public static func problem(_ error: ImportError) -> String {
        switch error {
        case .missing(let path): "There is no file \(path)."
        case .inUse(let path): "\(path) is the history that is in use."
        case .unreadable(let path, let reason): "\(path) cannot be read: \(reason)."
        case .unknownFormat(let path, let hint):
            "\(path) has no format that can be imported\(hint.map { ": \($0)" } ?? "")."
        case .unnamedCount(let path, _): "\(path) does not say what it counts: steps, or something else."
        case .noSuchFormat(let key, _): "There is no format \(key)."
        case .notOfFormat(let path, let format): "\(path) is not of the format \(format)."
        case .ambiguousFormat(let path, let candidates):
            "\(path) can be of several formats: \(candidates.joined(separator: ", "))."
        case .severalExports(let path, let files):
            "\(path) has several exports, which would count some steps twice: \(named(files)). Nothing was stored."
        case .malformed(let path, let reason): "\(path) cannot be imported: \(reason). Nothing was stored."
        case .newerHistory(let path, let found, let supported):
            "\(path) was written by a newer istep: it has schema version \(found), this istep knows up to \(supported). Nothing was stored."
        case .tooMuch(let what): "The file has \(what). Nothing was stored."
        case .impossible(let what): "The file has a record that cannot be right: \(what). Nothing was stored."
        case .columns(let problem, _): problem
        case .severalUsers(let path, let users):
            "\(path) has \(users.count) users: \(users.joined(separator: ", "))."
        case .noSuchUser(let name, let path, let users):
            "\(path) has no steps of a user \(name)\(users.isEmpty ? "" : ", only of \(users.joined(separator: ", "))")."
        case .noUsers(let path): "\(path) does not name the users whose steps it has."
        case .noZone(let name): "This machine has no time zone \(name)."
        case .noImport(let id): "There is no import \(id)."
        case .otherZone(let id): "Import \(id) has the same source in another time zone. Nothing was stored."
        }
    }

    /// A folder can have thousands.
    private static func named(_ files: [String]) -> String {
        files.prefix(4).joined(separator: ", ") + (files.count > 4 ? " and \(files.count - 4) more" : "")
    }

    public static func advice(_ error: ImportError) -> String? {
        switch error {
        case .missing: "Check the path."
        case .inUse: "It has these steps already. To give some of them to another user: `istep move`"
        case .unreadable: "Check its permissions."
        case .unknownFormat:
            "Any table with a date and steps in each line can be imported. To list the formats: `istep import --formats`"
        case .unnamedCount(_, let format): "If it has steps, add --format \(format)."
        case .noSuchFormat, .notOfFormat: "To list the formats: `istep import --formats`"
        case .ambiguousFormat: "Choose one with --format."
        case .severalExports: "Name one of them. Those of an archive have to be extracted first."
        case .malformed: "Correct the file, or export it again."
        case .newerHistory: "Update istep to the version that wrote it."
        case .tooMuch: "Export a shorter time, or only one source."
        case .impossible: "To leave such records out, add --skip-impossible."
        case .columns(_, let advice): advice
        case .severalUsers, .noSuchUser: "Name the one whose steps are to come in with --from-user."
        case .noUsers: "Leave out --from-user."
        case .noZone: "Name it as in /usr/share/zoneinfo, such as Europe/Berlin."
        case .noImport: "To list the imports: `istep imports`"
        case .otherZone(let id):
            "Name that zone with --zone, or take the earlier import back first: `istep imports remove \(id)`"
        }
    }
}
