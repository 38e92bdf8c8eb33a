import StepDomain
import Testing

@testable import StepDatabase

@Suite(.timeLimit(.minutes(5))) struct ImplausibleTests {
    @Test func `an implausible value does not replace a plausible one`() throws {
        try withFixture { history in
            try history.merge(slot(0, 100))
            #expect(try history.merge(slot(0, 900 * 5 + 1)) == MergeCounts(implausible: 1))
            let track = try #require(try history.data().tracks.first)
            #expect(track.samples == [slot(0, 100)])
            #expect(track.implausible == [slot(0, 4501)])
        }
    }

    @Test func `the schema accepts the greatest plausible value`() throws {
        try withFixture { history in
            let most = slot(0, 900 * StepSample.maximumStepsPerSecond)
            let counts = try history.merge(most)
            #expect(counts == MergeCounts(added: 1, steps: most.steps))
        }
    }

    @Test func `a later plausible value removes the implausible one`() throws {
        try withFixture { history in
            try history.merge(slot(0, 60_000), slot(15, 60_000))
            try history.merge(slot(0, 60))
            let track = try #require(try history.data().tracks.first)
            #expect(track.samples == [slot(0, 60)])
            #expect(track.implausible == [slot(15, 60_000)])
        }
    }

    @Test func `the latest implausible value is stored`() throws {
        try withFixture { history in
            try history.merge(slot(0, 60_000))
            try history.merge(slot(0, 50_000))
            #expect(try history.data().tracks.first?.implausible == [slot(0, 50_000)])
        }
    }

    @Test(arguments: [
        StepSample(start: noon, length: 900, steps: -1, utcOffset: 0),
        StepSample(start: noon, length: 0, steps: 0, utcOffset: 0),
        StepSample(start: noon, length: -900, steps: 5, utcOffset: 0),
        StepSample(start: noon, length: .max, steps: .max, utcOffset: 0),
        StepSample(start: noon, length: 900, steps: 5, utcOffset: 14 * 3600 + 1),
        StepSample(start: noon, length: 900, steps: 5, utcOffset: .min),
        StepSample(start: Timestamp(-1), length: 900, steps: 5, utcOffset: 0),
        StepSample(start: Timestamp(.max), length: 900, steps: 5, utcOffset: 0),
        StepSample(start: Timestamp(.min), length: 900, steps: .min, distance: .nan, utcOffset: .max),
    ])
    func `invalid samples are stored separately from valid ones`(sample: StepSample) throws {
        try withFixture { history in
            for _ in 0..<2 {
                let counts = try history.merge(sample)
                #expect(counts == MergeCounts(implausible: 1))
            }
            #expect(try history.samples().isEmpty)
            #expect(try history.strings("SELECT count(*) || '' FROM implausible_sample") == ["1"])
        }
    }
}
