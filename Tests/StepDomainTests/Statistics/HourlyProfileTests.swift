import StepDomain
import Testing
import TestSupport

@Suite(.timeLimit(.minutes(5))) struct HourlyProfileTests {
    private let localTime = LocalTime.berlin

    /// The hours of a day that is covered as a whole.
    private func hours(_ samples: [StepSample], _ day: String, _ localTime: LocalTime = .berlin) throws -> [DaySummary
        .Hour]
    {
        let day = try #require(Day(day))
        return HourlyProfile(
            samples, of: day, localTime: localTime, coverage: localTime.covered(localTime.span(of: day))
        ).hours
    }

    private func sample(_ start: Timestamp, _ length: Int, _ steps: Int, offset: Int? = nil) -> StepSample {
        StepSample(start: start, length: length, steps: steps, utcOffset: offset ?? localTime.utcOffset(start))
    }

    @Test func `an ordinary day has 24 hours`() throws {
        let hours = try hours([sample(localTime.at("2014-04-20", 7, 30), 900, 1000)], "2014-04-20")
        #expect(hours.map(\.hour) == Array(0...23))
        #expect(hours.map(\.start) == (0...23).map { localTime.at("2014-04-20", $0) })
        #expect(hours.filter { $0.steps != 0 }.map(\.hour) == [7])
    }

    @Test func `running is known by the hour, of long samples and of pieces, too`() throws {
        let day = try #require(Day("2014-04-20")), start = localTime.at("2014-04-20", 7, 30)
        // An hour of 150 steps a minute from 7:30, and a walk; the second pedometer is finer in the first half of the
        // run.
        let samples = [sample(start, 3600, 9000), sample(localTime.at("2014-04-20", 12), 600, 900)]
        func tracks(_ others: [StepSample]) -> [DayData.Track] {
            [samples, others].enumerated().map { index, samples in
                DayData.Track(pedometer: Int64(index + 1), name: "", samples: samples, coverage: [])
            }
        }
        for others in [[], [sample(start, 900, 1000)]] {
            let tracks = tracks(others), merged = MergedTracks(tracks)
            let hours = HourlyProfile(
                merged.placed, running: merged.placedRunning, of: day, localTime: localTime, coverage: []
            ).hours
            #expect(hours[7].running + hours[8].running == 9000 && hours[12].running == 0 && hours[12].steps == 900)
            #expect(hours[7].running == hours[7].steps && hours[8].running == hours[8].steps)
        }
    }

    @Test func `an hour that is not accounted for is unknown, unless it has steps`() throws {
        let day = try #require(Day("2014-04-20"))
        let samples = [
            sample(localTime.at("2014-04-20", 7, 30), 900, 1000), sample(localTime.at("2014-04-20", 20), 60, 50),
        ]
        // The ring was taken off at 15:20.
        let worn = localTime.covered(TimeSpan(localTime.at("2014-04-20", 0), localTime.at("2014-04-20", 15, 20)))
        let partial = HourlyProfile(samples, of: day, localTime: localTime, coverage: worn).hours.map(\.steps)
        var expected: [Int?] = Array(repeating: 0, count: 15) + Array(repeating: nil, count: 9)
        (expected[7], expected[20]) = (1000, 50)
        #expect(partial == expected)
        let whole = HourlyProfile(samples, of: day, localTime: localTime, coverage: worn, isComplete: true).hours
        #expect(whole.allSatisfy { $0.steps != nil })
    }

    @Test func `an hour of another zone is known at its own local hour`() throws {
        // 8:00 to 10:00 in New York; the day is viewed in Berlin.
        let day = try #require(Day("2014-04-20"))
        let start = Timestamp(day.daysSince1970 * 86_400 + 8 * 3600 + 14_400)
        let there = [CoveredSpan(TimeSpan(start, start + 7200), utcOffset: -14_400)]
        let hours = HourlyProfile([], of: day, localTime: localTime, coverage: there).hours
        #expect(hours.filter { $0.steps != nil }.map(\.hour) == [8, 9])
    }

    @Test func `the spring change gives 23 hours without the skipped hour`() throws {
        let hours = try hours([sample(localTime.at("2014-03-30", 3, 10), 60, 100)], "2014-03-30")
        #expect(hours.map(\.hour) == [0, 1] + Array(3...23))
        #expect(hours[2].steps == 100)
    }

    @Test func `the autumn change gives 25 hours with the repeated hour separate`() throws {
        let second = localTime.at("2014-10-26", 3) - 1800
        let hours = try hours([sample(second, 60, 100)], "2014-10-26")
        #expect(hours.map(\.hour) == [0, 1, 2, 2] + Array(3...23))
        #expect(hours.map(\.steps).prefix(5) == [0, 0, 0, 100, 0])
        #expect(hours[2].start.iso8601(utcOffset: 7200) == "2014-10-26T02:00:00+02:00")
        #expect(hours[3].start.iso8601(utcOffset: 3600) == "2014-10-26T02:00:00+01:00")
    }

    @Test func `zones with a fractional offset have whole local hours`() throws {
        let kathmandu = LocalTime.fixed(20_700)
        let hours = try hours([], "2014-04-20", kathmandu)
        #expect(hours.map(\.hour) == Array(0...23))
        #expect(hours[5].start.iso8601(utcOffset: 20_700) == "2014-04-20T05:00:00+05:45")
    }

    @Test func `a clock change of 30 minutes gives an hour of 30 minutes`() throws {
        // Back from 2:00 to 1:30: half of hour 1 occurs twice. Forward from 2:00 to 2:30: hour 2 has half an hour.
        let back = try #require(Day("2023-04-02")), forward = try #require(Day("2023-10-01"))
        #expect(LocalTime.lordHowe.hours(of: back).map(\.hour) == [0, 1, 1] + Array(2...23))
        #expect(LocalTime.lordHowe.hours(of: back)[2].span.length == 1800)
        #expect(LocalTime.lordHowe.hours(of: forward).map(\.hour) == Array(0...23))
        #expect(LocalTime.lordHowe.hours(of: forward)[2].span.length == 1800)
    }

    @Test func `a clock change within an hour shortens the adjacent hours`() throws {
        let change = Timestamp(1_000 * 86_400 + 60)
        let odd = LocalTime { $0 < change ? 0 : 3600 }
        let hours = odd.hours(of: Day(daysSince1970: 1000))
        #expect(hours.map(\.hour) == Array(0...23))
        #expect(hours[0].span.length == 60)
        #expect(hours[1].span == TimeSpan(change, change + 3540))
    }

    @Test func `long samples are spread over hours by time`() throws {
        // 100 minutes from 10:40: 20 in hour 10, 60 in 11, 20 in 12.
        let hours = try hours([sample(localTime.at("2014-04-20", 10, 40), 6000, 1001)], "2014-04-20")
        #expect(hours[10...12].map(\.steps) == [200, 600, 201])
    }

    /// A total of a day was shown as 24 equal hours, and as a goal that was reached at 20:00.
    @Test func `when the steps of many hours were made is unknown`() throws {
        let midnight = localTime.at("2014-04-20", 0)
        let total = sample(midnight, 86_400, 10_000), walk = sample(localTime.at("2014-04-20", 9), 900, 1000)
        let day = try #require(Day("2014-04-20"))
        let coverage = [CoveredSpan(TimeSpan(midnight, midnight + 86_400), utcOffset: total.utcOffset)]
        func hours(_ samples: [StepSample]) -> [Int?] {
            HourlyProfile(samples, of: day, localTime: localTime, coverage: coverage, isComplete: true).hours.map(
                \.steps)
        }
        func sums(_ samples: [StepSample]) -> DaySums {
            DaySums([DayData.Track(pedometer: 1, name: "", samples: samples, coverage: coverage)], of: day)
        }
        #expect(hours([total]) == [Int?](repeating: nil, count: 24) && hours([total]) == sums([total]).hours)
        #expect(sums([total]).steps == 10_000 && sums([total]).completeness == .complete)
        // Beside hours that are known.
        let evening = sample(localTime.at("2014-04-20", 12), 12 * 3600, 5000)
        let known = hours([walk, evening])
        #expect(known == sums([walk, evening]).hours && known[9] == 1000 && known[..<9].allSatisfy { $0 == 0 })
        #expect(known[12...].allSatisfy { $0 == nil })
    }

    @Test func `a sample across midnight counts entirely in the last hour`() throws {
        let hours = try hours([sample(localTime.at("2014-04-20", 23, 30), 3600, 800)], "2014-04-20")
        #expect(hours[23].steps == 800)
        #expect(hours.compactMap(\.steps).reduce(0, +) == 800)
    }

    @Test func `samples from another zone count at their own local hour`() throws {
        // 22:00 in New York on the 20th is 04:00 of the 21st in Berlin, where the day is viewed.
        let there = sample(
            Timestamp(try #require(Day("2014-04-20")).daysSince1970 * 86_400 + 26 * 3600), 900, 500, offset: -14_400)
        let hours = try hours([there], "2014-04-20")
        #expect(hours.filter { $0.steps != 0 }.map(\.hour) == [22])
    }

    @Test func `very long samples do not overflow`() throws {
        let start = localTime.at("2014-04-20", 0)
        let hours = try hours([sample(start, 1 << 50, 5 << 50)], "2014-04-20")
        #expect(hours.allSatisfy { $0.steps == nil })
    }

    @Test(arguments: ["2014-04-20", "2014-03-30", "2014-10-26"], 0..<60 as Range<UInt64>)
    func `the hours add up to the samples`(day: String, seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let merged = MergedTracks(RandomDay.tracks(of: day, in: localTime, using: &generator))
        let hours = try hours(merged.samples, day)
        #expect(hours.compactMap(\.steps).reduce(0, +) == merged.steps)
        #expect(hours.allSatisfy { $0.steps.map { $0 >= 0 } ?? false })
        #expect(hours.count == (day == "2014-03-30" ? 23 : day == "2014-10-26" ? 25 : 24))
    }
}
