import Foundation
import StepDomain
import StepServices
import TestSupport
import Testing

@testable import StepViews

/// Every document of every view, with every key that it can have, against the schema that `istep json --schema` prints.
@Suite(.timeLimit(.minutes(5))) struct JSONSchemaTests {
    private let samples = SampleDocuments()

    private func check(_ body: (inout JSONSchemaCheck) throws -> Void, isComplete: Bool = false) throws -> [String] {
        var check = JSONSchemaCheck(schema: try SampleDocuments.reference.schema())
        try body(&check)
        return try check.complaints(isComplete: isComplete)
    }

    @Test func `every document is as the schema says, and every key of the schema occurs`() throws {
        let complaints = try check(
            { check in
                check.add(try Sample.view().json(), as: "show", "a day")
                check.add(try samples.wrongDay.json(), as: "show", "a wrong day")
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
                check.add(
                    try Sample.view(DaySummary(user: samples.anna, day: Sample.day)).json(), as: "show",
                    "an unknown day")
                check.add(try SampleHistory.view().json(), as: "history", "a week")
                check.add(
                    try SampleHistory.view(SampleHistory.years, .year, by: .month).json(), as: "history", "a year")
                check.add(
                    try SampleHistory.view(SampleHistory.figures("7000 300000 7")).json(), as: "history", "a wrong day")
                let nothing = HistoryView(SampleHistory.figures(""), Period(.week, containing: Sample.day))
                check.add(try nothing.json(), as: "history", "nothing known")
                check.add(try samples.status.json(), as: "status", "status")
                check.add(
                    try StatusView(
                        [], models: Sample.models, database: "/h", now: Sample.now, localTime: Sample.localTime
                    ).json(),
                    as: "status", "nobody")
                check.add(
                    try DevicesView(
                        [
                            .init(
                                pedometer: Sample.pedometer(), model: "a ring", caveat: "Not proven.", user: "anna",
                                syncs: [samples.failed, samples.full]),
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
                check.add(try samples.sync.json(), as: "sync", "sync")
                check.add(try samples.live().json(), as: "live", "live steps")
                check.add(try samples.share.json(), as: "share", "share")
                check.add(
                    try ProfileView(
                        user: samples.anna,
                        profiles: [
                            Profile(
                                validFrom: Sample.day, height: 1.78, weight: 72.5, sex: .female,
                                birthDate: Day("1980-01-02"), stepLength: 0.7, runningStepLength: 1.1),
                            Profile(validFrom: Sample.day),
                        ]
                    ).json(), as: "profile", "profile")
                check.add(
                    try PlanView(user: samples.anna, plans: [SportPlan(validFrom: Sample.day, everyDay: 8000)]).json(),
                    as: "plan", "plan")
                check.add(
                    try PreviewView(
                        [
                            SharePreview(destination: "garden", day: Sample.day, result: .content("x")),
                            SharePreview(destination: "garden", day: Sample.day, result: .nothingKnown),
                        ], of: samples.anna
                    ).json(), as: "previews", "previews")
                check.add(try samples.destinations.json(), as: "destinations", "destinations")
                check.add(try samples.outbox.json(), as: "outbox", "outbox")
                check.add(try samples.auto.json(), as: "auto", "auto")
                check.add(try samples.machineAuto.json(), as: "auto", "auto of the machine")
                check.add(
                    try ConfigView(files: ["/a"], destinations: ["garden"], problems: ["line 3: wrong"]).json(),
                    as: "config", "config")
                check.add(try KindsView([.init(key: "rest", title: "a server")]).json(), as: "kinds", "kinds")
                check.add(try ExampleView(kind: "rest", example: "[share.x]").json(), as: "example", "example")
                check.add(try samples.doctor.json(), as: "doctor", "doctor")
                check.add(try BackupView(samples.holdings()).json(), as: "backup", "a backup")
                check.add(try BackupView(samples.holdings(nil)).json(), as: "backup", "a backup without samples")
                check.add(
                    try BackupsView(directory: "/b", [.init(path: "/b/1", origin: .schedule, bytes: 1000)]).json(),
                    as: "backups", "backups")
                check.add(
                    try RestoreView(samples.holdings(), history: "/h", isDone: true, old: "/h.old").json(),
                    as: "restore",
                    "a restore")
                check.add(
                    try RestoreView(samples.holdings(), history: "/h", isDone: false, old: nil).json(), as: "restore",
                    "before a restore")
                check.add(try samples.repair.json(), as: "repair", "a repair")
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
                for (view, name) in samples.imports + samples.deletions { check.add(try view.json(), as: name, name) }
                check.add(try VersionDocument(release: "1.2.3").json(), as: "version", "version")
                check.add(try ErrorDocument(samples.failure).json(), as: "error", "error")
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
}
