import StepDomain
import Testing

@testable import StepServices

/// The time since which a watch has listened: from 2026-05-20, noon, on, with a tick each minute.
@Suite(.timeLimit(.minutes(5))) struct SilenceTrackerTests {
    private let noon = Timestamp(1_779_278_400)
    private let hour = 3600

    private func silence(for ids: [Pedometer.ID] = [1]) -> SilenceTracker {
        var silence = SilenceTracker(maximumPause: 180)
        silence.start(for: ids, at: noon)
        silence.tick(at: noon)
        return silence
    }

    /// Ticks each minute of the span.
    private func pass(_ silence: inout SilenceTracker, _ span: ClosedRange<Timestamp>) {
        for moment in stride(from: span.lowerBound.seconds, through: span.upperBound.seconds, by: 60) {
            silence.tick(at: Timestamp(moment))
        }
    }

    private func takesCheck(_ silence: inout SilenceTracker, _ moment: Timestamp) -> Bool {
        silence.takeCheck(at: moment)
    }

    @Test func `the start of listening remains while the scanner runs`() {
        var silence = silence(for: [1, 2])
        pass(&silence, noon...noon + 30 * hour)
        silence.start(for: [1, 2], at: noon + 30 * hour)
        #expect(silence.listening.since == [1: noon, 2: noon])
    }

    @Test func `listening begins when the scanner starts`() {
        var silence = SilenceTracker(maximumPause: 180)
        silence.track([1], at: noon)
        #expect(silence.listening.since == [:])
        silence.start(for: [1], at: noon + 60)
        #expect(silence.listening.since == [1: noon + 60])
    }

    @Test func `pedometers are tracked from addition to removal`() {
        var silence = silence()
        silence.track([1, 2], at: noon + hour)
        #expect(silence.listening.since == [1: noon, 2: noon + hour])
        silence.track([2], at: noon + 2 * hour)
        #expect(silence.listening.since == [2: noon + hour])
        silence.track([1, 2], at: noon + 3 * hour)
        #expect(silence.listening.since == [1: noon + 3 * hour, 2: noon + hour])
    }

    @Test func `a missing adapter resets the start of listening`() {
        var silence = silence()
        silence.stop(because: "no adapter", at: noon)
        silence.track([1], at: noon + 60)
        #expect(silence.listening.since == [:])
        silence.start(for: [1], at: noon + 120)
        #expect(silence.listening.since == [1: noon + 120])
    }

    /// In seconds: eight hours of sleep; a clock set back by a day; a clock corrected by an hour.
    @Test(arguments: [8 * 3600, -86_400, 3600]) func `a suspend or a clock change resets the start of listening`(
        jump: Int
    ) {
        var silence = silence()
        pass(&silence, noon...noon + SilenceTracker.checkInterval)
        #expect(takesCheck(&silence, noon + SilenceTracker.checkInterval))
        let then = noon + SilenceTracker.checkInterval + jump
        silence.tick(at: then)
        #expect(silence.listening.since == [1: then])
        // A check is not due at once, as it would be if the silence had lasted.
        #expect(takesCheck(&silence, then) == false)
        pass(&silence, then...then + SilenceTracker.checkInterval)
        #expect(takesCheck(&silence, then + SilenceTracker.checkInterval) == true)
    }

    @Test func `a clock correction of a minute does not reset the start`() {
        var silence = silence()
        for moment in [noon + 60, noon, noon + 60, noon + 230] { silence.tick(at: moment) }
        #expect(silence.listening.since == [1: noon])
    }

    @Test func `silence is checked every six hours`() {
        var silence = silence()
        var thoughts: [Int] = []
        for minute in 0..<24 * 60 {
            silence.tick(at: noon + minute * 60)
            if silence.takeCheck(at: noon + minute * 60) { thoughts.append(minute / 60) }
        }
        #expect(thoughts == [6, 12, 18])
    }

    @Test func `silence is not checked without a pedometer`() {
        var alone = silence(for: [])
        #expect(takesCheck(&alone, noon + 7 * hour) == false)
    }

    /// The reason may change, and the machine may retry repeatedly: the outage lasts since the first failure.
    @Test func `an outage lasts until the scanner starts again`() {
        var silence = silence()
        silence.stop(because: "no adapter", at: noon)
        silence.stop(because: "no bluetoothd", at: noon + hour)
        #expect(silence.listening == ListeningState(outage: .init(since: noon, reason: "no bluetoothd")))
        #expect(takesCheck(&silence, noon + 7 * hour) == true)
        silence.start(for: [1], at: noon + 8 * hour)
        #expect(silence.listening == ListeningState(since: [1: noon + 8 * hour]))
    }

    @Test func `the time of a suspend does not count as an outage`() {
        var silence = silence()
        silence.stop(because: "no adapter", at: noon)
        silence.tick(at: noon + 80 * hour)
        #expect(silence.listening.outage?.since == noon + 80 * hour)
    }
}
