import Foundation
import StepDomain
import StepServices
import TestSupport

@testable import StepViews

/// Views whose documents together have every key.
struct SampleDocuments {
    /// All documents, as those of one subcommand.
    static let reference = JSONReference([
        (
            name: "print",
            documents: [
                .repair, .profile, .plan, .config, .kinds, .example, .previews, .destinations, .outbox, .share, .show,
                .explanation, .history, .deletion, .users, .deletedDays, .readmission, .move, .live, .sync, .replay,
                .doctor, .gatt, .value, .capture, .scan, .auto, .report, .serve, .guests, .status, .formats, .imports,
                .removal, .`import`, .backup, .backups, .restore, .rebuilding, .inspection, .takeover, .export,
                .devices,
            ].map { JSONUse($0, $0.name) }
        )
    ])

    struct Broken: Error {}

    let anna = User(id: 1, name: "anna")
    struct Wrong: ReportableError {
        var category: FailureCategory { .configuration }
        var description: String { "wrong" }
        var advice: String? { "Correct it." }
    }

    let failure = ErrorText(Wrong())
    /// With a failure, which a complete sync does not have, so that each key has a value somewhere.
    var full: SyncRecord { Sample.sync(failure: "none") }
    var failed: SyncRecord { Sample.sync(.failed, failure: "not found") }

    var wrongDay: DayView {
        Sample.view { summary in
            summary.steps = -5
            summary.deviceTotals = [
                .init(
                    pedometer: "ring", total: DeviceTotal(day: Sample.day, at: Sample.synced, total: 8921, slots: 8801))
            ]
        }
    }

    /// A preview, an import, its list, and what taking it back changed.
    var imports: [(any View, String)] {
        let format = ForeignFormat(key: "csv", title: "CSV", files: "tables")
        let track = ForeignTrack(
            source: ForeignSource(identity: "csv:a", name: "a"), parts: [], days: [(Sample.day, 8000)],
            until: Sample.synced)
        var changes = ImportChanges(
            id: 2,
            days: [.init(day: Sample.day, before: 7000, after: 8000), .init(day: Sample.day, before: nil, after: nil)],
            overlaps: [.init(name: "ring", days: 1)], sources: ["a"])
        changes.superseded = [.init(source: "a", by: 1, days: 1)]
        var counts = ExportCounts()
        counts.incompleteDays = [Sample.day]
        counts.begin(.days)
        counts.count()
        let replayed = ReplayChanges(
            PedometerReplay(pedometer: Sample.pedometer(), kept: 1, withoutFrames: 2), days: changes.days, samples: 3)
        func file(_ zone: ZoneKnowledge) -> ForeignHistory {
            ForeignHistory(
                format: format, path: "/a.csv", tracks: [track], zone: zone,
                notes: [.decision("so"), .leftOut(2, "not possible")])
        }
        let record = ImportRecord(
            id: 2, user: 1, at: Sample.synced, path: "/a.csv", format: "csv", digest: "0", sources: ["a"], days: 1,
            steps: 8000,
            firstDay: Sample.day, lastDay: Sample.day, changedDays: 1, corrections: 1, exclusions: 2)
        var empty = record
        (empty.firstDay, empty.lastDay) = (nil, nil)
        return [
            (ImportView(file(.named("UTC")), changes, .stored(backup: "/b")), "import"),
            (ImportView(file(.records), ImportChanges(sameAs: 1), .preview), "import"),
            (ImportsView([record, empty], users: [anna], formats: [format], localTime: Sample.localTime), "imports"),
            (
                ImportRemovalView(record, .init(changes, [.init(name: "toots", days: 1, kind: .keeps)], backup: "/b")),
                "removal"
            ),
            (ExportView("/e", .csv, counts), "export"),
            (ExportRestoreView(Part(), counts, isDone: true), "takeover"),
            (
                SharedRestoreView(
                    .init(destination: SharedPlace(), held: .example, others: [.example], repeating: ["toots"]),
                    counts, history: "/h",
                    isDone: true),
                "rebuilding"
            ),
            (
                InspectionView(
                    SharedPlace(),
                    .init(description: "PostgreSQL 15", findings: [.init(.enrolment, "not enrolled", advice: "enrol")])),
                "inspection"
            ),
            (ImportRemovalView(record, .init(changes)), "removal"),
            (FormatsView([format]), "formats"),
            (ReplayView([replayed], .stored(backup: "/b")), "replay"),
            (ReplayView([ReplayChanges(PedometerReplay(pedometer: Sample.pedometer()))], .preview), "replay"),
        ]
    }

