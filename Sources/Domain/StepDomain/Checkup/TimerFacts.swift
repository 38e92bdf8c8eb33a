/// What systemd says of the timer that syncs by itself.
public struct TimerFacts: Hashable, Sendable {
    /// Such as `istep-sync.timer`.
    public var unit: String
    /// Whether it is the machine's, or of the user who looks.
    public var isSystemWide: Bool
    public var isInstalled: Bool
    public var isEnabled: Bool
    public var isActive: Bool
    public var lastRun: Timestamp?
    public var nextRun: Timestamp?
    /// How the last run ended, in systemd's word: `success`, `exit-code 69`, `timeout`, …; nil where it never ran.
    public var lastResult: String?
    /// Whether a watch is to run besides or instead, which syncs whenever a pedometer comes near, and does.
    public var isWatchEnabled: Bool
    public var isWatchActive: Bool
    /// The timer for pedometers that keep only today's count, shortly before midnight.
    public var isMidnightEnabled: Bool
    public var isMidnightActive: Bool
    /// How its last run ended, as `lastResult`.
    public var midnightResult: String?
    /// Whether the user's timers run while nobody is logged in; nil where it cannot be told.
    public var lingers: Bool?

    public init(
        unit: String, isSystemWide: Bool = false, isInstalled: Bool = false, isEnabled: Bool = false, isActive: Bool = false,
        lastRun: Timestamp? = nil, nextRun: Timestamp? = nil, lastResult: String? = nil, isWatchEnabled: Bool = false,
        isWatchActive: Bool = false, isMidnightEnabled: Bool = false, isMidnightActive: Bool = false, midnightResult: String? = nil,
        lingers: Bool? = nil
    ) {
        self.unit = unit
        self.isSystemWide = isSystemWide
        self.isInstalled = isInstalled
        self.isEnabled = isEnabled
        self.isActive = isActive
        self.lastRun = lastRun
        self.nextRun = nextRun
        self.lastResult = lastResult
        self.isWatchEnabled = isWatchEnabled
        self.isWatchActive = isWatchActive
        self.isMidnightEnabled = isMidnightEnabled
        self.isMidnightActive = isMidnightActive
        self.midnightResult = midnightResult
        self.lingers = lingers
    }

    /// Seconds between two runs of a nightly timer, and half a day for a machine that slept.
    static let long = 36 * 3600
}

extension TimerFacts {
    /// Whether the pedometers are read every night, or whenever they come near.
    ///
    /// - Parameter counters: names of pedometers in use that keep only today's count.
    public func remarks(now: Timestamp, localTime: LocalTime, counters: [String] = []) -> [Remark] {
        let watch = watch
        // Who watches needs no timer.
        if isWatchActive, !isEnabled, !isActive { return watch }
        return timer(now, localTime) + midnight(counters) + watch
    }

    /// Where the night's timer is off, too, that is said, and mends both; and a watch reads such pedometers before midnight by itself.
    private func midnight(_ counters: [String]) -> [Remark] {
        guard isEnabled || isActive, !isWatchActive, let first = counters.first else { return [] }
        let subject = "midnight timer", unit = "istep-midnight.timer"
        let whose = counters.count == 1 ? "\(first) keeps" : "\(counters.count) pedometers keep"
        let loss = "\(whose) only today's count, and what is not read before midnight is lost"
        if !isMidnightEnabled, !isMidnightActive {
            return [Remark(.warning, subject, "\(unit) is switched off: \(loss)", cure: auto)]
        }
        if !isMidnightActive {
            return [Remark(.warning, subject, "\(unit) is enabled and does not run: \(loss)", cure: "\(systemctl) restart \(unit)")]
        }
        var remarks: [Remark] = []
        if let midnightResult, midnightResult != "success" {
            remarks.append(Remark(
                .warning, subject, "its last run failed (\(midnightResult)): \(loss)", cure: "\(journal("istep-midnight")) tells why"))
        }
        if !isMidnightEnabled {
            remarks.append(Remark(.warning, subject, "\(unit) runs, but will not after the next start of the machine", cure: auto))
        }
        return remarks
    }

    private var watch: [Remark] {
        if isWatchActive { return [Remark(.fine, "watch", "it runs")] }
        guard isWatchEnabled else { return [] }
        return [Remark(.warning, "watch", "istep-watch.service is enabled and does not run", cure: "\(journal("istep-watch")) tells why")]
    }

    private func timer(_ now: Timestamp, _ localTime: LocalTime) -> [Remark] {
        let subject = "timer"
        guard isInstalled else {
            return [Remark(
                .note, subject, "there is no \(unit): nothing is synced by itself", cure: "Install istep with its units, then: \(auto)")]
        }
        guard isEnabled || isActive else {
            return [Remark(.note, subject, "\(unit) is switched off: nothing is synced by itself", cure: auto)]
        }
        guard isActive else {
            return [Remark(.warning, subject, "\(unit) is enabled and does not run", cure: "\(systemctl) start \(unit)")]
        }
        var remarks = [run(subject, now, localTime)]
        if !isEnabled {
            remarks.append(Remark(.warning, subject, "\(unit) runs, but will not after the next start of the machine", cure: auto))
        }
        if lingers == false, !isSystemWide {
            remarks.append(Remark(
                .note, "lingering", "off: the timer runs only while you are logged in",
                cure: "If it should run always: loginctl enable-linger"))
        }
        return remarks
    }

    private func run(_ subject: String, _ now: Timestamp, _ localTime: LocalTime) -> Remark {
        let next = nextRun.map { ", next \(clock($0, localTime))" } ?? ""
        guard let lastRun else { return Remark(.fine, subject, "has not run yet\(next)") }
        let last = "last run \(clock(lastRun, localTime))\(next)"
        if let lastResult, lastResult != "success" {
            return Remark(.warning, subject, "\(last); the last one failed (\(lastResult))", cure: "\(journal(service)) tells why")
        }
        if now - lastRun > Self.long, nextRun.map({ $0 <= now }) ?? true {
            return Remark(.warning, subject, "\(last); it should have run since", cure: "\(systemctl) restart \(unit)")
        }
        return Remark(.fine, subject, last)
    }

    /// Without its option, a watch that is on would be switched off.
    private var auto: String {
        (isSystemWide ? "sudo istep auto on --system" : "istep auto on") + (isWatchEnabled || isWatchActive ? " --watch" : "")
    }
    private var service: String { unit.hasSuffix(".timer") ? String(unit.dropLast(6)) : unit }
    private var systemctl: String { isSystemWide ? "sudo systemctl" : "systemctl --user" }
    /// Not `--user -u`, which shows nothing to whom the machine's journal is open, as to the group adm.
    private func journal(_ unit: String) -> String { isSystemWide ? "sudo journalctl -u \(unit)" : "journalctl --user-unit \(unit)" }

    private func clock(_ moment: Timestamp, _ localTime: LocalTime) -> String {
        let text = moment.iso8601(utcOffset: localTime.utcOffset(moment))
        return text.prefix(10) + " " + text.dropFirst(11).prefix(5)
    }
}
