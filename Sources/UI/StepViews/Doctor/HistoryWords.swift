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

extension StorageDiagnosis {
    var text: DiagnosisText {
        switch self {
        case .permitted: DiagnosisText("readable only by you")
        case .fileOfAnother(let path, let owner, let user, _):
            DiagnosisText("\(path) belongs to another user (\(owner))", fix: "\(command: "sudo chown \(user)", path)")
        case .notWritable(let path, let directory):
            Self.notWritable(path, directory, fix: "chmod u+w")
        case .companionOfAnother(let path, let owner, let history, let isHarmless):
            DiagnosisText(
                "\(path) belongs to another user (\(owner))\(isHarmless ? "" : ", and the history's owner has no access to it")",
                fix: "\(command: "sudo chown", "--reference=\(history)", path)")
        case .companionNotWritable(let path, let directory):
            Self.notWritable(path, directory, fix: "chmod u+rw")
        case .fileOpen(let path, let mode):
            DiagnosisText(
                "other users of this machine have access to \(path) (mode \(Self.octal(mode)))",
                fix: "\(command: "chmod 600", path)")
        case .directoryOpen(let path, let mode):
            DiagnosisText(
                "other users of this machine can replace files in \(path) (mode \(Self.octal(mode)))",
                fix: "\(command: "chmod 700", path)")
        case .logLarge(let bytes, let history):
            DiagnosisText(
                "the write-ahead log has grown to \(Words.size(bytes)): a program keeps reading the history",
                fix: "See which one: \(command: "fuser -v", history)")
        case .freeUnknown: DiagnosisText("the free space is not known")
        case .free(let bytes, let directory, let space):
            DiagnosisText("\(Words.size(bytes)) left for \(directory)", fix: Self.fix(for: space))
        }
    }

    private static func notWritable(_ path: String, _ directory: String, fix line: String) -> DiagnosisText {
        DiagnosisText(
            "\(path) is not writable",
            fix:
                "Make it writable: \(command: line, path). If that fails, see whether the disk is mounted read-only: \(command: "findmnt -T", directory)"
        )
    }

    private static func fix(for space: Space) -> Advice? {
        switch space {
        case .enough: nil
        case .little: "Free some space before it is needed."
        case .tooLittle: "Free some space. Nothing is lost: the next sync continues where the last one stopped."
        }
    }

    private static func octal(_ mode: UInt32) -> String {
        let digits = String(mode & 0o7777, radix: 8)
        return String(repeating: "0", count: max(0, 4 - digits.count)) + digits
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
