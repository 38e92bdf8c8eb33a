import StepDomain

extension HistoryDiagnosis {
    var text: DiagnosisText {
        switch self {
        case .noPath:
            DiagnosisText("no path is configured", fix: "Set HOME or XDG_DATA_HOME, or name a file with --db.")
        case .missing(let path):
            DiagnosisText("there is none at \(path) yet", fix: .addPedometer)
        case .notAFile(let problem):
            DiagnosisText(
                problem.text.message,
                fix: "Name the history's file itself: database = \"…/history.sqlite\" in config.toml, ISTEP_DB, or --db"
            )
        case .older(let path):
            DiagnosisText(
                "\(path) is of an earlier version, so pedometers and sharing are not checked",
                fix: "Migrate it: \(command: "istep status"), then check again: \(command: "istep doctor")")
        case .sound(let path): DiagnosisText("\(path) is intact")
        case .wrongSums(let days, let newest):
            DiagnosisText(
                "the daily sums of \(Words.count(days, "day")) differ from the samples, the newest \(newest): charts and totals are wrong",
                fix: "Calculate them again: \(command: "istep doctor --repair")")
        case .unknownUser(let name, let known):
            DiagnosisText(
                ServiceErrorWords.noUser(name, known),
                fix: "Name one of those, or leave --user out.")
        case .inUse(let holder): DiagnosisText(holder.words)
        }
    }
}

extension SyncHistoryDiagnosis {
    func text(at now: Timestamp, _ localTime: LocalTime) -> DiagnosisText {
        switch self {
        case .never: DiagnosisText("never synced", fix: "\(command: "istep sync")")
        case .recent(let moment): DiagnosisText("last synced \(Words.ago(moment, now: now))")
        case .tooLongAgo(let moment):
            DiagnosisText(
                "last synced \(Words.ago(moment, now: now))",
                fix: "Sync now: \(command: "istep sync"). To sync every night: \(command: "istep auto on")")
        case .running(let success, let start):
            DiagnosisText("\(Self.words(success, now)); \(Words.unended(start, now: now))")
        case .failing(let success, let tries, let last, let reason):
            DiagnosisText(
                "\(Self.words(success, now)); \(Words.failed(tries, last: last, now: now)): \(reason ?? "no reason given")"
            )
        case .interrupted(let success, let tries, let last):
            DiagnosisText(
                "\(Self.words(success, now)); \(Words.interrupted(tries, last: last, now: now))",
                fix: success == nil ? "\(command: "istep sync")" : nil)
        case .ahead(let start):
            DiagnosisText(Words.clockWasAhead(until: start, localTime))
        case .batteryLow(let percent):
            DiagnosisText("its battery was at \(percent) % when it was last read", fix: "Charge it.")
        }
    }

    private static func words(_ success: Timestamp?, _ now: Timestamp) -> String {
        success.map { "last synced \(Words.ago($0, now: now))" } ?? Words.noSuccess
    }
}
