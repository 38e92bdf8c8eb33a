public import StepDomain

/// The state of automatic sync: what starts it, when it ran last and runs next.
public struct AutoView: View {
    let state: SyncSchedule
    let now: Timestamp
    let localTime: LocalTime

    public init(_ state: SyncSchedule, now: Timestamp, localTime: LocalTime) {
        self.state = state
        self.now = now
        self.localTime = localTime
    }

    // MARK: Words

    public func lines(_ style: TextStyle) -> [String] {
        var page = TextPage(style)
        page.advice(headline, emphasis: isOn ? .good : nil)
        if isOn || state.watch.isEnabled { triggers(on: &page) }
        if let run = state.lastRun {
            let (words, isGood) = words(for: run)
            page.advice(
                "The last sync ended \(Words.ago(run.end, now: now)): \(words)", emphasis: isGood ? nil : .doubtful)
        }
        if isOn || state.watch.isEnabled { lingering(on: &page) }
        return page.lines
    }

    private var isOn: Bool { state.night.isEnabled && state.night.isActive }

    private var whom: String {
        switch state.owner {
        case .user(let name, _): "for \(Printable(name, limit: 32))"
        case .machine: "for the whole machine"
        }
    }

    /// Without `--watch`, it would disable a watch that is enabled.
    private var command: String {
        (state.owner == .machine ? "sudo istep auto on --system" : "istep auto on")
            + (state.watch.isEnabled || state.watch.isActive ? " --watch" : "")
    }

    /// A command about the history that is synced: the machine's is that of the user `istep`.
    private func own(_ command: String) -> String {
        state.owner == .machine ? "sudo -H -u istep \(command)" : command
    }

    private var headline: Advice {
        if isOn { return "Automatic sync is on, \(whom)." }
        if state.night.isEnabled {
            return "Automatic sync is enabled, \(whom), but is not running. Start it: \(command: command)"
        }
        return "Automatic sync is off, \(whom). Switch it on: \(command: command)"
    }

    private func triggers(on page: inout TextPage) {
        page.paragraph("every night: \(times(state.night))", indent: 2, hanging: 4)
        page.paragraph(
            "before midnight, for pedometers that keep just today's count: \(times(state.midnight))", indent: 2,
            hanging: 4)
        page.paragraph(
            "when a Bluetooth adapter is plugged in: \(state.adapter.isEnabled ? "yes" : "no")", indent: 2, hanging: 4)
        page.advice("when a pedometer comes into range (istep watch): \(watch)", indent: 2)
    }

    private var watch: Advice {
        if state.watch.isActive { return "yes" }
        let journal = Self.journal(of: SyncUnitName.watch, isSystemWide: state.owner == .machine)
        return state.watch.isEnabled ? "enabled, but not running: \(command: journal)" : "no"
    }

    /// The command that shows the log of a unit. Not `--user -u`, which shows nothing to users who may read the
    /// machine's journal, such as the group adm.
    static func journal(of unit: String, isSystemWide: Bool) -> String {
        (isSystemWide ? "sudo journalctl -u " : "journalctl --user-unit ") + unit.prefix { $0 != "." }
    }

    private func times(_ trigger: SyncSchedule.Trigger) -> String {
        guard trigger.isEnabled else { return "no" }
        let next = trigger.next.map { next in
            next > now ? "next in \(Words.duration(next - now)), \(Words.clock(next, localTime))" : "due now"
        }
        let last = trigger.last.map { "last \(Words.ago($0, now: now))" }
        // For a timer whose missed runs do not run later, systemd knows the last run only since systemd started.
        return [next ?? "not scheduled", last ?? "no run since systemd started"].joined(separator: "; ")
    }

    private func lingering(on page: inout TextPage) {
        guard case .user(let name, let lingers) = state.owner else { return }
        let user = Printable(name, limit: 32)
        switch lingers {
        case true: page.paragraph("It continues while \(user) is not logged in (lingering is on).", emphasis: .faint)
        case false:
            page.advice(
                """
                It pauses while \(user) is not logged in, because lingering is off; a missed nightly sync runs at the next login. \
                To sync while nobody is logged in: \(command: "loginctl enable-linger")
                """, emphasis: .doubtful)
        case nil: break
        }
    }

