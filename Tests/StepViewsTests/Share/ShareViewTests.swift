import StepDomain
import StepServices
import TestSupport
import Testing

@testable import StepViews

@Suite(.timeLimit(.minutes(5))) struct ShareViewTests {
    private let anna = User(id: 1, name: "anna")
    private let ben = User(id: 2, name: "ben")

    private func view(_ reports: ShareReport..., users: [User]? = nil) -> ShareView {
        ShareView(reports, users: users ?? [anna], now: Sample.now, localTime: Sample.localTime)
    }

    private func report(
        _ outcomes: ShareReport.Event.Outcome..., waiting: Int = 0,
        state: DestinationState = DestinationState(name: "garden"),
        failure: ShareFailure? = nil, fault: (any Error)? = nil
    ) -> ShareReport {
        let events = outcomes.enumerated().map {
            ShareReport.Event(user: 1, day: Sample.day.advanced(by: -$0), outcome: $1)
        }
        return ShareReport(
            destination: "garden", kind: "rest", events: events, waiting: waiting, state: state, failure: failure,
            fault: fault)
    }

    @Test func `successful deliveries are summarised in one line`() {
        #expect(view(report(.sent)).text() == "garden: 2014-04-20 sent")
        #expect(view(report(.sent, .sent, .corrected)).text() == "garden: 2 days sent, 2014-04-18 updated")
        #expect(view(report(.sent, .unchanged)).text() == "garden: 2014-04-20 sent", "nobody asked for that day")
        #expect(view(report(.unchanged)).text() == "garden: nothing new")
        var requested = report(.unchanged)
        requested.events[0].isRequested = true
        #expect(view(requested).text() == "garden: 2014-04-20 already there")
        #expect(view(report()).text() == "garden: nothing new")
        #expect(view(report(.sent), users: [anna, ben]).text() == "garden: 2014-04-20 of anna sent")
    }

    @Test func `days that wait for another attempt are shown below their destination`() {
        let state = DestinationState(name: "garden", notBefore: Sample.now + 120, failures: 2)
        #expect(
            view(report(waiting: 2, state: state)).text() == """
                garden:
                  2 days stay in the outbox; next attempt after 2014-04-21 10:32
                """)
    }

    @Test func `an unreachable server is shown with the next attempt`() {
        let failure = ShareFailure(.unreachable, "could not connect to steps.example.org", advice: "Is it on?")
        let state = DestinationState(name: "garden", notBefore: Sample.now + 120, failures: 2)
        #expect(
            view(report(.queued(reason: failure.reason), waiting: 3, state: state, failure: failure)).text() == """
                garden: could not connect to steps.example.org
                  Is it on?
                  4 days stay in the outbox; next attempt after 2014-04-21 10:32
                """)
    }

    @Test func `what became of a day is said in one line, also where nothing was sent`() {
        func line(_ reports: ShareReport...) -> String {
            ShareView(reports, users: [anna], now: Sample.now, localTime: Sample.localTime).line(of: Sample.day, anna)
        }
        #expect(line(report(.sent)) == "garden: 1 day sent")
        #expect(line(report(.unchanged)) == "2014-04-20: already there")
        #expect(
            line(report(.nothingKnown), report(.nothingKnown))
                == "2014-04-20: nothing is known of that day, so there is nothing to share")
        #expect(
            line(report(.fixed), report(.passed))
                == "2014-04-20: changed since it was sent, and cannot be corrected there; not sent, since a later day is shown there"
        )
        #expect(line(report()) == "2014-04-20: no destination takes days of this user")
    }

    @Test func `refused credentials are shown with the retry command`() {
        let state = DestinationState(
            name: "garden", notBefore: Sample.now + 60, failures: 1, stopped: "garden answered 401: bad token")
        #expect(
            view(report(waiting: 1, state: state)).text() == """
                garden: paused: credentials rejected: garden answered 401: bad token
                  Renew the credentials or their rights, then:
                    istep outbox retry garden
                  1 day stays in the outbox
                """)
    }

    @Test func `several rejections in a row explain the waiting days`() {
        let failure = ShareFailure(.rejected, "unknown user")
        let state = DestinationState(name: "garden", notBefore: Sample.now + 60, failures: 1, lastError: "unknown user")
        #expect(
            view(report(.rejected(reason: "unknown user"), waiting: 7, state: state, failure: failure)).text() == """
                garden:
                  2014-04-20: rejected: unknown user
                  7 days stay in the outbox, since several days in a row were rejected; next
                  attempt after 2014-04-21 10:31
                  When the cause is fixed:
                    istep outbox retry garden
                """)
    }

    @Test func `each day with a problem is explained on its own line`() {
        let text = view(
            report(
                .rejected(reason: "unknown user"), .unknown(reason: "no answer"),
                .held(until: Sample.localTime.at("2014-04-22", 12)),
                .fixed, .nothingKnown)
        ).text()
        #expect(
            text == """
                garden:
                  2014-04-20: rejected: unknown user
                  2014-04-19: may have arrived: no answer
                  2014-04-18: waits for its missing steps, until 2014-04-22 12:00 at the latest
                  2014-04-17: changed since it was sent, and cannot be corrected there
                  2014-04-16: nothing is known of that day, so there is nothing to share
                  1 day stays in the outbox
                """)
    }

    @Test func `a day in doubt is shown without a next attempt`() {
        #expect(
            view(
                report(
                    .doubtful(reason: "no answer"), state: DestinationState(name: "garden", notBefore: Sample.now + 60))
            ).text() == """
                garden:
                  2014-04-20: may have arrived: no answer
                  Check whether the destination has it. If it has:
                    istep outbox drop garden 2014-04-20
                  If it has not:
                    istep outbox retry garden 2014-04-20
                """)
    }

    @Test func `a failure that the line of its day names is not repeated`() {
        let text = view(
            report(
                .unknown(reason: "\"p\" ended with code 1"),
                failure: ShareFailure(.unanswered, "\"p\" ended with code 1"))
        )
        .text()
        #expect(text.contains("2014-04-20: may have arrived: \"p\" ended with code 1"))
        #expect(text.split(separator: "ended with code 1", omittingEmptySubsequences: false).count == 2, "\(text)")
    }

    @Test func `a day in progress is shown as waiting for its end`() {
        let text = view(report(.held(until: Sample.localTime.at("2014-04-21", 0)))).text()
        #expect(text == "garden:\n  2014-04-20: waits until the day is over")
    }

    @Test func `a day before the one that is shown was not sent`() {
        #expect(view(report(.passed)).text() == "garden:\n  2014-04-20: not sent, since a later day is shown there")
    }

    @Test func `many days before the one that is shown are one line`() {
        #expect(
            view(report(.sent, .passed, .passed, .passed)).text() == """
                garden: 2014-04-20 sent
                  3 days: not sent, since a later day is shown there
                """)
    }

    @Test func `a destination that is waiting says why`() {
        var state = DestinationState(name: "garden", notBefore: Sample.now + 120, failures: 2)
        state.lastError = "could not connect"
        let shared = view(report(waiting: 2, state: state)).text().replacing(/\s+/, with: " ")
        #expect(shared.contains("since the last attempt failed: could not connect; next attempt after"), "\(shared)")
        let listed = DestinationsView(
            [
                DestinationStatus(
                    name: "garden", kind: "rest", location: "https://a.org", state: state, counts: [.pending: 2])
            ], now: Sample.now,
            localTime: Sample.localTime)
        let words = listed.text().replacing(/\s+/, with: " ")
        #expect(
            words.contains("waits until 2014-04-21 10:32, since the last attempt failed: could not connect"), "\(words)"
        )
    }

    @Test func `a note on another history names both histories`() {
        let note = ShareView.note(history: "/tmp/co\u{1b}py", usual: "/home/anna/history.sqlite")
        #expect(
            note.contains("'/tmp/co\u{fffd}py'")
                && note.contains("without --db, the history is '/home/anna/history.sqlite'"))
    }

    @Test func `an internal error is shown for its destination`() throws {
        struct Locked: ReportableError {
            var category: FailureCategory { .temporary }
            var description: String { "the history is locked" }
        }
        #expect(view(report(fault: Locked())).text() == "garden: the history is locked")
        #expect(try ReadDocument(view(report(fault: Locked()))).destinations[0].failure.kind == "fault")
    }

    @Test func `control characters from a server are replaced`() {
        let failure = ShareFailure(.unreachable, "down\u{1b}[2J\u{202e}")
        for line in view(report(.rejected(reason: "\u{1b}]0;x\u{07}"), failure: failure)).lines(Sample.plain) {
            #expect(!line.unicodeScalars.contains { Printable.isHarmful($0) && $0 != "\u{fffd}" })
        }
    }

    @Test func `the document contains events, the queue and the failure`() throws {
        let failure = ShareFailure(.busy, "slow down", advice: "Wait.")
        let held = Sample.localTime.at("2014-04-22", 12)
        let document = try ReadDocument(
            view(
                report(
                    .sent, .held(until: held), .queued(reason: "slow down"), waiting: 2,
                    state: DestinationState(name: "garden", notBefore: Sample.now + 3600), failure: failure))
        ).destinations[0]
        #expect(document.events.list.map(\.outcome) == ["sent", "held", "queued"])
        #expect(document.events[1].until == "2014-04-22T12:00:00+02:00")
        #expect(document.events[2].reason == "slow down")
        #expect(document.queued == 3)
        #expect(document.nextAttempt == "2014-04-21T11:30:00+02:00")
        #expect(document.failure.kind == "busy")
    }

    /// As the text: what was recorded while the clock was wrong, is over or waits for the user is no time to wait for.
    @Test(
        arguments: [
            (Sample.now + 60, nil, "2014-04-21T10:31:00+02:00"), (Sample.localTime.at("2090-01-01", 12), nil, nil),
            (Sample.now - 60, nil, nil),
            (Sample.now + 60, "401", nil),
        ] as [(Timestamp, String?, String?)])
    func `no document reports a time before which nothing is held back`(
        _ notBefore: Timestamp, _ stopped: String?, _ time: String?
    ) throws {
        let state = DestinationState(
            name: "garden", notBefore: notBefore, failures: 1, stopped: stopped, lastError: "down")
        let outbox = OutboxView([], states: [state], users: [anna], now: Sample.now, localTime: Sample.localTime)
        let entry = DestinationStatus(name: "garden", kind: "rest", location: "/", state: state, counts: [:])
        let destinations = DestinationsView([entry], now: Sample.now, localTime: Sample.localTime)
        let expected = time.map { ReadDocument(stringLiteral: $0) } ?? .null
        #expect(
            try ReadDocument(view(report(waiting: 1, state: state))).destinations[0].nextAttempt == expected)
        #expect(try ReadDocument(outbox).destinations[0].nextAttempt == expected)
        #expect(try ReadDocument(destinations).destinations[0].nextAttempt == expected)
    }
}
