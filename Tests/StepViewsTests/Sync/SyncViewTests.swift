import Foundation
import StepDomain
import Testing

@testable import StepViews

@Suite(.timeLimit(.minutes(5))) struct SyncViewTests {
    private struct OutOfRange: ReportableError {
        var category: FailureCategory { .temporary }
        var description: String { "not heard" }
        var advice: String? { "Bring it close." }
    }

    private func view(_ reports: SyncReport...) -> SyncView {
        SyncView(reports, now: Sample.now, localTime: Sample.localTime)
    }

    private func report(
        steps: Int = 8801, notices: [SyncNotice] = [], failure: String? = nil, name: String = "ring",
        clock: ClockState = ClockState()
    ) -> SyncReport {
        var counts = Sample.sync().counts
        counts.steps = steps
        return SyncReport(
            pedometer: Sample.pedometer(name, clock: clock), record: Sample.sync(failure == nil ? .complete : .failed),
            counts: counts,
            notices: notices, battery: failure == nil ? 81 : nil, readSeconds: failure == nil ? 1.24 : nil,
            connectedSeconds: failure == nil ? 3.18 : nil,
            failure: failure == nil ? nil : OutOfRange(), failureText: failure)
    }

    @Test func `each pedometer has one line`() {
        let text = view(report(), report(steps: 0, name: "watch"), SyncReport(pedometer: Sample.pedometer("band")))
            .text()
        #expect(
            text == """
                ring: 8,801 new steps in 42 slots, battery 81 %, read in 1.2 s
                watch: nothing new, battery 81 %, read in 1.2 s
                band: no steps
                """)
    }

    @Test func `the duration is shown only if it is known`() throws {
        var discovered = report(name: "band")
        (discovered.readSeconds, discovered.connectedSeconds) = (nil, nil)
        #expect(view(discovered).text() == "band: 8,801 new steps in 42 slots, battery 81 %")
        #expect(try ReadDocument(view(discovered)).pedometers[0].connectedSeconds == .null)
    }

    @Test func `a failure is shown with the saved steps and advice`() {
        #expect(
            view(report(steps: 12, failure: "not found within 20 seconds")).text() == """
                ring: failed after 12 new steps in 42 slots: not found within 20 seconds
                  Bring it close.
                  Received data was saved. The next sync continues from there.
                """)
        #expect(view(report(steps: 0, failure: "gone")).text().hasPrefix("ring: failed: gone\n"))
    }

    @Test func `advice that several pedometers have in common is shown once`() {
        #expect(
            view(
                report(steps: 0, failure: "gone"), report(steps: 12),
                report(steps: 0, failure: "gone too", name: "watch")
            ).text() == """
                ring: failed: gone
                  Bring it close.
                  Received data was saved. The next sync continues from there.
                ring: 12 new steps in 42 slots, battery 81 %, read in 1.2 s
                watch: failed: gone too
                  Received data was saved. The next sync continues from there.
                """)
    }

    private struct LinkLost: ReportableError {
        var category: FailureCategory { .temporary }
        var cause: FailureCause { .interrupted }
        var description: String { "cancelled" }
    }

    @Test func `an interrupted sync says that data was saved only if there is any`() {
        func text(_ report: SyncReport) -> String {
            SyncView([report], now: Sample.now, localTime: Sample.localTime).text()
        }
        let errors: [any Error] = [CancellationError(), LinkLost()]
        for error in errors {
            var interrupted = report(steps: 12, failure: "interrupted")
            interrupted.failure = error
            #expect(
                text(interrupted) == """
                    ring: interrupted after 12 new steps in 42 slots
                      Received data was saved. The next sync continues from there.
                    """)
            interrupted.counts = MergeCounts()
            #expect(text(interrupted) == "ring: interrupted\n  Run the command again.")
        }
    }

    @Test func `a sync without pedometers shows how to add one`() { #expect(view().text().contains("istep add")) }

    @Test(arguments: [
        (SyncNotice.clockWasOff(seconds: -7200), "wrong by 2 hours (it was behind)"),
        (.clockWasOff(seconds: 60), "1 minute (it was ahead)"),
        (.clockWasOff(seconds: -12_000_000), "empty battery may have reset it"),
        (.clockWasOff(seconds: nil), "Its clock was wrong, so"), (.clockWasOff(seconds: 0), "Its clock was wrong, so"),
        (.batteryLow(9), "at 9 %: charge it"), (.undecodable(frames: 1), "1 packet could not"),
        (.implausible(samples: 2), "2 implausible slots"),
        (
            .missing([
                DayGap(Sample.day, .refused), DayGap(Sample.day.advanced(by: 1), .unanswered),
                DayGap(Sample.day.advanced(by: 2), .incomplete),
            ]),
            "2014-04-20 (refused), 2014-04-21 (no answer) and 2014-04-22 (incomplete): not received completely."
        ),
        (.missing([DayGap(Sample.day, .refused)]), "again at the next sync"),
        (.tooOld([Sample.day]), "it no longer holds this day"),
        (.undecided(steps: 9600), "The 9,600 steps that it shows may still be yesterday's. They are counted"),
        (.undecided(steps: 1), "yesterday's. It is counted when a later sync shows which day it belongs to."),
        (.countingStarted, "counted from the next sync on"),
        (.oversized(values: 1), "Cut off at the 512 bytes that Bluetooth allows: 1 value"),
        (.counterRestarted, "restarted"), (.zoneChanged(seconds: -3600), "has changed by 1 hour since the last sync"),
        (.zoneDiffers(seconds: 0), "Its time zone is UTC, which is not that of this machine"),
        (.zoneDiffers(seconds: nil), "these days are shown as partial"),
        (
            .appOutdated("Health Tracking", needs: "0.33"),
            "'Health Tracking' is older than version 0.33 and does not send today's steps"
        ),
        (
            .stepsInDoubt(.totals(4_711, 3_302)),
            "totals for the same steps (4,711 and 3,302), so only the raw frames were stored, and no steps."
        ),
        (.stepsInDoubt(.unchecked), "did not send the total"),
        (.stepsInDoubt(.runningTotals), "may be totals of the day"),
        (.stepsInDoubt(.unrecorded(1_250)), "counts 1,250 steps and has no record of them"),
        (.lost(from: Sample.day, through: Sample.day), "steps of 2014-04-20. Sync"),
        (.dayNotClosed(Sample.day), "on 2014-04-20 after"),
    ])
    func `notices are described in words`(notice: SyncNotice, words: String) {
        #expect(notice.words.contains(words))
        let text = view(report(notices: [notice])).lines(Sample.plain)
        #expect(text.count > 1)
        #expect(text.dropFirst().allSatisfy { $0.hasPrefix("  ") && $0.count <= 80 })
    }

    @Test func `steps that are not counted yet are shown as such, and not as no steps`() {
        let first = view(report(steps: 0, notices: [.undecided(steps: 190)])).text()
        #expect(
            first.contains("ring: 190 steps not counted yet") && !first.contains("no steps")
                && !first.contains("nothing new"))
        #expect(view(report(steps: 12, notices: [.undecided(steps: 190)])).text().contains("ring: 12 new steps"))
    }

    @Test func `a corrected clock is reported only if it was set`() throws {
        let set = ClockState(settings: [.init(at: Sample.synced + 2, utcOffset: 7200)])
        let before = ClockState(settings: [.init(at: Sample.synced - 9999, utcOffset: 7200)])
        let notice = SyncNotice.clockWasOff(seconds: nil)
        func isSet(_ report: SyncReport) throws -> Bool {
            try view(report).json().contains("It is set to local time again.\"")
        }
        #expect(try isSet(report(notices: [notice], clock: set)))
        #expect(try !isSet(report(notices: [notice], clock: before)))
        #expect(try !isSet(report(notices: [notice])))
    }

    @Test func `control characters in names and errors are replaced`() {
        let text = view(report(failure: "no\u{1b}[2J\nring: 9 new steps", name: "ri\u{202e}ng\u{7}")).text()
        #expect(!text.unicodeScalars.contains { $0 != "\n" && Printable.isHarmful($0) })
        #expect(!text.contains("\nring: 9"))
    }

    @Test func `the document contains counts, notices and failures`() throws {
        let document = try ReadDocument(view(report(notices: [.batteryLow(9)]), report(failure: "gone")))
        let first = document.pedometers[0], last = document.pedometers[1]
        #expect(document.version == 1)
        #expect(first.outcome == "complete" && last.outcome == "failed")
        let counts = [first.added, first.grown, first.unchanged, first.steps, first.frames]
        #expect(counts == [40, 2, 7, 8801, 60])
        #expect(first.start == "2014-04-21T07:30:00+02:00" && first.end == "2014-04-21T07:30:04+02:00")
        #expect(first.battery == 81 && first.connectedSeconds == 3.2)
        #expect(first.notices.list.map(\.kind) == ["batteryLow"])
        #expect(
            first.failure == .null && last.failure.message == "gone" && last.failure.advice == "Bring it close.")
    }

    @Test func `the error of a lost link has the progress of the sync`() {
        var lost = report(steps: 1234, failure: "the connection was lost while writing fff2 of C0:DE:00:00:00:02")
        (lost.daysRead, lost.daysPlanned) = (3, 8)
        let text = view(lost).text().replacing("\n  ", with: " ")
        #expect(text.hasPrefix("ring: failed after 3 of 8 days, 1,234 new steps in 42 slots: the connection was lost"))
        #expect(text.contains("Received data was saved. The next sync continues from there."))
    }

    @Test func `a first reading of a total reports that counting starts`() {
        var first = report(steps: 0, notices: [.countingStarted], name: "watch")
        first.counts = MergeCounts()
        #expect(view(first).text().hasPrefix("watch: first reading, battery 81 %"))
    }

    @Test func `missing days are in the document`() throws {
        var partial = report(notices: [.missing([DayGap(Sample.day, .refused)])])
        (partial.daysRead, partial.daysPlanned) = (8, 8)
        let entry = try ReadDocument(view(partial)).pedometers[0]
        #expect(entry.outcome == "complete" && entry.daysRead == 8 && entry.daysPlanned == 8)
        #expect(entry.missing.list.map(\.day) == ["2014-04-20"] && entry.missing[0].reason == "refused")
        #expect(entry.notices.list.map(\.kind) == ["missing"])
    }

    @Test func `all of a sync stands in one line, with what failed besides`() {
        #expect(view(report()).line(isClockRight: true) == "ring: 8,801 new steps, battery 81 %")
        #expect(view().line(isClockRight: true) == "No pedometer to sync")
        let failed = SyncView(
            [report(steps: 0)], failures: [ErrorText(OutOfRange())], now: Sample.now, localTime: Sample.localTime)
        #expect(
            failed.line(isClockRight: false) == "ring: nothing new, battery 81 %; not heard; \(ClockWaitWords.problem)")
    }
}
