import Foundation
import StepDomain
import Testing

@testable import StepDatabase

@Suite(.timeLimit(.minutes(5))) struct DayTests {
    @Test func `a sample belongs to the day of its own UTC offset`() throws {
        try withFixture { history in
            let kiribati = 14 * 3600, baker = -12 * 3600
            // The first and last slots of the day at both ends of the Earth, and their neighbours of other days.
            let first = [slot(-14 * 60, 1, offset: kiribati), slot(12 * 60, 2, offset: baker)]
            let last = [slot(10 * 60 - 15, 4, offset: kiribati), slot(36 * 60 - 15, 8, offset: baker)]
            let others = [
                slot(-14 * 60 - 15, 100, offset: kiribati), slot(12 * 60 - 15, 100, offset: baker),
                slot(10 * 60, 100, offset: kiribati), slot(36 * 60, 100, offset: baker),
            ]
            for sample in first + last + others { try history.merge(sample) }
            #expect(try history.samples().map(\.steps) == [1, 4, 2, 8])
        }
    }

    @Test func `a day of 25 hours contains the repeated hour twice`() throws {
        try withFixture { history in
            let zone = LocalTime.zone(try #require(TimeZone(identifier: "Europe/Berlin")))
            let autumn = try #require(Day("2014-10-26"))
            let span = zone.span(of: autumn)
            #expect(span.length == 25 * 3600)
            let samples = stride(from: span.start.seconds - 3600, to: span.end.seconds + 3600, by: 900).map { start in
                StepSample(
                    start: Timestamp(start), length: 900, steps: 1, utcOffset: zone.utcOffset(Timestamp(start)))
            }
            _ = try history.database.merge(SampleBatch(samples: samples), sync: history.sync)
            let found = try history.data(on: autumn).tracks.flatMap(\.samples)
            #expect(found.count == 100)
            #expect(found.first?.start == span.start)
            #expect(found.last?.span.end == span.end)
            #expect(try history.data(on: autumn.advanced(by: -1)).tracks.first?.samples.count == 4)
        }
    }

    @Test func `a day of 23 hours contains all its samples`() throws {
        try withFixture { history in
            let zone = LocalTime.zone(try #require(TimeZone(identifier: "Europe/Berlin")))
            let spring = try #require(Day("2014-03-30"))
            let span = zone.span(of: spring)
            let samples = stride(from: span.start.seconds - 3600, to: span.end.seconds + 3600, by: 900).map { start in
                StepSample(
                    start: Timestamp(start), length: 900, steps: 1, utcOffset: zone.utcOffset(Timestamp(start)))
            }
            _ = try history.database.merge(SampleBatch(samples: samples), sync: history.sync)
            #expect(try history.data(on: spring).tracks.first?.samples.count == 92)
        }
    }

    @Test func `days read together are the same as days read one by one`() throws {
        try withFixture { history in
            let database = history.database
            let other = try database.addPedometer(.ring(of: history.user, address: "30:34:42:00:00:02", name: "other"))
            let sync = try database.beginSync(of: other.id, at: noon)
            // Forty days on a journey around the Earth, one of them without steps, one with implausible ones.
            for number in 0..<40 where number != 7 {
                let offset = ((number % 27) - 12) * 3600
                let minutes = number * 24 * 60 + 10 * 60 - offset / 60
                try history.merge(
                    slot(minutes, 10 + number, offset: offset),
                    slot(minutes + 15, number == 9 ? 90_000 : 1, offset: offset))
                if number % 3 == 0 {
                    let start = day.daysSince1970 * 86_400 + number * 86_400 - offset
                    _ = try database.merge(
                        SampleBatch(
                            samples: [slot(minutes + 5, 3, offset: offset)],
                            coverage: [TimeSpan(Timestamp(start), Timestamp(start + 90_000))]),
                        sync: sync, localTime: .fixed(offset))
                }
            }
            for number in [0, 3, 20] {
                let from = day.advanced(by: number)
                try database.setCorrection(
                    StepCorrection(steps: number * 1000), of: history.user.id, on: from.advanced(by: 2), at: noon)
                try database.setPlan(
                    SportPlan(validFrom: from, goals: Array(repeating: 5000 + number, count: 7)), of: history.user.id)
                try database.setProfile(
                    Profile(validFrom: from.advanced(by: 1), height: 1.6 + Double(number) / 100), of: history.user.id)
            }
            let inOrder = (-2..<45).map { day.advanced(by: $0) }
            for days in [inOrder, inOrder.reversed(), inOrder + [day, day], [day, day.advanced(by: 5)], []] {
                let together = try database.dayData(of: history.user, on: days)
                #expect(try together == days.map { try database.dayData(of: history.user, on: $0) })
            }
            // So that the days differ at all.
            let all = try database.dayData(of: history.user, on: inOrder)
            #expect(Set(all.map(\.profile)).count == 4 && Set(all.map(\.plan)).count == 4)
            #expect(all.filter { $0.correction != nil }.count == 3)
            #expect(all.filter { $0.tracks.count == 2 }.count > 10 && all.contains { $0.tracks.isEmpty })
            #expect(all.contains { $0.tracks.contains { !$0.implausible.isEmpty } })
        }
    }

    @Test func `a day has the syncs that its figures came from`() throws {
        try withFixture { history in
            let later = try history.database.beginSync(of: history.pedometer.id, at: noon + 3600)
            _ = try history.database.merge(
                SampleBatch(samples: [slot(480, 900), slot(495, 100), slot(480 - 1440, 7)]), sync: history.sync)
            // One slot has grown, one is new, one is the same.
            _ = try history.database.merge(
                SampleBatch(samples: [slot(480, 950), slot(495, 100), slot(510, 30)]), sync: later)
            try history.database.endSync(
                later, at: noon + 3610, outcome: .complete, battery: nil, failure: nil, cause: nil)
            let syncs = try history.database.syncs(behind: day, of: history.user)
            #expect(
                syncs == [
                    DaySync(pedometer: history.pedometer.id, start: noon, end: nil, slots: 1, steps: 100),
                    DaySync(
                        pedometer: history.pedometer.id, start: noon + 3600, end: noon + 3610, slots: 2, steps: 980),
                ])
            #expect(try history.database.syncs(behind: day.advanced(by: -1), of: history.user).map(\.steps) == [7])
            #expect(try history.database.syncs(behind: day, of: User(id: 99, name: "x")).isEmpty)
        }
    }

    @Test func `a run of days ends at a missing day and at the maximum length`() {
        let days = [0, 1, 2, 3, 5, 6, 6].map { day.advanced(by: $0) }
        #expect(days.runs(ofAtMost: 3).map(\.count) == [3, 1, 2, 1])
        #expect(days.runs(ofAtMost: 3).map(\.first) == [0, 3, 5, 6].map { day.advanced(by: $0) })
        #expect([Day]().runs(ofAtMost: 3).isEmpty)
    }

    @Test func `the data of different users is separate`() throws {
        try withFixture { history in
            let ben = try history.database.addUser(named: "Ben")
            let band = try history.database.addPedometer(.ring(of: ben, address: "30:34:42:00:00:02", name: "band"))
            let sync = try history.database.beginSync(of: band.id, at: noon)
            _ = try history.database.merge(SampleBatch(samples: [slot(0, 77)]), sync: sync)
            try history.database.endSync(sync, at: noon + 9, outcome: .complete, battery: nil, failure: nil, cause: nil)
            try history.merge(slot(0, 11))
            #expect(try history.samples() == [slot(0, 11)])
            #expect(try history.data().lastSync == nil)
            let data = try history.database.dayData(of: ben, on: day)
            #expect(data.tracks.map(\.name) == ["band"])
            #expect(data.tracks.flatMap(\.samples) == [slot(0, 77)])
            #expect(data.lastSync == noon + 9)
        }
    }

    @Test func `each pedometer has a separate track`() throws {
        try withFixture { history in
            let other = try history.database.addPedometer(
                .ring(of: history.user, address: "30:34:42:00:00:02", name: "other"))
            let sync = try history.database.beginSync(of: other.id, at: noon)
            _ = try history.database.merge(SampleBatch(samples: [slot(0, 7)]), sync: sync)
            #expect(try history.data().tracks.map(\.name) == ["other"], "one that knows nothing of the day is left out")
            try history.merge(slot(0, 5))
            #expect(try history.data().tracks.map(\.samples) == [[slot(0, 5)], [slot(0, 7)]])
        }
    }

    @Test func `overlapping slots are not counted twice`() throws {
        try withFixture { history in
            // A counter's delta over an hour, and the slots of the same hour read later.
            try history.merge(slot(0, 50, length: 3600))
            try history.merge(slot(15, 30), slot(30, 30), slot(60, 5))
            #expect(try history.samples() == [slot(15, 30), slot(30, 30), slot(60, 5)])
        }
    }
}
