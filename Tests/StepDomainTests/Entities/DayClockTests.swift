import StepDomain
import TestSupport
import Testing

/// Blocks of a day by the clocks of the place where it was walked.
@Suite(.timeLimit(.minutes(5))) struct DayClockTests {
    private let day = Day(daysSince1970: 16_180)  // 2014-04-20
    private static let hanoi = 7 * 3600

    private func midnight(_ offset: Int) -> Timestamp { Timestamp(day.daysSince1970 * 86_400 - offset) }

    /// A sample by its own clocks.
    private func sample(_ hour: Int, _ steps: Int, _ offset: Int, minutes: Int = 60) -> StepSample {
        StepSample(start: midnight(offset) + hour * 3600, length: minutes * 60, steps: steps, utcOffset: offset)
    }

    private func data(_ samples: [StepSample], _ exclusions: [Exclusion] = []) -> DayData {
        let track = DayData.Track(pedometer: 1, name: "p", samples: samples.sorted { $0.start < $1.start })
        return DayData(
            user: User(id: 1, name: "Ada"), day: day,
            tracks: [track].excluding(exclusions),
            exclusions: exclusions)
    }

    private func block(_ from: Int, _ to: Int, of samples: [StepSample], here: LocalTime = .fixed(0)) throws
        -> Exclusion
    {
        try DayClock(data(samples), here: here).block(from: BlockTime(from * 3600), to: BlockTime(to * 3600))
    }

    private func summary(_ samples: [StepSample], _ exclusions: [Exclusion] = [], here: LocalTime = .fixed(0))
        -> DaySummary
    {
        DaySummary(data(samples, exclusions), localTime: here, now: midnight(0) + 864_000)
    }

    @Test(arguments: [LocalTime.fixed(0), .fixed(-14_400), .fixed(25_200), .berlin])
    func `a time is that of the place, wherever this machine is`(here: LocalTime) throws {
        let samples = [sample(17, 100, Self.hanoi), sample(22, 875, Self.hanoi)]
        let evening = try block(22, 23, of: samples, here: here)
        #expect(evening == Exclusion(samples[1].span, utcOffset: Self.hanoi))
        let whole = try block(0, 24, of: samples, here: here)
        #expect(whole.span == TimeSpan(midnight(Self.hanoi), midnight(Self.hanoi) + 86_400))
        // Also after it was excluded, to let it count again.
        let excluded = summary(samples, [evening], here: here)
        #expect(excluded.steps == 100 && excluded.excluded == [ExcludedSteps(evening, steps: 875)])
        let again = try DayClock(data(samples, [evening]), here: here).block(
            from: BlockTime(22 * 3600), to: BlockTime(23 * 3600))
        #expect(again == evening)
        #expect(excluded.hours.map(\.start) == (0..<24).map { midnight(Self.hanoi) + $0 * 3600 })
        #expect(excluded.hours.map(\.hour) == Array(0..<24))
        #expect(excluded.hours.allSatisfy { $0.utcOffset == Self.hanoi })
    }

    @Test func `without steps, and with steps made here, clocks here count`() throws {
        let autumn = LocalTime.berlin.at("2014-10-26", 0), day = LocalTime.berlin.day(of: autumn)
        let night = [0, 1, 2, 3, 4].map { autumn + $0 * 3600 }.map {
            StepSample(start: $0, length: 900, steps: 10, utcOffset: LocalTime.berlin.utcOffset($0))
        }
        for samples in [[], night] {
            let track = DayData.Track(pedometer: 1, name: "p", samples: samples)
            let data = DayData(user: User(id: 1, name: "Ada"), day: day, tracks: [track])
            let clock = DayClock(data, here: .berlin)
            let block = try clock.block(from: BlockTime(2 * 3600), to: BlockTime(3 * 3600))
            // Of the hour that comes twice, from the first time; until the one three o'clock.
            #expect(block == Exclusion(TimeSpan(autumn + 7200, autumn + 4 * 3600), utcOffset: 7200))
            #expect(
                DaySummary(data, localTime: .berlin, now: autumn + 864_000).hours.count == (samples.isEmpty ? 0 : 25))
        }
    }

    /// The total of a day of 25 hours has the offset of its beginning. After one block, the times of the next one were
    /// an hour off, and the first one did not count again.
    @Test func `on a day of a clock change, blocks of a total follow the clocks here`() throws {
        let midnight = LocalTime.berlin.at("2014-10-26", 0), day = LocalTime.berlin.day(of: midnight)
        let total = StepSample(start: midnight, length: 90_000, steps: 9_000, utcOffset: 7200)
        let coverage = LocalTime.berlin.covered(total.span)
        func data(_ exclusions: [Exclusion] = []) -> DayData {
            let track = DayData.Track(pedometer: 1, name: "p", samples: [total], coverage: coverage)
            return DayData(
                user: User(id: 1, name: "Ada"), day: day, tracks: [track].excluding(exclusions), exclusions: exclusions)
        }
        func block(_ from: Int, _ to: Int, _ exclusions: [Exclusion] = []) throws -> Exclusion {
            try DayClock(data(exclusions), here: .berlin).block(
                from: BlockTime(from * 3600), to: BlockTime(to * 3600))
        }
        func steps(_ exclusions: [Exclusion]) -> Int? {
            DaySummary(data(exclusions), localTime: .berlin, now: midnight + 864_000).steps
        }
        let morning = try block(10, 11), last = try block(23, 24, [morning])
        #expect(morning.span == TimeSpan(midnight + 11 * 3600, midnight + 12 * 3600))
        #expect(last == Exclusion(TimeSpan(midnight + 24 * 3600, midnight + 25 * 3600), utcOffset: 3600))
        #expect(steps([morning]) == 8_640 && steps([morning, last]) == 8_280)
        #expect(try block(10, 11, [morning, last]) == morning && block(23, 24, [morning, last]) == last)
        let hours = DaySummary(data([morning, last]), localTime: .berlin, now: midnight + 864_000).hours
        // The two hours that were excluded have no steps; of the others, nothing is known.
        #expect(hours.compactMap(\.steps) == [0, 0])
        // Also without a block: the clock change cuts it into three hours and twenty-two.
        #expect(DaySums(data().tracks, of: day).hours == Array(repeating: nil, count: 24))
    }

    @Test func `on a journey each end has the offset of the steps around it`() throws {
        // From Berlin to Hanoi: the clocks skip from 13 to 18 o'clock.
        let samples = [sample(8, 100, 7200), sample(12, 200, 7200), sample(18, 300, 25_200), sample(22, 400, 25_200)]
        #expect(try block(12, 13, of: samples) == Exclusion(samples[1].span, utcOffset: 7200))
        #expect(try block(22, 23, of: samples) == Exclusion(samples[3].span, utcOffset: 25_200))
        let across = try block(12, 19, of: samples)
        #expect(across == Exclusion(TimeSpan(samples[1].start, samples[2].span.end), utcOffset: 7200))
        let shown = try #require(summary(samples, [across]).excluded.first)
        #expect(shown.endOffset == 25_200 && shown.steps == 500 && !shown.needsOffsets)
        #expect(throws: BlockTimeError.skipped) { try block(14, 17, of: samples) }
        // What lies between the flight and the next steps takes none of them.
        #expect(try summary(samples, [block(13, 20, of: samples)]).steps == 700)
        let fixed = try DayClock(data(samples), here: .fixed(0)).block(
            from: BlockTime(12 * 3600, utcOffset: 7200), to: BlockTime(19 * 3600))
        #expect(fixed == across)
    }

    @Test func `a time that a journey shows twice is refused, unless it has its offset`() throws {
        // To the west: nine and ten o'clock come twice.
        let samples = [
            sample(8, 100, 25_200), sample(9, 200, 25_200), sample(10, 50, 25_200), sample(9, 300, 7200),
            sample(10, 400, 7200),
        ]
        func excluded(_ from: Int, _ to: Int) throws -> Int? {
            try summary(samples, [block(from, to, of: samples)]).excluded.first?.steps
        }
        #expect(throws: BlockTimeError.unclear) { try block(9, 10, of: samples) }
        #expect(throws: BlockTimeError.unclear) { try block(10, 11, of: samples) }
        // All that the hours show, where no other steps lie in between.
        #expect(try excluded(8, 9) == 100 && excluded(9, 11) == 950 && excluded(0, 24) == 1050)
        // The day has 29 hours, which no block of the history may have.
        #expect(try block(0, 24, of: samples).span.length <= Exclusion.longest)
        let long = samples + [sample(23, 10, 7200), sample(0, 20, 25_200)]
        #expect(throws: BlockTimeError.tooLong) { try block(0, 24, of: long) }
        #expect(throws: BlockTimeError.tooLong) {
            try DayClock(data(samples), here: .fixed(0)).block(
                from: BlockTime(0, utcOffset: 25_200), to: BlockTime(86_400, utcOffset: 7200))
        }
        let first = try DayClock(data(samples), here: .fixed(0)).block(
            from: BlockTime(9 * 3600, utcOffset: 25_200), to: BlockTime(10 * 3600, utcOffset: 25_200))
        let shown = summary(samples, [first])
        #expect(shown.steps == 850 && shown.excluded == [ExcludedSteps(first, steps: 200, needsOffsets: true)])
        #expect(throws: BlockTimeError.reversed) {
            try DayClock(data(samples), here: .fixed(0)).block(
                from: BlockTime(9 * 3600, utcOffset: 7200), to: BlockTime(10 * 3600, utcOffset: 25_200))
        }
    }

    @Test func `a block takes nothing from the day after a journey, or before one`() throws {
        // In Hanoi the next day begins at 19 o'clock in Berlin.
        let today = [sample(8, 100, 7200), sample(14, 200, 7200)], tomorrow = sample(24, 300, 25_200)
        let clock = DayClock(data(today), here: .fixed(7200))
        let evening = try clock.block(from: BlockTime(13 * 3600), to: BlockTime(86_400), beside: [tomorrow])
        #expect(evening.span == TimeSpan(midnight(7200) + 13 * 3600, tomorrow.start))
        #expect(throws: BlockTimeError.ofOtherDay) {
            try clock.block(from: BlockTime(19 * 3600), to: BlockTime(86_400), beside: [tomorrow])
        }
        let (yesterday, morning) = (sample(-5, 300, 7200), sample(1, 200, 25_200))
        let arrival = DayClock(data([morning]), here: .fixed(7200))
        let night = try arrival.block(from: BlockTime(0), to: BlockTime(7200), beside: [yesterday])
        #expect(night.span == TimeSpan(yesterday.span.end, morning.span.end))
        // A slot over midnight keeps its steps by itself.
        let late = sample(-1, 60, 25_200, minutes: 90)
        #expect(
            try arrival.block(from: BlockTime(0), to: BlockTime(7200), beside: [late]).span.start == midnight(25_200))
    }

    @Test(arguments: 0..<50) func `a block takes the steps that the clocks of their places show in it, or none`(
        seed: UInt64
    ) throws {
        var random = SeededGenerator(seed: seed)
        var samples: [StepSample] = [], moment = midnight(0) - 6 * 3600
        for _ in 0..<Int.random(in: 1...3, using: &random) {
            let offset = [-18_000, 0, 7200, 20_700, 32_400].randomElement(using: &random) ?? 0
            for _ in 0..<Int.random(in: 1...8, using: &random) {
                moment = moment + 900 * Int.random(in: 0...8, using: &random)
                let sample = StepSample(start: moment, length: 900, steps: 900, utcOffset: offset)
                if sample.day == day { samples.append(sample) }
                moment = sample.span.end
            }
        }
        let all = samples.count * 900
        var checked = 0
        for _ in 0..<40 {
            let times = [0, 1].map { _ in Int.random(in: 0...96, using: &random) * 900 }.sorted()
            let (from, to) = (BlockTime(times[0]), BlockTime(times[1]))
            guard let block = try? DayClock(data(samples), here: .berlin).block(from: from, to: to) else { continue }
            checked += 1
            let inside = samples.reduce(0) { sum, sample in
                let wall = midnight(sample.utcOffset)
                let part = sample.span.intersection(TimeSpan(wall + times[0], wall + times[1]))
                return sum + (part?.length ?? 0)
            }
            let summary = summary(samples, [block], here: .berlin)
            #expect(samples.isEmpty || summary.steps ?? 0 == all - inside)
            // What is shown names the block.
            let shown = try #require(summary.excluded.first)
            if shown.needsOffsets { continue }
            let (start, end) = (block.span.start + block.utcOffset, block.span.end + shown.endOffset)
            let again = try DayClock(data(samples, [block]), here: .berlin).block(
                from: BlockTime(start - midnight(0)), to: BlockTime(end - midnight(0)))
            #expect(again.span == block.span)
        }
        #expect(checked >= 10)
    }
}
