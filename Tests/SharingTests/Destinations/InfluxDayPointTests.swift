import HTTP
import StepDomain
import TestSupport
import Testing
import WebTestSupport

@testable import Sharing

/// Where the point of a day stands while the day goes on, and when it is over.
@Suite(.timeLimit(.minutes(5))) struct InfluxDayPointTests {
    private static let noon = Timestamp(1_397_995_200)

    private func day(_ steps: Int = 4000, isInProgress: Bool = true, last: Timestamp?, offset: Int = 7200) throws
        -> SharedDay
    {
        try #require(
            SharedDay(
                SharedDay.easter(steps: steps, isInProgress: isInProgress).summary, utcOffset: offset, lastSample: last)
        )
    }

    private func dayPoint(_ payload: SharePayload, now: Timestamp, offset: Int = 7200) -> InfluxDayPoint {
        InfluxDayPoint(payload, span: LocalTime.fixed(offset).span(of: payload.day.day), now: now)
    }

    @Test func `the point of today is not in the future`() throws {
        // Tokyo at 20:27: 12:00 UTC is half an hour away.
        let now = Timestamp(1_397_993_220), last = Timestamp(1_397_992_500)
        let dayPoint = dayPoint(SharePayload(try day(last: last, offset: 9 * 3600)), now: now, offset: 9 * 3600)
        #expect(dayPoint.time == last)
        // It stays where a server that removes nothing can keep it.
        #expect(dayPoint.timeIfNotRemoved == Self.noon && !dayPoint.removals.isEmpty)
        // From noon on it stands where it will stay.
        let evening = try day(last: Self.noon + 60, offset: 9 * 3600)
        #expect(self.dayPoint(SharePayload(evening), now: Self.noon + 900, offset: 9 * 3600).time == Self.noon)
        // Entered by hand, without a sample; a sample of a clock that is ahead.
        #expect(self.dayPoint(SharePayload(try day(last: nil)), now: now).time == now)
        #expect(self.dayPoint(SharePayload(try day(last: now + 60)), now: now).time == now)
    }

    /// The sum of the day was doubled until the other machine was on again.
    @Test func `a point of today that another machine has written is cleared`() throws {
        let now = Self.noon + 3 * 3600, point = dayPoint(SharePayload(try day(last: now - 900)), now: now)
        #expect(point.time == Self.noon && point.removals.contains { $0.contains(Self.noon - 4 * 3600) })
    }

    @Test func `a new day that is over needs no removal`() throws {
        let over = SharePayload(try day(isInProgress: false, last: Timestamp(1_397_980_000)))
        #expect(
            dayPoint(over, now: Self.noon + 86_400).removals.isEmpty
                && dayPoint(over, now: Self.noon + 86_400).time == Self.noon)
    }

    @Test func `a point of an earlier version stays where it is when its day is over`() throws {
        let later = Self.noon + 86_400
        for known in ["1397995200", "1397984400"] {
            let over = SharePayload(
                day: try day(isInProgress: false, last: nil), key: "k", remoteID: known, isConfirmed: true)
            #expect(
                dayPoint(over, now: later).removals.isEmpty && "\(dayPoint(over, now: later).time.seconds)" == known)
        }
        // Its point of today, which is in the future.
        let now = Timestamp(1_397_980_800), today = try day(last: now - 900)
        let dayPoint = dayPoint(SharePayload(day: today, key: "k", remoteID: "1397995200", isConfirmed: true), now: now)
        #expect(dayPoint.time == now - 900 && dayPoint.removals.contains(TimeSpan(Self.noon, Self.noon + 1)))
        #expect(dayPoint.timeIfNotRemoved == Self.noon)
    }

    /// All offsets, by the quarter of an hour, and times of samples at every minute; usually at every eleventh.
    @Test func `every time at which the point of today can stand is cleared, and no lasting time of any day`() throws {
        let lasting = Set((-2...2).flatMap { day in [0, 9, 12].map { 1_397_952_000 + day * 86_400 + $0 * 3600 } })
        for offset in stride(from: -12 * 3600, through: 14 * 3600, by: 900) {
            let span = LocalTime.fixed(offset).span(of: SharedDay.easter().day)
            let known = SharePayload(
                day: try day(isInProgress: false, last: nil, offset: offset), key: "k", isRepeated: true)
            let cleared = dayPoint(known, now: span.end, offset: offset).removals
            for time in lasting {
                #expect(!cleared.contains { $0.start.seconds <= time && time <= $0.end.seconds }, "\(offset)")
            }
            for second in stride(from: span.start.seconds, to: span.end.seconds, by: Endurance.isYear ? 60 : 660) {
                let day = try day(last: Timestamp(second), offset: offset)
                let time = dayPoint(SharePayload(day), now: Timestamp(second + 2), offset: offset).time
                guard !lasting.contains(time.seconds) else { continue }
                guard cleared.contains(where: { $0.contains(time) }), time.seconds - second <= 2 else {
                    Issue.record("\(offset): \(second) is put at \(time.seconds)")
                    return
                }
            }
        }
    }

    // MARK: On a server

    private func withServer(
        _ body: (WebVenue, InfluxServer, @escaping (TestTime) throws -> any ShareDestination) async throws -> Void
    ) async throws {
        try await Fixture.influx.withVenue { venue in
            let venue = try #require(venue as? WebVenue), service = try #require(venue.service as? InfluxServer)
            try await body(venue, service) { time in
                try Fixture.destination("[share.m]\nkind = 'influx'\n\(venue.keys)", now: { time.now })
            }
        }
    }

    @Test func `the point of today does not stay beside the final one`() async throws {
        try await withServer { venue, server, make in
            let time = TestTime(Timestamp(1_397_980_000)), destination = try make(time)
            var receipt: ShareReceipt?
            for (index, step) in [0, 1800, 3600].enumerated() {
                time.pass(step)
                let day = try day(1000 * (index + 1), last: time.now - 60)
                let payload = SharePayload(
                    day: day, key: "k", remoteID: receipt?.remoteID, isConfirmed: receipt != nil, isRepeated: index == 2
                )
                // The second answer is lost: the ledger does not know where that point is.
                if index == 1 {
                    _ = try await destination.deliver([payload])
                } else {
                    receipt = try await destination.deliver([payload]).first
                }
                #expect(server.times == [time.now.seconds - 60])
            }
            time.pass(86_400)
            let over = try day(9000, isInProgress: false, last: Timestamp(1_398_020_000))
            #expect(
                try await destination.deliver([SharePayload(over).corrected(to: over, receipt)]).map(\.remoteID) == [
                    "1397995200"
                ])
            #expect(venue.held().map(\.steps) == [9000] && server.times == [Self.noon.seconds])
            // A day that was sent again by hand: its place is not known any more.
            let again = SharePayload(day: over, key: "k", isRepeated: true)
            _ = try await destination.deliver([again])
            #expect(server.times == [Self.noon.seconds])
        }
    }

    @Test func `the point of today has its lasting time on a server that removes nothing`() async throws {
        try await withServer { venue, server, make in
            let time = TestTime(Timestamp(1_397_980_000)), destination = try make(time)
            venue.changeAnswers { answer in
                guard case .reply(status: 200, headers: _, body: _) = answer else { return answer }
                return .json("no", status: 405)
            }
            // This server removes points, although it says that it does not: the point must be written in any case.
            #expect(
                try await destination.deliver([SharePayload(try day(last: time.now - 60))]).map(\.remoteID) == [
                    "1397995200"
                ])
            #expect(server.times == [Self.noon.seconds])
        }
    }
}
