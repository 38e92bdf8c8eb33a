public import StepDomain

/// How automatic sync stands: what starts it, when it ran last and runs next.
public struct AutoView: View {
    /// Whom it runs for.
    public enum Owner: Sendable, Hashable {
        /// A user by the name of the login; whether it goes on while the user is not logged in, where that is known.
        case user(String, lingers: Bool?)
        case machine
    }

    /// Something that starts a sync.
    public struct Trigger: Sendable, Hashable {
        /// Whether it starts by itself, and does now.
        public var isEnabled: Bool
        public var isActive: Bool
        public var last: Timestamp?
        public var next: Timestamp?

        public init(isEnabled: Bool, isActive: Bool, last: Timestamp? = nil, next: Timestamp? = nil) {
            self.isEnabled = isEnabled
            self.isActive = isActive
            self.last = last
            self.next = next
        }
    }

    /// How the last sync that was started this way ended.
    public struct Run: Sendable, Hashable {
        public var end: Timestamp
        /// Exit code; nil where it was ended, by its time limit or a signal.
        public var exitCode: Int?
        /// What it was ended by, in systemd's word.
        public var result: String

        public init(end: Timestamp, exitCode: Int?, result: String) {
            self.end = end
            self.exitCode = exitCode
            self.result = result
        }
    }

    public struct State: Sendable, Hashable {
        public var owner: Owner
        public var night: Trigger
        public var midnight: Trigger
        public var adapter: Trigger
        public var watch: Trigger
        public var lastRun: Run?

        public init(
            owner: Owner, night: Trigger, midnight: Trigger, adapter: Trigger, watch: Trigger, lastRun: Run? = nil
        ) {
            self.owner = owner
            self.night = night
            self.midnight = midnight
            self.adapter = adapter
            self.watch = watch
            self.lastRun = lastRun
        }
    }

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
        page.paragraph(headline, ink: isOn ? .good : nil, hanging: 2)
        if isOn || state.watch.isEnabled { triggers(on: &page) }
        if let run = state.lastRun {
            let (words, isGood) = Self.words(for: run)
            page.paragraph("The last sync ended \(Words.ago(run.end, now: now)): \(words)", ink: isGood ? nil : .doubtful, hanging: 2)
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

    private var headline: String {
        if isOn { return "Automatic sync is on, \(whom)." }
        if state.night.isEnabled { return "Automatic sync is switched on, \(whom), but does not run. Start it: \(command)" }
        return "Automatic sync is off, \(whom). Switch it on: \(command)"
    }

    private func triggers(on page: inout Page) {
        page.paragraph("every night: \(times(state.night))", indent: 2, hanging: 4)
        page.paragraph("before midnight, where a pedometer keeps only today's count: \(times(state.midnight))", indent: 2, hanging: 4)
        page.paragraph("when a Bluetooth adapter is plugged in: \(state.adapter.isEnabled ? "yes" : "no")", indent: 2, hanging: 4)
        page.paragraph("when a pedometer comes near (istep watch): \(watch)", indent: 2, hanging: 4)
    }

    private var watch: String {
        if state.watch.isActive { return "yes" }
        let journal = state.owner == .machine ? "sudo journalctl -u" : "journalctl --user-unit"
        return state.watch.isEnabled ? "it should, but does not run: \(journal) istep-watch" : "no"
    }

    private func times(_ trigger: Trigger) -> String {
        guard trigger.isEnabled else { return "no" }
        let next = trigger.next.map { next in
            next > now ? "next in \(Words.duration(next - now)), \(Words.clock(next, localTime))" : "next at once"
        }
        let last = trigger.last.map { "last \(Words.ago($0, now: now))" }
        // Of what cannot be made up for, systemd knows only since it started.
        return [next ?? "no next time", last ?? "not yet since the start"].joined(separator: "; ")
    }

    private func lingering(on page: inout Page) {
        guard case .user(let name, let lingers) = state.owner else { return }
        let user = Printable(name, limit: 32)
        switch lingers {
        case true: page.paragraph("It goes on while \(user) is not logged in (lingering is on).", ink: .faint)
        case false:
            page.paragraph(
                "It rests while \(user) is not logged in, for lingering is off; a night that was missed is made up for at the next login. "
                    + "To sync without anybody logged in: loginctl enable-linger", ink: .doubtful)
        case nil: break
        }
    }

    /// - Returns: how a run ended, and whether nobody needs to do anything about it.
    private static func words(for run: Run) -> (String, isGood: Bool) {
        switch run.exitCode {
        case 0: ("all done.", true)
        case 75: ("something has to wait: a pedometer was not in range, or a destination did not answer.", true)
        case 69: ("no Bluetooth adapter, bus or device: istep doctor", false)
        case 77: ("not permitted: istep doctor", false)
        case 78: ("the configuration does not hold: istep config check", false)
        case let code?: ("it failed with exit code \(code): istep doctor", false)
        case nil: ("it was ended (\(Printable(run.result, limit: 32))): istep doctor", false)
        }
    }
}
