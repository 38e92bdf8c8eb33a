import StepDatabase
import StepDomain

extension Check {
    /// The history: there, istep's own, and sound.
    static func history(_ context: CheckupContext) -> Check {
        let subject = "history"
        // All of a large file is read, maybe from an SD card.
        return Check("history", .history, subject, limit: .seconds(120)) {
            guard let path = context.database else {
                return [Remark(
                    .fault(.configuration), subject, "nothing says where it is",
                    cure: "Set HOME or XDG_DATA_HOME, or name a file with --db.")]
            }
            let health: HistoryHealth
            do {
                health = try await StepDatabase.examine(path)
            } catch HistoryError.missing {
                context.keepNoHistory()
                return [Remark(.note, subject, "there is none at \(path) yet", cure: "istep scan, then istep add ADDRESS")]
            } catch let error as HistoryError where error.category == .usage {
                return [Remark(
                    .fault(.configuration), subject, error.description,
                    cure: "Name the history's file itself: database = \"…/history.sqlite\" in config.toml, ISTEP_DB, or --db")]
            }
            let remarks = health.remarks(subject, path: path)
            // To open an older one is to change it.
            if !health.isOlder, !remarks.contains(where: \.grade.isFault) {
                try await blocking { try context.keep(StepDatabase(path: path, for: .reading)) }
            }
            return remarks
        }
    }
}

extension HistoryHealth {
    func remarks(_ subject: String, path: String) -> [Remark] {
        var remarks = complaints.map { complaint in
            Remark(HistoryError.damaged(path: path, reason: complaint), subject)
        }
        if !orphans.isEmpty {
            let tables = orphans.joined(separator: ", ")
            remarks.append(Remark(HistoryError.damaged(path: path, reason: "rows refer to others that are not there, in \(tables)"), subject))
        }
        if isOlder {
            remarks.append(Remark(
                .note, subject, "\(path) is of an earlier version, so that pedometers and sharing are not looked at",
                cure: "istep status brings it forward; then: istep doctor"))
        }
        return remarks.isEmpty ? [Remark(.fine, subject, "\(path) is sound")] : remarks
    }
}
