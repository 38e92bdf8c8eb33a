public import StepDomain

/// A diagnosis in words: the state and its cause, and what to do about it.
public struct DiagnosisWords: Hashable, Sendable {
    /// What it is about: `adapter`, or the name that the user gave a pedometer. May contain characters that control a terminal.
    public let subject: String
    /// Without a full stop. May quote a device or a server, and so contain characters that control a terminal.
    public let message: String
    public let fix: Advice?

    /// - Parameter now: for text such as `3 hours ago`.
    public init(_ diagnosis: Diagnosis, now: Timestamp, localTime: LocalTime) {
        subject = diagnosis.subject.words
        let text = diagnosis.text(at: now, localTime)
        message = text.message
        fix = text.fix
    }
}

/// A message with what to do about it.
struct DiagnosisText {
    var message: String
    var fix: Advice?

    init(_ message: String, fix: Advice? = nil) {
        self.message = message
        self.fix = fix
    }
}

extension Diagnosis {
    fileprivate func text(at now: Timestamp, _ localTime: LocalTime) -> DiagnosisText {
        switch self {
        case .bluetooth(let diagnosis): diagnosis.text
        case .scan(let diagnosis): diagnosis.text
        case .time(let diagnosis): diagnosis.text(localTime)
        case .configuration(let diagnosis): diagnosis.text
        case .history(let diagnosis): diagnosis.text
        case .storage(let diagnosis): diagnosis.text
        case .syncs(_, let diagnosis): diagnosis.text(at: now)
        case .pedometer(let name, let diagnosis): diagnosis.text(name)
        case .noDestination: DiagnosisText("no destinations configured")
        case .destination(let name, let diagnosis): diagnosis.text(name)
        case .noSystemd:
            DiagnosisText(
                "systemd is not running",
                fix: "Let another program, such as cron, sync every night: \(command: "istep sync --unattended")")
        case .schedule(let diagnosis): diagnosis.text(localTime)
        case .failed(_, let problem): problem.text
        case .unanswered(_, let seconds):
            DiagnosisText(
                "no answer within \(Words.count(seconds, "second"))",
                fix: "Try again. If it fails again, the log may say why: \(command: "journalctl -b -p warning")")
        case .skipped(_, let cause): DiagnosisText("skipped: depends on \(cause.words)")
        }
    }
}

extension Problem {
    var text: DiagnosisText {
        switch self {
        case .reported(_, let message, let advice): DiagnosisText(message, fix: advice.map(Advice.init(markup:)))
        case .interrupted: DiagnosisText("interrupted", fix: "Run the command again.")
        case .unforeseen(let message): DiagnosisText(message, fix: "Please report this.")
        }
    }
}

extension CheckSubject {
    /// For people, while it is being checked and before each finding about it.
    public var words: String {
        switch self {
        case .kernel: "kernel"
        case .radioSwitch: "radio switch"
        case .adapter: "adapter"
        case .bus: "D-Bus"
        case .bluetoothService: "Bluetooth service"
        case .adapterPower: "adapter power"
        case .clock: "clock"
        case .timeZone: "time zone"
        case .configuration: "configuration"
        case .history: "history"
        case .permissions: "permissions"
        case .disk: "disk"
        case .log: "log"
        case .lock: "lock"
        case .scan: "scan"
        case .pedometer(let name), .destination(let name): name
        case .sharing: "sharing"
        case .timer: "timer"
        case .midnightTimer: "midnight timer"
        case .watch: "watch"
        case .lingering: "lingering"
        }
    }
}