    /// Users, and what deletions would lose or have lost.
    var deletions: [(any View, String)] {
        let losses = DeletionLosses(
            days: [.init(day: Sample.day, before: 7000, after: nil), .init(day: Sample.day, before: nil, after: 5)],
            corrections: 1, exclusions: 2, pedometers: ["ring"], imports: 1, plans: 1, profiles: 1)
        let fates = DestinationFate.Kind.allCases.map { DestinationFate(name: "garden", days: 1, kind: $0) }
        let source = HeldSource(Sample.pedometer(), isInUse: true)
        let plan = SportPlan(validFrom: Sample.day, everyDay: 8000)
        return [
            (DeletionView(.init(.days(Sample.day...Sample.day, of: anna), losses, fates, backup: "/b")), "deletion"),
            (DeletionView(.init(.source(source, of: anna), losses)), "deletion"),
            (DeletionView(.init(.user(anna), losses)), "deletion"),
            (
                MoveView(
                    .init(
                        .days(Sample.day...Sample.day, from: anna, to: anna),
                        MoveEffect(
                            from: .init(days: losses.days), to: .init(days: losses.days), corrections: 1,
                            lostCorrections: 1),
                        [.init(name: "garden", user: anna, days: 1, isSentAgain: true)], backup: "/b")), "move"
            ), (MoveView(.init(.source(source, from: anna, to: anna), MoveEffect())), "move"),
            (
                DeletedDaysView(
                    anna, [DeletedDay(Sample.day, at: Sample.now, isClosed: true)], localTime: Sample.localTime),
                "deletedDays"
            ),
            (ReadmissionView(anna, first: Sample.day, last: Sample.day, count: 1), "readmission"),
            (
                UsersView([
                    .init(user: anna, pedometers: ["ring"], days: Sample.day...Sample.day, count: 1, plan: plan),
                    .init(user: anna),
                ]), "users"
            ),
        ]
    }

    /// Imports of the configuration, one of each condition.
    var scheduled: [ScheduledImportStatus] {
        let plan = ScheduledImport(name: "phone", path: "/Sync")
        let file = ForeignFileMark(path: "/Sync/a.zip", size: 1, modified: 1)
        func state(_ readAt: Timestamp, _ failure: String? = nil) -> ScheduledImportState {
            ScheduledImportState(
                name: "phone", file: file, readAt: readAt, triedAt: Sample.now, failure: failure,
                damaged: failure == nil ? ["/Sync/b.zip"] : [])
        }
        let states = [nil, state(Sample.now), state(Sample.now - 9 * 86_400), state(Sample.now, "no file")]
        return states.map { ScheduledImportStatus(plan, $0, now: Sample.now) }
    }

    var status: StatusView {
        StatusView(
            [
                .init(
                    today: Sample.summary(Sample.day.advanced(by: 1), steps: [7: 812]),
                    pedometers: [
                        .init(pedometer: Sample.pedometer(), recent: RecentSyncs(syncs: [failed, full])),
                        .init(pedometer: Sample.pedometer("new"), recent: RecentSyncs(syncs: [])),
                    ])
            ], models: Sample.models,
            notices: [
                StoredNotice(
                    id: 1, notice: Notice(.pedometer(1), name: "ring", since: Sample.synced, .batteryLow(percent: 9)),
                    storedAt: Sample.now),
                StoredNotice(
                    id: 2, notice: Notice(.machine, since: Sample.now, .nightsFailed(nights: 2, reason: "off")),
                    storedAt: Sample.now),
            ],
            backlogs: [
                .init(destination: "diary", days: 5, oldest: Sample.day, reason: "no connection"),
                .init(destination: "server", days: 1, oldest: Sample.day, reason: nil),
            ], database: "/h", now: Sample.now, localTime: Sample.localTime, imports: scheduled)
    }

    /// It waits for its next attempt.
    var waiting: DestinationState {
        DestinationState(name: "diary", notBefore: Sample.now + 60, failures: 1, lastError: "down")
    }

    var share: ShareView {
        let outcomes: [ShareReport.Event.Outcome] = [
            .sent, .corrected, .unchanged, .fixed, .passed, .nothingKnown, .held(until: Sample.now),
            .queued(reason: "down"),
            .unknown(reason: "?"), .doubtful(reason: "?"), .rejected(reason: "no"), .withheld,
        ]
        let report = ShareReport(
            destination: "garden", kind: "rest", events: outcomes.map { .init(user: 1, day: Sample.day, outcome: $0) },
            waiting: 2,
            state: DestinationState(name: "garden", notBefore: Sample.now, failures: 1, stopped: "401"),
            failure: ShareFailure(.busy, "slow down", advice: "Wait."))
        let broken = ShareReport(
            destination: "diary", kind: "file", events: [], waiting: 0, state: waiting, failure: nil, fault: Broken())
        return ShareView([report, broken], users: [anna], now: Sample.now, localTime: Sample.localTime)
    }

