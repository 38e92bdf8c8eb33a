public import StepDomain

/// An unattended run in one line: `ring: 8,123 new steps, battery 80 %; watch: not in range; diary: 1 day sent`.
public struct SyncSummary: Hashable, Sendable {
    public let line: String
    private let isEmpty: Bool

    /// - Parameters:
    ///   - shares: how the sharing after it went; nil if nothing is shared.
    ///   - imports: those of the configuration.
    public init(_ reports: [SyncReport], shares: [ShareReport] = [], imports: [ScheduledImportReport] = []) {
        let parts = reports.map(Self.part) + imports.map(Self.part) + shares.compactMap(Self.part)
        isEmpty = parts.isEmpty
        line = parts.isEmpty ? Advice.firstPedometer().description : parts.joined(separator: "; ")
    }

    /// The same for a run that reads no pedometer.
    ///
    /// - Parameter words: where there was nothing to do.
    public func line(orElse words: String) -> String { isEmpty ? words : line }

    private static func part(_ report: SyncReport) -> String {
        let name = Printable(report.pedometer.name, limit: 32)
        if let cause = report.cause {
            let stored = report.counts.steps > 0 ? "\(Words.count(report.counts.steps, "new step")), then " : ""
            return "\(name): " + stored
                + (cause == .outOfRange ? "not in range" : cause == .interrupted ? "interrupted" : "failed")
        }
        var parts = [
            report.counts.steps > 0
                ? Words.count(report.counts.steps, "new step") : report.undecidedSteps ?? "nothing new"
        ]
        if let battery = report.battery { parts.append("battery \(battery) %") }
        if !report.gaps.isEmpty { parts.append("\(Words.count(report.gaps.count, "day")) missing") }
        return "\(name): " + parts.joined(separator: ", ")
    }

    private static func part(_ report: ScheduledImportReport) -> String {
        var parts: [String] = []
        switch report.outcome {
        case .unchanged: break
        case .failed: parts = ["failed"]
        case .imported(let changes):
            parts = [(changes.newDays.count, "new"), (changes.correctedDays.count, "changed")].filter { $0.0 > 0 }
                .map { "\(Words.count($0.0, "day")) \($0.1)" }
        }
        if parts.isEmpty { parts = ["nothing new"] }
        // The name tells whether it is a file of another program.
        if let newest = report.damaged.first {
            let name = newest.split(separator: "/").last ?? ""
            let others = report.damaged.count > 1 ? " and \(report.damaged.count - 1) more" : ""
            parts.append("\(Printable(String(name), limit: 64))\(others) cannot be read")
        }
        return "import \(Printable(report.name, limit: 32)): " + parts.joined(separator: ", ")
    }

    /// Nil if there was nothing to do.
    private static func part(_ report: ShareReport) -> String? {
        var counts: [String: Int] = [:]
        for event in report.events { if let word = word(for: event.outcome) { counts[word, default: 0] += 1 } }
        var parts = ["sent", "updated", "may have arrived", "rejected"].compactMap { word in
            counts[word].map { "\(Words.count($0, "day")) \(word)" }
        }
        if report.queued > 0 {
            parts.append("\(Words.count(report.queued, "day")) \(report.queued == 1 ? "waits" : "wait")")
        }
        if report.state.stopped != nil { parts.append("paused") }
        if report.fault != nil { parts.append("failed") }
        guard !parts.isEmpty else { return nil }
        return "\(Printable(report.destination, limit: 32)): " + parts.joined(separator: ", ")
    }

    private static func word(for outcome: ShareReport.Event.Outcome) -> String? {
        switch outcome {
        case .sent: "sent"
        case .corrected: "updated"
        case .doubtful: "may have arrived"
        case .rejected, .withheld: "rejected"
        case .unchanged, .fixed, .passed, .held, .queued, .unknown, .nothingKnown: nil
        }
    }
}

extension SyncNotice {
    /// Distinguishes notices for programs.
    var kind: String {
        switch self {
        case .clockWasOff: "clockWasOff"
        case .batteryLow: "batteryLow"
        case .undecodable: "undecodable"
        case .implausible: "implausible"
        case .counterRestarted: "counterRestarted"
        case .lost: "lost"
        case .dayNotClosed: "dayNotClosed"
        case .missing: "missing"
        case .tooOld: "lost"
        case .undecided: "undecided"
        case .countingStarted: "countingStarted"
        case .oversized: "oversized"
        case .clockCorrected: "clockCorrected"
        case .zoneChanged: "zoneChanged"
        case .zoneDiffers: "zoneDiffers"
        case .appOutdated: "appOutdated"
        case .stepsInDoubt: "stepsInDoubt"
        case .adapterRestarted: "adapterRestarted"
        }
    }

