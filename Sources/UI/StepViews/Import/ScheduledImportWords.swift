internal import StepDomain

/// The state of an import of the configuration in words.
enum ScheduledImportWords {
    /// Without a full stop. May have text of the file system.
    static func condition(_ status: ScheduledImportStatus, _ localTime: LocalTime) -> String {
        let read = status.state?.readAt.map { "last read \(Words.clock($0, localTime))" }
        return switch status.condition {
        case .never: "not read yet: \(status.plan.path)"
        case .failed(let reason): "failed (\(reason)); \(read ?? "never read")"
        case .overdue: "overdue: nothing new for \(ScheduledImport.overdueAfter / 86_400) days; \(read ?? "never read")"
        case .fine: [read, status.state?.file?.path].compactMap(\.self).joined(separator: ", ")
        }
    }

    static func advice(_ status: ScheduledImportStatus) -> Advice? {
        switch status.condition {
        case .never: "The nightly sync reads it. To switch that on: \(command: "istep auto on")"
        // It can be a folder, which an import would read as a whole.
        case .failed where status.state?.file?.path != status.plan.path:
            "To see what is in the file: \(command: "istep import --dry-run FILE"). Of a folder it is the newest one."
        case .failed: "To see what is in it: \(command: "istep import --dry-run", status.plan.path)"
        case .overdue: "Check that the phone still writes it, and that it arrives at \(status.plan.path)."
        case .fine: nil
        }
    }
}
