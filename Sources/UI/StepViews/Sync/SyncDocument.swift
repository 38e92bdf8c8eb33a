internal import StepDomain

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
