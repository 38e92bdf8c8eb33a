import StepDomain
import TestSupport
import Testing

/// One figure is calculated in one place: days, weeks and years show the same.
@Suite(.timeLimit(.minutes(5))) struct DayFiguresTests {
    private static let profiles: [Profile?] = [
        nil, Profile(validFrom: Day(daysSince1970: 0), height: 1.8, weight: 72.5, sex: .female),
        Profile(validFrom: Day(daysSince1970: 0), weight: 72.5),
        Profile(validFrom: Day(daysSince1970: 0), stepLength: 0.73),
    ]

    /// Ordinary days, days of 23, 25, 23.5 and 24.5 hours, several pedometers, corrections, partial days and days in
    /// progress.
    @Test(arguments: [
        ("2014-04-20", LocalTime.berlin), ("2014-03-30", .berlin), ("2014-10-26", .berlin), ("2023-10-01", .lordHowe),
        ("2023-04-02", .lordHowe), ("2014-04-20", .fixed(-18_000)),
    ])
    func `a day summary has the figures of the day`(word: String, localTime: LocalTime) throws {
        var random = SeededGenerator(seed: 7)
        let day = try #require(Day(word))
        for round in 0..<60 {
            var tracks = RandomDay.tracks(of: word, in: localTime, using: &random)
            if round % 3 == 0 { tracks = tracks.map(Self.withFigures) }
            if round % 4 == 0 { for index in tracks.indices { tracks[index].coverage = [] } }
            if round % 11 == 0 { tracks = [] }
            let correction = round % 5 == 0 ? StepCorrection(steps: Int.random(in: 0...30_000, using: &random)) : nil
            let plan = round % 2 == 0 ? SportPlan(validFrom: day, goals: [8000, 0, 6000, 0, 8000, 0, 9000]) : nil
            let profile = Self.profiles[round % 4]
            let now = round % 7 == 0 ? localTime.span(of: day).start + 40_000 : localTime.span(of: day).end + 9
            let data = DayData(
                user: User(id: 1, name: "Ada"), day: day, tracks: tracks, correction: correction, profile: profile,
                plan: plan)
            let summary = DaySummary(data, localTime: localTime, now: now)
            let figures = DayFigures(
                DaySums(tracks, of: day), correction: correction, profile: profile, plan: plan,
                isInProgress: round % 7 == 0)

            #expect(figures.steps == summary.steps && figures.countedSteps == summary.countedSteps)
            #expect(figures.completeness == summary.completeness && figures.isInProgress == summary.isInProgress)
            #expect(figures.distance == summary.distance && figures.distanceSource == summary.distanceSource)
            #expect(figures.energy == summary.energy && figures.energySource == summary.energySource)
            #expect(
                figures.goal == summary.goal && figures.isRestDay == summary.isRestDay
                    && figures.percentage == summary.percentage)
            #expect(figures.isCorrected == summary.isCorrected)
            #expect(figures.walkingSteps == summary.walkingSteps && figures.runningSteps == summary.runningSteps)
            #expect(
                figures.steps == figures.walkingSteps.flatMap { walking in figures.runningSteps.map { walking + $0 } })
            #expect(figures.hours.compactMap(\.self).reduce(0, +) == figures.countedSteps ?? 0)
            #expect(figures.hours.isEmpty == summary.hours.isEmpty)
        }
    }

    @Test(arguments: [(nil, true), (-1, false), (0, true), (200_000, true), (200_001, false)] as [(Int?, Bool)])
    func `more steps than anyone walks in a day are not plausible`(_ steps: Int?, _ isPlausible: Bool) {
        let day = Day(daysSince1970: 16_180)
        let summary = DaySummary(user: User(id: 1, name: "Ada"), day: day, steps: steps)
        let sums = DaySums(
            day: day, gaits: GaitSums(walkingSteps: steps ?? 0), hours: [],
            completeness: steps == nil ? .unknown : .complete)
        let plan = SportPlan(validFrom: day, everyDay: 6000)
        let figures = DayFigures(sums, correction: nil, profile: nil, plan: plan, isInProgress: false)
        #expect(figures.steps == steps && figures.isPlausible == isPlausible && summary.isPlausible == isPlausible)
        #expect(figures.plausibleSteps == (isPlausible ? steps : nil))
        let statistics = PeriodStatistics(Period(day...day), [figures])
        #expect(statistics.implausibleDays.isEmpty == isPlausible)
        // They neither reach nor miss a goal.
        #expect(figures.isGoalMet == (steps == 200_000) && statistics.goalDays == (steps == 200_000 ? 1 : 0))
        #expect(statistics.daysWithGoal == (isPlausible && steps != nil ? 1 : 0))
    }

    private static func withFigures(_ track: DayData.Track) -> DayData.Track {
        var track = track
        track.samples = track.samples.map {
            StepSample(
                start: $0.start, length: $0.length, steps: $0.steps, distance: Double($0.steps) * 0.71, energy: 0.3,
                utcOffset: $0.utcOffset)
        }
        return track
    }

    /// Samples of quarter hours: none spans a change of the clocks.
    @Test(arguments: ["2014-04-20", "2014-03-30", "2014-10-26"])
    func `hours of one name add up to those of the day summary`(word: String) throws {
        let localTime = LocalTime.berlin
        let span = localTime.span(of: try #require(Day(word)))
        var random = SeededGenerator(seed: 3)
        let samples = stride(from: 0, to: span.length, by: 900).map { seconds in
            let start = span.start + seconds
            return StepSample(
                start: start, length: 900, steps: Int.random(in: 1...900, using: &random),
                utcOffset: localTime.utcOffset(start))
        }
        let track = DayData.Track(pedometer: 1, name: "ring", samples: samples, coverage: localTime.covered(span))
        let day = try #require(Day(word))
        let summary = DaySummary(
            DayData(user: User(id: 1, name: "Ada"), day: day, tracks: [track]), localTime: localTime, now: span.end)
        var byName = [Int?](repeating: nil, count: 24)
        for hour in summary.hours { byName[hour.hour] = (byName[hour.hour] ?? 0) + (try #require(hour.steps)) }
        #expect(DaySums([track], of: day).hours == byName)
        #expect(byName.count { $0 == nil } == (summary.hours.count == 23 ? 1 : 0), "clocks skip one in spring")
    }

    /// The ring was taken off at 15:20: what follows is not known, and the day summary agrees with the stored sums.
    @Test func `hours after the end of coverage are unknown in sums and summary`() throws {
        let localTime = LocalTime.berlin, day = try #require(Day("2014-04-20"))
        let span = TimeSpan(localTime.span(of: day).start, localTime.at("2014-04-20", 15, 20))
        let samples = [9, 15].map {
            StepSample(start: localTime.at("2014-04-20", $0), length: 600, steps: 70, utcOffset: 7200)
        }
        let track = DayData.Track(pedometer: 1, name: "ring", samples: samples, coverage: localTime.covered(span))
        let hours = DaySums([track], of: day).hours
        #expect(hours[..<15] == [0, 0, 0, 0, 0, 0, 0, 0, 0, 70, 0, 0, 0, 0, 0])
        #expect(hours[15] == 70, "it has steps")
        #expect(hours[16...].allSatisfy { $0 == nil })
        let data = DayData(user: User(id: 1, name: "Ada"), day: day, tracks: [track])
        #expect(DaySummary(data, localTime: localTime, now: span.end).hours.map(\.steps) == hours)
    }

    /// After a journey the hours are those of the place where the steps were made, wherever the user is now.
    @Test func `hours are those of the clock at the place of the steps`() throws {
        let day = try #require(Day("2014-04-20"))
        let midnight = day.daysSince1970 * 86_400
        let samples = [
            StepSample(start: Timestamp(midnight + 7 * 3600 - 7200), length: 900, steps: 70, utcOffset: 7200),
            StepSample(start: Timestamp(midnight + 20 * 3600 + 18_000), length: 7200, steps: 100, utcOffset: -18_000),
        ]
        let hours = DaySums([DayData.Track(pedometer: 1, name: "ring", samples: samples)], of: day).hours
        #expect(hours[7] == 70 && hours[20] == 50 && hours[21] == 50 && hours.compactMap(\.self) == [70, 50, 50])
        // What lies past midnight belongs to the day.
        let late = StepSample(start: Timestamp(midnight + 86_400 - 1800), length: 20_000, steps: 99, utcOffset: 0)
        #expect(DaySums([DayData.Track(pedometer: 1, name: "ring", samples: [late])], of: day).hours[23] == 99)
    }

    @Test func `a correction keeps the shares of walking and running`() {
        let sums = DaySums(
            day: Day(daysSince1970: 0), gaits: GaitSums(walkingSteps: 6000, runningSteps: 2000), completeness: .complete
        )
        let figures = DayFigures(sums, correction: 4001, profile: nil, plan: nil, isInProgress: false)
        #expect(figures.steps == 4001 && figures.runningSteps == 1000 && figures.walkingSteps == 3001)
        let nothing = DayFigures(
            DaySums(day: Day(daysSince1970: 0)), correction: 500, profile: nil, plan: nil, isInProgress: false)
        #expect(nothing.walkingSteps == 500 && nothing.runningSteps == 0 && nothing.completeness == .complete)
    }

    @Test func `each day has the profile and the plan of its time`() throws {
        let first = try #require(Day("2014-04-20"))
        let records = DaySeriesInput(
            user: User(id: 1, name: "Ada"),
            sums: (0..<4).map {
                DaySums(day: first.advanced(by: $0), gaits: GaitSums(walkingSteps: 1000), completeness: .complete)
            },
            corrections: [first.advanced(by: 1): 2000],
            profiles: [
                Profile(validFrom: first.advanced(by: 2), stepLength: 1),
                Profile(validFrom: first.advanced(by: -9), stepLength: 0.5),
            ],
            plans: [SportPlan(validFrom: first.advanced(by: 1), everyDay: 1500)])
        let figures = DaySeries(
            records, localTime: .fixed(0), now: Timestamp(first.advanced(by: 2).daysSince1970 * 86_400 + 5))
        #expect(figures.days.map(\.distance) == [500, 1000, 1000], "today is the last")
        #expect(figures.days.map(\.goal) == [nil, 1500, 1500])
        #expect(figures.days.map(\.isInProgress) == [false, false, true])
        #expect(
            figures[first.advanced(by: 1)]?.isGoalMet == true && figures[first.advanced(by: 3)] == nil
                && figures[first.advanced(by: -1)] == nil)
    }
}
