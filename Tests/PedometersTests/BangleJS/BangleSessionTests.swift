import Foundation
import SimulatedBlueZ
import StepDomain
import Synchronization
import Testing

@testable import Pedometers

/// A session on a simulated watch.
@Suite(.timeLimit(.minutes(5))) struct BangleSessionTests {
    static let berlin = TimeZone(identifier: "Europe/Berlin")!
    static let newYork = TimeZone(identifier: "America/New_York")!
    /// 2026-05-20 15:47 in Berlin.
    static let now = moment("2026-05-20", 13, 47)

    /// In UTC.
    static func moment(_ day: String, _ hour: Int, _ minute: Int = 0) -> Timestamp {
        Timestamp(Day(day)!.daysSince1970 * 86_400 + hour * 3_600 + minute * 60)
    }

    func watch(days: Int = 3, zone: TimeZone = berlin, at now: Timestamp = now) -> SimulatedBangle {
        SimulatedBangle(zone: zone, days: days, now: { Date(timeIntervalSince1970: TimeInterval(now.seconds)) })
    }

    func play(
        _ watch: SimulatedBangle, cursor: PedometerCursor = PedometerCursor(), zone: TimeZone = berlin,
        days: Int? = nil,
        at now: Timestamp = now, isProbe: Bool = false, linkEndsAfter: Int = .max
    ) -> SessionPlayer.Outcome {
        let context = SessionContext(
            pedometer: .sample(BangleJS.self, cursor: cursor), localTime: .zone(zone), days: days)
        var player = SessionPlayer(write: { bytes, _ in Self.answer(of: watch, to: bytes) })
        player.linkEndsAfter = linkEndsAfter
        return player.play(BangleSession(context, isProbe: isProbe), at: now)
    }

    /// The notifications of the watch.
    static func answer(of watch: SimulatedBangle, to bytes: [UInt8]) -> [[UInt8]] {
        let received = Mutex<[[UInt8]]>([])
        watch.linkOpened(PeripheralLink { _, value in received.withLock { $0.append(value) } })
        try? watch.write(bytes, to: SimulatedBangle.input)
        return received.withLock { $0 }
    }

    func total(_ watch: SimulatedBangle) -> Int { watch.expectedSteps.values.reduce(0, +) }

    @Test func `a clock of the machine that is put forward does not end a wait`() {
        let context = SessionContext(pedometer: .sample(BangleJS.self), localTime: .zone(Self.berlin))
        var session = BangleSession(context)
        for event in [SessionEvent.started, .done, .done] {
            _ = session.next(after: event, at: Self.now, uptime: .zero)
        }
        let waits = session.next(after: .done, at: Self.now, uptime: .zero)
        #expect(session.next(after: .value(Array("live\n".utf8)), at: Self.now + 3_600, uptime: .seconds(1)) == waits)
    }

    @Test func `all records are read, at the beginning of their ten minutes, and idle ones account for their time`()
        throws
    {
        let watch = watch()
        let outcome = play(watch)
        #expect(outcome.error == nil)
        #expect(outcome.notices == [])
        #expect(outcome.steps == total(watch) && outcome.steps > 1_000)
        for sample in outcome.samples {
            let wall = WallClock(seconds: sample.start.seconds + 7_200)
            #expect(sample.length == 600 && sample.utcOffset == 7_200)
            #expect(watch.expectedSteps[wall] == sample.steps)
        }
        #expect(outcome.coverage == [TimeSpan(Self.moment("2026-05-17", 22), Self.moment("2026-05-20", 13, 40))])
        #expect(outcome.cursor?.readThrough == Self.moment("2026-05-20", 13, 40))
        #expect(outcome.cursor?.utcOffset == 7_200)
    }

    @Test func `the request is a line of JavaScript, in one piece for the link to divide`() {
        let watch = watch()
        let cursor = PedometerCursor(readThrough: Self.moment("2026-05-20", 12), utcOffset: 7_200)
        let outcome = play(watch, cursor: cursor)
        let time = (Self.moment("2026-05-20", 10).seconds) * 1000
        let written = outcome.written.map { String(decoding: $0, as: UTF8.self) }
        #expect(written.count == 2 && written[0] == "\u{3}", "a break on its own, then the rest")
        let lines = written[1].split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines.count == 4 && lines[0].isEmpty && lines[3].isEmpty)
        #expect(lines[1] == "\u{10}" + BangleClock.question(read: cursor.readThrough, now: Self.now))
        #expect(lines[2] == "\u{10}GB({\"t\":\"actfetch\",\"ts\":\(time)})")
        // What was read before is not delivered again.
        #expect(outcome.samples.allSatisfy { $0.start >= Self.moment("2026-05-20", 12) })
    }

    @Test(arguments: [1, 7, 20, 50, 244])
    func `a reading tolerates pieces of any length, live steps and status lines`(piece: Int) {
        let watch = watch()
        watch.behaviour.piece = piece
        watch.behaviour.sendsLiveLines = .before
        let outcome = play(watch)
        #expect(outcome.steps == total(watch))
        #expect(outcome.report?.battery == 87)
    }

    /// On a machine that was too busy, 617 of 630 notifications arrived.
    @Test func `a record that is missing is noticed by the count, and requested again in the same sync`() {
        let watch = watch()
        watch.behaviour.omitsRecord = 1
        let outcome = play(watch)
        #expect(outcome.error == nil)
        #expect(Set(outcome.samples).reduce(0) { $0 + $1.steps } == total(watch))
        #expect(outcome.report?.notices == [])
    }

    @Test func `a record that is missing again is requested by the next sync`() {
        let watch = watch()
        watch.behaviour.omitsRecord = 2
        let before = PedometerCursor(readThrough: Self.moment("2026-05-18", 6), utcOffset: 7_200)
        let outcome = play(watch, cursor: before)
        guard case .incomplete(let received, let announced?) = outcome.error else {
            Issue.record("\(String(describing: outcome.error))")
            return
        }
        #expect(received == announced - 1)
        #expect(outcome.cursor == before, "the cursor is where it was")
        let second = play(watch, cursor: before)
        #expect(second.error == nil)
        let first = Set(outcome.samples)
        #expect(first.subtracting(second.samples).isEmpty && second.samples.count > first.count - 1)
    }

    @Test func `an answer without end is an error after two requests, and what came is stored`() {
        let watch = watch()
        watch.behaviour.omitsEnd = true
        let outcome = play(watch)
        #expect(outcome.error == .incomplete(received: watch.expectedSteps.count, announced: nil))
        #expect(Set(outcome.samples).reduce(0) { $0 + $1.steps } == total(watch))
        #expect(outcome.waited == 20)
        #expect(outcome.cursor?.readThrough == nil)
    }

    @Test func `a silent watch is an error after two requests`() {
        let context = SessionContext(pedometer: .sample(BangleJS.self), localTime: .fixed(0))
        let outcome = SessionPlayer().play(BangleSession(context), at: Self.now)
        #expect(outcome.error == .noAnswer(to: "the request for its activity", attempts: 2, seconds: 20))
    }

    @Test(arguments: [("android", "Android Integration"), ("health", "Health Tracking")])
    func `a missing app is named`(app: String, name: String) {
        let watch = watch()
        watch.behaviour.lacks = app
        guard case .missingApp(let missing, let message) = play(watch).error else {
            Issue.record("no error")
            return
        }
        #expect(missing == name)
        #expect(message?.contains("Uncaught") == true)
    }

    @Test func `another error of its program is reported with its message`() {
        #expect(BangleSession.error("Uncaught Error: out of memory") == .scriptFailed("Uncaught Error: out of memory"))
    }

    @Test func `data received before a lost link are kept, and the next sync continues`() {
        let watch = watch(days: 20)
        let cut = play(watch, linkEndsAfter: 3_000)
        #expect(cut.wasCut)
        let cursor = cut.cursor ?? PedometerCursor()
        #expect(cursor.readThrough != nil, "two weeks were committed before")
        let rest = play(watch, cursor: cursor)
        #expect(rest.error == nil)
        #expect(Set(cut.samples + rest.samples).reduce(0) { $0 + $1.steps } == total(watch))
    }

    @Test func `days beyond the limit are read by the next sync`() {
        let watch = watch(days: 5)
        let limited = play(watch, days: 2)
        #expect(limited.samples.allSatisfy { $0.day >= Day("2026-05-19")! })
        #expect(limited.cursor == nil)
        #expect(play(watch).steps == total(watch))
    }

    @Test func `an examination requests the last hour`() {
        let watch = watch()
        let outcome = play(watch, isProbe: true)
        #expect(outcome.error == nil)
        #expect(outcome.samples.count <= 6)
    }

    // MARK: Times

    @Test func `records of the future are left out, and the clock is reported`() {
        let watch = watch(days: 1)
        watch.setSteps(500, at: WallClock(year: 2026, month: 5, day: 20, hour: 18))
        let outcome = play(watch)
        #expect(!outcome.samples.contains { $0.steps == 500 && $0.start > Self.now })
        #expect(outcome.notices == [.implausible(samples: 1), .clockWasOff(seconds: 8_580)])
    }

    /// Clocks go back at 03:00 on 2026-10-25, to 02:00: the watch overwrites that hour.
    @Test func `records before a change of daylight saving are read in the zone of their time`() {
        let now = Self.moment("2026-10-26", 11)
        let watch = watch(days: 3, at: now)
        let outcome = play(watch, at: now)
        for sample in outcome.samples {
            let wall = WallClock(seconds: sample.start.seconds + sample.utcOffset)
            #expect(watch.expectedSteps[wall] == sample.steps)
            #expect(
                sample.utcOffset
                    == Self.berlin.secondsFromGMT(for: Date(timeIntervalSince1970: TimeInterval(sample.start.seconds))))
        }
        #expect(outcome.steps == total(watch))
        #expect(
            outcome.coverage == [TimeSpan(Self.moment("2026-10-25", 2), now)],
            "at a first reading it is not known whether the watch had another offset before")
    }

    @Test(arguments: [(berlin, newYork), (newYork, berlin)])
    func `after a journey nothing counts twice, and the days since then are partial`(from: TimeZone, to: TimeZone) {
        // Read at noon local time, then a flight; the watch's zone is changed at its end.
        let departure = Self.moment("2026-05-20", 16)
        let watch = watch(days: 2, zone: from, at: departure)
        let first = play(watch, zone: from, at: departure)
        #expect(first.steps == total(watch))
        let arrival = departure + 9 * 3_600
        let later = SimulatedBangle(
            zone: to, days: 1, now: { Date(timeIntervalSince1970: TimeInterval(arrival.seconds)) })
        for clock in later.expectedSteps.keys { later.setSteps(nil, at: clock) }
        for (clock, steps) in watch.expectedSteps { later.setSteps(steps, at: clock) }
        // 30 records in the old zone, and 3 in the new one.
        let oldWall =
            departure.seconds + from.secondsFromGMT(for: Date(timeIntervalSince1970: TimeInterval(departure.seconds)))
        let newWall =
            arrival.seconds + to.secondsFromGMT(for: Date(timeIntervalSince1970: TimeInterval(arrival.seconds)))
        for index in 0..<30 { later.setSteps(7, at: WallClock(seconds: (oldWall / 600 + index) * 600)) }
        for index in 1...3 { later.setSteps(100, at: WallClock(seconds: (newWall / 600 - index) * 600)) }
        let second = play(later, cursor: first.cursor!, zone: to, at: arrival)
        #expect(second.error == nil)
        #expect(second.coverage == [])
        #expect(second.notices.contains { if case .zoneChanged = $0 { true } else { false } })
        #expect(
            second.samples.allSatisfy { $0.start >= first.cursor!.readThrough! },
            "what was read before is not counted again")
        #expect(second.steps <= 30 * 7 + 300)
        #expect(Set(second.samples.map(\.start)).count == second.samples.count)
        // West of there, the records of the last hours before the change are left until it is known to which time they
        // belong.
        guard to == Self.berlin else {
            #expect(second.cursor == nil)
            return
        }
        // And nothing is counted again by the sync after that: the watch has overwritten the old record of the same
        // local time.
        later.setSteps(50, at: WallClock(seconds: newWall / 600 * 600))
        let third = play(later, cursor: second.cursor!, zone: to, at: arrival + 600)
        #expect(third.steps == 50)
    }

    // MARK: Records that cannot be, and errors of programs

    /// Plays lines: what each request is answered with.
    private func play(_ answers: [[String]], cursor: PedometerCursor = PedometerCursor(), at now: Timestamp = now)
        -> SessionPlayer.Outcome
    {
        var requests = 0
        let player = SessionPlayer(write: { bytes, _ in
            if bytes == [0x03] { return [] }
            requests += 1
            return (requests <= answers.count ? answers[requests - 1] : []).map { Array(($0 + "\r\n").utf8) }
        })
        let context = SessionContext(pedometer: .sample(BangleJS.self, cursor: cursor), localTime: .fixed(0))
        return player.play(BangleSession(context), at: now)
    }

    private let start = #"{"t":"actfetch","state":"start"}"#
    private func record(_ index: Int, _ steps: String = "7") -> String {
        #"{"t":"act","ts":\#((Self.now.seconds / 600 - 10 + index) * 600_000),"stp":\#(steps)}"#
    }
    private func end(_ count: Int) -> String { #"{"t":"actfetch","state":"end","count":\#(count)}"# }

    /// A record that was sent when its end was still ahead was never counted, and its time was complete.
    @Test(arguments: [150, 1_500]) func `a watch that is ahead is read when the time of its records has come`(
        ahead: Int
    ) {
        // The end of `record(9)`, which the watch sends at this moment.
        let end = Timestamp((Self.now.seconds / 600 - 1) * 600)
        let answer = [start, record(7, "5"), record(8, "6"), record(9, "800"), self.end(3)]
        func read(_ now: Timestamp, _ cursor: PedometerCursor) -> SessionPlayer.Outcome {
            let clock = #"{"t":"istep","now":\#((now.seconds + ahead) * 1000),"tz":"0,0,0,0,0"}"#
            return play([[clock] + answer], cursor: cursor, at: now)
        }
        let first = read(end - ahead, PedometerCursor())
        #expect(first.steps == (ahead == 150 ? 11 : 0) && first.error == nil)
        let second = read(end + 600, first.cursor ?? PedometerCursor())
        #expect(first.steps + second.samples.filter { !first.samples.contains($0) }.reduce(0) { $0 + $1.steps } == 811)
    }

    @Test(arguments: ["null", "-1", "65536"])
    func `an impossible record is counted as received and reported as undecodable`(steps: String) {
        let answer = [start, record(0), record(1, steps), record(2), end(3)]
        let outcome = play([answer, answer])
        #expect(outcome.error == nil && Set(outcome.samples).count == 2 && outcome.cursor != nil)
        #expect(outcome.notices == [.undecodable(frames: 1)])
    }

    /// The cursor passed it, and its steps were lost.
    @Test func `a record of which a part was lost is requested again`() {
        let torn = String(record(1).prefix(30)) + #"D,"act":"WALKING"}"#
        let outcome = play([
            [start, record(0), torn, record(2), end(3)], [start, record(0), record(1), record(2), end(3)],
        ])
        #expect(outcome.error == nil && Set(outcome.samples).reduce(0) { $0 + $1.steps } == 21)
        #expect(outcome.notices.isEmpty)
    }

    /// Two lines that have lost what was between them.
    @Test func `what is left of records counts as undecodable`() {
        let torn = #"{"t":"act","ts":1779{"t":"act","stp":7}"#
        #expect(BangleLine(torn) == .undecodableRecord)
        #expect(BangleLine(#"{"t":"actfetch","state":"st"#) == .other)
    }

    /// Notifications were lost in a part of the answer that was stored by itself; then the link was lost.
    @Test(arguments: [true, false]) func `the cursor does not pass a hole in the records that no count has confirmed`(
        hasHole: Bool
    ) {
        let first = -2_000
        let answer = [start] + (0..<2_000).filter { !hasHole || $0 != 300 }.map { record(first + $0) }
        let context = SessionContext(pedometer: .sample(BangleJS.self), localTime: .fixed(0))
        var player = SessionPlayer(write: { bytes, _ in bytes == [0x03] ? [] : answer.map { Array(($0 + "\r\n").utf8) }
        })
        player.linkEndsAfter = 1_500
        let outcome = player.play(BangleSession(context), at: Self.now)
        #expect(outcome.wasCut && outcome.samples.count > 1_000)
        #expect((outcome.cursor?.readThrough == nil) == hasHole)
        guard hasHole else { return }
        // A second reading meets it again: the watch was off. Otherwise a long first reading, which is ended and
        // continued, would never pass it.
        let known = SessionContext(
            pedometer: .sample(BangleJS.self, cursor: outcome.cursor ?? PedometerCursor()), localTime: .fixed(0))
        let second = player.play(BangleSession(known), at: Self.now)
        #expect(second.cursor?.readThrough != nil && second.cursor?.gaps == nil)
        // A known one is not forgotten when another one is met.
        let more = answer.filter { $0 != record(first + 600) }
        var third = player
        third.write = { bytes, _ in bytes == [0x03] ? [] : more.map { Array(($0 + "\r\n").utf8) } }
        let both = third.play(BangleSession(known), at: Self.now).cursor?.gaps
        #expect(both?.count == 2 && Set(outcome.cursor?.gaps ?? []).isSubset(of: both ?? []))
    }

    @Test func `an error of another program in the middle of the answer does not end it`() {
        let outcome = play([[start, record(0), "Uncaught Error: healthy widget", record(1), end(2)]])
        #expect(outcome.error == nil && outcome.steps == 14 && outcome.notices.isEmpty)
    }

    @Test func `an answer that ends with an error is stored, and the error is reported`() {
        let answer = [start, record(0), "Uncaught Error: out of memory"]
        let outcome = play([answer, answer])
        #expect(outcome.error == .scriptFailed("Uncaught Error: out of memory"))
        #expect(Set(outcome.samples).count == 1 && outcome.cursor?.readThrough == nil)
    }

    @Test func `an error that only mentions health names no missing app`() {
        #expect(
            play([["Uncaught Error: health widget failed"]]).error
                == .scriptFailed("Uncaught Error: health widget failed"))
        guard
            case .missingApp("Health Tracking", _) = play([[start, "Uncaught Error: Module \"health\" not found"]])
                .error
        else {
            Issue.record("the app is not named")
            return
        }
    }

    @Test func `the rest of the first answer is not counted as part of the second`() {
        let outcome = play([
            [start, record(0)], [record(1), record(2), start, record(0), record(1), record(2), end(3)],
        ])
        #expect(outcome.error == nil && Set(outcome.samples).count == 3 && outcome.cursor != nil)
    }

    @Test func `a cursor of a machine whose clock was ahead does not hide new records`() {
        let ahead = PedometerCursor(readThrough: Self.now + 86_400, utcOffset: 0)
        let outcome = play([[start, record(0), record(1), end(2)]], cursor: ahead)
        #expect(outcome.steps == 14 && outcome.cursor.map { ($0.readThrough ?? Self.now) <= Self.now } == true)
    }

    @Test func `a record older than requested covers no time`() {
        let outcome = play([[start, #"{"t":"act","ts":600000,"stp":7}"#, record(1), end(2)]])
        #expect(outcome.samples.count == 1 && outcome.coverage.allSatisfy { $0.start > Self.now - 86_400 })
        #expect(outcome.notices == [.implausible(samples: 1)])
    }

    // MARK: Hostile input

    @Test func `text without end is an error`() {
        let watch = watch()
        watch.behaviour.noise = 200_000
        #expect(play(watch).error == .undecodable("text without end"))
    }

    @Test func `live steps for hours do not keep a session waiting`() {
        let context = SessionContext(pedometer: .sample(BangleJS.self), localTime: .fixed(0))
        var player = SessionPlayer(write: { _, _ in
            [Array("{\"t\":\"actfetch\",\"state\":\"start\"}\n".utf8)]
                + Array(repeating: Array("{\"t\":\"act\",\"stp\":1,\"rt\":1}\n".utf8), count: 3_600)
        })
        player.secondsPerValue = 1
        let outcome = player.play(BangleSession(context), at: Self.now)
        #expect(outcome.error == .missingApp("Health Tracking", message: nil))
    }

    @Test func `more records than a watch can hold are an error`() {
        let context = SessionContext(pedometer: .sample(BangleJS.self), localTime: .fixed(0))
        let record = Array("{\"t\":\"act\",\"ts\":1779272400000,\"stp\":1}\n".utf8)
        let player = SessionPlayer(write: { _, _ in
            [Array("{\"t\":\"actfetch\",\"state\":\"start\"}\n".utf8)] + Array(repeating: record, count: 60_000)
        })
        let outcome = player.play(BangleSession(context), at: Self.now)
        #expect(outcome.error == .undecodable("text without end"))
    }
}
