internal import StepDomain

/// A sync as lists of pedometers tell it.
public struct SyncDocument: Codable, Sendable {
    /// ISO 8601 with offset.
    public var start: String
    @Nullable public var end: String?
    /// `running`, `complete` or `failed`.
    public var outcome: String
    /// Per cent.
    @Nullable public var battery: Int?
    /// Steps that the history gained.
    public var steps: Int
    @Nullable public var failure: String?

    init(_ record: SyncRecord, _ localTime: LocalTime) {
        start = Words.iso(record.start, localTime)
        end = record.end.map { Words.iso($0, localTime) }
        outcome = record.outcome.rawValue
        battery = record.battery
        steps = record.counts.steps
        failure = record.failure
    }
}

/// What the last syncs of a pedometer come to.
struct SyncHistory {
    /// Newest first.
    let syncs: [SyncRecord]

    var lastComplete: SyncRecord? { syncs.first { $0.outcome == .complete } }
    /// Per cent, as the pedometer last told.
    var battery: Int? { syncs.lazy.compactMap(\.battery).first }
    /// Tries since the last complete one, newest first.
    var failures: [SyncRecord] { Array(syncs.prefix { $0.outcome != .complete }) }
}

extension SyncRecord {
    /// How it went, for one that was not complete.
    func trouble(now: Timestamp) -> String {
        switch outcome {
        case .running: "begun \(Words.ago(start, now: now)), not ended"
        case .failed, .complete:
            "failed \(Words.ago(end ?? start, now: now)): \(Printable(failure ?? "no reason given", limit: 300))"
        }
    }
}
