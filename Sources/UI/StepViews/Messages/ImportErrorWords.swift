public import StepDomain

/// What to do about a file that cannot be imported.
public enum ImportErrorWords {
    public static func advice(_ error: ImportError) -> String? {
        switch error {
        case .missing: "Check the path."
        case .unreadable: "Check its permissions."
        case .unknownFormat:
            "Any table with a date and steps in each line can be imported. To list the formats: `istep import --formats`"
        case .noSuchFormat, .notOfFormat: "To list the formats: `istep import --formats`"
        case .ambiguousFormat: "Choose one with --format."
        case .malformed: "Export it again."
        case .tooMuch: "Export a shorter time, or only one source."
        case .impossible: "To leave such records out, add --skip-impossible."
        case .columns(_, let advice): advice
        case .severalUsers: "Name one of them with --user."
        case .noZone: "Name it as in /usr/share/zoneinfo, such as Europe/Berlin."
        case .noImport: "To list the imports: `istep imports`"
        case .otherZone(let id):
            "Name that zone with --zone, or take the earlier import back first: `istep imports remove \(id)`"
        }
    }
}
