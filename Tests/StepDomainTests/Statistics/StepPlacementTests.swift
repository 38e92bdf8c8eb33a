import StepDomain
import TestSupport
import Testing

/// A ring with quarters of an hour, and a watch that knows only a counter.
@Suite(.timeLimit(.minutes(5))) struct StepPlacementTests {
    private static let localTime = LocalTime.berlin
    private let watched = "2014-04-20"

    private func span(_ from: Double, _ to: Double) -> TimeSpan {
        let midnight = Self.localTime.at(watched, 0)
        return TimeSpan(midnight + Int((from * 3600).rounded()), midnight + Int((to * 3600).rounded()))
    }

    /// - Parameter coverage: hours of the day.
    private func track(_ id: Pedometer.ID, _ samples: [StepSample], _ coverage: [(Double, Double)]) -> DayData.Track {
        DayData.Track(
            pedometer: id, name: "\(id)", samples: samples,
            coverage: coverage.map { CoveredSpan(span($0.0, $0.1), utcOffset: 7200) })
    }

    private func sample(_ from: Double, _ to: Double, _ steps: Int) -> StepSample {
        let span = span(from, to)
        return StepSample(start: span.start, length: span.length, steps: steps, utcOffset: 7200)
    }

    /// The ring: four quarters of each of these hours have these steps.
    private func ring(_ hours: KeyValuePairs<Int, Int>, _ coverage: (Double, Double)...) -> DayData.Track {
        let samples = hours.flatMap { hour, steps in
            (0..<4).map { (quarter: Int) -> StepSample in
                let start = Double(4 * hour + quarter) / 4
                return sample(start, start + 0.25, steps)
            }
        }
        return track(1, samples, coverage)
    }

    private func watch(_ samples: StepSample..., coverage: (Double, Double)...) -> DayData.Track {
        track(2, samples, coverage)
    }

    /// The hours that have steps; those of the day summary and of the stored sums are the same.
    private func hours(_ tracks: DayData.Track...) throws -> [Int: Int] {
        let day = try #require(Day(watched))
        let summary = Self.summary(tracks, on: day)
        let all = summary.hours.map(\.steps)
        #expect(all == DaySums(tracks, of: day).hours)
        #expect(all.reduce(0) { $0 + ($1 ?? 0) } == summary.steps)
        return summary.hours.reduce(into: [:]) { hours, hour in
            if let steps = hour.steps, steps > 0 { hours[hour.hour] = steps }
        }
    }

    private static func summary(_ tracks: [DayData.Track], on day: Day) -> DaySummary {
        let data = DayData(user: User(id: 1, name: "anna"), day: day, tracks: tracks)
        return DaySummary(data, localTime: localTime, now: localTime.span(of: day).end + 9)
    }

    // MARK: Examples

    @Test func `the samples of a ring that is ahead count as they are`() throws {
        let ring = ring([8: 250, 12: 125, 17: 500], (0, 18))
        #expect(
            try hours(ring, watch(sample(0, 14, 1400), sample(14, 19, 1900), coverage: (0, 19))) == [
                8: 1000, 12: 500, 17: 2000,
            ])
    }

    @Test func `steps of a watch that is ahead are divided like those of the ring, or fall after its last slot`() throws
    {
        // Until 14 o'clock the watch counts more. The ring was last read at 18 o'clock.
        let ring = ring([8: 250, 12: 125, 17: 500], (0, 18))
        let hours = try hours(ring, watch(sample(0, 14, 1800), sample(14, 19, 2600), coverage: (0, 19)))
        #expect(hours == [8: 1200, 12: 600, 17: 2000, 18: 600])
    }

    @Test func `steps of a watch alone are spread evenly`() throws {
        let hours = try hours(watch(sample(8, 14, 600), sample(14, 19, 500), coverage: (0, 19)))
        #expect(hours == Dictionary(uniqueKeysWithValues: (8..<19).map { ($0, 100) }))
    }

    @Test func `the two hours without the ring get the steps that only the watch has`() throws {
        let ring = ring([8: 250, 15: 100], (0, 12), (14, 24))
        #expect(try hours(ring, watch(sample(6, 18, 2000), coverage: (6, 18))) == [8: 1000, 12: 300, 13: 300, 15: 400])
    }

    @Test func `a gap gets no steps if the ring has more outside of it than the watch has in all`() throws {
        // The watch was read in the middle of a slot, so that all is one group. In its first sample it has 700, the
        // ring 1,050.
        let ring = ring([8: 250, 15: 100], (0, 12), (14, 24))
        let watch = watch(sample(6, 15.125, 700), sample(15.125, 18, 2000), coverage: (6, 18))
        #expect(try hours(ring, watch) == [8: 666, 15: 34 + 2000])
    }

    @Test func `a gap gets no more steps than a person can make in it`() throws {
        // One minute: 300. The other 2,500 are divided five to two.
        let ring = ring([8: 250, 15: 100], (0, 12), (12 + 1.0 / 60, 24))
        #expect(try hours(ring, watch(sample(6, 18, 2800), coverage: (6, 18))) == [8: 1785, 12: 300, 15: 715])
    }

    @Test func `a slot gets no more steps than a person can make in it`() throws {
        // A phone is worn for a minute and lies still for the rest of the day. The next finer pedometer, if there is
        // one, divides what does not fit.
        let phone = track(1, [sample(10, 10 + 1.0 / 60, 12)], [(0, 24)])
        let watch = watch(sample(9, 12, 3090), coverage: (0, 24))
        #expect(try hours(phone, watch) == [9: 935, 10: 1219, 11: 936])
        let band = track(3, [sample(9, 9.5, 40), sample(11.5, 12, 20)], [(0, 24)])
        #expect(try hours(phone, watch, band) == [9: 1860, 10: 300, 11: 930])
        // What a full slot leaves is divided like the rest.
        let both = track(1, [sample(10, 10 + 1.0 / 60, 300), sample(11, 12, 100)], [(0, 24)])
        #expect(try hours(both, watch) == [10: 300, 11: 2790])
    }

    @Test func `both pedometers can have gaps`() throws {
        let ring = ring([9: 200, 11: 50, 15: 100], (8, 16))
        let tracks = [ring, watch(sample(6, 10, 1500), sample(13, 17, 900), coverage: (6, 10), (13, 17))]
        #expect(try hours(tracks[0], tracks[1]) == [6: 350, 7: 350, 9: 800, 11: 200, 15: 400, 16: 500])
        let all = DaySums(tracks, of: try #require(Day(watched))).hours
        let unknown = all.indices.filter { all[$0] == nil }
        #expect(unknown == Array(0..<6) + Array(17..<24))
    }

    @Test func `a third pedometer divides what is left of the finest`() throws {
        let band = track(3, [sample(8, 9, 900), sample(14, 15, 300), sample(16, 17, 100)], [(0, 24)])
        #expect(
            try hours(ring([8: 250], (0, 12)), band, watch(sample(6, 18, 2000), coverage: (6, 18))) == [
                8: 1000, 14: 750, 16: 250,
            ])
    }

    @Test func `a pedometer without steps during a long sample divides nothing`() throws {
        let ring = ring([20: 25], (0, 24))
        #expect(
            try hours(ring, watch(sample(8, 12, 400), coverage: (8, 12))) == [
                8: 100, 9: 100, 10: 100, 11: 100, 20: 100,
            ])
    }

    @Test func `what lies past midnight counts in the last hour`() throws {
        let ring = ring([22: 100], (0, 24.5))
        #expect(try hours(ring, watch(sample(22, 26, 1000), coverage: (22, 26))) == [22: 400, 23: 600])
    }

    // MARK: Changes of the clocks

    /// The watch has one sample for the whole day.
    private func wholeDay(_ word: String, _ steps: Int) throws -> (day: Day, track: DayData.Track) {
        let day = try #require(Day(word))
        return try watchOnly(word, seconds: Self.localTime.span(of: day).length, steps)
    }

    /// 100 steps in each of the hours after midnight.
    private func firstHours(_ word: String, _ hours: Int) throws -> (day: Day, track: DayData.Track) {
        try watchOnly(word, seconds: hours * 3600, hours * 100)
    }

    private func watchOnly(_ word: String, seconds: Int, _ steps: Int) throws -> (day: Day, track: DayData.Track) {
        let day = try #require(Day(word))
        let span = Self.localTime.span(of: day)
        let sample = StepSample(
            start: span.start, length: seconds, steps: steps, utcOffset: Self.localTime.utcOffset(span.start))
        return (
            day, DayData.Track(pedometer: 2, name: "watch", samples: [sample], coverage: Self.localTime.covered(span))
        )
    }

    @Test func `on a day of 25 hours, both hours of one name have the steps of the ring`() throws {
        let (day, watch) = try wholeDay("2014-10-26", 5000)
        let midnight = Self.localTime.span(of: day).start
        var samples: [StepSample] = []
        for (hour, steps) in [(1, 250), (3, 125), (21, 250)] {
            for start in (0..<4).map({ midnight + hour * 3600 + $0 * 900 }) {
                samples.append(
                    StepSample(start: start, length: 900, steps: steps, utcOffset: Self.localTime.utcOffset(start)))
            }
        }
        let ring = DayData.Track(pedometer: 1, name: "ring", samples: samples, coverage: watch.coverage)
        let hours = Self.summary([ring, watch], on: day).hours
        let walked = hours.filter { $0.steps != 0 }.map(\.hour)
        #expect(hours.count == 25 && walked == [1, 2, 20])
        #expect(hours[1].steps == 2000 && hours[2].steps == 0 && hours[3].steps == 1000 && hours[21].steps == 2000)
        let sums = DaySums([ring, watch], of: day).hours
        #expect(sums[1] == 2000 && sums[2] == 1000 && sums[20] == 2000)
    }

    @Test
    func `a long sample has no steps in the hour that clocks skip, and twice as many in the one that they repeat`()
        throws
    {
        let (spring, short) = try firstHours("2014-03-30", 5)
        #expect(DaySums([short], of: spring).hours[..<7] == [100, 100, nil, 100, 100, 100, 0])
        #expect(Self.summary([short], on: spring).hours.map(\.steps)[..<6] == [100, 100, 100, 100, 100, 0])
        let (autumn, long) = try firstHours("2014-10-26", 6)
        #expect(DaySums([long], of: autumn).hours[..<6] == [100, 100, 200, 100, 100, 0])
        #expect(Self.summary([long], on: autumn).hours.map(\.steps)[..<7] == [100, 100, 100, 100, 100, 100, 0])
    }

    // MARK: What holds for all tracks

    private static func hours(of word: String) -> Int { word == "2014-03-30" ? 23 : word == "2014-10-26" ? 25 : 24 }

    @Test(arguments: ["2014-04-20", "2014-03-30", "2014-10-26"], 0..<60 as Range<UInt64>)
    func `pieces keep the steps and the time of each sample`(word: String, seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var tracks = RandomDay.tracks(of: word, in: Self.localTime, using: &random)
        for index in tracks.indices {
            if Bool.random(using: &random) { tracks[index].coverage = Array(tracks[index].coverage.dropFirst()) }
        }
        let merged = MergedTracks(tracks)
        for (a, b) in zip(merged.placed, merged.placed.dropFirst()) { #expect(a.span.end <= b.start) }
        var rest = merged.placed[...]
        for sample in merged.samples {
            let pieces = rest.prefix { $0.start < sample.span.end }
            rest = rest.dropFirst(pieces.count)
            #expect(pieces.reduce(0) { $0 + $1.steps } == sample.steps)
            #expect(pieces.allSatisfy { $0.steps > 0 && $0.start >= sample.start && $0.span.end <= sample.span.end })
            #expect(pieces.allSatisfy { $0.isPlausible })
        }
        #expect(rest.isEmpty)
        let day = try #require(Day(word))
        let hours = Self.summary(tracks, on: day).hours
        for steps in [hours.compactMap(\.steps), DaySums(tracks, of: day).hours.compactMap(\.self)] {
            #expect(steps.reduce(0, +) == merged.steps && steps.allSatisfy { $0 >= 0 })
        }
        #expect(hours.isEmpty || hours.count == Self.hours(of: word))
        #expect(MergedTracks(tracks.shuffled(using: &random)).placed == merged.placed)
    }

    /// The watch counts every step twice, and is read at random quarters of an hour.
    @Test(arguments: ["2014-04-20", "2014-03-30", "2014-10-26"], 0..<40 as Range<UInt64>)
    func `the hours of a watch have the shape of the ring`(word: String, seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let day = try #require(Day(word))
        let span = Self.localTime.span(of: day)
        var slots: [StepSample] = []
        var readings: [StepSample] = []
        for start in stride(from: span.start.seconds, to: span.end.seconds, by: 900).map(Timestamp.init) {
            let steps = max(0, Int.random(in: -500...500, using: &random))
            slots.append(
                StepSample(start: start, length: 900, steps: steps, utcOffset: Self.localTime.utcOffset(start)))
            if readings.isEmpty || Int.random(in: 0..<20, using: &random) == 0 {
                readings.append(
                    StepSample(start: start, length: 0, steps: 0, utcOffset: Self.localTime.utcOffset(start)))
            }
            readings[readings.count - 1].length += 900
            readings[readings.count - 1].steps += 2 * steps
        }
        let coverage = Self.localTime.covered(span)
        let ring = DayData.Track(pedometer: 1, name: "ring", samples: slots, coverage: coverage)
        let watch = DayData.Track(pedometer: 2, name: "watch", samples: readings, coverage: coverage)
        let expected = Self.summary([ring], on: day).hours.map { $0.steps.map { $0 * 2 } }
        #expect(expected.count == Self.hours(of: word))
        #expect(Self.summary([ring, watch], on: day).hours.map { $0.steps } == expected)
        let sums = DaySums([ring], of: day).hours.map { $0.map { $0 * 2 } }
        #expect(DaySums([watch, ring], of: day).hours == sums)
    }
}
