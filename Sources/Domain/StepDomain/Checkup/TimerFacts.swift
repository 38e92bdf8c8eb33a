/// What systemd reports about the timer that syncs automatically.
public struct TimerFacts: Hashable, Sendable {
    /// Such as `istep-sync.timer`.
    public var unit: String
    /// Whether the timer is a unit of the machine; otherwise it is a unit of the current user.
    public var isSystemWide: Bool
    public var isInstalled: Bool
    public var isEnabled: Bool
    public var isActive: Bool
    public var lastRun: Timestamp?
    public var nextRun: Timestamp?
    /// How the last run ended, as systemd reports it: `success`, `exit-code 69`, `timeout`, …; nil if it never ran.
    public var lastResult: String?
    /// Whether a watch, which syncs whenever a pedometer comes near, is enabled in addition or instead, and whether it
    /// runs.
    public var isWatchEnabled: Bool
    public var isWatchActive: Bool
    /// The timer for pedometers that keep only today's count, shortly before midnight.
    public var isMidnightEnabled: Bool
    public var isMidnightActive: Bool
    /// How its last run ended, like `lastResult`.
    public var midnightResult: String?
    /// Whether the user's timers run while the user is not logged in; nil if not known.
    public var lingers: Bool?

    public init(
        unit: String, isSystemWide: Bool = false, isInstalled: Bool = false, isEnabled: Bool = false,
        isActive: Bool = false,
        lastRun: Timestamp? = nil, nextRun: Timestamp? = nil, lastResult: String? = nil, isWatchEnabled: Bool = false,
        isWatchActive: Bool = false, isMidnightEnabled: Bool = false, isMidnightActive: Bool = false,
        midnightResult: String? = nil,
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

    /// Seconds between two runs of a nightly timer, plus half a day for a machine that was suspended.
    static let maximumPause = 36 * 3600
}

extension TimerFacts {
    /// Whether the pedometers are read every night, or whenever they come into range.
    ///
    /// - Parameter todayOnly: names of pedometers in use that hold only today's count.
    public func diagnoses(now: Timestamp, todayOnly: [String] = []) -> [Diagnosis] {
        // A watch needs no timer.
        if isWatchActive, !isEnabled, !isActive { return watch.map(diagnosis) }
        return (timer(now) + midnight(todayOnly) + watch).map(diagnosis)
    }

    private func diagnosis(_ finding: ScheduleDiagnosis.Finding) -> Diagnosis {
        .schedule(
            ScheduleDiagnosis(
                finding, timer: unit, isSystemWide: isSystemWide, hasWatch: isWatchEnabled || isWatchActive))
    }

    private func timer(_ now: Timestamp) -> [ScheduleDiagnosis.Finding] {
        guard isInstalled else { return [.notInstalled] }
        guard isEnabled || isActive else { return [.timer(.disabled)] }
        guard isActive else { return [.timer(.inactive)] }
        var findings = [run(now)]
        if !isEnabled { findings.append(.timer(.activeUntilRestart)) }
        if lingers == false, !isSystemWide { findings.append(.notLingering) }
        return findings
    }

    private func run(_ now: Timestamp) -> ScheduleDiagnosis.Finding {
        guard let lastRun else { return .noRun(next: nextRun) }
        if let lastResult, lastResult != "success" {
            return .runFailed(last: lastRun, next: nextRun, result: lastResult)
        }
        if now - lastRun > Self.maximumPause, nextRun.map({ $0 <= now }) ?? true {
            return .runMissed(last: lastRun, next: nextRun)
        }
        return .run(last: lastRun, next: nextRun)
    }

    /// If the nightly timer is off as well, that is reported, and its fix is the same command. A watch reads such
    /// pedometers before midnight on its own.
    private func midnight(_ todayOnly: [String]) -> [ScheduleDiagnosis.Finding] {
        guard isEnabled || isActive, !isWatchActive, !todayOnly.isEmpty else { return [] }
        if !isMidnightEnabled, !isMidnightActive { return [.midnight(.disabled, todayOnly: todayOnly)] }
        if !isMidnightActive { return [.midnight(.inactive, todayOnly: todayOnly)] }
        var findings: [ScheduleDiagnosis.Finding] = []
        if let midnightResult, midnightResult != "success" {
            findings.append(.midnightFailed(result: midnightResult, todayOnly: todayOnly))
        }
        if !isMidnightEnabled { findings.append(.midnight(.activeUntilRestart, todayOnly: todayOnly)) }
        return findings
    }

    private var watch: [ScheduleDiagnosis.Finding] {
        if isWatchActive { return [.watchActive] }
        return isWatchEnabled ? [.watchInactive] : []
    }
}

/// The state of automatic syncing.
public struct ScheduleDiagnosis: Hashable, Sendable {
    public var finding: Finding
    /// The unit of the nightly timer, such as `istep-sync.timer`.
    public var timer: String
    /// Whether the units are those of the machine; otherwise they are those of the current user.
    public var isSystemWide: Bool
    /// Whether a watch is enabled or active, which a fix must not disable.
    public var hasWatch: Bool

    public init(_ finding: Finding, timer: String, isSystemWide: Bool, hasWatch: Bool) {
        self.finding = finding
        self.timer = timer
        self.isSystemWide = isSystemWide
        self.hasWatch = hasWatch
    }

    public enum Finding: Hashable, Sendable {
        case notInstalled
        case timer(Unit)
        case noRun(next: Timestamp?)
        case run(last: Timestamp, next: Timestamp?)
        case runFailed(last: Timestamp, next: Timestamp?, result: String)
        /// It should have run since.
        case runMissed(last: Timestamp, next: Timestamp?)
        /// The user's timer runs only while the user is logged in.
        case notLingering
        /// - Parameter todayOnly: names of the pedometers that lose steps without this timer.
        case midnight(Unit, todayOnly: [String])
        case midnightFailed(result: String, todayOnly: [String])
        case watchActive
        /// Enabled, and not running.
        case watchInactive
    }

    /// What is wrong with a timer's unit.
    public enum Unit: Hashable, Sendable {
        case disabled
        /// Enabled, and not running.
        case inactive
        /// Running, but not enabled.
        case activeUntilRestart
    }

    public var severity: Severity {
        switch finding {
        case .noRun, .run, .watchActive: .fine
        // Users who do not want automatic syncs get no warning.
        case .notInstalled, .timer(.disabled), .notLingering: .note
        case .timer, .runFailed, .runMissed, .midnight, .midnightFailed, .watchInactive: .warning
        }
    }

    public var subject: CheckSubject {
        switch finding {
        case .notInstalled, .timer, .noRun, .run, .runFailed, .runMissed: .timer
        case .notLingering: .lingering
        case .midnight, .midnightFailed: .midnightTimer
        case .watchActive, .watchInactive: .watch
        }
    }
}
