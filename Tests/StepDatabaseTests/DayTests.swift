import Foundation
import StepDatabase
import StepDomain
import Testing

@Suite struct DayTests {
    @Test func aSampleBelongsToTheDayByItsOwnOffset() throws {
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

    @Test func aDayOf25HoursHasTheHourTwice() throws {
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

    @Test func aDayOf23HoursIsWhole() throws {
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

    @Test func usersDoNotMix() throws {
        try withFixture { history in
            let ben = try history.database.addUser(named: "Ben")
            let band = try history.database.addPedometer(.ring(of: ben, address: "30:34:42:00:00:02", name: "band"))
            let sync = try history.database.beginSync(of: band.id, at: noon)
            _ = try history.database.merge(SampleBatch(samples: [slot(0, 77)]), sync: sync)
            try history.database.endSync(sync, at: noon + 9, outcome: .complete, battery: nil, failure: nil)
            try history.merge(slot(0, 11))
            #expect(try history.samples() == [slot(0, 11)])
            #expect(try history.data().lastSync == nil)
            let data = try history.database.stepData(of: ben, on: day)
            #expect(data.tracks.map(\.name) == ["band"])
            #expect(data.tracks.flatMap(\.samples) == [slot(0, 77)])
            #expect(data.lastSync == noon + 9)
        }
    }

    @Test func twoPedometersAreTwoTracks() throws {
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

    @Test func overlappingSlotsNeverCountTwice() throws {
        try withFixture { history in
            // A counter's delta over an hour, and the slots of the same hour read later.
            try history.merge(slot(0, 50, length: 3600))
            try history.merge(slot(15, 30), slot(30, 30), slot(60, 5))
            #expect(try history.samples() == [slot(15, 30), slot(30, 30), slot(60, 5)])
        }
    }
}
