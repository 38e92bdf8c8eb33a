import Foundation
import StepDomain
import Testing
import TestSupport

@testable import Sharing

/// Rows of Home Assistant's long-term statistics: in which rows the steps of a day are, and which sums result from
/// corrections.
@Suite(.timeLimit(.minutes(5))) struct HomeAssistantStatisticsTests {
    private typealias Statistics = HomeAssistantStatistics

    private static func zone(_ name: String) -> LocalTime {
        TimeZone(identifier: name).map(LocalTime.zone) ?? .fixed(0)
    }

    private func day(
        _ date: String, hours: [Int: Int], steps: Int? = nil, by localTime: LocalTime = Self.zone("Europe/Berlin"),
        isInProgress: Bool = false, unknown: Set<Int> = [], isCorrected: Bool = false
    ) throws -> SharedDay {
        let day = try #require(Day(date))
        let slots = localTime.hours(of: day)
        var rest = hours
        let profile = slots.map { slot in
            DaySummary.Hour(
                start: slot.span.start, hour: slot.hour, utcOffset: slot.utcOffset,
                steps: unknown.contains(slot.hour) ? nil : rest.removeValue(forKey: slot.hour) ?? 0)
        }
        var summary = DaySummary(
            user: .anna, day: day, steps: steps ?? hours.values.reduce(0, +), hours: hours.isEmpty ? [] : profile,
            completeness: .complete,
            isInProgress: isInProgress)
        summary.isCorrected = isCorrected
        return try #require(SharedDay(summary))
    }

    private func utc(_ text: String) throws -> Int { Int(try Date(text, strategy: .iso8601).timeIntervalSince1970) }

    // MARK: Where steps go

    @Test func `each hour of the clock is a row, also one without steps`() throws {
        let hours = try Statistics.hours(
            of: day("2026-07-01", hours: [0: 5, 8: 100, 23: 7]), in: Self.zone("Europe/Berlin"), now: .last)
        let first = try utc("2026-06-30T22:00:00Z")
        #expect(hours.hours == first...(first + 23 * 3600))
        #expect(hours.steps.count == 24)
        #expect(hours.steps.filter { $0.value > 0 } == [first: 5, first + 8 * 3600: 100, first + 23 * 3600: 7])
    }

    @Test func `a day of Home Assistant in another zone has the same steps at the same time of the clock`() throws {
        let localTime = Self.zone("America/New_York")
        let hours = try Statistics.hours(
            of: day("2026-07-01", hours: [0: 5, 8: 100, 23: 7]), in: localTime, now: .last)
        #expect(
            hours.steps.filter { $0.value > 0 } == [
                try utc("2026-07-01T04:00:00Z"): 5, try utc("2026-07-01T12:00:00Z"): 100,
                try utc("2026-07-02T03:00:00Z"): 7,
            ])
    }

    @Test(arguments: [
        "Asia/Kolkata", "Asia/Kathmandu", "Australia/Lord_Howe", "America/St_Johns", "Pacific/Chatham", "Europe/Berlin",
        "Pacific/Apia", "UTC",
    ]) func `all steps lie on full hours inside of their own day, whatever the zone`(_ name: String) throws {
        let localTime = Self.zone(name)
        var rows: Set<Int> = []
        var date = try #require(Day("2025-03-01"))
        while date <= Day("2026-05-01")! {
            let span = localTime.span(of: date)
            if !span.isEmpty {  // Apia's clocks left out a day in 2011
                let here = try day("\(date)", hours: [0: 11, 2: 22, 12: 33, 23: 44], steps: nil)
                let hours = try Statistics.hours(of: here, in: localTime, now: .last)
                #expect(hours.steps.values.reduce(0, +) == here.steps, "\(name) \(date)")
                #expect(
                    hours.steps.keys.allSatisfy {
                        $0 % 3600 == 0 && span.contains(Timestamp($0)) && rows.insert($0).inserted
                    }, "\(name) \(date)"
                )
            }
            date = date.advanced(by: 1)
        }
    }

    @Test func `the day on which clocks go forward or back keeps its hours`() throws {
        for (date, count) in [("2026-03-29", 23), ("2026-10-25", 25)] {
            let hours = try Statistics.hours(
                of: day(date, hours: [1: 10, 3: 30, 9: 90]), in: Self.zone("Europe/Berlin"), now: .last)
            #expect(hours.steps.count == count && hours.steps.values.reduce(0, +) == 130)
        }
        // 2:00 by New York's clocks; Berlin's clocks skip this hour.
        let spring = try Statistics.hours(
            of: day("2026-03-29", hours: [2: 20], by: Self.zone("America/New_York")), in: Self.zone("Europe/Berlin"),
            now: .last)
        #expect(spring.steps.filter { $0.value > 0 } == [try utc("2026-03-29T01:00:00Z"): 20])
    }

    @Test func `a correction follows the hours that were counted`() throws {
        let hours = try Statistics.hours(
            of: day("2026-07-01", hours: [8: 100, 9: 200], steps: 1000), in: .fixed(0), now: .last)
        #expect(hours.steps.values.filter { $0 > 0 }.sorted() == [333, 667])
        let none = try Statistics.hours(of: day("2026-07-01", hours: [8: 100], steps: 0), in: .fixed(0), now: .last)
        #expect(none.steps.count == 24 && none.steps.values.allSatisfy { $0 == 0 })
    }

    @Test func `steps without hours are spread over the whole day`() throws {
        let hours = try Statistics.hours(of: day("2026-07-01", hours: [:], steps: 2410), in: .fixed(0), now: .last)
        #expect(Set(hours.steps.values) == [100, 101] && hours.steps.values.reduce(0, +) == 2410)
    }

    /// The night of a counter was read early in the morning, its day late in the evening: a slot of 19 hours.
    @Test func `steps of unknown hours are not added to the known ones`() throws {
        let unknown = Set(5...23)
        let counted = try day("2026-07-01", hours: [0: 5, 4: 10], steps: 8015, unknown: unknown)
        let hours = try Statistics.hours(of: counted, in: .fixed(0), now: .last)
        let first = try utc("2026-07-01T00:00:00Z")
        #expect(hours.steps[first] == 5 && hours.steps[first + 4 * 3600] == 10 && hours.steps[first + 3600] == 0)
        #expect(unknown.allSatisfy { [421, 422].contains(hours.steps[first + $0 * 3600]) })
        #expect(hours.steps.values.reduce(0, +) == 8015)
        // Of a night without steps, too.
        let still = try day("2026-07-01", hours: [0: 0], steps: 1900, unknown: unknown)
        let night = try Statistics.hours(of: still, in: .fixed(0), now: .last)
        #expect((0...4).allSatisfy { night.steps[first + $0 * 3600] == 0 } && night.steps[first + 5 * 3600] == 100)
        // A correction says how many steps were made, and not when.
        let entered = try day("2026-07-01", hours: [0: 5, 4: 10], steps: 30, unknown: unknown, isCorrected: true)
        let scaled = try Statistics.hours(of: entered, in: .fixed(0), now: .last)
        #expect(scaled.steps.filter { $0.value > 0 } == [first: 10, first + 4 * 3600: 20])
    }

    @Test func `an hour that has not begun gets no steps`() throws {
        let first = try utc("2026-07-01T00:00:00Z"), now = Timestamp(first + 15 * 3600 + 1800)
        let entered = try day("2026-07-01", hours: [:], steps: 3100, isInProgress: true, isCorrected: true)
        let hours = try Statistics.hours(of: entered, in: .fixed(0), now: now)
        #expect(hours.steps.keys.max() == first + 15 * 3600)
        #expect(hours.steps[first] == 200 && hours.steps[first + 15 * 3600] == 100)
        let counted = try day(
            "2026-07-01", hours: [0: 5], steps: 3005, by: .fixed(0), isInProgress: true, unknown: Set(1...23))
        let rest = try Statistics.hours(of: counted, in: .fixed(0), now: now)
        #expect(rest.steps[first] == 5 && rest.steps.keys.max() == first + 15 * 3600)
        #expect(rest.steps.values.reduce(0, +) == 3005)
    }

    /// The day of this machine is over, that of Home Assistant is not.
    @Test func `a day that is over has all of its hours, wherever Home Assistant is`() throws {
        let counted = try day("2026-07-01", hours: [0: 5], steps: 1905, unknown: Set(19...23))
        let now = Timestamp(try utc("2026-07-01T22:10:00Z"))
        let hours = try Statistics.hours(of: counted, in: Self.zone("America/New_York"), now: now)
        let evening = try utc("2026-07-01T23:00:00Z")
        #expect((0..<5).allSatisfy { hours.steps[evening + $0 * 3600] == 380 }, "\(hours.steps)")
    }

    @Test func `a day in progress has no rows after its last steps`() throws {
        let first = try utc("2026-07-01T00:00:00Z")
        let walked = try Statistics.hours(
            of: day("2026-07-01", hours: [8: 100], isInProgress: true), in: .fixed(0), now: .last)
        #expect(walked.steps.keys.max() == first + 8 * 3600)
        let slept = try Statistics.hours(
            of: day("2026-07-01", hours: [3: 0], isInProgress: true), in: .fixed(0), now: .last)
        #expect(slept.steps == [first: 0])
    }

    /// Samoa went to the other side of the date line: 2011-12-29 was followed by 2011-12-31.
    @Test func `a day that clocks left out is rejected`() throws {
        for hours in [[:], [8: 100]] as [[Int: Int]] {
            let entered = try day("2011-12-30", hours: hours, steps: 100)
            let failure = #expect(throws: ShareFailure.self) {
                try Statistics.hours(of: entered, in: Self.zone("Pacific/Apia"), now: .last)
            }
            #expect(failure?.kind == .rejected && failure?.reason.contains("2011-12-30") == true)
        }
    }

    // MARK: Sums

    /// Rows as Home Assistant stores them.
    private struct Recorder {
        var rows: [Int: Statistics.Row] = [:]

        /// - Parameter limit: rows that are written before istep is killed.
        mutating func bring(_ days: [Statistics.DayHours], limit: Int = .max) {
            guard let first = days.map(\.hours.lowerBound).min() else { return }
            let before = rows.filter { $0.key < first }.max { $0.key < $1.key }?.value.sum ?? 0
            let update = Statistics.update(days, rows: rows.values.filter { $0.start.seconds >= first }, before: before)
            for row in update.prefix(limit) { rows[row.start.seconds] = row }
        }

        /// Calculated from the differences of sums, as in Home Assistant.
        func steps(_ hours: ClosedRange<Int>) -> Int {
            func sum(before hour: Int) -> Int { rows.filter { $0.key < hour }.max { $0.key < $1.key }?.value.sum ?? 0 }
            return sum(before: hours.upperBound + 1) - sum(before: hours.lowerBound)
        }
    }

    @Test func `corrections in any order, also repeated or incomplete, keep the sums of every day correct`() throws {
        var generator = SeededGenerator(seed: 11)
        for _ in 0..<200 {
            var recorder = Recorder()
            var expectedSteps: [Int: Statistics.DayHours] = [:]
            for _ in 0..<12 {
                let numbers = (0..<Int.random(in: 1...3, using: &generator)).map { _ in
                    Int.random(in: 0..<8, using: &generator)
                }
                let days = try numbers.map { number in
                    let hours = Dictionary(
                        (0..<4).map { _ in
                            (Int.random(in: 0..<24, using: &generator), Int.random(in: 0...900, using: &generator))
                        }
                    ) { $1 }
                    let shared = try day(
                        "\(Day("2026-07-01")!.advanced(by: number))", hours: hours, isInProgress: number == 7)
                    let hoursOfDay = try Statistics.hours(of: shared, in: Self.zone("Europe/Berlin"), now: .last)
                    expectedSteps[number] = hoursOfDay
                    return hoursOfDay
                }
                // istep was killed after some rows, or the answer was lost: the days are sent again.
                if Bool.random(using: &generator) {
                    recorder.bring(days, limit: Int.random(in: 0...60, using: &generator))
                }
                recorder.bring(days)
                recorder.bring(days)
                for (number, day) in expectedSteps {
                    #expect(recorder.steps(day.hours) == day.steps.values.reduce(0, +), "day \(number)")
                }
            }
        }
    }

    @Test func `existing entries are not written again`() throws {
        let hours = try Statistics.hours(of: day("2026-07-01", hours: [8: 100]), in: .fixed(0), now: .last)
        let rows = Statistics.update([hours], rows: [], before: 5)
        #expect(rows.count == 24 && rows.last?.sum == 105)
        #expect(Statistics.update([hours], rows: rows, before: 5).isEmpty)
    }
}
