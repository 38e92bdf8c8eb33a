internal import StepDomain
internal import StepServices

/// The state of an import of the configuration in words, and what to do about it.
enum ScheduledImportWords {
    /// Without a full stop. May have text of the file system.
    static func condition(_ status: ScheduledImportStatus, _ localTime: LocalTime) -> String {
        let read = status.state?.readAt.map { "last read \(Words.clock($0, localTime))" }
        let damaged = Self.damaged(status.damaged)
        return switch status.condition {
        case .never: "not read yet: \(status.plan.path)"
        case .failed(let reason): "failed (\(reason)); \(read ?? "never read")"
        case .overdue:
            "overdue: nothing new for \(ScheduledImport.overdueAfter / 86_400) days; "
                + [read ?? "never read", damaged].compactMap(\.self).joined(separator: ", ")
        case .fine: [read, status.state?.file?.path, damaged].compactMap(\.self).joined(separator: ", ")
        }
    }

    /// What is said of newer files of the folder that cannot be read; nil if there are none. The name tells whether it
    /// is a file of another program.
    static func damaged(_ paths: [String]) -> String? {
        guard let newest = paths.first else { return nil }
        let name = newest.split(separator: "/").last ?? "", others = paths.count - 1
        return "\(Printable(String(name), limit: 64))\(others > 0 ? " and \(others) more" : "") cannot be read"
    }

    static func advice(_ status: ScheduledImportStatus) -> Advice? {
        return switch status.condition {
        case .never: "The nightly sync reads it. To switch that on: \(command: "istep auto on")"
        // It can be a folder, which an import would read as a whole.
        case .failed where status.state?.file?.path != status.plan.path:
            "To see what is in the file: \(command: "istep import --dry-run FILE"). Of a folder it is the newest one."
        case .failed: "To see what is in it: \(command: "istep import --dry-run", status.plan.path)"
        case .overdue, .fine:
            if let damaged = status.damaged.first {
                "To see what is wrong with it: \(command: "istep import --dry-run", damaged)"
            } else if status.condition == .overdue {
                "Check that the phone still writes it, and that it arrives at \(status.plan.path)."
            } else {
                nil
            }
        }
    }

    /// What to do about a failure: an import of the configuration has keys instead of options. Nil where nothing else
    /// is to be done than by a user who names the file.
    static func advice(_ failure: ScheduledImportFailure) -> Advice? {
        let table = "[import.\(failure.name)]"
        return switch failure.underlying {
        case let error as ImportError: advice(error, table, file: failure.file ?? "FILE")
        case ServiceError.severalUsers: "Write the one whose steps they are as user into \(table) of the configuration."
        case ServiceError.unknownUser:
            "Correct user in \(table) of the configuration, or add the user: \(command: "istep users add NAME")"
        default: nil
        }
    }

    private static func advice(_ error: ImportError, _ table: String, file: String) -> Advice? {
        switch error {
        case .impossible: "Leave such records out by hand: \(command: "istep import --skip-impossible", file)"
        case .columns:
            "Write its columns as columns into \(table) of the configuration, such as \"day=Date,steps=Count\". To see what they are: \(command: "istep import", file)"
        case .ambiguousFormat: "Write one of them as format into \(table) of the configuration."
        case .unnamedCount(_, let format):
            "If it has steps, write \(format) as format into \(table) of the configuration."
        case .severalExports: "Write the path of one of them as path into \(table) of the configuration."
        case .notOfFormat: "Check path and format in \(table) of the configuration."
        case .severalUsers, .noSuchUser:
            "Write the one whose steps are to come in as from-user into \(table) of the configuration."
        case .noUsers: "Remove from-user from \(table) of the configuration."
        case .noZone: "Check zone in \(table) of the configuration: a name such as Europe/Berlin."
        case .otherZone(let id):
            "Write that zone as zone into \(table) of the configuration, or take the earlier import back: \(command: "istep imports remove \(id)")"
        default: nil
        }
    }
}