    var sync: SyncView {
        let notices: [SyncNotice] = [
            .clockWasOff(seconds: -7200), .batteryLow(9), .undecodable(frames: 1), .implausible(samples: 2),
            .counterRestarted,
            .lost(from: Sample.day, through: Sample.day), .dayNotClosed(Sample.day),
            .missing([DayGap(Sample.day, .refused), DayGap(Sample.day.advanced(by: -1), .unanswered)]),
            .countingStarted, .oversized(values: 1),
        ]
        let good = SyncReport(
            pedometer: Sample.pedometer(), record: full, counts: full.counts, notices: notices, battery: 81,
            firmware: "1.15.0",
            connectedSeconds: 1.2,
            daysRead: 6, daysPlanned: 8, failure: nil, failureText: nil)
        let bad = SyncReport(pedometer: Sample.pedometer("watch"), failure: Broken(), failureText: "gone")
        let imports: [ScheduledImportReport] = [
            .init(name: "a", outcome: .unchanged, damaged: ["/Sync/b.zip"]),
            .init(name: "b", outcome: .imported(ImportChanges())),
            .init(name: "c", outcome: .failed(ScheduledImportFailure(name: "c", Broken()))),
        ]
        return SyncView(
            [good, bad], shares: share, failures: [failure], imports: imports, now: Sample.now,
            localTime: Sample.localTime)
    }

    var auto: AutoView {
        let trigger = SyncSchedule.Trigger(isEnabled: true, isActive: true, last: Sample.synced, next: Sample.now)
        return AutoView(
            .init(
                owner: .user("anna", lingers: false), night: trigger, midnight: trigger, adapter: trigger,
                watch: trigger,
                lastRun: .init(end: Sample.synced, exitCode: 75, result: "exit-code")),
            now: Sample.now, localTime: Sample.localTime)
    }

    var machineAuto: AutoView {
        let trigger = SyncSchedule.Trigger(isEnabled: false, isActive: false)
        return AutoView(
            .init(
                owner: .machine, night: trigger, midnight: trigger, adapter: trigger, watch: trigger,
                lastRun: .init(end: Sample.synced, exitCode: nil, result: "timeout")),
            now: Sample.now, localTime: Sample.localTime)
    }

    var outbox: OutboxView {
        var entries = ShareEntry.State.allCases.enumerated().map { index, state in
            ShareEntry(
                user: 1, day: Sample.day.advanced(by: -index), destination: "garden", state: state,
                changedAt: Sample.synced)
        }
        (entries[0].nextAttempt, entries[0].lastError, entries[0].remoteID, entries[0].attempts) = (
            Sample.now, "down", "7", 2
        )
        return OutboxView(
            entries,
            states: [
                DestinationState(name: "garden", notBefore: Sample.now, failures: 1, stopped: "401", lastError: "401"),
                waiting,
            ],
            users: [anna],
            now: Sample.now, localTime: Sample.localTime)
    }

    var destinations: DestinationsView {
        DestinationsView(
            [
                .init(
                    name: "garden", kind: "rest", location: "https://a",
                    state: DestinationState(name: "garden", notBefore: Sample.now, stopped: "401"),
                    counts: [.sent: 1, .pending: 2], answer: .success("it answers")),
                .init(
                    name: "diary", kind: "file", location: "/s", state: waiting, counts: [:],
                    answer: .failure(ShareFailure(.busy, "no"))),
                .init(name: "other", kind: "file", location: "/s", state: DestinationState(name: "other"), counts: [:]),
            ], now: Sample.now, localTime: Sample.localTime)
    }

    var doctor: DoctorView {
        let diagnoses: [Diagnosis] =
            [
                .bluetooth(.kernelSupported), .noSystemd, .storage(.fileOpen(path: "/a b", mode: 0o644)),
                .skipped(.disk, dependsOn: .history),
            ]
            + FailureCategory.allCases.map {
                .failed(.history, .reported($0, message: "y", advice: "Do `chmod 600 x`"))
            }
        return DoctorView(
            diagnoses.map { Finding(check: .history, diagnosis: $0) }, now: Sample.now,
            localTime: Sample.localTime)
    }

    func holdings(_ day: Day? = Sample.day) -> HistoryContents {
        HistoryContents(
            path: "/b", version: 5, size: 1000, people: ["anna"], pedometers: ["ring"], samples: 7, syncs: 2,
            corrections: 1, firstDay: day, lastDay: day)
    }

    var repair: RepairView {
        RepairView(
            history: "/h",
            .init(
                tables: [.init(name: "sample", rows: 5, rebuilt: 1, rejected: 1, gaps: 1)],
                days: [.init(pedometer: "ring", first: Sample.day, last: Sample.day)],
                resets: [
                    .init(table: "pedometer", column: "cursor", pedometer: "ring"),
                    .init(table: "sync", column: "battery", rows: 2),
                ],
                headerNumbers: [.version, .applicationID], otherTables: ["walks"], isSharingUncertain: true,
                contents: holdings(), damaged: "/h.damaged"))
    }

    func live() -> LiveDocument {
        LiveDocument(
            [.init(name: "ring", steps: 4857, goal: 8000), .init(name: "watch", steps: nil, goal: nil)],
            now: Sample.now,
            localTime: Sample.localTime)
    }
}

private struct Part: ExportedHistory {
    let path = "/e"
    let missing = [ExportTable.imports]

    func rows(_ row: (ExportTable, [String?]) throws -> Void) {}
}
