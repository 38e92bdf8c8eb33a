import StepDomain
import Testing
import TestSupport

@Suite(.timeLimit(.minutes(5))) struct DaySummaryTests {
    private let localTime = LocalTime.berlin
    private let user = User(id: 1, name: "anna")
    private var day: Day { localTime.day(of: localTime.at("2014-04-20", 12)) }
    private var span: TimeSpan { localTime.span(of: day) }
    private var later: Timestamp { localTime.at("2014-04-22", 8) }

    private func track(_ id: Pedometer.ID = 1, _ steps: [Int: Int] = [:], coverage: [TimeSpan] = []) -> DayData.Track {
        DayData.Track(
            pedometer: id, name: "ring",
            samples: steps.sorted { $0.key < $1.key }.map {
                StepSample(
                    start: localTime.at("2014-04-20", $0.key), length: 3600, steps: $0.value,
                    distance: Double($0.value), energy: Double($0.value) / 20, utcOffset: 7200)
            }, coverage: coverage.flatMap(localTime.covered))
    }

    private func summary(_ data: DayData, now: Timestamp? = nil) -> DaySummary {
        DaySummary(data, localTime: localTime, now: now ?? later)
    }

    private func near(_ a: Double?, _ b: Double) -> Bool { a.map { abs($0 - b) < 1e-6 } ?? false }

    // MARK: What is known

    @Test(arguments: [
        (0, ActivityCategory.sedentary), (4999, .sedentary), (5000, .lowActive), (7499, .lowActive),
        (7500, .somewhatActive), (9999, .somewhatActive), (10_000, .active), (12_499, .active), (12_500, .highlyActive),
    ])
    func `the activity category follows from the steps`(steps: Int, category: ActivityCategory) {
        #expect(ActivityCategory(steps: steps) == category)
    }

    @Test func `a day without samples and coverage has unknown steps`() {
        let summary = summary(DayData(user: user, day: day, tracks: [track()], lastSync: later))
        #expect(summary.steps == nil)
        #expect(summary.completeness == .unknown)
        #expect(summary.hours.isEmpty)
        #expect(summary.distance == nil)
        #expect(summary.energy == nil)
        #expect(summary.category == nil)
        #expect(summary.lastSync == later)
    }

    @Test func `a covered day without samples has zero steps`() {
        let summary = summary(DayData(user: user, day: day, tracks: [track(coverage: [span])]))
        #expect(summary.steps == 0)
        #expect(summary.completeness == .complete)
        #expect(summary.hours.count == 24)
        #expect(summary.distance == 0)
        #expect(summary.category == .sedentary)
    }

    @Test func `two pedometers together can cover a day`() {
        let noon = localTime.at("2014-04-20", 12)
        let halves = [
            track(1, coverage: [TimeSpan(span.start - 999, noon)]), track(2, coverage: [TimeSpan(noon, span.end)]),
        ]
        #expect(summary(DayData(user: user, day: day, tracks: halves)).completeness == .complete)
        #expect(summary(DayData(user: user, day: day, tracks: [halves[1]])).completeness == .partial)
    }

    @Test func `a day with samples but without coverage is partial`() {
        let summary = summary(DayData(user: user, day: day, tracks: [track(1, [7: 1000])]))
        #expect(summary.completeness == .partial)
        #expect(summary.steps == 1000)
    }

    @Test func `coverage of another day does not count`() {
        let yesterday = localTime.span(of: day.advanced(by: -1))
        #expect(summary(DayData(user: user, day: day, tracks: [track(coverage: [yesterday])])).completeness == .unknown)
    }

    @Test func `a day in progress is partial`() {
        let data = DayData(user: user, day: day, tracks: [track(1, [7: 1000], coverage: [span])])
        let inProgress = summary(data, now: span.end - 1)
        #expect(inProgress.isInProgress)
        #expect(inProgress.completeness == .partial)
        let over = summary(data, now: span.end)
        #expect(!over.isInProgress)
        #expect(over.completeness == .complete)
        #expect(!summary(data, now: span.start - 1).isInProgress)
    }

    @Test(arguments: [-36_000, -18_000, 0, 7200, 50_400]) func `a change of place does not alter past days`(now: Int)
        throws
    {
        let here = LocalTime.fixed(now)
        let spans = [CoveredSpan(TimeSpan(span.start, span.end + 86_400), utcOffset: 7200)]
        for (day, expected) in [(-1, DaySummary.Completeness.unknown), (0, .complete), (1, .complete), (2, .unknown)] {
            let day = self.day.advanced(by: day)
            let track = DayData.Track(pedometer: 1, name: "ring", coverage: spans)
            let summary = DaySummary(
                DayData(user: user, day: day, tracks: [track]), localTime: here, now: later + 864_000)
            #expect(summary.completeness == expected)
            #expect(summary.steps == (expected == .unknown ? nil : 0))
        }
    }

    @Test(arguments: [-6, 3, 10]) func `a day of travel is complete after its actual length`(hours: Int) {
        let noon = localTime.at("2014-04-20", 12)
        let there = 7200 + hours * 3600
        let end = span.end - hours * 3600
        func summary(until end: Timestamp, from start: Timestamp = noon) -> DaySummary.Completeness {
            let coverage = [
                CoveredSpan(TimeSpan(span.start, noon), utcOffset: 7200),
                CoveredSpan(TimeSpan(start, end), utcOffset: there),
            ]
            let track = DayData.Track(pedometer: 1, name: "ring", coverage: coverage)
            return self.summary(DayData(user: user, day: day, tracks: [track]), now: later).completeness
        }
        #expect(summary(until: end) == .complete)
        #expect(summary(until: end + 3600) == .complete)
        #expect(summary(until: end - 1) == .partial)
        #expect(summary(until: end, from: noon + 1) == .partial)
    }

    @Test func `a day on which clocks skip midnight can be complete`() throws {
        // Cairo, 28 April 2023: at midnight clocks went to one o'clock.
        let change = Timestamp(1_682_632_800)
        let cairo = LocalTime { $0 < change ? 7200 : 10_800 }
        let day = try #require(Day("2023-04-28"))
        #expect(cairo.span(of: day).start == change)
        let track = DayData.Track(
            pedometer: 1, name: "ring", coverage: cairo.covered(TimeSpan(change - 86_400, change + 23 * 3600)))
        for day in [day.advanced(by: -1), day] {
            let data = DayData(user: user, day: day, tracks: [track])
            #expect(DaySummary(data, localTime: .fixed(0), now: change + 864_000).completeness == .complete)
        }
    }

    @Test(arguments: ["2014-03-30", "2014-10-26"]) func `a day of 23 or 25 hours is complete at its end`(word: String)
        throws
    {
        let day = try #require(Day(word))
        let span = localTime.span(of: day)
        let whole = DayData(user: user, day: day, tracks: [track(coverage: [span])])
        let short = DayData(user: user, day: day, tracks: [track(coverage: [TimeSpan(span.start, span.end - 1)])])
        let now = span.end
        #expect(summary(whole, now: now).completeness == .complete)
        #expect(summary(short, now: now).completeness == .partial)
    }

    @Test func `a day that the calendar skips is unknown`() throws {
        // Samoa crossed the date line: there was no 30 December 2011.
        let change = Timestamp(1_325_239_200)
        let samoa = LocalTime { $0 < change ? -36_000 : 50_400 }
        let skipped = try #require(Day("2011-12-30"))
        let everything = TimeSpan(change - 864_000, change + 864_000)
        let data = DayData(
            user: user, day: skipped,
            tracks: [DayData.Track(pedometer: 1, name: "ring", coverage: samoa.covered(everything))])
        let summary = DaySummary(data, localTime: samoa, now: change + 864_000)
        #expect(summary.completeness == .unknown)
        #expect(summary.steps == nil)
        #expect(summary.hours.isEmpty)
    }

    // MARK: Figures

    @Test func `a summary calculates all figures of a day`() {
        let data = DayData(
            user: user, day: day, tracks: [track(1, [7: 1000, 12: 3000]), track(2, [7: 1200])],
            profile: Profile(validFrom: day, height: 1.8, weight: 80, sex: .male),
            plan: SportPlan(validFrom: day, everyDay: 8000))
        let summary = summary(data)
        #expect(summary.steps == 4200)
        let metres = 4200 * 0.415 * 1.8
        #expect(near(summary.distance, metres))
        #expect(summary.distanceSource == .height)
        #expect(near(summary.energy, 0.5 * 80 * metres / 1000))
        #expect(summary.energySource == .weight)
        #expect(summary.goal == 8000)
        #expect(summary.percentage == 52.5)
        #expect(summary.category == .sedentary)
        #expect(summary.hours[7].steps == 1200)
        #expect(summary.hours[12].steps == 3000)
    }

    @Test func `a summary without a profile uses the figures of the pedometer`() {
        let summary = summary(DayData(user: user, day: day, tracks: [track(1, [7: 1000])]))
        #expect(summary.distance == 1000)
        #expect(summary.distanceSource == .pedometer)
        #expect(summary.energy == 50)
        #expect(summary.energySource == .pedometer)
        #expect(summary.goal == nil)
        #expect(summary.percentage == nil)
        #expect(!summary.isRestDay)
    }

    @Test func `a rest day has no percentage`() {
        let rest = SportPlan(validFrom: day, everyDay: 0)
        let summary = summary(DayData(user: user, day: day, tracks: [track(1, [7: 1000])], plan: rest))
        #expect(summary.isRestDay)
        #expect(summary.goal == nil)
        #expect(summary.percentage == nil)
    }

    @Test func `implausible steps are reported and not counted`() {
        var track = track(1, [7: 1000])
        track.implausible = [StepSample(start: span.start, length: 60, steps: 40_000, utcOffset: 7200)]
        let summary = summary(DayData(user: user, day: day, tracks: [track]))
        #expect(summary.steps == 1000)
        #expect(summary.implausibleSteps == 40_000)
    }

    // MARK: By hand

    @Test func `a correction replaces the steps and scales distance and energy`() {
        let summary = summary(DayData(user: user, day: day, tracks: [track(1, [7: 1000])], correction: 3000))
        #expect(summary.steps == 3000)
        #expect(summary.isCorrected && summary.countedSteps == 1000)
        #expect(summary.completeness == .complete)
        #expect(summary.distance == 3000)
        #expect(summary.energy == 150)
        #expect(summary.category == .sedentary)
        #expect(summary.hours.compactMap(\.steps) == [1000], "the other hours are not accounted for")
    }

    @Test func `a correction of a day without samples counts as walking`() {
        let profile = Profile(validFrom: day, weight: 80, stepLength: 0.7)
        let known = summary(DayData(user: user, day: day, correction: 10_000, profile: profile))
        #expect(known.steps == 10_000)
        #expect(near(known.distance, 7000))
        #expect(near(known.energy, 280))
        #expect(known.hours.isEmpty)
        let unknown = summary(DayData(user: user, day: day, correction: 10_000))
        #expect(unknown.distance == nil)
        #expect(unknown.energy == nil)
    }

    @Test func `a correction to zero sets distance and energy to zero`() {
        let summary = summary(DayData(user: user, day: day, tracks: [track(1, [7: 1000])], correction: 0))
        #expect(summary.steps == 0)
        #expect(summary.distance == 0)
        #expect(summary.energy == 0)
    }

    // MARK: What holds for all days

    @Test(arguments: ["2014-04-20", "2014-03-30", "2014-10-26"], 0..<40 as Range<UInt64>)
    func `random days have consistent figures`(word: String, seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed &* 31)
        let day = try #require(Day(word))
        var data = DayData(
            user: user, day: day, tracks: RandomDay.tracks(of: word, in: localTime, using: &generator),
            profile: Profile(validFrom: day, height: 1.7, weight: 70), plan: SportPlan(validFrom: day, everyDay: 7000))
        let summary = summary(data)
        #expect(summary.steps == summary.hours.compactMap(\.steps).reduce(0, +))
        #expect(summary.completeness != .complete || summary.hours.allSatisfy { $0.steps != nil })
        #expect(summary.percentage == Double(try #require(summary.steps)) / 70)
        data.tracks.shuffle(using: &generator)
        #expect(self.summary(data) == summary)
        // One more pedometer never reduces the steps.
        data.tracks += [track(99, [10: 5000])]
        #expect(try #require(self.summary(data).steps) >= 0)
        #expect(MergedTracks(data.tracks).steps >= 5000)
    }
}
