import StepDomain
import StepServices
import Testing

@testable import StepViews

@Suite(.timeLimit(.minutes(5))) struct ProgressWordsTests {
    @Test func `each step of a sync has a line`() {
        func line(_ step: SyncService.Step) -> String { ProgressWords.line(step, Sample.localTime) }
        let ring = Sample.pedometer("ri\u{1b}ng")
        #expect(line(.reading(ring, .searching)) == "ri\u{fffd}ng: searching")
        #expect(line(.reading(ring, .connecting)) == "ri\u{fffd}ng: connected")
        #expect(line(.reading(ring, .reconnecting)) == "ri\u{fffd}ng: the connection was lost; connecting again")
        #expect(line(.reading(ring, .reading(done: 2, of: 8))) == "ri\u{fffd}ng: reading, 2 of 8")
        #expect(line(.sharing(.waiting(until: Sample.now))) == "Waiting until 2014-04-21 10:30")
        let progress = ShareProgress(destination: "garden", done: 3, all: 1200)
        #expect(line(.sharing(.delivering(progress))) == "garden: sharing, 3 of 1,200 days")
    }

    @Test func `a file that is read has its samples, its part and the time that is left`() {
        #expect(
            ProgressWords.line(ReadingProgress(samples: 1_234_567, share: 0.4512), rest: .milliseconds(11_200))
                == "Reading: 1,234,567 records of steps, 45 %, 12 seconds left")
        #expect(ProgressWords.line(ReadingProgress(samples: 1), rest: nil) == "Reading: 1 record of steps")
        #expect(ProgressWords.line(ReadingProgress(samples: 0, share: 0.1), rest: nil) == "Reading: 10 %")
        // Until the last byte is read, it is not 100 %.
        #expect(ProgressWords.line(ReadingProgress(samples: 2, share: 0.999), rest: nil).hasSuffix("99 %"))
    }
}
