import StepDomain
import Testing
import TestSupport

@Suite(.timeLimit(.minutes(5))) struct MergedTracksTests {
    private let noon = LocalTime.berlin.at("2014-04-20", 12)

    private func sample(_ minute: Int, _ minutes: Int, _ steps: Int) -> StepSample {
        StepSample(start: noon + minute * 60, length: minutes * 60, steps: steps, utcOffset: 7200)
    }

    private func track(_ pedometer: Pedometer.ID, _ samples: StepSample...) -> DayData.Track {
        DayData.Track(pedometer: pedometer, name: "\(pedometer)", samples: samples)
    }

    @Test func `the larger count of overlapping samples is used, not the sum`() {
        let merged = MergedTracks([track(1, sample(0, 15, 900)), track(2, sample(0, 15, 1000))])
        #expect(merged.steps == 1000)
        #expect(merged.groups.map(\.winner) == [2])
        #expect(merged.groups.first?.steps == [1: 900, 2: 1000])
    }

    @Test func `counts of pedometers worn at different times are added`() {
        let merged = MergedTracks([track(1, sample(0, 15, 900)), track(2, sample(15, 15, 1000))])
        #expect(merged.steps == 1900)
        #expect(merged.groups.map(\.winner) == [1, 2])
    }

    @Test func `an hour of one pedometer is compared with the quarters of another`() {
        let quarters = track(1, sample(0, 15, 300), sample(15, 15, 300), sample(45, 15, 300))
        let merged = MergedTracks([quarters, track(2, sample(0, 60, 800), sample(60, 60, 50))])
        #expect(merged.groups.map(\.winner) == [1, 2])
        #expect(merged.steps == 950)
        #expect(merged.groups.first?.span == TimeSpan(noon, noon + 3600))
    }

    @Test func `the pedometer added first is used for equal counts`() {
        let merged = MergedTracks([track(7, sample(0, 15, 500)), track(3, sample(5, 15, 500))])
        #expect(merged.groups.map(\.winner) == [3])
        #expect(merged.steps == 500)
    }

    /// An import can have the total of a day without hours.
    @Test func `a total of the day counts only as far as finer pedometers do not`() {
        let morning = track(1, sample(0, 15, 900)), evening = track(2, sample(300, 15, 1000))
        let low = MergedTracks([morning, evening, track(3, sample(0, 600, 1500))])
        #expect(low.steps == 1900, "the two walks of the others, not the total")
        #expect(low.groups.map(\.winner) == [1, 2])
        let high = MergedTracks([morning, evening, track(3, sample(0, 600, 2500))])
        #expect(high.steps == 2500)
        #expect(high.groups.map(\.winner) == [3])
        #expect(high.placed.reduce(0) { $0 + $1.steps } == 2500)
    }

    /// One step more in an imported total took the running of the day, and with it distance and calories.
    @Test func `a total that counts has the running of the finer pedometer`() {
        let run = sample(60, 30, 4500), walk = sample(600, 60, 5000)
        let ring = track(1, run, walk), total = track(2, sample(0, 1440, 9501))
        let day = run.day
        let before = DaySums([ring], of: day).gaits
        #expect(before.runningSteps == 4500 && before.walkingSteps == 5000)
        let after = DaySums([ring, total], of: day).gaits
        #expect(after.steps == 9501 && abs(after.runningSteps - 4500) <= 1, "\(after)")
        let merged = MergedTracks([ring, total])
        #expect(merged.placedRunning.reduce(0) { $0 + $1.steps } == after.runningSteps)
        // The metres of a sample are divided in proportion.
        var measured = sample(0, 1440, 9501)
        measured.distance = 9501
        let metres = DaySums([ring, track(2, measured)], of: day).gaits.metres
        #expect(
            metres.map {
                abs($0.running - Double(after.runningSteps)) < 1e-6 && abs($0.walking + $0.running - 9501) < 1e-6
            } == true)
    }

    @Test func `empty and implausible samples do not join samples into a group`() {
        let merged = MergedTracks([
            track(1, sample(0, 15, 500), sample(15, 15, 500)), track(2, sample(0, 60, 0)),
            track(3, sample(0, 30, 90_000)),
        ])
        #expect(merged.groups.map(\.winner) == [1, 1])
        #expect(merged.steps == 1000)
    }

    @Test func `tracks without samples have no steps`() {
        #expect(MergedTracks([]).steps == 0)
        #expect(MergedTracks([]).groups.isEmpty)
        #expect(MergedTracks([track(1)]).samples.isEmpty)
    }

    // MARK: What holds for all tracks

    @Test(arguments: 0..<200 as Range<UInt64>) func `random tracks merge consistently in any order`(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let tracks = RandomDay.tracks(of: "2014-04-20", in: .berlin, using: &generator)
        let merged = MergedTracks(tracks)
        let sums = tracks.map { $0.samples.reduce(0) { $0 + $1.steps } }

        #expect(merged.steps <= sums.reduce(0, +))
        #expect(merged.steps >= sums.max() ?? 0)
        #expect(MergedTracks(tracks.shuffled(using: &generator)) == merged)
        let shuffled = tracks.map { track in
            var track = track
            track.samples.shuffle(using: &generator)
            return track
        }
        #expect(MergedTracks(shuffled) == merged)
        // Merging the result once more changes nothing.
        let again = MergedTracks([DayData.Track(pedometer: 1, name: "all", samples: merged.samples)])
        #expect(again.samples == merged.samples)
        // The samples of the result do not overlap.
        for (a, b) in zip(merged.samples, merged.samples.dropFirst()) { #expect(a.span.end <= b.start) }
        for group in merged.groups { #expect(group.steps[group.winner] == group.steps.values.max()) }
    }
}
