import StepDomain
@testable import StepServices
import Synchronization
import Testing
import TestSupport

@Suite(.timeLimit(.minutes(5))) struct SyncRecorderTests {
    private let history: InMemoryHistory
    private let ring: Pedometer
    private let watch: Pedometer
    private let clock = TickingClock(1_000_000)

    private struct OutOfRange: Error, CustomStringConvertible { var description: String { "not found within 20 s" } }

    init() {
        let history = InMemoryHistory()
        let anna = history.addUser(named: "anna")
        func add(_ name: String, _ address: String) -> Pedometer {
            history.addPedometer(
                Pedometer(user: anna.id, model: "colmi", address: address, addressType: "public", name: name))
        }
        self.history = history
        ring = add("ring", "C0:DE:00:00:00:01")
        watch = add("watch", "C0:DE:00:00:00:02")
    }

    /// A recorder and its reader, for one run.
    private struct Run: Sendable {
        let history: InMemoryHistory
        let reader: any PedometerReader
        let now: @Sendable () -> Timestamp

        func synchronize(
            _ pedometers: [Pedometer], progress: @escaping @Sendable (Pedometer, ReadProgress) -> Void = { _, _ in },
            finished: @escaping @Sendable (SyncReport) -> Void = { _ in }
        ) async -> [SyncReport] {
            await SyncRecorder(history, localTime: .berlin, now: now, progress: progress, finished: finished).read(
                pedometers, by: reader)
        }
    }

    private func run(_ reader: any PedometerReader) -> Run { Run(history: history, reader: reader, now: clock.now) }

    private func batch(_ steps: Int..., readThrough: Int? = nil) -> SampleBatch {
        SampleBatch(
            samples: steps.enumerated().map {
                StepSample(start: Timestamp($0 * 900), length: 900, steps: $1, utcOffset: 0)
            },
            frames: [RawFrame(.received, at: Timestamp(0), bytes: [1])],
            cursor: readThrough.map { PedometerCursor(readThrough: Timestamp($0)) })
    }

    @Test func `a reading is merged, recorded and reported`() async throws {
        let setting = ClockState.Setting(at: Timestamp(1_000_010), utcOffset: 7200)
        let reader = ScriptedReader([
            ring.id: [
                .deliver(batch(100, 200)), .deliver(batch(100, 250, readThrough: 1800)),
                .finish(ReadReport(battery: 80, clockSet: setting, notices: [.counterRestarted], readSeconds: 1.5)),
                .disconnect(3.4),
            ]
        ])
        let reports = await run(reader).synchronize([ring])
        let report = try #require(reports.first)
        #expect(reports.count == 1)
        #expect(report.failure == nil)
        #expect(report.counts == MergeCounts(added: 2, grown: 1, unchanged: 1, steps: 350, frames: 2))
        #expect(report.battery == 80)
        #expect(report.readSeconds == 1.5)
        #expect(report.connectedSeconds == 3.4)
        #expect(report.notices == [.counterRestarted])
        #expect(report.pedometer.clock.settings == [setting])
        #expect(report.record == history.sync(1))
        #expect(report.record?.outcome == .complete)
        #expect(report.record?.start == Timestamp(1_000_001))
        #expect(report.record?.end == Timestamp(1_000_002))
        #expect(history.pedometer(ring.id)?.cursor.readThrough == Timestamp(1800))
        #expect(history.pedometer(ring.id)?.clock.settings == [setting])
        #expect(history.calls == [.beginSync(1), .merge(1), .merge(1), .setClock(1), .endSync(1, .complete)])
    }

    @Test func `coverage uses the place where the pedometer clock was set`() async throws {
        let day = try #require(Day("2014-04-20"))
        let tokyo = LocalTime.fixed(32_400)
        let span = tokyo.span(of: day)
        let setting = ClockState.Setting(at: span.start - 86_400, utcOffset: 32_400)
        try history.setClock(ClockState(settings: [setting]), of: ring.id)
        let travelled = try #require(history.pedometer(ring.id))
        let reader = ScriptedReader([ring.id: [.deliver(SampleBatch(coverage: [span])), .finish(ReadReport())]])
        _ = await run(reader).synchronize([travelled])
        let anna = try #require(history.users().first)
        let data = try history.dayData(of: anna, on: day)
        #expect(data.tracks.first?.coverage == [CoveredSpan(span, utcOffset: 32_400)])
        let atHome = StepStatistics(history, localTime: .berlin, now: { span.end + 86_400 })
        #expect(try atHome.summary(of: anna, on: day).completeness == .complete)
        #expect(try atHome.summary(of: anna, on: day.advanced(by: -1)).steps == nil)
    }

    @Test func `a second sync of the same data changes nothing`() async {
        let script: [ScriptedReader.Step] = [.deliver(batch(100, 200)), .finish(ReadReport())]
        _ = await run(ScriptedReader([ring.id: script])).synchronize([ring])
        let again = await run(ScriptedReader([ring.id: script])).synchronize([ring])
        #expect(again.first?.counts == MergeCounts(unchanged: 2, frames: 1))
    }

    @Test func `a failure does not stop the next pedometer`() async {
        let reader = ScriptedReader([
            ring.id: [.deliver(batch(100)), .fail(OutOfRange())],
            watch.id: [.deliver(batch(7)), .finish(ReadReport())],
        ])
        let reports = await run(reader).synchronize([ring, watch])
        #expect(reports.map(\.pedometer.name) == ["ring", "watch"])
        #expect(reports.first?.failure is OutOfRange)
        #expect(reports.first?.failureText == "not found within 20 s")
        #expect(reports.first?.counts.steps == 100)
        #expect(reports.first?.readSeconds == nil)
        #expect(history.sync(1)?.outcome == .failed)
        #expect(history.sync(1)?.failure == "not found within 20 s")
        #expect(reports.last?.failure == nil)
        #expect(reports.last?.counts.steps == 7)
    }

    @Test func `a reading without a connection has no duration`() async {
        let reports = await run(ScriptedReader([ring.id: [.deliver(batch(100)), .finish(ReadReport())]])).synchronize([
            ring
        ])
        #expect(reports.first?.failure == nil && reports.first?.counts.steps == 100)
        #expect(reports.first?.readSeconds == nil)
    }

    @Test func `progress is reported for each pedometer`() async {
        let reported = ReportedProgress()
        let reader = ScriptedReader([
            ring.id: [.progress(.searching), .progress(.reading(done: 1, of: 8)), .finish(ReadReport())],
            watch.id: [.progress(.connecting), .finish(ReadReport())],
        ])
        _ = await run(reader).synchronize([ring, watch], progress: { reported.add($0.name, $1) })
        #expect(reported.all == ["ring searching", "ring reading(done: 1, of: 8)", "watch connecting"])
    }

    private final class ReportedProgress: Sendable {
        private let lines = Mutex<[String]>([])
        func add(_ name: String, _ progress: ReadProgress) { lines.withLock { $0.append("\(name) \(progress)") } }
        var all: [String] { lines.withLock { $0 } }
    }

    @Test func `a result is reported and recorded before its link is down`() async throws {
        let log = ReportedProgress()
        let reader = ScriptedReader([
            ring.id: [
                .deliver(batch(100)), .finish(ReadReport(readSeconds: 1)), .progress(.connecting), .disconnect(3),
            ],
            watch.id: [.fail(OutOfRange())],
        ])
        let reports = await run(reader).synchronize([ring, watch], progress: { log.add($0.name, $1) }) {
            [history] report in
            let isRecorded = report.record == history.sync(report.record?.id ?? 0)
            log.add(
                "\(report.pedometer.name) \(report.counts.steps) \(isRecorded) \(report.connectedSeconds ?? -1)",
                .searching)
        }
        #expect(log.all == ["ring 100 true -1.0 searching", "ring connecting", "watch 0 true -1.0 searching"])
        #expect(reports.map(\.connectedSeconds) == [3, nil])
    }

    // MARK: Notices

    @Test(arguments: [(15, []), (14, [SyncNotice.batteryLow(14)]), (0, [.batteryLow(0)]), (nil, []), (200, [])])
    func `a battery below 15 % produces a notice`(battery: Int?, notices: [SyncNotice]) async {
        let reader = ScriptedReader([ring.id: [.finish(ReadReport(battery: battery))]])
        let report = await run(reader).synchronize([ring]).first
        #expect(report?.notices == notices)
        #expect(report?.battery == (battery == 200 ? nil : battery))
    }

    @Test func `implausible samples are reported once with their total`() async {
        let reader = ScriptedReader([
            ring.id: [
                .deliver(batch(90_000)),
                .finish(ReadReport(notices: [.implausible(samples: 2), .undecodable(frames: 1)])),
            ]
        ])
        let report = await run(reader).synchronize([ring]).first
        #expect(report?.notices == [.undecodable(frames: 1), .implausible(samples: 3)])
        #expect(report?.failure == nil)
    }

    // MARK: A history that refuses

    @Test func `a batch that the history refuses stops the reading`() async {
        history.refuse(.merge(1), with: Refusal())
        let reader = ScriptedReader([ring.id: [.deliver(batch(100)), .finish(ReadReport(battery: 80))]])
        let report = await run(reader).synchronize([ring]).first
        #expect(report?.failure is Refusal)
        #expect(history.calls == [.beginSync(1), .merge(1), .endSync(1, .failed)])
    }

    @Test func `no batch is merged after a refused one`() async {
        // A reader that ignores the refusal must not move the cursor over the gap, nor report success.
        history.refuse(.merge(1), with: Refusal())
        let setting = ClockState.Setting(at: Timestamp(1), utcOffset: 0)
        let reader = ScriptedReader([
            ring.id: [
                .deliverCarelessly(batch(100)), .deliverCarelessly(batch(200, readThrough: 900)),
                .finish(ReadReport(clockSet: setting)),
            ]
        ])
        let report = await run(reader).synchronize([ring]).first
        #expect(report?.failure is Refusal)
        // The clock was set, whatever became of the batches.
        #expect(history.calls == [.beginSync(1), .merge(1), .setClock(1), .endSync(1, .failed)])
        #expect(history.pedometer(ring.id)?.cursor.readThrough == nil)
    }

    @Test func `the refused batch is reported instead of a later reader error`() async {
        history.refuse(.merge(1), with: Refusal())
        let reader = ScriptedReader([ring.id: [.deliverCarelessly(batch(100)), .fail(OutOfRange())]])
        #expect(await run(reader).synchronize([ring]).first?.failure is Refusal)
    }

    @Test func `a sync that cannot be recorded at its start reads nothing`() async {
        history.refuse(.beginSync(ring.id), with: Refusal())
        let reader = ScriptedReader([watch.id: [.finish(ReadReport())]])
        let reports = await run(reader).synchronize([ring, watch])
        #expect(reports.first?.failure is Refusal)
        #expect(reports.first?.record == nil)
        #expect(reader.read.map(\.id) == [watch.id])
        #expect(reports.last?.failure == nil)
    }

    @Test func `a clock setting is stored although the history is locked at first`() async {
        history.refuse(.setClock(ring.id), with: Refusal(), times: 3)
        let setting = ClockState.Setting(at: Timestamp(1), utcOffset: 7200)
        let reader = ScriptedReader([ring.id: [.finish(ReadReport(clockSet: setting))]])
        let report = await run(reader).synchronize([ring]).first
        #expect(report?.failure == nil)
        #expect(history.pedometer(ring.id)?.clock.settings == [setting])
    }

    @Test func `a clock setting that cannot be recorded is a failure`() async {
        history.refuse(.setClock(ring.id), with: Refusal())
        let setting = ClockState.Setting(at: Timestamp(1), utcOffset: 0)
        let reader = ScriptedReader([ring.id: [.finish(ReadReport(battery: 50, clockSet: setting))]])
        let report = await run(reader).synchronize([ring]).first
        #expect(report?.failure is Refusal)
        #expect(history.sync(1)?.outcome == .failed)
        #expect(history.sync(1)?.battery == 50)
    }

    @Test func `an end that cannot be recorded is reported unless another failure exists`() async {
        history.refuse(.endSync(1, .complete), with: Refusal())
        history.refuse(.endSync(2, .failed), with: Refusal())
        let reader = ScriptedReader([ring.id: [.finish(ReadReport())], watch.id: [.fail(OutOfRange())]])
        let reports = await run(reader).synchronize([ring, watch])
        #expect(reports.first?.failure is Refusal)
        #expect(reports.first?.record?.outcome == .running)
        #expect(reports.first?.record?.end == nil)
        #expect(reports.last?.failure is OutOfRange)
    }

    // MARK: Cancellation

    @Test func `a cancelled sync ends every sync record that it began`() async throws {
        let reader = ScriptedReader([ring.id: [.deliver(batch(100)), .hang]])
        let run = run(reader)
        let task = Task { await run.synchronize([ring, watch]) }
        for await _ in reader.hanging { break }
        task.cancel()
        let reports = await task.value
        #expect(reports.map { $0.failure is CancellationError } == [true, true])
        #expect(reports.first?.counts.steps == 100)
        #expect(reports.first?.failureText == "interrupted")
        #expect(history.calls == [.beginSync(1), .beginSync(2), .merge(1), .endSync(1, .failed), .endSync(2, .failed)])
        #expect(history.sync(1)?.failure == "interrupted")
        #expect(history.sync(2)?.failure == "interrupted")
        #expect(reader.read.map(\.id) == [ring.id])
    }

    private struct LinkLost: ReportableError {
        var category: FailureCategory { .temporary }
        var cause: FailureCause { .interrupted }
        var description: String { "cancelled" }
    }

    /// Where no link is up yet, the reader has an error of its own for it.
    @Test func `an interruption has one name`() async {
        let report = await run(ScriptedReader([ring.id: [.fail(LinkLost())]])).synchronize([ring]).first
        #expect(report?.failureText == "interrupted")
        #expect(history.sync(1)?.failure == "interrupted" && history.sync(1)?.cause == .interrupted)
    }

    @Test func `a sync in a cancelled task reads no pedometer and records nothing`() async {
        let reader = ScriptedReader([:])
        let run = run(reader)
        let reports = await Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return await run.synchronize([ring, watch])
        }.value
        #expect(reports.map { $0.failure is CancellationError } == [true, true])
        #expect(history.calls.isEmpty && reader.read.isEmpty)
    }

    @Test func `a sync without pedometers produces no reports`() async {
        #expect(await run(ScriptedReader([:])).synchronize([]).isEmpty)
    }

    // MARK: Gaps

    private let gap = DayGap(Day(daysSince1970: 11), .refused)

    @Test func `missing days are those of the last cursor, and what a batch made final is reported`() async throws {
        var first = batch(100), last = batch(200)
        first.cursor = PedometerCursor(missing: [gap, DayGap(Day(daysSince1970: 12), .incomplete)])
        first.notices = [.tooOld([Day(daysSince1970: 3)])]
        last.cursor = PedometerCursor(missing: [gap, DayGap(Day(daysSince1970: 13), .unconfirmed)])
        let reader = ScriptedReader([
            ring.id: [.deliver(first), .deliver(last), .finish(ReadReport(notices: [.counterRestarted]))]
        ])
        let report = try #require(await run(reader).synchronize([ring]).first)
        #expect(report.failure == nil)
        #expect(report.notices == [.tooOld([Day(daysSince1970: 3)]), .counterRestarted, .missing([gap])])
        #expect(report.gaps == [gap])
    }

    @Test func `a reading that fails reports what its batches made final`() async throws {
        var first = batch(100)
        first.cursor = PedometerCursor(missing: [gap])
        first.notices = [.tooOld([Day(daysSince1970: 3)])]
        let reader = ScriptedReader([ring.id: [.deliver(first), .fail(OutOfRange())]])
        let report = try #require(await run(reader).synchronize([ring]).first)
        #expect(report.failure != nil)
        #expect(report.notices == [.tooOld([Day(daysSince1970: 3)]), .missing([gap])])
    }
}
