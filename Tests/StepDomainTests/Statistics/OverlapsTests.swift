import Testing

@testable import StepDomain

@Suite(.timeLimit(.minutes(5))) struct OverlapsTests {
    /// A slot that begins this many minutes after midnight in Greenwich; a quarter of an hour, unless a length in
    /// seconds is given.
    private func slot(_ minutes: Int, _ steps: Int, length: Int = 900) -> StepSample {
        StepSample(start: Timestamp(1_397_952_000 + minutes * 60), length: length, steps: steps, utcOffset: 0)
    }

    @Test func `adjoining slots are all retained`() {
        let samples = [slot(0, 0), slot(15, 3), slot(30, 0), slot(60, 9)]
        #expect(samples.withoutOverlaps == samples)
        #expect([StepSample]().withoutOverlaps == [])
    }

    @Test func `overlapping slots with the greater sum are retained`() {
        #expect(
            [slot(0, 100, length: 3600), slot(15, 30), slot(30, 30)].withoutOverlaps == [slot(0, 100, length: 3600)])
        #expect(
            [slot(0, 50, length: 3600), slot(15, 30), slot(30, 30)].withoutOverlaps == [slot(15, 30), slot(30, 30)])
    }

    @Test func `slots without steps are retained if they do not overlap`() {
        let samples = [slot(0, 0), slot(15, 20), slot(20, 10), slot(35, 0), slot(60, 0)]
        #expect(samples.withoutOverlaps == [slot(0, 0), slot(15, 20), slot(35, 0), slot(60, 0)])
    }

    /// Against trying all subsets, on slots drawn by a fixed rule.
    @Test func `no subset without overlaps has more steps`() {
        var state: UInt64 = 42
        func random(_ bound: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(state >> 33) % bound
        }
        for _ in 0..<200 {
            let samples = (0..<8).map { _ in slot(random(60), random(50), length: 60 * (1 + random(20))) }
                .sorted { $0.start < $1.start }
            let best = (0..<256).map { subset in samples.indices.filter { subset >> $0 & 1 == 1 }.map { samples[$0] } }
                .filter { !overlaps($0) }.map { $0.reduce(0) { $0 + $1.steps } }.max()
            let found = samples.withoutOverlaps
            #expect(!overlaps(found))
            #expect(found == found.sorted { $0.start < $1.start })
            #expect(found.reduce(0) { $0 + $1.steps } == best)
        }
    }

    private func overlaps(_ samples: [StepSample]) -> Bool {
        samples.indices.contains { i in samples[..<i].contains { $0.span.overlaps(samples[i].span) } }
    }
}
