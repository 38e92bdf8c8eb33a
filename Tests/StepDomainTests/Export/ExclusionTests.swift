import TestSupport
import Testing

@testable import StepDomain

@Suite(.timeLimit(.minutes(5))) struct ExclusionTests {
    private let midnight = Timestamp(16_180 * 86_400)

    private func span(_ from: Int, _ to: Int) -> TimeSpan { TimeSpan(midnight + from, midnight + to) }
    private func block(_ from: Int, _ to: Int) -> Exclusion { Exclusion(span(from, to), utcOffset: 0) }
    private func sample(_ from: Int, _ to: Int, _ steps: Int, distance: Double? = nil) -> StepSample {
        StepSample(start: midnight + from, length: to - from, steps: steps, distance: distance, utcOffset: 0)
    }

    @Test func `samples inside do not count, and those outside stay`() {
        let samples = [sample(0, 900, 100), sample(900, 1800, 200), sample(3600, 4500, 300)]
        let divided = samples.divided(by: [block(900, 3600)])
        #expect(divided.outside == [samples[0], samples[2]] && divided.inside == [samples[1]])
        #expect(samples.divided(by: []).outside == samples && samples.divided(by: [block(5000, 6000)]).inside.isEmpty)
    }

    @Test(arguments: [1, 7, 100, 899, 4500]) func `a sample across the border is divided, and no step is lost`(
        steps: Int
    ) {
        let whole = sample(0, 900, steps, distance: 90)
        let divided = [whole].divided(by: [block(100, 250), block(600, 1200)])
        let parts = divided.outside + divided.inside
        #expect(parts.reduce(0) { $0 + $1.steps } == steps && parts.allSatisfy(\.isPlausible))
        #expect(parts.reduce(0) { $0 + $1.length } == 900)
        #expect(abs(parts.reduce(0) { $0 + ($1.distance ?? 0) } - 90) < 1e-9)
        #expect(divided.outside.map(\.start.seconds) == [0, 250].map { midnight.seconds + $0 })
    }

    @Test func `a block after midnight takes nothing from a slot of the day before`() {
        let late = sample(-300, 600, 90), early = sample(600, 900, 10)
        let divided = [late, early].divided(by: [block(0, 700)])
        #expect(divided.outside.first == late && divided.outside.count == 2)
        #expect(divided.inside.map(\.start) == [early.start])
        // In the zone of the slot, midnight is an hour later.
        var there = late
        there.utcOffset = 3600
        #expect([there].divided(by: [block(0, 600)]).inside.map(\.steps) == [60])
    }

    /// By time alone, the total lost little of the block, and its rest counted beside the other slots: 10,166.
    @Test func `a total of the day loses the steps that another pedometer counted in the block`() {
        let total = DayData.Track(pedometer: 1, name: "phone", samples: [sample(0, 86_400, 10_000, distance: 8000)])
        let slots = [sample(36_000, 37_800, 3000), sample(54_000, 57_600, 6000)]
        func counted(_ block: Exclusion, coverage: [CoveredSpan] = []) -> (steps: Int, excluded: Int) {
            let tracks = [total, DayData.Track(pedometer: 2, name: "band", samples: slots, coverage: coverage)]
                .excluding([block])
            let inside = tracks.map { DayData.Track(pedometer: $0.pedometer, name: $0.name, samples: $0.excluded) }
            return (
                DaySums(tracks, of: Day(daysSince1970: 16_180)).steps,
                DaySums(inside, of: Day(daysSince1970: 16_180)).steps
            )
        }
        let walk = block(36_000, 37_800), rest = block(45_000, 45_060)
        #expect(counted(walk) == (7000, 3000))
        #expect((9990...10_000).contains(counted(rest).steps))
        // Nothing is missing of the band: what the phone has more was made in its slots.
        let whole = [CoveredSpan(span(0, 86_400), utcOffset: 0)]
        #expect(counted(walk, coverage: whole) == (6667, 3333) && counted(rest, coverage: whole) == (10_000, 0))
    }

    /// A phone in a bag shows a few steps of a long walk.
    @Test func `a few steps of another pedometer do not draw all steps into their minute`() {
        let watch = DayData.Track(pedometer: 1, name: "watch", samples: [sample(36_000, 39_600, 3000, distance: 2400)])
        let phone = DayData.Track(
            pedometer: 2, name: "phone", samples: [sample(36_300, 36_360, 12)],
            coverage: [CoveredSpan(span(0, 86_400), utcOffset: 0)])
        let tracks = [watch, phone].excluding([block(36_300, 36_360)])
        #expect(tracks[0].excluded.map(\.steps) == [300])
        #expect(DaySums(tracks, of: Day(daysSince1970: 16_180)).steps == 2700)
        // The distance goes with the steps.
        let parts = tracks[0].samples + tracks[0].excluded
        #expect(abs(parts.reduce(0) { $0 + ($1.distance ?? 0) } - 2400) < 1e-6)
    }

    @Test func `the distance goes with the steps, also where one slot has all of them`() {
        let watch = DayData.Track(pedometer: 1, name: "watch", samples: [sample(36_000, 39_600, 500, distance: 400)])
        let ring = DayData.Track(
            pedometer: 2, name: "ring", samples: [sample(36_000, 36_900, 450)],
            coverage: [CoveredSpan(span(0, 86_400), utcOffset: 0)])
        let tracks = [watch, ring].excluding([block(36_000, 36_450)])
        #expect(tracks[0].excluded.map(\.steps) == [250] && tracks[0].excluded.map(\.distance) == [200])
        #expect(tracks[0].samples.map(\.steps) == [250] && tracks[0].samples.map(\.distance) == [200])
    }

    /// The part before 3 o'clock was shown as three hours of equal steps.
    @Test func `of a total of the day, no hour is known when a block was excluded`() {
        let whole = [CoveredSpan(span(0, 86_400), utcOffset: 0)], day = Day(daysSince1970: 16_180)
        let total = DayData.Track(pedometer: 1, name: "p", samples: [sample(0, 86_400, 10_000)], coverage: whole)
        let tracks = [total].excluding([block(10_800, 12_600)])
        let sums = DaySums(tracks, of: day)
        #expect((9_700..<10_000).contains(sums.steps) && sums.hours == Array(repeating: nil, count: 24))
        let data = DayData(user: User(id: 1, name: "Ada"), day: day, tracks: tracks)
        #expect(DaySummary(data, localTime: .fixed(0), now: midnight + 90_000).hours.isEmpty)
        // Where another pedometer shows some of it, hours are known again.
        let band = DayData.Track(pedometer: 2, name: "band", samples: [sample(7200, 8100, 100)])
        #expect(DaySums([total, band].excluding([block(10_800, 12_600)]), of: day).hours[2] == 100)
        // Not where that has a sample of many hours, which the block cuts into short ones.
        let morning = DayData.Track(pedometer: 2, name: "band", samples: [sample(21_600, 50_400, 800)])
        let cut = DaySums([total, morning].excluding([block(36_000, 39_600)]), of: day).hours
        #expect(cut.compactMap(\.self) == [0], "the excluded hour")
    }

    @Test func `whatever is excluded, a day never gets more steps`() {
        var generator = SeededGenerator(seed: 7)
        let day = Day(daysSince1970: 16_180)
        for _ in 0..<300 {
            func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &generator) }
            var slots: [StepSample] = []
            for hour in 0..<24 where number(0...2) > 0 {
                slots.append(sample(hour * 3600, hour * 3600 + number(60...3600), number(0...300)))
            }
            let start = number(0...80_000)
            let tracks = [
                DayData.Track(pedometer: 1, name: "phone", samples: [sample(0, 86_400, number(0...9000))]),
                DayData.Track(
                    pedometer: 2, name: "band", samples: slots,
                    coverage: number(0...1) == 0 ? [] : [CoveredSpan(span(0, number(1...86_400)), utcOffset: 0)]),
            ]
            let left = tracks.excluding([block(start, start + number(60...6400))])
            #expect(DaySums(left, of: day).steps <= DaySums(tracks, of: day).steps)
            for (before, after) in zip(tracks, left) {
                let all = after.samples + after.excluded
                #expect(all.reduce(0) { $0 + $1.steps } == before.samples.reduce(0) { $0 + $1.steps })
                #expect(all.allSatisfy { $0.isPlausible })
            }
        }
    }

    @Test func `a day has the excluded steps of two pedometers once`() {
        let block = Exclusion(span(0, 900), utcOffset: 0, reason: "massage")
        let tracks = [(1, 100), (2, 150)].map { id, steps in
            DayData.Track(
                pedometer: Int64(id), name: "p\(id)", samples: [sample(900, 1800, 10)],
                excluded: [sample(0, 900, steps)])
        }
        let data = DayData(
            user: User(id: 1, name: "Ada"), day: Day(daysSince1970: 16_180), tracks: tracks, exclusions: [block])
        let summary = DaySummary(data, localTime: .fixed(0), now: midnight + 90_000)
        #expect(summary.steps == 10 && summary.excluded == [ExcludedSteps(block, steps: 150)])
    }

    @Test func `what is taken out of a block leaves its ends`() {
        let block = self.block(0, 900)
        #expect(block.without(span(300, 600)).map(\.span) == [span(0, 300), span(600, 900)])
        #expect(block.without(span(0, 900)).isEmpty && block.without(span(900, 1000)) == [block])
    }
}
