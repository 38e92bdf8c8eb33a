public import StepDomain

/// A diagnosis in words: the state and its cause, and what to do about it.
public struct DiagnosisWords: Hashable, Sendable {
    /// What it is about: `adapter`, or the name that the user gave a pedometer. May contain characters that control a
    /// terminal.
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
        case .scheduledImport(let status):
            DiagnosisText(
                ScheduledImportWords.condition(status, localTime),
                fix: ScheduledImportWords.advice(status))
        case .syncs(_, let diagnosis): diagnosis.text(at: now, localTime)
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
                fix: "Try again. If it fails again, see the log for the reason: \(command: "journalctl -b -p warning")")
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
        case .importFile(let name): "import \(name)"
        case .sharing: "sharing"
        case .timer: "timer"
        case .midnightTimer: "midnight timer"
        case .watch: "watch"
        case .lingering: "lingering"
        }
    }
}

extension TimeDiagnosis {
    func text(_ localTime: LocalTime) -> DiagnosisText {
        switch self {
        case .clockImpossible(let now):
            DiagnosisText(
                "it shows \(Words.iso(now, localTime)), which is wrong",
                fix: """
                    Set it, or connect to a network. Until then nothing is synced. To set it by the network: \
                    \(command: "sudo timedatectl set-ntp true")
                    """)
        case .clockSynchronised(let now): DiagnosisText("\(Words.iso(now, localTime)), set by a time server")
        case .clock(let now): DiagnosisText(Words.iso(now, localTime))
        case .clockNotSynchronised(let now):
            DiagnosisText(
                "\(Words.iso(now, localTime)), not set by any time server; pedometers are set by this clock",
                fix: "\(command: "sudo timedatectl set-ntp true")")
        case .zoneUnknown:
            DiagnosisText(
                "this machine does not know the zone that TZ names: nothing is synced",
                fix: "Correct the variable TZ, or install the package tzdata.")
        case .zone(let name): DiagnosisText(name)
        case .desktopInUTC(let name):
            DiagnosisText(
                "\(name): days begin at midnight of UTC",
                fix:
                    "If you live elsewhere, set the zone of that place, such as: \(command: "sudo timedatectl set-timezone Europe/Berlin")"
            )
        }
    }
}

extension ScheduleDiagnosis {
    func text(_ localTime: LocalTime) -> DiagnosisText {
        switch finding {
        case .notInstalled:
            DiagnosisText(
                "there is no \(timer): nothing is synced automatically",
                fix: "Install istep with its units, then: \(command: enableCommand)")
        case .timer(let unit):
            text(
                of: timer, unit, starting: "start",
                consequence: unit == .disabled ? "nothing is synced automatically" : nil)
        case .noRun(let next): DiagnosisText("has not run yet\(Self.next(next, localTime))")
        case .run(let last, let next): DiagnosisText(Self.runs(last, next, localTime))
        case .runFailed(let last, let next, let result):
            DiagnosisText(
                "\(Self.runs(last, next, localTime)); the last run failed (\(result))", fix: journal(of: timer))
        case .runMissed(let last, let next):
            DiagnosisText(
                "\(Self.runs(last, next, localTime)); it should have run since",
                fix: "\(command: "\(systemctl) restart \(timer)")")
        case .notLingering:
            DiagnosisText(
                "off: the timer runs only while you are logged in",
                fix: "If it should always run: \(command: "loginctl enable-linger")")
        case .midnight(let unit, let todayOnly):
            text(of: SyncUnitName.midnightTimer, unit, starting: "restart", consequence: Self.loss(todayOnly))
        case .midnightFailed(let result, let todayOnly):
            DiagnosisText(
                "its last run failed (\(result)): \(Self.loss(todayOnly))", fix: journal(of: SyncUnitName.midnightTimer)
            )
        case .watchActive: DiagnosisText("it runs")
        case .watchInactive:
            DiagnosisText("\(SyncUnitName.watch) is enabled but not running", fix: journal(of: SyncUnitName.watch))
        }
    }