    /// The words for exit codes are those of the help and the manual.
    ///
    /// - Returns: how a run ended, and whether no action is needed.
    private func words(for run: SyncSchedule.Run) -> (Advice, isGood: Bool) {
        let doctor = own("istep doctor")
        let journal = Self.journal(of: SyncUnitName.service, isSystemWide: state.owner == .machine)
        return switch run.exitCode {
        case 0: ("all done.", true)
        case 65: ("bad data, or a destination rejected a day: \(command: doctor)", false)
        case 75:
            (
                "temporary failure: a pedometer was not in range, another sync was running, or days wait in the outbox.",
                true
            )
        case 69: ("a required resource is unavailable: \(command: doctor)", false)
        case 77: ("not permitted, or credentials rejected: \(command: doctor)", false)
        case 71:
            (
                "a limit of the unit or of the machine is too low (threads, open files, memory): \(command: journal)",
                false
            )
        case 78: ("wrong configuration: \(command: own("istep config check"))", false)
        case let code? where code > 128 && run.result == "timeout":
            ("its time limit ended it: \(command: doctor)", false)
        // By a signal, as when the machine is shut down.
        case let code? where code > 128: ("it was interrupted. The next sync continues.", true)
        case let code?: ("it failed with exit code \(code): \(command: doctor)", false)
        case nil: ("it was ended (\(Printable(run.result, limit: 32))): \(command: doctor)", false)
        }
    }
}

/// `istep auto --json`.
extension AutoView: Described {
    public static let keys: [JSONKey<AutoView>] = [
        .version,
        .init("scope", .choice(["user", "system"]), "Whether it runs for one user or for the whole machine.") {
            $0.state.owner == .machine ? "system" : "user"
        },
        .init("user", .nullable(.text), "The login name; null for the whole machine.") { view -> String? in
            if case .user(let name, _) = view.state.owner { name } else { nil }
        },
        .init(
            "lingers", .nullable(.boolean),
            "Whether it runs while the user is not logged in; null for the whole machine or if not known."
        ) { view -> Bool? in if case .user(_, let lingers) = view.state.owner { lingers } else { nil } },
        .record("night", "The sync of every night.") { $0.record(\.night) },
        .record("midnight", "The sync before midnight, for pedometers that keep only today's count.") {
            $0.record(\.midnight)
        },
        .record("adapter", "The sync when a Bluetooth adapter is plugged in.") { $0.record(\.adapter) },
        .record("watch", "The service that syncs when a pedometer comes into range.") { $0.record(\.watch) },
        .optional("lastRun", "The last sync that systemd started.") { view in
            view.state.lastRun.map { RunRecord(run: $0, localTime: view.localTime) }
        },
    ]

    private func record(_ trigger: KeyPath<SyncSchedule, SyncSchedule.Trigger>) -> TriggerRecord {
        TriggerRecord(trigger: state[keyPath: trigger], localTime: localTime)
    }
}

private struct TriggerRecord: Described {
    let trigger: SyncSchedule.Trigger, localTime: LocalTime

    static let keys: [JSONKey<TriggerRecord>] = [
        .init("enabled", .boolean, "Whether it is enabled, so that it starts syncs.") { $0.trigger.isEnabled },
        .init("active", .boolean, "Whether the unit is active.") { $0.trigger.isActive },
        .init("last", .nullable(.time), "When it last started a sync.") { record in
            record.trigger.last.map { Words.iso($0, record.localTime) }
        },
        .init("next", .nullable(.time), "When it will next start a sync.") { record in
            record.trigger.next.map { Words.iso($0, record.localTime) }
        },
    ]
}

private struct RunRecord: Described {
    let run: SyncSchedule.Run, localTime: LocalTime

    static let keys: [JSONKey<RunRecord>] = [
        .init("end", .time, "When it ended.") { Words.iso($0.run.end, $0.localTime) },
        .init("exitCode", .nullable(.integer), "The exit code; null if a signal killed it.") { $0.run.exitCode },
        .init("result", .text, "The result as systemd reports it, such as success or timeout.") { $0.run.result },
    ]
}

extension JSONDocument {
    public static let auto = JSONDocument(
        "auto", "Automatic sync: what starts it, and how it ran last.",
        AutoView.self)
}
