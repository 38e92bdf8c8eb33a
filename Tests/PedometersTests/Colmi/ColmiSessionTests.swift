import StepDomain
import Testing

@testable import Pedometers

@Suite struct ColmiSessionTests {
    private let berlin = 2 * 3600
    private let today = Day("2026-05-20")!.daysSince1970
    /// 2026-05-20 12:30 in Berlin.
    private var now: Timestamp { Timestamp(today * 86_400 + 12 * 3600 + 1800 - berlin) }

    private var week: RingScript {
        var ring = RingScript(today: today)
        for day in 0...7 { ring.history[today - day] = [(33, 100 + day), (34, 200), (48, 50)] }
        return ring
    }

    private func context(_ cursor: PedometerCursor = .init(), clock: ClockState = .init(), offset: Int? = nil, days: Int? = nil) -> SessionContext {
        let ring = Pedometer(
            id: 1, user: 1, model: "colmi", address: "C0:DE:00:00:00:01", addressType: "random", name: "ring",
            clock: clock, cursor: cursor)
        return SessionContext(pedometer: ring, localTime: .fixed(offset ?? berlin), days: days)
    }

    @Test func aFirstReadingBringsAllThatTheRingHolds() throws {
        let outcome = week.play(context(), at: now)
        #expect(outcome.error == nil)
        #expect(outcome.samples.count == 8 * 3)
        let walked = 8 * 350 + (0...7).reduce(0, +)
        #expect(outcome.samples.reduce(0) { $0 + $1.steps } == walked)
        #expect(outcome.report?.battery == 80)
        #expect(outcome.report?.notices == [])
        #expect(outcome.cursor?.readThrough == now)
        let slot = try #require(outcome.samples.first)
        #expect(slot == StepSample(
            start: Timestamp(today * 86_400 + 33 * 900 - berlin), length: 900, steps: 100, distance: 30, energy: 0.1, utcOffset: berlin))
    }

    @Test func aWeekTakesNoMoreThanNineWrites() {
        let outcome = week.play(context(days: 7), at: now)
        // Battery, seven days, the clock: with the subscription ten packets beyond BlueZ's own.
        #expect(outcome.requests.count == 9)
        #expect(outcome.requests.filter { $0[0] == 0x43 }.map { $0[1] } == [0, 6, 5, 4, 3, 2, 1])
    }

    @Test func fewerDaysThanThereAreToReadLeaveTheRestForTheNextTime() {
        let cursor = PedometerCursor(readThrough: now - 5 * 86_400)
        #expect(week.play(context(cursor, days: 2), at: now).cursor?.readThrough == cursor.readThrough)
        let first = week.play(context(days: 2), at: now).cursor
        #expect(first != nil && first?.readThrough == nil)
        #expect(week.play(context(cursor, days: 6), at: now).cursor?.readThrough == now)
    }

    @Test func theNextReadingAsksFromTheDayOfTheLast() {
        let outcome = week.play(context(PedometerCursor(readThrough: now - 86_400)), at: now)
        #expect(outcome.requests.filter { $0[0] == 0x43 }.map { $0[1] } == [0, 1])
    }

    @Test func theClockIsSetToLocalTimeAndRecorded() throws {
        let outcome = week.play(context(), at: now)
        let last = try #require(outcome.requests.last)
        #expect(Array(last[0..<7]) == hex("01 26 05 20 12 30 00"))
        #expect(outcome.report?.clockSet == ClockState.Setting(at: now, utcOffset: berlin))
    }

    @Test func fullDaysAreCoveredWholeAndTodayUntilNow() {
        let outcome = week.play(context(), at: now)
        let midnight = Timestamp(today * 86_400 - berlin)
        #expect(outcome.batches[0].coverage == [TimeSpan(midnight, now)])
        #expect(outcome.batches[1].coverage == [TimeSpan(midnight - 7 * 86_400, midnight - 6 * 86_400)])
    }

    @Test func aDayWithoutDataIsNotCovered() {
        var ring = week
        ring.history[today - 3] = nil
        let outcome = ring.play(context(), at: now)
        #expect(outcome.batches.count { $0.coverage.isEmpty } == 1)
        #expect(outcome.cursor?.readThrough == now)
    }

    @Test func aLostLinkGoesOnWhereItWasCut() {
        // Today, then seven, six and five days ago are in.
        let cut = week.play(context(), at: now, dropAfter: 4)
        let midnight = Timestamp(today * 86_400 - berlin)
        #expect(cut.cursor?.readThrough == midnight - 4 * 86_400)
        let next = week.play(context(cut.cursor ?? .init()), at: now)
        #expect(next.requests.filter { $0[0] == 0x43 }.map { $0[1] } == [0, 4, 3, 2, 1])
    }

    // MARK: Rubbish

    @Test func aBadChecksumIsAskedForAgain() {
        var ring = week
        ring.mangle = { request, attempt, answer in
            guard request[0] == 0x43, request[1] == 2, attempt == 1 else { return answer }
            var answer = answer
            answer[1][15] &+= 1
            return answer
        }
        let outcome = ring.play(context(), at: now)
        #expect(outcome.samples.count == 8 * 3)
        #expect(outcome.requests.count { $0[0] == 0x43 && $0[1] == 2 } == 2)
        #expect(outcome.report?.notices == [.undecodable(frames: 1)])
    }

    @Test func aMissingEndKeepsWhatCameAndIsReadAgainNextTime() {
        var ring = week
        ring.mangle = { request, _, answer in request[0] == 0x43 && request[1] == 2 ? answer.dropLast() : answer }
        let outcome = ring.play(context(), at: now)
        #expect(outcome.error == nil)
        #expect(outcome.samples.count == 8 * 3 - 1)
        let midnight = Timestamp(today * 86_400 - berlin)
        #expect(outcome.cursor?.readThrough == midnight - 2 * 86_400)
    }

    /// A slow ring answers the request and its repetition: the second answer is not the next day's.
    @Test func anAnswerThatComesTwiceIsTakenOnce() {
        var ring = week
        ring.mangle = { request, attempt, answer in
            guard request[0] == 0x43, request[1] == 3 else { return answer }
            return attempt == 1 ? [] : answer + answer
        }
        expectWholeWeek(ring.play(context(), at: now))
    }

    /// The same, later still: the next day was asked for already.
    @Test func anAnswerToAnEarlierRequestIsLeftAside() {
        var ring = week
        let old = ring.answer(ColmiPacket.stepsRequest(daysAgo: 3).bytes)
        ring.mangle = { request, _, answer in request[0] == 0x43 && request[1] == 2 ? old + answer : answer }
        expectWholeWeek(ring.play(context(), at: now))
    }

    private func expectWholeWeek(_ outcome: RingScript.Outcome, _ location: SourceLocation = #_sourceLocation) {
        #expect(outcome.samples.count == 8 * 3, sourceLocation: location)
        #expect(outcome.report?.notices == [], sourceLocation: location)
        #expect(outcome.cursor?.readThrough == now, sourceLocation: location)
        let midnight = Timestamp(today * 86_400 - berlin)
        let days = (0...7).map { TimeSpan(midnight - $0 * 86_400, min(midnight - $0 * 86_400 + 86_400, now)) }
        #expect(Set(outcome.batches.flatMap(\.coverage)) == Set(days), sourceLocation: location)
    }

    @Test func aDayOfAnotherDateIsVouchedForByItsRecords() {
        // The ring's clock is a day behind: its yesterday is the day before ours, and ours was not read.
        var ring = week
        ring.today -= 1
        let spans = ring.play(context(PedometerCursor(readThrough: now - 86_400)), at: now).batches.flatMap(\.coverage)
        let midnight = Timestamp(today * 86_400 - berlin)
        #expect(!spans.contains { $0.contains(midnight) })
    }

    @Test func unsolicitedPacketsInBetweenAreLeftAside() {
        var ring = week
        let live = ColmiPacket(0x73, [0x12, 0, 1, 0]).bytes
        ring.mangle = { _, _, answer in answer.flatMap { [live, $0] } }
        let outcome = ring.play(context(), at: now)
        #expect(outcome.samples.count == 8 * 3)
        #expect(outcome.report?.notices == [])
    }

    @Test func aSilentRingIsAnErrorAfterThreeRequests() {
        var ring = week
        ring.mangle = { _, _, _ in [] }
        let outcome = ring.play(context(), at: now)
        #expect(outcome.error == .noAnswer(to: "for its steps", seconds: 5))
        #expect(outcome.requests.count { $0[0] == 0x43 } == 3)
    }

    /// While its wearer walks a ring tells so every second: that is no answer, and keeps none waiting for.
    @Test func unsolicitedPacketsDoNotPutOffTheRepetition() {
        var session: any PedometerSession = Colmi.session(context())
        var event = SessionEvent.started
        var requests = 0
        for second in 0..<12 {
            var action = session.next(after: event, at: now + second)
            while case .write = action {
                requests += 1
                action = session.next(after: .done, at: now + second)
            }
            if case .subscribe = action {
                event = .done
                continue
            }
            event = .value(ColmiPacket(0x73, [0x12, 0, 1, 2]).bytes)
        }
        // The battery: asked for at the beginning, and after 5 s again.
        #expect(requests >= 2)
    }

    @Test func aRefusalOfTodayIsAnError() {
        var ring = week
        ring.mangle = { request, _, answer in request[0] == 0x43 ? [ColmiPacket(0xc3).bytes] : answer }
        #expect(ring.play(context(), at: now).error == .refused("to tell its steps"))
    }

    @Test func aDayRefusedAmongOthersIsAskedForAgainAndLeftToTheNextSync() {
        var ring = week
        ring.mangle = { request, _, answer in
            request[0] == 0x43 && request[1] == 3 ? [ColmiPacket(0xc3).bytes] : answer
        }
        let outcome = ring.play(context(), at: now)
        #expect(outcome.requests.count { $0[0] == 0x43 && $0[1] == 3 } == 3)
        #expect(outcome.cursor?.readThrough == Timestamp(today * 86_400 - berlin) - 3 * 86_400)
    }

    @Test func aRingThatHoldsFewerDaysRefusesTheOlderOnes() {
        var ring = week
        ring.mangle = { request, _, answer in
            request[0] == 0x43 && request[1] > 4 ? [ColmiPacket(0xc3).bytes] : answer
        }
        #expect(ring.play(context(), at: now).cursor?.readThrough == now)
    }

    @Test func aStreamWithoutEndIsCutOff() {
        var ring = week
        ring.mangle = { request, _, answer in
            request[0] == 0x43 ? Array(repeating: ColmiPacket(0x73, [0x12]).bytes, count: 5000) : answer
        }
        #expect(ring.play(context(), at: now).error == .undecodable("packets without end"))
    }

    @Test func daysThatTheRingNoLongerHoldsAreTold() {
        let outcome = week.play(context(PedometerCursor(readThrough: now - 10 * 86_400)), at: now)
        #expect(outcome.report?.notices == [.lost(from: Day(daysSince1970: today - 10), through: Day(daysSince1970: today - 8))])
    }

    // MARK: The clock

    @Test func aClockAheadBecauseOfUTCIsToldAndReadRight() throws {
        // New York, UTC−4, 12:30: the ring on UTC shows 16:30 and has a slot of 16:15.
        let offset = -4 * 3600
        let now = Timestamp(today * 86_400 + 12 * 3600 + 1800 - offset)
        var ring = RingScript(today: today)
        ring.history[today] = [(65, 300)]
        let outcome = ring.play(context(offset: offset, days: 1), at: now)
        #expect(outcome.report?.notices == [.clockWasOff(seconds: 4 * 3600)])
        let sample = try #require(outcome.samples.first)
        #expect(sample.start == Timestamp(today * 86_400 + 65 * 900))
        #expect(sample.utcOffset == offset)
    }

    @Test func aSlotThatGrewAfterItWasOverTellsOfAClockPutBack() {
        // Last read at 12:30; the ring was then put to UTC and stepped at "10:35".
        let wall = today * 86_400 + 33 * 900
        let cursor = PedometerCursor(readThrough: now, tail: [WallSlot(wall: wall, start: Timestamp(wall - berlin), steps: 100)])
        var ring = RingScript(today: today)
        ring.history[today] = [(33, 100), (42, 60)]
        let outcome = ring.play(context(cursor), at: now + 300)
        #expect(outcome.report?.notices == [.clockWasOff(seconds: nil)])
        #expect(outcome.samples.map(\.steps) == [100, 60])
    }

    @Test func anotherDayThanAskedForTellsOfTheClock() {
        var ring = week
        ring.today = today - 2
        let outcome = ring.play(context(), at: now)
        #expect(outcome.report?.notices.first == .clockWasOff(seconds: -2 * 86_400))
    }

    @Test func slotsOutOfAllReachAreKeptAsFramesOnly() {
        var ring = RingScript(today: 11_000)     // the year 2000: the ring's battery was empty
        ring.history[11_000] = [(33, 100)]
        let outcome = ring.play(context(days: 1), at: now)
        #expect(outcome.samples.isEmpty)
        #expect(outcome.report?.notices.contains(.implausible(samples: 1)) == true)
    }

    @Test func slotsSinceTheClockWasSetStandInItsOffset() {
        // Set in winter (UTC+1), read in summer time: the ring's clock never knew of the change.
        let set = ClockState(settings: [.init(at: now - 3 * 86_400, utcOffset: 3600)])
        let local = LocalTime { [now] in $0 < now - 86_400 ? 3600 : 7200 }
        let ring = Pedometer(
            id: 1, user: 1, model: "colmi", address: "C0:DE:00:00:00:01", addressType: "random", name: "ring", clock: set)
        var script = RingScript(today: today)
        script.history[today] = [(33, 100)]
        let outcome = script.play(SessionContext(pedometer: ring, localTime: local, days: 1), at: now)
        #expect(outcome.samples.first?.start == Timestamp(today * 86_400 + 33 * 900 - 3600))
        #expect(outcome.samples.first?.utcOffset == 7200)
    }
}