    private func text(of timer: String, _ unit: Unit, starting verb: String, consequence: String?) -> DiagnosisText {
        let end = consequence.map { ": \($0)" } ?? ""
        return switch unit {
        case .disabled: DiagnosisText("\(timer) is disabled\(end)", fix: "\(command: enableCommand)")
        case .inactive:
            DiagnosisText(
                "\(timer) is enabled but not running\(end)", fix: "\(command: "\(systemctl) \(verb) \(timer)")")
        case .activeUntilRestart:
            DiagnosisText(
                "\(timer) is running but not enabled: it will not start after a reboot",
                fix: "\(command: enableCommand)")
        }
    }

    private static func loss(_ todayOnly: [String]) -> String {
        let owners = todayOnly.count == 1 ? "\(todayOnly[0]) holds" : "\(todayOnly.count) pedometers hold"
        return "\(owners) only today's count, and what is not read before midnight is lost"
    }

    private static func runs(_ last: Timestamp, _ next: Timestamp?, _ localTime: LocalTime) -> String {
        "last run \(Words.clock(last, localTime))\(self.next(next, localTime))"
    }

    private static func next(_ moment: Timestamp?, _ localTime: LocalTime) -> String {
        moment.map { ", next \(Words.clock($0, localTime))" } ?? ""
    }

    /// Without `--watch`, the command would disable a watch that is enabled.
    private var enableCommand: String {
        (isSystemWide ? "sudo istep auto on --system" : "istep auto on") + (hasWatch ? " --watch" : "")
    }

    private var systemctl: String { isSystemWide ? "sudo systemctl" : "systemctl --user" }

    private func journal(of unit: String) -> Advice {
        "See the journal for the reason: \(command: AutoView.journal(of: unit, isSystemWide: isSystemWide))"
    }
}

extension ConfigurationDiagnosis {
    var text: DiagnosisText {
        switch self {
        case .invalid(let message):
            DiagnosisText(message, fix: "Correct it, then check it: \(command: "istep config check")")
        case .writableByOthers(let path):
            DiagnosisText("other users of this machine can change \(path)", fix: "\(command: "chmod go-w", path)")
        case .valid(let files):
            DiagnosisText(files.isEmpty ? "no file, and none is needed" : files.joined(separator: ", "))
        }
    }
}

extension DestinationDiagnosis {
    /// - Parameter name: of the destination.
    func text(_ name: String) -> DiagnosisText {
        switch self {
        case .recipients(let problem):
            DiagnosisText("it \(RecipientWords.problem(problem))", fix: RecipientWords.advice(problem))
        case .unusable(let problem): DiagnosisText(problem, fix: Advice(commandOf: problem))
        case .secretOfService:
            DiagnosisText(
                "skipped: only the systemd service can read the secret of this destination",
                fix:
                    "\(command: "sudo systemd-run --pipe -p User=istep -p LoadCredential=istep:/etc/istep/credentials istep doctor")"
            )
        case .notContacted: DiagnosisText("skipped by --no-network")
        case .answers(let location, let description): DiagnosisText("\(location): \(description)")
        case .paused(let reason):
            DiagnosisText("paused, nothing is sent: \(reason)", fix: .renewCredentials(of: name))
        case .rejected(let days, let last, let reason):
            DiagnosisText(
                "\(Words.count(days, "day")) rejected, the last \(last): \(reason ?? "no reason given")",
                fix: """
                    See which: \(command: "istep outbox", name). To send them again: \(command: "istep outbox retry", name). To drop them: \
                    \(command: "istep outbox drop", name)
                    """)
        case .withheld(let days, let last):
            DiagnosisText(
                "\(Words.count(days, "day")) withheld, the last \(last): \(ShareEntry.implausibleSteps)",
                fix: .withheld(at: name))
        case .uncertain(let days):
            DiagnosisText(
                "\(Words.count(days, "day")) may have arrived",
                fix: """
                    Check whether the destination has them. See which: \(command: "istep outbox", name). For a day that it has: \
                    \(command: "istep outbox drop", name, "DAY"). For a day that it does not have: \
                    \(command: "istep outbox retry", name, "DAY")
                    """)
        case .waiting(let days, let seconds, let reason):
            DiagnosisText(
                "\(Words.count(days, "day")) waiting, the oldest for \(Words.duration(seconds)): \(reason ?? "no reason given")",
                fix: """
                    See why: \(command: "istep outbox", name). To send them and wait until they are sent: \
                    \(command: "istep outbox send --wait", name)
                    """)
        }
    }
}