    /// All values of `kind`.
    static let kinds = [
        "clockWasOff", "batteryLow", "undecodable", "implausible", "counterRestarted", "lost", "dayNotClosed",
        "missing", "undecided",
        "countingStarted", "oversized", "clockCorrected", "zoneChanged", "zoneDiffers", "appOutdated", "stepsInDoubt",
        "adapterRestarted",
    ]

    /// What happened, and what to do.
    var words: String {
        switch self {
        case .clockWasOff(let seconds):
            let by =
                seconds.map { $0 == 0 ? "" : " by \(Words.duration($0)) (it was \($0 > 0 ? "ahead" : "behind"))" } ?? ""
            let cause =
                (seconds ?? 0).isMoreThanAZone
                ? "A restart or an empty battery may have reset it."
                : "Another program may have set it, often to UTC: let only one program set it."
            return "Its clock was wrong\(by), so hours read now may be wrong. \(cause)"
        case .batteryLow(let percent):
            return "Its battery is at \(percent) %: charge it soon."
        case .undecodable(let frames):
            return "\(Words.count(frames, "packet")) could not be decoded. The raw frames are kept; "
                + "if this happens again, please report it."
        case .implausible(let samples):
            return
                "\(Words.count(samples, "implausible slot")) (steps or time), not counted. If this happens again, please report it."
        case .counterRestarted:
            return "It has restarted: steps taken between the previous sync and the restart, if any, are lost. "
                + "Sync more often to lose fewer steps."
        case .lost(let first, let last):
            return "It no longer holds the steps of \(Words.days(first, last)). Sync more often to lose no steps."
        case .dayNotClosed(let day):
            return
                "Steps taken on \(day) after it was last read are lost: it keeps only today's count. Sync shortly before midnight."
        case .missing(let gaps):
            return "\(gaps.words): not received completely. Requested again at the next sync."
        case .tooOld(let days):
            return
                "\(Words.list(days.map(\.description))): never received completely, and now too old: it no longer holds "
                + "\(days.count == 1 ? "this day" : "these days"). If steps are missing, they are lost."
        case .undecided(let steps):
            let (they, belong) = steps == 1 ? ("It is", "it belongs") : ("They are", "they belong")
            return "The \(Words.count(steps, "step")) that it shows may still be yesterday's. "
                + "\(they) counted when a later sync shows which day \(belong) to."
        case .countingStarted:
            return "This was its first reading. Steps that are taken after it are counted from the next sync on."
        case .oversized(let values):
            return "Cut off at the 512 bytes that Bluetooth allows: \(Words.count(values, "value")). "
                + "If this happens again, please report it."
        case .clockCorrected(let seconds):
            return
                "Its clock was \(Words.duration(seconds)) \(seconds > 0 ? "ahead" : "behind") and was set to local time."
        case .zoneChanged(let seconds):
            return
                "Local time, or the pedometer's time zone, has changed by \(Words.duration(seconds)) since the last sync, and the "
                + "pedometer records no time zone: the hours of the steps since then may be wrong, and these days are shown as partial."
        case .zoneDiffers(let offset?):
            return
                "Its time zone is \(Words.zone(offset)), which is not that of this machine, so it shows the wrong time: set its time zone. "
                + "Its steps are stored with the right time."
        case .zoneDiffers(nil):
            return "Its time zone is not that of this machine: set the time zone of the pedometer. "
                + "Until then the hours of its steps are uncertain, and these days are shown as partial."
        case .appOutdated(let app, let version):
            return
                "Its app '\(Printable(app))' is older than version \(Printable(version)) and does not send today's steps: update it."
        case .stepsInDoubt(.unrecorded(let steps)):
            return
                "It counts \(Words.count(steps, "step")) and has no record of them, so they are not in the history: its clock may have "
                + "stopped. Its clock is set at each sync. If this is reported again, reset it in its app."
        case .stepsInDoubt(let doubt):
            return
                "\(doubt.words), so only the raw frames were stored, and no steps. This model is experimental: please report it, with a "
                + "file that shows what it sends"
        case .adapterRestarted:
            return
                "The adapter had received nothing and was switched off and on, as 'restart-adapter' in the configuration allows."
        }
    }
}

extension Int {
    /// Whether no two time zones differ by so many seconds: they reach from UTC−12 to UTC+14.
    var isMoreThanAZone: Bool { abs(self) > 26 * 3_600 }
}

