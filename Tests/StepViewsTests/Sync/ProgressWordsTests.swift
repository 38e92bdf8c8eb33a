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
}
