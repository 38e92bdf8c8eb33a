import Foundation
import StepDomain
import TestSupport
import Testing

@testable import Sharing

/// What the destination `postgres` makes of days of several machines: nothing counts twice. On Debian's PostgreSQL.
@Suite(.timeLimit(.minutes(5))) struct PostgresTests {
    @Test func `a ring that two machines read counts once`() async throws {
        try await PostgresDatabase.with { database in
            let early = SharedDay.easter(steps: 100, completeness: .partial, tracks: [.track("ring", steps: 60, 40)])
            let late = SharedDay.easter(steps: 130, tracks: [.track("Colmi", steps: 60, 50, 20)])
            try await database.send(early, as: "pi")
            try await database.send(late, as: "laptop")
            #expect(try await database.totals() == ["Anna\t2014-04-20\t130\t2"])
            let complete = try await database.query("SELECT complete FROM istep.days")
            #expect(complete == ["t"])
            // Again, in the other order.
            try await database.send(early, as: "pi")
            #expect(try await database.totals() == ["Anna\t2014-04-20\t130\t2"])
        }
    }

    /// A year in which two machines read three pedometers, with journeys and changes of clocks: the merged days are
    /// those that one history with all three has.
    @Test func `merged days are those of istep`() async throws {
        try await PostgresDatabase.with { database in
            let berlin = LocalTime.zone(try #require(TimeZone(identifier: "Europe/Berlin")))
            let york = LocalTime.zone(try #require(TimeZone(identifier: "America/New_York")))
            var random = SeededGenerator(seed: 35)
            let first = try #require(Day("2013-01-01"))
            var expected: [String] = []
            var sent: [String: [SharePayload]] = ["pi": [], "laptop": []]
            var ends: [Pedometer.ID: Timestamp] = [:]
            for offset in 0..<365 {
                let day = first.advanced(by: offset)
                let zone = (100..<130).contains(offset) ? york : berlin
                let pedometers: [(Pedometer.ID, Int)] = [(1, 900), (2, 60), (3, 0)]
                let tracks = pedometers.map { id, length in
                    let span = zone.span(of: day)
                    var samples: [StepSample] = []
                    // After a journey to the east, a part of the day was spent on the day before.
                    var start = max(span.start + Int.random(in: 0..<3600, using: &random), ends[id] ?? span.start)
                    ends[id] = span.end
                    while start < span.end {
                        let seconds = min(length == 0 ? span.end - start : length, span.end - start)
                        if length == 0 || Int.random(in: 0..<12, using: &random) == 0 {
                            samples.append(
                                StepSample(
                                    start: start, length: seconds,
                                    steps: Int.random(in: 0...min(4000, seconds * 2), using: &random),
                                    utcOffset: zone.utcOffset(start)))
                        }
                        start = start + (length == 0 ? 86_400 : length)
                    }
                    return DayData.Track(pedometer: id, name: "pedometer \(id)", samples: samples)
                }
                func shared(_ tracks: [DayData.Track]) -> SharedDay? {
                    SharedDay(
                        DayData(user: .anna, day: day, tracks: tracks), localTime: zone,
                        now: first.advanced(by: 400).noon,
                        includesSamples: true)
                }
                let all = try #require(shared(tracks))
                expected.append("Anna\t\(day)\t\(all.steps)\t2")
                sent["pi"]?.append(SharePayload(try #require(shared([tracks[0], tracks[1]]))))
                sent["laptop"]?.append(SharePayload(try #require(shared([tracks[0], tracks[2]]))))
            }
            for (machine, payloads) in sent {
                let destination = try database.destination("machine = '\(machine)'")
                for start in stride(from: 0, to: payloads.count, by: destination.traits.batch) {
                    _ = try await destination.deliver(
                        Array(payloads[start..<min(start + destination.traits.batch, payloads.count)]))
                }
            }
            let found = try await database.totals()
            #expect(found.count == 365)
            for (found, expected) in zip(found, expected) { #expect(found == expected) }
        }
    }

    /// A total beside slots, slots that begin at other seconds, and two pedometers with one name.
    @Test(arguments: [
        ([(0, 86_400, 5000)], [(0, 3600, 2500), (7200, 3600, 2500)], 5000),
        ([(0, 900, 500), (900, 900, 500)], [(10, 900, 500), (910, 900, 500)], 1000),
        ([(0, 900, 1000), (900, 900, 100)], [(450, 900, 100), (1350, 900, 1000)], 1100),
    ]) func `pedometers of one name on two machines do not count twice`(
        first: [(Int, Int, Int)], second: [(Int, Int, Int)], steps: Int
    ) async throws {
        try await PostgresDatabase.with { database in
            for (machine, slots) in [("pi", first), ("laptop", second)] {
                let samples = slots.map {
                    StepSample(start: Timestamp(1_397_944_800 + $0.0), length: $0.1, steps: $0.2, utcOffset: 7200)
                }
                let sum = samples.reduce(0) { $0 + $1.steps }
                try await database.send(
                    .easter(steps: sum, tracks: [.init(pedometer: "ring", samples: samples)]),
                    as: machine)
            }
            #expect(try await database.totals() == ["Anna\t2014-04-20\t\(steps)\t2"])
        }
    }

    @Test func `samples that are no longer sent are removed`() async throws {
        try await PostgresDatabase.with { database in
            let day = SharedDay.easter(steps: 100, tracks: [.track("ring", steps: 60, 40)])
            try await database.send(day, as: "pi")
            _ = try await database.destination("machine = 'pi'\nsamples = false").deliver([
                SharePayload(.easter(steps: 100))
            ])
            #expect(try await database.query("SELECT count(*) FROM istep.sample") == ["0"])
            #expect(try await database.totals() == ["Anna\t2014-04-20\t100\t1"])
        }
    }

    @Test(arguments: [
        "UPDATE istep.day SET day = 'infinity'", "UPDATE istep.day SET utc_offset = 2147483647",
        "UPDATE istep.day SET steps = 2000000000", "UPDATE istep.day SET machine = E'a\\nb'",
        "UPDATE istep.sample SET seconds = 1000000000", "UPDATE istep.sample SET utc_offset = 2147483647",
    ]) func `values that would break the views are refused`(change: String) async throws {
        try await PostgresDatabase.with { database in
            try await database.send(.easter(steps: 60, tracks: [.track("ring", steps: 60)]), as: "pi")
            let failure = await #expect(throws: PostgresCluster.Failure.self) { try await database.query(change) }
            #expect(failure?.words.contains("\"possible\"") == true)
        }
    }

    @Test func `a later delivery without a sample removes it, and only that machine's`() async throws {
        try await PostgresDatabase.with { database in
            let day = SharedDay.easter(steps: 100, tracks: [.track("ring", steps: 60, 40)])
            try await database.send(day, as: "pi")
            try await database.send(day, as: "laptop")
            try await database.send(.easter(steps: 60, tracks: [.track("ring", steps: 60)]), as: "pi")
            let samples = try await database.query("SELECT machine, steps FROM istep.sample ORDER BY machine, started")
            #expect(samples == ["laptop\t60", "laptop\t40", "pi\t60"])
            // The other machine still has it.
            #expect(try await database.totals() == ["Anna\t2014-04-20\t100\t2"])
            try await database.send(.easter(steps: 60, tracks: [.track("ring", steps: 60)]), as: "laptop")
            #expect(try await database.totals() == ["Anna\t2014-04-20\t60\t2"])
        }
    }

    @Test func `a total of a day shows no hour`() async throws {
        try await PostgresDatabase.with { database in
            var total = SharedDay.Track.track("import", steps: 100)
            total.samples[0].length = 12 * 3600
            try await database.send(.easter(steps: 100, tracks: [total]), as: "pi")
            #expect(try await database.totals() == ["Anna\t2014-04-20\t100\t1"])
            #expect(try await database.query("SELECT * FROM istep.hours").isEmpty)
        }
    }

    @Test func `time that one machine excludes does not count on another`() async throws {
        try await PostgresDatabase.with { database in
            let tracks = [SharedDay.Track.track("ring", steps: 60, 40, 7)]
            try await database.send(.easter(steps: 107, tracks: tracks), as: "pi")
            var day = SharedDay.easter(steps: 67, tracks: [.track("ring", steps: 60, 40, 7)])
            let kept = tracks[0].samples.filter { $0.steps != 40 }
            var summary = day.summary
            summary.excluded = [
                ExcludedSteps(Exclusion(tracks[0].samples[1].span, utcOffset: 7200), steps: 40)
            ]
            day = try #require(SharedDay(summary, tracks: [.init(pedometer: "ring", samples: kept)], utcOffset: 7200))
            try await database.send(day, as: "laptop")
            #expect(try await database.totals() == ["Anna\t2014-04-20\t67\t2"])
        }
    }

    /// The ledger of a machine compares fingerprints: without this, the exclusion would not be sent.
    @Test func `an exclusion that takes no steps changes what is sent`() throws {
        let day = SharedDay.easter()
        var summary = day.summary
        let span = TimeSpan(Timestamp(1_397_980_800), Timestamp(1_397_981_700))
        summary.excluded = [ExcludedSteps(Exclusion(span, utcOffset: 7200), steps: 0)]
        #expect(try #require(SharedDay(summary)).fingerprint != day.fingerprint)
    }

    /// Otherwise a history that is built again would lack it.
    @Test func `time that a pedometer has accounted for changes what is sent`() throws {
        var day = SharedDay.easter(tracks: [.track("ring", steps: 60)])
        let plain = day.fingerprint
        var track = day.tracks[0]
        let span = TimeSpan(Timestamp(1_397_980_800), Timestamp(1_397_981_700))
        var fingerprints: Set = [plain]
        for covered in [[], [CoveredSpan(span, utcOffset: 7200)], [CoveredSpan(span, utcOffset: 3600)]] {
            track.evidence = .init(pedometer: 1, coverage: covered)
            day = try #require(SharedDay(day.summary, tracks: [track]))
            fingerprints.insert(day.fingerprint)
        }
        // Without coverage it is as before, so that other destinations are not sent the day again.
        #expect(fingerprints.count == 3)
    }

    /// As `istep delete` sends it.
    @Test func `a day that a machine deletes counts only as far as others know it`() async throws {
        try await PostgresDatabase.with { database in
            let day = SharedDay.easter(steps: 100, tracks: [.track("ring", steps: 60, 40)])
            let deleted = SharedDay.easter(
                steps: 0, metres: nil, kilocalories: nil, goal: nil, completeness: .unknown)
            try await database.send(day, as: "pi")
            try await database.send(.easter(steps: 60, tracks: [.track("ring", steps: 60)]), as: "laptop")
            try await database.send(deleted, as: "pi")
            #expect(try await database.totals() == ["Anna\t2014-04-20\t60\t1"])
            try await database.send(deleted, as: "laptop")
            #expect(try await database.totals() == [])
            #expect(try await database.query("SELECT count(*) FROM istep.sample") == ["0"])
            try await database.send(day, as: "pi")
            #expect(try await database.totals() == ["Anna\t2014-04-20\t100\t1"])
        }
    }

    @Test func `a correction by hand holds for all machines until it is removed`() async throws {
        try await PostgresDatabase.with { database in
            let counted = SharedDay.easter(steps: 100, tracks: [.track("ring", steps: 60, 40)])
            var summary = counted.summary
            (summary.steps, summary.isCorrected, summary.correctedAt) = (42, true, Timestamp(1_398_000_000))
            let corrected = try #require(SharedDay(summary, tracks: counted.tracks))
            try await database.send(corrected, as: "pi")
            try await database.send(counted, as: "laptop")
            #expect(try await database.totals() == ["Anna\t2014-04-20\t42\t2"])
            try await database.send(counted, as: "pi")
            #expect(try await database.totals() == ["Anna\t2014-04-20\t100\t2"])
        }
    }

    @Test func `an older delivery never replaces a newer one`() async throws {
        try await PostgresDatabase.with { database in
            try await database.send(.easter(steps: 100, tracks: [.track("ring", steps: 60, 40)]), as: "pi")
            // As if one that began later had been stored.
            try await database.query("UPDATE istep.day SET revision = revision + 10, steps = 90")
            try await database.send(.easter(steps: 50, tracks: [.track("ring", steps: 50)]), as: "pi")
            #expect(try await database.query("SELECT steps FROM istep.day") == ["90"])
            #expect(try await database.query("SELECT steps FROM istep.sample ORDER BY started") == ["60", "40"])
        }
    }

    @Test func `days go there all or none`() async throws {
        try await PostgresDatabase.with { database in
            try await database.query("ALTER TABLE istep.sample ADD CHECK (steps < 100)")
            let failure = await #expect(throws: ShareFailure.self) {
                try await database.send(
                    .easter(steps: 60, tracks: [.track("ring", steps: 60)]),
                    .easter(steps: 812, later: 1, tracks: [.track("ring", steps: 812)]), as: "pi")
            }
            #expect(failure?.kind == .rejected)
            #expect(
                try await database.query(
                    "SELECT (SELECT count(*) FROM istep.day) + (SELECT count(*) FROM istep.sample)") == ["0"])
        }
    }
}

extension Day {
    fileprivate var noon: Timestamp { Timestamp(daysSince1970 * 86_400 + 43_200) }
}
