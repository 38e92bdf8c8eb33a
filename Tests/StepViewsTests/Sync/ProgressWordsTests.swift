import StepDomain
import StepServices
import Testing

@testable import StepViews

@Suite(.timeLimit(.minutes(5))) struct ProgressWordsTests {
    @Test func `each step of a sync has a line`() {
        func line(_ step: SyncService.Step) -> String { ProgressWords.line(step, Sample.localTime) }
        #expect(line(.reading(Sample.pedometer(), .connecting)) == "ring: connected")
        #expect(line(.sharing(.waiting(until: Sample.now))) == "Waiting until 2014-04-21 10:30")
        let progress = ShareProgress(destination: "garden", done: 1, all: 2)
        #expect(line(.sharing(.delivering(progress))) == ShareView.words(for: progress))
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
