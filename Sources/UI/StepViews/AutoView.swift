public import StepDomain

/// The state of automatic sync: what starts it, when it ran last and runs next.
public struct AutoView: View {
    public typealias State = SyncSchedule
    public typealias Owner = SyncSchedule.Owner
    public typealias Trigger = SyncSchedule.Trigger
    public typealias Run = SyncSchedule.Run

    let state: State
    let now: Timestamp
    let localTime: LocalTime

    public init(_ state: State, now: Timestamp, localTime: LocalTime) {
        self.state = state
        self.now = now
        self.localTime = localTime
    }

    // MARK: Words

    public func lines(_ style: TextStyle) -> [String] {
        var page = Page(style)
        page.advice(headline, emphasis: isOn ? .good : nil)
        if isOn || state.watch.isEnabled { triggers(on: &page) }
        if let run = state.lastRun {
            let (words, isGood) = Self.words(for: run)
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

    private var command: String { state.owner == .machine ? "sudo istep auto on --system" : "istep auto on" }

    private var headline: Advice {
        if isOn { return "Automatic sync is on, \(whom)." }
        if state.night.isEnabled {
            return "Automatic sync is enabled, \(whom), but is not running. Start it: \(command: command)"
        }
        return "Automatic sync is off, \(whom). Switch it on: \(command: command)"
    }

    private func triggers(on page: inout Page) {
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
        let journal = state.owner == .machine ? "sudo journalctl -u istep-watch" : "journalctl --user-unit istep-watch"
        return state.watch.isEnabled ? "enabled, but not running: \(command: journal)" : "no"
    }

    private func times(_ trigger: Trigger) -> String {
        guard trigger.isEnabled else { return "no" }
        let next = trigger.next.map { next in
            next > now ? "next in \(Words.duration(next - now)), \(Words.clock(next, localTime))" : "due now"
        }
        let last = trigger.last.map { "last \(Words.ago($0, now: now))" }
        // For a timer whose missed runs do not run later, systemd knows the last run only since systemd started.
        return [next ?? "not scheduled", last ?? "no run since systemd started"].joined(separator: "; ")
    }

    private func lingering(on page: inout Page) {
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
    private static func words(for run: Run) -> (Advice, isGood: Bool) {
        switch run.exitCode {
        case 0: ("all done.", true)
        case 65: ("bad data, or a destination rejected a day: \(command: "istep doctor")", false)
        case 75:
            (
                "temporary failure: a pedometer was not in range, another sync was running, or days wait in the outbox.",
                true
            )
        case 69: ("a required resource is unavailable: \(command: "istep doctor")", false)
        case 77: ("not permitted, or credentials rejected: \(command: "istep doctor")", false)
        case 78: ("wrong configuration: \(command: "istep config check")", false)
        case let code? where code > 128 && run.result == "timeout":
            ("its time limit ended it: \(command: "istep doctor")", false)
        // By a signal, as when the machine is shut down.
        case let code? where code > 128: ("it was interrupted. The next sync continues.", true)
        case let code?: ("it failed with exit code \(code): \(command: "istep doctor")", false)
        case nil: ("it was ended (\(Printable(run.result, limit: 32))): \(command: "istep doctor")", false)
        }
    }
}

extension AutoView {
    /// `istep auto --json`.
    public struct Document: JSONDocument {
        public struct Trigger: Codable, Sendable {
            public var enabled: Bool
            public var active: Bool
            /// ISO 8601 with offset.
            @Nullable public var last: String?
            @Nullable public var next: String?

            static let schema = JSONSchema.object([
                .init("enabled", .boolean, "Whether it is enabled, so that it starts syncs."),
                .init("active", .boolean, "Whether the unit is active."),
                .init("last", .nullable(.time), "When it last started a sync."),
                .init("next", .nullable(.time), "When it will next start a sync."),
            ])
        }

        public struct Run: Codable, Sendable {
            /// ISO 8601 with offset.
            public var end: String
            /// Null if a signal killed it.
            @Nullable public var exitCode: Int?
            /// systemd's term.
            public var result: String

            static let schema = JSONSchema.object([
                .init("end", .time, "When it ended."),
                .init("exitCode", .nullable(.integer), "The exit code; null if a signal killed it."),
                .init("result", .text, "The result as systemd reports it, such as success or timeout."),
            ])
        }

        public var version = 1
        /// `user` or `system`.
        public var scope: String
        @Nullable public var user: String?
        /// Null where it is not known, and system-wide.
        @Nullable public var lingers: Bool?
        public var night: Trigger
        public var midnight: Trigger
        public var adapter: Trigger
        public var watch: Trigger
        @Nullable public var lastRun: Run?

        public static let schema = JSONSchema.object([
            .version,
            .init("scope", .choice(["user", "system"]), "Whether it runs for one user or for the whole machine."),
            .init("user", .nullable(.text), "The login name; null for the whole machine."),
            .init(
                "lingers", .nullable(.boolean),
                "Whether it runs while the user is not logged in; null for the whole machine or if not known."),
            .init("night", Trigger.schema, "The sync of every night."),
            .init("midnight", Trigger.schema, "The sync before midnight, for pedometers that keep only today's count."),
            .init("adapter", Trigger.schema, "The sync when a Bluetooth adapter is plugged in."),
            .init("watch", Trigger.schema, "The service that syncs when a pedometer comes into range."),
            .init("lastRun", .nullable(Run.schema), "The last sync that systemd started."),
        ])
    }

    public var document: Document {
        var document = Document(
            scope: "system", user: nil, lingers: nil, night: document(state.night), midnight: document(state.midnight),
            adapter: document(state.adapter), watch: document(state.watch),
            lastRun: state.lastRun.map {
                Document.Run(end: Words.iso($0.end, localTime), exitCode: $0.exitCode, result: $0.result)
            })
        if case .user(let name, let lingers) = state.owner {
            document.scope = "user"
            document.user = name
            document.lingers = lingers
        }
        return document
    }

    private func document(_ trigger: Trigger) -> Document.Trigger {
        Document.Trigger(
            enabled: trigger.isEnabled, active: trigger.isActive, last: trigger.last.map { Words.iso($0, localTime) },
            next: trigger.next.map { Words.iso($0, localTime) })
    }
}
