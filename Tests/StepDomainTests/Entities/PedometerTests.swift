import Foundation
import StepDomain
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5))) struct PedometerTests {
    private func setting(_ at: Int, _ offset: Int = 0) -> ClockState.Setting {
        ClockState.Setting(at: Timestamp(at), utcOffset: offset)
    }

    @Test func `clock settings are sorted and removed when no slot can need them`() {
        var clock = ClockState(settings: [setting(300), setting(100)])
        #expect(clock.settings == [setting(100), setting(300)])
        clock.record(setting(1000), memory: 800)
        // At 200 the setting of 100 was in force: it stays.
        #expect(clock.settings == [setting(100), setting(300), setting(1000)])
        clock.record(setting(1100), memory: 800)
        #expect(clock.settings == [setting(300), setting(1000), setting(1100)])
    }

    @Test func `the UTC offset of a pedometer follows its clock settings`() {
        let localTime = LocalTime.berlin
        let set = localTime.at("2014-04-20", 12), tokyo = localTime.at("2014-04-25", 12)
        let clock = ClockState(settings: [.init(at: set, utcOffset: 7200), .init(at: tokyo, utcOffset: 32_400)])
        let there = clock.localTime(.fixed(32_400))
        #expect(there.utcOffset(set + 1) == 7200)
        #expect(there.utcOffset(tokyo - 1) == 7200)
        #expect(there.utcOffset(tokyo) == 32_400)
        #expect(there.utcOffset(set - 1) == 32_400, "before all settings nothing else is known than where one is")
        // At home the day follows the zone, whatever the pedometer's clock still shows.
        let home = ClockState(settings: [.init(at: set, utcOffset: 7200)]).localTime(localTime)
        #expect(home.utcOffset(localTime.at("2014-12-01", 12)) == 3600)
        #expect(ClockState().localTime(localTime).utcOffset(set) == 7200)
    }

    @Test func `a cursor is encoded with what the clock showed, and an older one without it is decoded`() throws {
        let counter = CounterReading(at: Timestamp(1000), value: 5, utcOffset: 3600)
        let cursor = PedometerCursor(
            readThrough: Timestamp(1000), counter: counter, clockOffset: -57_600, deviceOffset: 3600)
        #expect(try JSONDecoder().decode(PedometerCursor.self, from: JSONEncoder().encode(cursor)) == cursor)
        // The name in the histories of released versions.
        #expect(try String(decoding: JSONEncoder().encode(cursor), as: UTF8.self).contains(#""clockLead":-57600"#))
        let old = #"{"readThrough":1000,"counter":{"at":1000,"value":5,"utcOffset":3600}}"#
        #expect(
            try JSONDecoder().decode(PedometerCursor.self, from: Data(old.utf8))
                == PedometerCursor(readThrough: Timestamp(1000), counter: counter))
    }

    @Test func `a cursor is encoded with its past days, and an older one without them is decoded`() throws {
        let day = try #require(Day("2026-05-20"))
        let past = PastDays(
            counted: [CountedDay(day, steps: 5_000, through: Timestamp(1000))], since: day, requested: day,
            totals: [1: 4_000, 2: 6_000],
            isReversed: true, isDistanceFirst: false)
        let cursor = PedometerCursor(readThrough: Timestamp(1000), pastDays: past)
        #expect(try JSONDecoder().decode(PedometerCursor.self, from: JSONEncoder().encode(cursor)) == cursor)
        let old = #"{"readThrough":1000,"ofALaterVersion":1}"#
        #expect(
            try JSONDecoder().decode(PedometerCursor.self, from: Data(old.utf8))
                == PedometerCursor(readThrough: Timestamp(1000)))
    }

    @Test func `an undecided reading has the key of released versions`() throws {
        let reading = CounterReading(at: Timestamp(1000), value: 5, utcOffset: 3600)
        let stored = #"{"quarantined":{"at":1000,"utcOffset":3600,"value":5}}"#
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        #expect(String(decoding: try encoder.encode(PedometerCursor(undecided: reading)), as: UTF8.self) == stored)
        #expect(
            try JSONDecoder().decode(PedometerCursor.self, from: Data(stored.utf8))
                == PedometerCursor(undecided: reading))
    }

    @Test(arguments: [
        (5, 1, true), (6, 1, false), (4500, 900, true), (4501, 900, false), (-1, 60, false), (0, 0, false),
    ])
    func `a sample above five steps per second is implausible`(steps: Int, length: Int, plausible: Bool) {
        let sample = StepSample(start: Timestamp(0), length: length, steps: steps, utcOffset: 0)
        #expect(sample.isPlausible == plausible)
    }

    @Test func `the day of a sample follows its own UTC offset`() {
        let late = Timestamp(86_400 - 1800)
        #expect(StepSample(start: late, length: 60, steps: 1, utcOffset: 0).day == Day(daysSince1970: 0))
        #expect(StepSample(start: late, length: 60, steps: 1, utcOffset: 3600).day == Day(daysSince1970: 1))
    }
}
