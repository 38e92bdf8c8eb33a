import Foundation
import StepDomain
import StepServices
import TestSupport
import Testing

@testable import StepViews

/// Every document of every view, with every key that it can have, against the schema that `istep json --schema` prints.
@Suite(.timeLimit(.minutes(5))) struct JSONSchemaTests {
    private struct Broken: Error {}

    private let anna = User(id: 1, name: "anna")
    private struct Wrong: ReportableError {
        var category: FailureCategory { .configuration }
        var description: String { "wrong" }
        var advice: String? { "Correct it." }
    }

    private let failure = ErrorText(Wrong())
    /// With a failure, which a complete sync does not have, so that each key has a value somewhere.
    private var full: SyncRecord { Sample.sync(failure: "none") }
    private var failed: SyncRecord { Sample.sync(.failed, failure: "not found") }

    /// All documents, as those of one subcommand.
    private static let reference = JSONReference([
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

    private func check(_ body: (inout JSONSchemaCheck) throws -> Void, isComplete: Bool = false) throws -> [String] {
        var check = JSONSchemaCheck(schema: try Self.reference.schema())
        try body(&check)
        return try check.complaints(isComplete: isComplete)
    }

    private var wrongDay: DayView {
        Sample.view { summary in
            summary.steps = -5
            summary.deviceTotals = [
                .init(
                    pedometer: "ring", total: DeviceTotal(day: Sample.day, at: Sample.synced, total: 8921, slots: 8801))
            ]
        }
    }

    /// A preview, an import, its list, and what taking it back changed.
    private var imports: [(any View, String)] {
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
            firstDay: Sample.day, lastDay: Sample.day, changedDays: 1)
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
    private var deletions: [(any View, String)] {
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
    private var scheduled: [ScheduledImportStatus] {
        let plan = ScheduledImport(name: "phone", path: "/Sync")
        let file = ForeignFileMark(path: "/Sync/a.zip", size: 1, modified: 1)
        func state(_ readAt: Timestamp, _ failure: String? = nil) -> ScheduledImportState {
            ScheduledImportState(name: "phone", file: file, readAt: readAt, triedAt: Sample.now, failure: failure)
        }
        let states = [nil, state(Sample.now), state(Sample.now - 9 * 86_400), state(Sample.now, "no file")]
        return states.map { ScheduledImportStatus(plan, $0, now: Sample.now) }
    }

    private var status: StatusView {
        StatusView(
            [
                .init(
                    today: Sample.summary(Sample.day.advanced(by: 1), steps: [7: 812]),
                    pedometers: [
                        .init(
                            pedometer: Sample.pedometer(), model: "a ring", recent: RecentSyncs(syncs: [failed, full])),
                        .init(pedometer: Sample.pedometer("new"), model: "a ring", recent: RecentSyncs(syncs: [])),
                    ])
            ],
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
    private var waiting: DestinationState {
        DestinationState(name: "diary", notBefore: Sample.now + 60, failures: 1, lastError: "down")
    }

    private var share: ShareView {
        let outcomes: [ShareReport.Event.Outcome] = [
            .sent, .corrected, .unchanged, .fixed, .passed, .nothingKnown, .held(until: Sample.now),
            .queued(reason: "down"),
            .unknown(reason: "?"), .doubtful(reason: "?"), .rejected(reason: "no"),
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

    private var sync: SyncView {
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

    private var auto: AutoView {
        let trigger = AutoView.Trigger(isEnabled: true, isActive: true, last: Sample.synced, next: Sample.now)
        return AutoView(
            .init(
                owner: .user("anna", lingers: false), night: trigger, midnight: trigger, adapter: trigger,
                watch: trigger,
                lastRun: .init(end: Sample.synced, exitCode: 75, result: "exit-code")),
            now: Sample.now, localTime: Sample.localTime)
    }

    private var machineAuto: AutoView {
        let trigger = AutoView.Trigger(isEnabled: false, isActive: false)
        return AutoView(
            .init(
                owner: .machine, night: trigger, midnight: trigger, adapter: trigger, watch: trigger,
                lastRun: .init(end: Sample.synced, exitCode: nil, result: "timeout")),
            now: Sample.now, localTime: Sample.localTime)
    }

    private var outbox: OutboxView {
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

    private var destinations: DestinationsView {
        DestinationsView(
            [
                .init(
                    name: "garden", kind: "rest", place: "https://a",
                    state: DestinationState(name: "garden", notBefore: Sample.now, stopped: "401"),
                    counts: [.sent: 1, .pending: 2], answer: .success("it answers")),
                .init(
                    name: "diary", kind: "file", place: "/s", state: waiting, counts: [:],
                    answer: .failure(ShareFailure(.busy, "no"))),
                .init(name: "other", kind: "file", place: "/s", state: DestinationState(name: "other"), counts: [:]),
            ], now: Sample.now, localTime: Sample.localTime)
    }

    private var doctor: DoctorView {
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

    private func holdings(_ day: Day? = Sample.day) -> HistoryContents {
        HistoryContents(
            path: "/b", version: 5, size: 1000, people: ["anna"], pedometers: ["ring"], samples: 7, syncs: 2,
            corrections: 1, firstDay: day, lastDay: day)
    }

    private var repair: RepairView {
        RepairView(
            history: "/h",
            .init(
                tables: [.init(name: "sample", rows: 5, rebuilt: 1, rejected: 1, gaps: 1)],
                days: [.init(pedometer: "ring", first: Sample.day, last: Sample.day)],
                resets: [
                    .init(table: "pedometer", column: "cursor", pedometer: "ring"),
                    .init(table: "sync", column: "battery", rows: 2),
                ],
                headerNumbers: [.version, .applicationID], isSharingUncertain: true,
                contents: holdings(), damaged: "/h.damaged"))
    }

    private func live() -> LiveDocument {
        LiveDocument(
            [.init(name: "ring", steps: 4857, goal: 8000), .init(name: "watch", steps: nil, goal: nil)],
            now: Sample.now,
            localTime: Sample.localTime)
    }

    @Test func `every document is as the schema says, and every key of the schema occurs`() throws {
        let complaints = try check(
            { check in
                check.add(try Sample.view().json(), as: "show", "a day")
                check.add(try wrongDay.json(), as: "show", "a wrong day")
                check.add(try DayExplanationTests.view.json(), as: "explanation", "a day with all kinds of samples")
                let run = Sample.view { ($0.runningSteps, $0.runningDistanceSource) = (9, .scaledStepLength) }
                check.add(try run.json(), as: "show", "a day with running")
                let corrected = Sample.view {
                    ($0.isCorrected, $0.correctionReason, $0.correctedAt) = (true, "no ring", Sample.synced)
                }
                check.add(try corrected.json(), as: "show", "a corrected day")
                let deleted = Sample.view { $0.deletedAt = Sample.synced }
                check.add(try deleted.json(), as: "show", "a deleted day")
                let excluded = Sample.view {
                    let span = TimeSpan(Sample.synced, Sample.synced + 60)
                    $0.excluded = [nil, "massage"].map {
                        ExcludedSteps(Exclusion(span, utcOffset: 0, reason: $0), steps: 7)
                    }
                }
                check.add(try excluded.json(), as: "show", "a day with excluded time")
                check.add(try Sample.view(DaySummary(user: anna, day: Sample.day)).json(), as: "show", "an unknown day")
                check.add(try SampleHistory.view().json(), as: "history", "a week")
                check.add(
                    try SampleHistory.view(SampleHistory.years, .year, by: .month).json(), as: "history", "a year")
                check.add(
                    try SampleHistory.view(SampleHistory.figures("7000 300000 7")).json(), as: "history", "a wrong day")
                let nothing = HistoryView(SampleHistory.figures(""), Period(.week, containing: Sample.day))
                check.add(try nothing.json(), as: "history", "nothing known")
                check.add(try status.json(), as: "status", "status")
                check.add(
                    try StatusView([], database: "/h", now: Sample.now, localTime: Sample.localTime).json(),
                    as: "status", "nobody")
                check.add(
                    try DevicesView(
                        [
                            .init(
                                pedometer: Sample.pedometer(), model: "a ring", caveat: "Not proven.", user: "anna",
                                syncs: [failed, full]),
                            .init(
                                pedometer: Sample.pedometer("b"), model: "a ring", user: "anna",
                                syncs: [Sample.sync(.running, battery: nil)]),
                        ], now: Sample.now, localTime: Sample.localTime
                    ).json(), as: "devices", "devices")
                let ring = ScannedDevice(
                    address: "C0:DE:00:00:00:01", addressType: "public", name: "R02", rssi: -60,
                    kind: PedometerKind(key: "colmi", title: "a ring", caveat: "Not proven."), evidence: .services,
                    services: ["180d"])
                check.add(
                    try ScanView(
                        rows: [ring, .init(address: "C0:DE:00:00:00:02", addressType: "random")], hidden: 1,
                        registered: [ring.address: "mine"]
                    ).json(), as: "scan", "scan")
                let values: [GATTCharacteristicContent.Value] = [
                    .bytes([1, 0xff]), .refused("needs pairing"), .notRead,
                ]
                let characteristics = values.enumerated().map {
                    GATTCharacteristicContent(
                        uuid: "2a19", handle: $0, flags: ["read"], descriptors: ["2901"], value: $1)
                }
                let service = GATTServiceContent(uuid: "180f", handle: 1, characteristics: characteristics)
                check.add(
                    try GATTTableView(address: "C0:DE:00:00:00:01", services: [service]).json(), as: "gatt", "a table")
                check.add(try GATTValueView([1, 2], as: .text).json(), as: "value", "a value")
                check.add(try CaptureView(path: "/c", frames: 3, isComplete: false).json(), as: "capture", "a capture")
                check.add(try sync.json(), as: "sync", "sync")
                check.add(try live().json(), as: "live", "live steps")
                check.add(try share.json(), as: "share", "share")
                check.add(
                    try ProfileView(
                        user: anna,
                        profiles: [
                            Profile(
                                validFrom: Sample.day, height: 1.78, weight: 72.5, sex: .female,
                                birthDate: Day("1980-01-02"), stepLength: 0.7, runningStepLength: 1.1),
                            Profile(validFrom: Sample.day),
                        ]
                    ).json(), as: "profile", "profile")
                check.add(
                    try PlanView(user: anna, plans: [SportPlan(validFrom: Sample.day, everyDay: 8000)]).json(),
                    as: "plan", "plan")
                check.add(
                    try PreviewView(
                        [
                            SharePreview(destination: "garden", day: Sample.day, result: .content("x")),
                            SharePreview(destination: "garden", day: Sample.day, result: .nothingKnown),
                        ], of: anna
                    ).json(), as: "previews", "previews")
                check.add(try destinations.json(), as: "destinations", "destinations")
                check.add(try outbox.json(), as: "outbox", "outbox")
                check.add(try auto.json(), as: "auto", "auto")
                check.add(try machineAuto.json(), as: "auto", "auto of the machine")
                check.add(
                    try ConfigView(files: ["/a"], destinations: ["garden"], problems: ["line 3: wrong"]).json(),
                    as: "config", "config")
                check.add(try KindsView([.init(key: "rest", title: "a server")]).json(), as: "kinds", "kinds")
                check.add(try ExampleView(kind: "rest", example: "[share.x]").json(), as: "example", "example")
                check.add(try doctor.json(), as: "doctor", "doctor")
                check.add(try BackupView(holdings()).json(), as: "backup", "a backup")
                check.add(try BackupView(holdings(nil)).json(), as: "backup", "a backup without samples")
                check.add(
                    try BackupsView(directory: "/b", [.init(path: "/b/1", origin: .schedule, bytes: 1000)]).json(),
                    as: "backups", "backups")
                check.add(
                    try RestoreView(holdings(), history: "/h", isDone: true, old: "/h.old").json(), as: "restore",
                    "a restore")
                check.add(
                    try RestoreView(holdings(), history: "/h", isDone: false, old: nil).json(), as: "restore",
                    "before a restore")
                check.add(try repair.json(), as: "repair", "a repair")
                check.add(try RepairView(history: "/h", nil).json(), as: "repair", "a sound history")
                check.add(try ReportView(file: "/r.html", bytes: 5000, days: 3).json(), as: "report", "report")
                check.add(
                    try ServeView(address: "http://127.0.0.1:1/open/a", isRunning: true).json(), as: "serve", "a port")
                check.add(
                    try GuestsView(address: "http://127.0.0.1:1", host: "steps.home.example").json(), as: "guests",
                    "guests")
                check.add(
                    try ServeView(address: "http://localhost/open/a", socket: "/s", isRunning: false).json(),
                    as: "serve", "a socket file")
                for (view, name) in imports + deletions { check.add(try view.json(), as: name, name) }
                check.add(try VersionDocument(release: "1.2.3").json(), as: "version", "version")
                check.add(try ErrorDocument(failure).json(), as: "error", "error")
            }, isComplete: true)
        #expect(complaints.isEmpty, "\(complaints.joined(separator: "\n"))")
    }

    @Test func `deviations from the schema are found`() throws {
        let good = try Sample.view().json()
        let spoiled = [
            good.replacing("\"steps\" : 8801", with: "\"steps\" : \"8801\""),
            good.replacing("\"restDay\"", with: "\"holiday\""),
            good.replacing("\"somewhatActive\"", with: "\"lively\""),
            good.replacing("2014-04-21T07:30:00+02:00", with: "2014-04-21 07:30"),
            good.replacing("\"version\" : 1", with: "\"version\" : 2"), good + good, "", "{}",
        ]
        for text in spoiled {
            #expect(text != good)
            #expect(try !check { $0.add(text, as: "show", "a spoiled day") }.isEmpty, "\(text)")
        }
        #expect(try check { $0.add(good, as: "show", "a day") }.isEmpty)
        #expect(
            try check({ $0.add(good, as: "show", "a day") }, isComplete: true).contains(
                "nothing has status.users[].today"))
    }

    @Test func `the reference names every document with its keys`() {
        let lines = Self.reference.lines(TextStyle())
        #expect(lines.allSatisfy { Columns.of($0) <= 80 })
        let text = lines.joined(separator: "\n")
        for entry in Self.reference.entries where entry.name != "error" {
            for command in entry.commands { #expect(text.contains("istep \(command)")) }
        }
        for words in [
            "lastSyncTime: time with offset; or null.", "lastSync: time with offset; or null. Deprecated.",
            "today: object as of show.",
        ] {
            #expect(text.contains(words))
        }
        #expect(Set(Self.reference.entries.map(\.name)).count == Self.reference.entries.count)
    }

    @Test func `the documents of a command are found by its first words, or by their name`() {
        let reference = JSONReference([
            ("gatt", [JSONUse(.gatt, "list"), JSONUse(.value, "read", "write")]), ("show", [JSONUse(.show)]),
            ("share", [JSONUse(.share), JSONUse(.previews, "--dry-run")]),
            ("outbox", [JSONUse(.share, "send"), JSONUse(.outbox, "list")]), ("json", []),
        ])
        let names = { (words: [String]) in reference.entries(of: words).map(\.name) }
        #expect(names(["gatt", "list"]) == ["gatt"] && names(["gatt"]) == ["gatt", "value"])
        #expect(names(["share"]) == ["share", "previews"] && names(["share", "--dry-run"]) == ["previews"])
        #expect(names(["outbox"]) == ["share", "outbox"] && names(["value"]) == ["value"])
        #expect(names([]).count == reference.entries.count && names(["shwo"]).isEmpty && names(["show", "x"]).isEmpty)
        #expect(reference.subcommands == ["gatt", "show", "share", "outbox"])
        #expect(reference.entries.first { $0.name == "share" }?.commands == ["share", "outbox send"])
    }

    @Test func `a part of the reference has only its documents, and its schema those that they refer to`() throws {
        let status = Self.reference.entries(of: ["status"])
        let lines = Self.reference.lines(TextStyle(), of: status)
        #expect(lines.first == "istep print status" && !lines.contains("istep print show"))
        let schema = try Self.reference.schema(of: status)
        let object = try #require(try JSONSerialization.jsonObject(with: Data(schema.utf8)) as? [String: Any])
        #expect((object["$defs"] as? [String: Any])?.keys.sorted() == ["show", "status"])
        #expect((object["anyOf"] as? [[String: String]]) == [["$ref": "#/$defs/status"]])
    }
}

private struct Part: ExportedHistory {
    let path = "/e"
    let missing = [ExportTable.imports]

    func rows(_ row: (ExportTable, [String?]) throws -> Void) {}
}
