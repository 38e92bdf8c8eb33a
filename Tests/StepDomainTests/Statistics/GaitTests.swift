import StepDomain
import Testing

@Suite(.timeLimit(.minutes(5))) struct GaitTests {
    @Test(arguments: [
        (steps: 130, length: 60, gait: Gait.walking), (131, 60, .running), (1950, 900, .walking), (1951, 900, .running),
        (0, 60, .walking), (.max, 1, .running), (1, .max, .walking), (.max, .max, .walking),
    ])
    func `the gait follows from the steps per minute`(steps: Int, length: Int, gait: Gait) {
        #expect(Gait(StepSample(start: Timestamp(0), length: length, steps: steps, utcOffset: 0)) == gait)
    }
}