extension StepDoubt {
    fileprivate var words: String {
        switch self {
        case .totals(let first, let second):
            "It sent two different totals for the same steps (\(Words.grouped(first)) and \(Words.grouped(second)))"
        case .unchecked: "It did not send the total that its steps are compared with"
        case .runningTotals: "Its hourly steps never fall during a day, so they may be totals of the day"
        case .unrecorded: "It has no record of the steps that it counts"
        }
    }
}

extension [DayGap] {
    /// `2026-11-18 (refused) and 2026-11-19 (no answer)`.
    var words: String { Words.list(map { "\($0.day) (\($0.reason.words))" }) }
}

extension DayGap.Reason {
    fileprivate var words: String {
        switch self {
        case .refused: "refused"
        case .unanswered: "no answer"
        case .incomplete: "incomplete"
        case .unconfirmed: "not confirmed"
        }
    }
}

/// A sync as lists of pedometers show it.
struct SyncDocument: Described {
    let record: SyncRecord, localTime: LocalTime

    static let keys: [JSONKey<SyncDocument>] = [
        .init("start", .time, "When it began.") { Words.iso($0.record.start, $0.localTime) },
        .init("end", .nullable(.time), "When it ended.") { sync in
            sync.record.end.map { Words.iso($0, sync.localTime) }
        },
        .init(
            "outcome", .choice(SyncRecord.Outcome.self),
            "How it ended. Interrupted syncs are failed, with the failure interrupted."
        ) { $0.record.outcome.rawValue },
        .init("battery", .nullable(.integer), "Per cent.") { $0.record.battery },
        .init("steps", .integer, "Steps that the history gained.") { $0.record.counts.steps },
        .init("failure", .nullable(.text), "Why it failed.") { $0.record.failure },
    ]
}

/// A summary of the last syncs of a pedometer.
package struct SyncHistory {
    /// Newest first.
    let syncs: [SyncRecord]

    package init(syncs: [SyncRecord]) { self.syncs = syncs }

    package var lastComplete: SyncRecord? { syncs.first { $0.outcome == .complete } }
    /// Per cent, as the pedometer last reported.
    package var battery: Int? { syncs.lazy.compactMap(\.battery).first }

    /// When it was last synced.
    package func state(now: Timestamp, _ localTime: LocalTime) -> String {
        guard let last = lastComplete else { return syncs.isEmpty ? "never synced" : Words.noSuccess }
        let moment = last.end ?? last.start
        return "synced \(Words.ago(moment, now: now)), \(Words.clock(moment, localTime))"
    }

    /// What has happened since; nil if nothing has.
    package func attemptsSince(now: Timestamp) -> String? {
        guard let latest = syncs.first, latest.outcome != .complete else { return nil }
        if latest.outcome == .running, !latest.isAbandoned(at: now) { return Words.unended(latest.start, now: now) }
        let failures = syncs.failures(at: now)
        if let failure = failures.first {
            let words = Words.failed(failures.count, last: failure.end ?? failure.start, now: now)
            return "\(words): \(Printable(failure.failure ?? "no reason given", limit: 300))"
        }
        return Words.interrupted(syncs.attempts.count, last: latest.end ?? latest.start, now: now)
    }
}

/// The attempts to sync a pedometer, the same in status, doctor and pages.
extension Words {
    static let noSuccess = "no sync has succeeded lately"

    /// `an attempt failed 5 minutes ago`, `3 attempts failed, the last 5 minutes ago`.
    static func failed(_ tries: Int, last: Timestamp, now: Timestamp) -> String {
        (tries == 1 ? "an attempt failed " : "\(count(tries, "attempt")) failed, the last ") + ago(last, now: now)
    }

    /// The same of attempts that were neither a success nor a failure.
    static func interrupted(_ tries: Int, last: Timestamp, now: Timestamp) -> String {
        (tries == 1 ? "an attempt was interrupted " : "\(count(tries, "attempt")) were interrupted, the last ")
            + ago(last, now: now)
    }

    /// A sync of the future is in the history.
    static func clockWasAhead(until start: Timestamp, _ localTime: LocalTime) -> String {
        "a sync is dated \(clock(start, localTime)), which is in the future: this machine's clock was ahead then; this sync is ignored"
    }

    static func unended(_ start: Timestamp, now: Timestamp) -> String {
        "a sync began \(ago(start, now: now)) and has not ended"
    }
}

extension SyncReport {
    /// Steps that were read and are not counted yet, in a sync without others; nil for none.
    var undecidedSteps: String? {
        guard counts.steps == 0 else { return nil }
        return notices.lazy.compactMap {
            if case .undecided(let steps) = $0 { "\(Words.count(steps, "step")) not counted yet" } else { nil }
        }
        .first
    }
}
