package import StepDomain

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
