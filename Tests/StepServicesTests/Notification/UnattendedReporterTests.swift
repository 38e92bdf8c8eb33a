import StepDomain
import TestSupport
import Testing

@testable import StepServices

@Suite(.timeLimit(.minutes(5))) struct UnattendedReporterTests {
    private struct Failed: ReportableError {
        var cause: FailureCause
        var category: FailureCategory { .unforeseen }
        var description = "failed"
    }

    private struct Locked: ReportableError {
        var category: FailureCategory { .temporary }
        var description: String { "locked" }
    }

    private let fixture = ServiceFixture()

    private func report(_ name: String, _ cause: FailureCause?, _ text: String = "failed") -> SyncReport {
        var pedometer = fixture.outbox.ring
        pedometer.name = name
        return SyncReport(
            pedometer: pedometer, failure: cause.map { Failed(cause: $0) }, failureText: cause.map { _ in text })
    }

    private func outcome(_ reports: SyncReport..., shares: [ShareReport] = []) -> SyncService.Outcome {
        var outcome = SyncService.Outcome(start: fixture.outbox.now)
        (outcome.reports, outcome.shares) = (reports, shares)
        return outcome
    }

    private func words(_ message: RunMessage) -> String {
        switch message.content {
        case .pedometerFailed(let report, let isFault): "\(message.severity) \(report.pedometer.name) \(isFault)"
        case .rejected(let name, let day, _): "\(message.severity) \(name) rejected \(day)"
        case .withheld(let name, let day): "\(message.severity) \(name) withheld \(day)"
        case .doubtful(let name, let day, _): "\(message.severity) \(name) doubtful \(day)"
        case .paused(let name, _): "\(message.severity) \(name) paused"
        case .sharingFaulty(let name, _): "\(message.severity) \(name) faulty"
        case .sharingFailed(let name, let failure): "\(message.severity) \(name) \(failure.kind)"
        case .failed(let error): "\(message.severity) \(error)"
        case .notice(let notice): "\(message.severity) \(notice.kind)"
        }
    }

    @Test func `a fault of the machine is reported once, and a pedometer out of range is a warning`() {
        let outcome = outcome(
            report("a", .machine, "no adapter"), report("b", .machine, "no adapter"), report("c", .outOfRange),
            report("d", nil),
            report("e", .other))
        #expect(outcome.messages.map(words) == ["warning c false", "error e true", "error a true"])
        #expect(outcome.isNews)
    }

    @Test func `each destination is reported by what matters most`() {
        let day = april20, anna = fixture.outbox.anna.id
        var stopped = DestinationState(name: "stopped")
        stopped.stopped = "401"
        let shares = [
            ShareReport(
                destination: "garden", kind: "file",
                events: [
                    .init(user: anna, day: day, outcome: .rejected(reason: "no")),
                    .init(user: anna, day: day, outcome: .withheld),
                    .init(user: anna, day: day, outcome: .doubtful(reason: "?")),
                    .init(user: anna, day: day, outcome: .sent),
                ], state: DestinationState(name: "garden"), failure: ShareFailure(.rejected, "no")),
            ShareReport(
                destination: "stopped", kind: "file", state: stopped, failure: ShareFailure(.credentials, "401")),
            ShareReport(
                destination: "away", kind: "file", state: DestinationState(name: "away"),
                failure: ShareFailure(.unreachable, "no route")),
            ShareReport(
                destination: "odd", kind: "file", state: DestinationState(name: "odd"),
                failure: ShareFailure(.misconfigured, "no file")),
            ShareReport(destination: "faulty", kind: "file", state: stopped, fault: Locked()),
        ]
        #expect(
            outcome(shares: shares).messages.map(words) == [
                "error garden rejected 2014-04-20", "error garden withheld 2014-04-20",
                "error garden doubtful 2014-04-20", "error stopped paused",
                "warning away unreachable",
                "error odd misconfigured", "error faulty faulty",
            ])
    }

    @Test func `failures as a whole and new notices come last`() {
        var outcome = outcome()
        outcome.sharingFailure = Locked()
        outcome.maintenanceFailure = Failed(cause: .other)
        let goal = Notice(
            .user(1), name: "anna", since: fixture.outbox.now, .goalReached(day: april20, steps: 9, goal: 8))
        let battery = Notice(.pedometer(1), name: "ring", since: fixture.outbox.now, .batteryLow(percent: 4))
        outcome.notices = StandingNotices(
            notices: [goal, battery, battery].enumerated().map {
                StoredNotice(id: Int64($0), notice: $1, storedAt: fixture.outbox.now)
            },
            begun: [0, 1])
        #expect(
            outcome.messages.map(words) == [
                "warning locked", "error failed", "notice goalReached", "warning batteryLow",
            ])
    }

    @Test func `a run without new results produces no message`() {
        #expect(!outcome(report("ring", nil)).isNews)
        #expect(outcome(report("ring", nil)).messages.isEmpty)
    }

    /// A full disk, for example.
    @Test func `if the result cannot be written, the messages are, and the failure is reported`() async {
        let log = RecordingLog()
        log.fail(Locked())
        await #expect(throws: Locked.self) {
            try await UnattendedReporter(fixture.context, output: log, desktop: nil).report(
                outcome(report("ring", .other)))
        }
        #expect(log.messages.map(words) == ["error ring true"])
    }

    @Test func `a long silence is reported once`() async throws {
        let log = RecordingLog()
        let reporter = UnattendedReporter(fixture.context, output: log, desktop: nil)
        // Bluetooth has not worked for a week.
        let listening = ListeningState(outage: .init(since: fixture.outbox.now - 7 * 86_400, reason: "no adapter"))
        try await reporter.checkSilence(listening)
        #expect(log.messages.map(words) == ["warning nightsFailed"])
        try await reporter.checkSilence(listening)
        #expect(log.messages.count == 1)
        try await reporter.checkSilence(ListeningState())
        #expect(log.messages.count == 1)
    }
}
