import StepDomain

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
                "it is not known, so that days begin at midnight of UTC",
                fix: "Set the zone of the place where you are, such as: \(command: "sudo timedatectl set-timezone Europe/Berlin")")
        case .zone(let name): DiagnosisText(name)
        case .desktopInUTC(let name):
            DiagnosisText(
                "\(name): days begin at midnight of UTC",
                fix: "If you live elsewhere, set the zone of that place, such as: \(command: "sudo timedatectl set-timezone Europe/Berlin")")
        }
    }
}

extension ScheduleDiagnosis {
    func text(_ localTime: LocalTime) -> DiagnosisText {
        switch finding {
        case .notInstalled:
            DiagnosisText(
                "there is no \(timer): nothing is synced automatically", fix: "Install istep with its units, then: \(command: enableCommand)")
        case .timer(let unit): text(of: timer, unit, starting: "start", consequence: unit == .disabled ? "nothing is synced automatically" : nil)
        case .noRun(let next): DiagnosisText("has not run yet\(Self.next(next, localTime))")
        case .run(let last, let next): DiagnosisText(Self.runs(last, next, localTime))
        case .runFailed(let last, let next, let result):
            DiagnosisText("\(Self.runs(last, next, localTime)); the last run failed (\(result))", fix: journal(of: timer))
        case .runMissed(let last, let next):
            DiagnosisText(
                "\(Self.runs(last, next, localTime)); it should have run since", fix: "\(command: "\(systemctl) restart \(timer)")")
        case .notLingering:
            DiagnosisText(
                "off: the timer runs only while you are logged in",
                fix: "If it should always run: \(command: "loginctl enable-linger")")
        case .midnight(let unit, let todayOnly): text(of: Self.midnightTimer, unit, starting: "restart", consequence: Self.loss(todayOnly))
        case .midnightFailed(let result, let todayOnly):
            DiagnosisText("its last run failed (\(result)): \(Self.loss(todayOnly))", fix: journal(of: Self.midnightTimer))
        case .watchActive: DiagnosisText("it runs")
        case .watchInactive: DiagnosisText("istep-watch.service is enabled but not running", fix: journal(of: "istep-watch.service"))
        }
    }

    private static let midnightTimer = "istep-midnight.timer"

    private func text(of timer: String, _ unit: Unit, starting verb: String, consequence: String?) -> DiagnosisText {
        let end = consequence.map { ": \($0)" } ?? ""
        return switch unit {
        case .disabled: DiagnosisText("\(timer) is disabled\(end)", fix: "\(command: enableCommand)")
        case .inactive: DiagnosisText("\(timer) is enabled but not running\(end)", fix: "\(command: "\(systemctl) \(verb) \(timer)")")
        case .activeUntilRestart:
            DiagnosisText("\(timer) is running but not enabled: it will not start after a reboot", fix: "\(command: enableCommand)")
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

    /// Not `--user -u`, which shows nothing to users who may read the machine's journal, such as the group adm.
    private func journal(of unit: String) -> Advice {
        let service = unit.split(separator: ".").first.map(String.init) ?? unit
        return "The journal says why: \(command: (isSystemWide ? "sudo journalctl -u " : "journalctl --user-unit ") + service)"
    }
}
