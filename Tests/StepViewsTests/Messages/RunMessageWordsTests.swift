import StepDomain
import StepServices
import StepViews
import Testing

@Suite(.timeLimit(.minutes(5))) struct RunMessageWordsTests {
    private let now = Timestamp(1_779_278_700)

    private func lines(_ outcome: SyncService.Outcome) -> [String] {
        outcome.messages.flatMap {
            RunMessageWords.lines(for: $0, isHousehold: false, now: now, localTime: .fixed(0))
        }
    }

    private struct Failed: ReportableError {
        var cause: FailureCause
        var category: FailureCategory { .unforeseen }
        var description: String { "problem \(cause)" }
        var advice: String? { "fix \(cause)" }
    }

    private func report(_ cause: FailureCause) -> SyncReport {
        let ring = Pedometer(
            id: 1, user: 1, model: "colmi", address: "C0:DE:00:00:00:01", addressType: "random", name: "ring\u{1b}")
        return SyncReport(pedometer: ring, failure: Failed(cause: cause), failureText: "it failed\u{1b}[2J")
    }

    @Test func `a failure is shown with advice, but not for a pedometer out of range`() {
        var outcome = SyncService.Outcome(start: now)
        outcome.reports = [report(.other)]
        #expect(lines(outcome) == ["ring\u{fffd}: it failed\u{fffd}[2J", "ring\u{fffd}: fix other"])
        outcome.reports = [report(.outOfRange)]
        #expect(lines(outcome) == ["ring\u{fffd}: it failed\u{fffd}[2J"])
    }

    @Test func `messages about a destination begin with its name`() {
        let day = Day("2026-05-19")!
        var stopped = DestinationState(name: "b")
        stopped.stopped = "401"
        var outcome = SyncService.Outcome(start: now)
        outcome.shares = [
            ShareReport(
                destination: "a", kind: "file",
                events: [
                    .init(user: 1, day: day, outcome: .rejected(reason: "no")),
                    .init(user: 1, day: day, outcome: .doubtful(reason: "no answer")),
                    .init(user: 1, day: day, outcome: .withheld),
                ], state: DestinationState(name: "a"),
                failure: ShareFailure(.misconfigured, "no file", advice: "Make one.")),
            ShareReport(destination: "b", kind: "file", state: stopped),
            ShareReport(destination: "c", kind: "file", state: stopped, fault: Failed(cause: .other)),
        ]
        #expect(
            lines(outcome) == [
                "a: 2026-05-19 rejected: no", "a: 2026-05-19 may have arrived: no answer",
                "a: 2026-05-19 withheld: more steps than anyone takes in a day; it is sent when it is corrected or requested",
                "a: no file", "a: Make one.",
                "b: paused: credentials rejected: 401", "c: problem other; fix other",
            ])
    }

    @Test func `a failure of the maintenance is shown with the name of the program`() {
        var outcome = SyncService.Outcome(start: now)
        outcome.maintenanceFailure = Failed(cause: .other)
        #expect(lines(outcome) == ["istep: problem other", "       fix other"])
    }

    @Test func `a desktop notification has the text of one notice or a list of several`() {
        let words = NotificationWords(now: { now }, localTime: .fixed(0))
        let low = Notice(.pedometer(1), name: "ring", since: now, .batteryLow(percent: 5))
        let stopped = Notice(.destination("a"), name: "a", since: now, .destinationStopped(reason: "401"))
        #expect(
            words.notification(of: [low], isHousehold: false)
                == UserNotification(summary: "ring: battery at 5 %", body: "Charge it soon.", kind: .batteryLow))
        #expect(
            words.notification(of: [low, stopped], isHousehold: false)
                == UserNotification(
                    summary: "2 more: istep status", body: "ring: battery at 5 %\na: paused: credentials rejected"))
    }
}
