import StepDomain
import TestSupport
import Testing

/// Which notices the syncs of many nights come to.
@Suite struct SyncNoticeTests {
    private let place = LocalTime.berlin
    private let anna = User(id: 1, name: "anna")
    private let ring = Pedometer(
        id: 1, user: 1, model: "colmi", address: "C0:DE:00:00:00:01", addressType: "public", name: "ring")
    private let watch = Pedometer(
        id: 2, user: 1, model: "generic", address: "C0:DE:00:00:00:02", addressType: "public", name: "watch")
    private var now: Timestamp { place.at("2014-04-20", 4) }

    /// A try so many nights ago, a quarter past three.
    private func sync(_ nightsAgo: Int, _ cause: FailureCause? = nil, battery: Int? = nil) -> SyncRecord {
        let start = place.at("2014-04-20", 3, 15) - nightsAgo * 86_400
        return SyncRecord(
            id: Int64(1000 - nightsAgo), pedometer: 1, start: start, end: start + 5, outcome: cause == nil ? .complete : .failed,
            battery: battery, failure: cause.map { "\($0)" }, cause: cause)
    }

    private func notices(_ syncs: [SyncRecord], watch others: [SyncRecord]? = nil, standing: [KeptNotice] = []) -> [Notice] {
        let devices = [NoticeFacts.Device(ring, syncs)] + (others.map { [.init(watch, $0)] } ?? [])
        return NoticeFacts(users: [anna], devices: devices, standing: standing, now: now, localTime: place).notices
    }

    private func contents(_ syncs: [SyncRecord], watch others: [SyncRecord]? = nil) -> [Notice.Content] {
        notices(syncs, watch: others).map(\.content)
    }

    // MARK: Nights

    @Test func aNightOrTwoOfTroubleAreBadLuck() {
        #expect(contents([]).isEmpty)
        #expect(contents([sync(0, .other)]).isEmpty)
        #expect(contents([sync(0, .other), sync(1, .other), sync(2)]).isEmpty)
    }

    @Test func threeNightsAreTold() {
        let failed = [sync(0, .other), sync(1, .other), sync(2, .other), sync(3)]
        #expect(
            notices(failed) == [
                Notice(.pedometer(1), name: "ring", user: 1, since: sync(2).start, .nightsFailed(nights: 3, reason: "other"))
            ])
    }

    @Test func manyTriesOfOneNightAreOneNight() {
        var failed = [sync(0, .other), sync(0, .other), sync(0, .other), sync(1, .other), sync(1, .other)]
        #expect(contents(failed).isEmpty)
        failed.append(sync(2, .other))
        #expect(contents(failed) == [.nightsFailed(nights: 3, reason: "other")])
    }

    @Test func beforeMidnightAndAfterItIsOneNight() {
        let eves = (0..<2).map { night in
            let start = sync(night).start - 4 * 3600
            return SyncRecord(id: 9, pedometer: 1, start: start, end: start + 5, outcome: .failed, failure: "x", cause: .other)
        }
        #expect(contents([sync(0, .other), eves[0], sync(1, .other), eves[1]]).isEmpty)
        #expect(contents([sync(0, .other), eves[0], sync(1, .other), eves[1], sync(2, .other)]).count == 1)
    }

    @Test func aSyncThatSucceedsEndsIt() {
        #expect(contents([sync(0), sync(1, .other), sync(2, .other), sync(3, .other)]).isEmpty)
    }

    @Test func whoeverInterruptsASyncHasNotBrokenThePedometer() {
        #expect(contents((0..<5).map { sync($0, .interrupted) }).isEmpty)
        let killed = (0..<5).map { night in
            var sync = sync(night)
            sync.outcome = .running
            sync.end = nil
            return sync
        }
        #expect(contents(killed).isEmpty)
        // Nor does it hide what is broken, or give the reason for it.
        let mixed = [sync(0, .interrupted), killed[1], sync(1, .other), sync(2, .other), sync(3, .interrupted)]
        #expect(contents(mixed).isEmpty)
        #expect(contents(mixed + [sync(4, .other)]) == [.nightsFailed(nights: 3, reason: "other")])
    }

    /// A time limit that is too short for the pedometer, say.
    @Test func whatEndsEverySyncIsToldAllTheSame() {
        let interrupted = (0..<6).map { sync($0, .interrupted) }
        #expect(contents(interrupted) == [.nightsFailed(nights: 6, reason: "interrupted")])
        #expect(contents(Array(interrupted.prefix(5)) + [sync(5)]).isEmpty)
        // Many in one night are one.
        #expect(contents((0..<12).map { sync($0 / 3, .interrupted) }).isEmpty)
    }

    /// The machine's clock was ahead for one sync, and was put right later.
    @Test func aSyncOfTheFutureSilencesNothing() {
        let ahead = sync(-300, battery: 90)
        #expect(contents([ahead] + (0..<3).map { sync($0, .other) }) == [.nightsFailed(nights: 3, reason: "other")])
        #expect(contents([ahead, sync(0, .machine), sync(1, .machine)]) == [.nightsFailed(nights: 2, reason: "machine")])
        #expect(contents([ahead, sync(0, battery: 9)]) == [.batteryLow(percent: 9)])
        let away = [sync(0, .outOfRange), sync(1, .outOfRange), sync(5)]
        #expect(contents([ahead] + away) == [.notSeen(lastRead: sync(5).start + 5)])
        #expect(contents([ahead] + away.prefix(2)).isEmpty)
        // It was put right while a sync ran, or differs by a little.
        var torn = sync(0)
        torn.end = ahead.end
        #expect(contents([torn, sync(0, .outOfRange), sync(1, .outOfRange), sync(5)]) == [.notSeen(lastRead: sync(5).start + 5)])
        #expect(contents([SyncRecord(id: 1, pedometer: 1, start: now + 1800, end: now + 1805, outcome: .complete)] + away).isEmpty)
    }

    // MARK: Not seen

    @Test func threeDaysAwayAreTold() {
        let away = (0..<3).map { sync($0, .outOfRange) }
        #expect(
            notices(away + [sync(3)]) == [
                // The last one ended five seconds less than three days and three quarters of an hour ago.
                Notice(.pedometer(1), name: "ring", user: 1, since: sync(3).start + 5, .notSeen(lastRead: sync(3).start + 5))
            ])
        #expect(contents(Array(away.prefix(2)) + [sync(2)]).isEmpty)
    }

    @Test func aMachineThatWasOffHasNotMissedIt() {
        #expect(contents([sync(0, .outOfRange), sync(20)]).isEmpty)
        #expect(contents([sync(0, .outOfRange), sync(1, .outOfRange), sync(20)]) == [.notSeen(lastRead: sync(20).start + 5)])
    }

    @Test func whoListensAllTheTimeNeedsNoTries() {
        func notices(watched daysAgo: Int, _ syncs: SyncRecord...) -> [Notice.Content] {
            NoticeFacts(
                users: [anna], devices: [.init(ring, syncs)], listening: Listening(since: [1: now - daysAgo * 86_400]), now: now, localTime: place
            ).notices.map(\.content)
        }
        #expect(notices(watched: 3, sync(4)) == [.notSeen(lastRead: sync(4).start + 5)])
        #expect(notices(watched: 2, sync(4)).isEmpty)
        #expect(notices(watched: 9, sync(2)).isEmpty)
        #expect(notices(watched: 3) == [.notSeen(lastRead: nil)])
        #expect(notices(watched: 2).isEmpty)
    }

    @Test func whoListensForOneSaysNothingOfAnother() {
        let devices = [NoticeFacts.Device(ring, []), .init(watch, [sync(9)])]
        func told(_ since: [Pedometer.ID: Timestamp]) -> [Notice.Subject] {
            let listening = Listening(since: since)
            return NoticeFacts(users: [anna], devices: devices, listening: listening, now: now, localTime: place).notices.map(\.subject)
        }
        #expect(told([1: now - 3 * 86_400]) == [.pedometer(1)])
        #expect(told([2: now - 3 * 86_400]) == [.pedometer(2)])
        #expect(told([1: now - 60, 2: now - 3 * 86_400]) == [.pedometer(2)])
        #expect(told([:]).isEmpty)
    }

    /// A watch tries nothing while it cannot listen, and no sync fails.
    @Test func aWatchThatCannotListenForTwoDaysTellsOfTheMachine() {
        func notices(deaf hoursAgo: Int?, since: [Pedometer.ID: Timestamp] = [:], _ syncs: [SyncRecord], known: KeptNotice? = nil) -> [Notice] {
            let deafness = hoursAgo.map { Listening.Deafness(since: now - $0 * 3600, reason: "no adapter") }
            return NoticeFacts(
                users: [anna], devices: [.init(ring, syncs)], standing: known.map { [$0] } ?? [],
                listening: Listening(since: since, deafness: deafness), now: now, localTime: place
            ).notices
        }
        #expect(notices(deaf: 47, [sync(3)]).isEmpty)
        let told = notices(deaf: 75, [sync(4)])
        #expect(told == [Notice(.machine, since: now - 75 * 3600, .nightsFailed(nights: 3, reason: "no adapter"))])
        let known = KeptNotice(id: 1, notice: told[0], keptAt: now)
        // Another program looks, which has not heard the watch; then the watch has begun anew.
        #expect(notices(deaf: nil, [sync(4)], known: known) == told)
        #expect(notices(deaf: 1, [sync(0, .machine), sync(4)], known: known) == told)
        // A sync has come about, or was only out of range; or somebody listens again.
        #expect(notices(deaf: nil, [sync(0)], known: known).isEmpty)
        #expect(notices(deaf: nil, [sync(0, .outOfRange), sync(4)], known: known).isEmpty)
        #expect(notices(deaf: nil, since: [1: now - 60], [sync(4)], known: known).isEmpty)
    }

    @Test func whatWasReadBeforeTheSyncsLookedAtWasRead() {
        let away = (0..<4).map { sync($0, .outOfRange) }
        let long = NoticeFacts.Device(ring, away, lastComplete: sync(400))
        let notices = NoticeFacts(users: [anna], devices: [long], now: now, localTime: place).notices
        #expect(notices.map(\.content) == [.notSeen(lastRead: sync(400).start + 5)])
        #expect(notices.map(\.since) == [sync(400).start + 5])
    }

    @Test func onceItIsMissedOnlyASyncEndsThat() {
        let known = KeptNotice(
            id: 1, notice: Notice(.pedometer(1), name: "ring", user: 1, since: sync(9).start, .notSeen(lastRead: sync(9).start)), keptAt: now)
        #expect(notices([sync(0, .outOfRange), sync(9)], standing: [known]).map(\.kind) == [.notSeen])
        #expect(notices([sync(0), sync(9)], standing: [known]).isEmpty)
    }

    @Test func oneThatWasNeverRead() {
        let away = (0..<4).map { sync($0, .outOfRange) }
        #expect(notices(away).map(\.since) == [sync(3).start])
        #expect(contents(away) == [.notSeen(lastRead: nil)])
    }

    @Test func whatIsBrokenComesBeforeWhatIsAway() {
        let mixed = [sync(0, .outOfRange), sync(1, .other), sync(2, .outOfRange), sync(3, .other), sync(4, .other), sync(5)]
        #expect(contents(mixed) == [.nightsFailed(nights: 3, reason: "other")])
        #expect(contents(mixed.filter { $0.start != sync(4).start }) == [.notSeen(lastRead: sync(5).start + 5)])
    }

    // MARK: The machine

    @Test func brokenBluetoothIsOneNoticeForAll() {
        let broken = [sync(0, .machine), sync(1, .machine)]
        let expected = Notice(.machine, since: sync(1).start, .nightsFailed(nights: 2, reason: "machine"))
        #expect(notices(broken + [sync(2)], watch: broken + [sync(2, .outOfRange), sync(3)]) == [expected])
        #expect(notices(broken) == [expected])
        #expect(notices([sync(0, .machine), sync(1)]).isEmpty)
    }

    @Test func whoeverWasHeardOrNotHeardHadAnAdapter() {
        #expect(contents([sync(0, .machine), sync(2, .machine)], watch: [sync(1, .outOfRange)]).isEmpty)
        #expect(contents([sync(0, .machine), sync(1, .machine)], watch: [sync(2, .outOfRange)]).count == 1)
    }

    // MARK: Battery

    @Test func aLowBatteryIsToldUntilItIsCharged() {
        func told(_ percents: Int?...) -> [Notice] { notices(percents.enumerated().map { sync($0, battery: $1) }) }
        #expect(told(15).isEmpty)
        #expect(told(14).map(\.content) == [.batteryLow(percent: 14)])
        #expect(told(9, 12, 14, 20).map(\.since) == [sync(2).start])
        // It wavers, as it does in the cold.
        #expect(told(17, 14).map(\.content) == [.batteryLow(percent: 17)])
        #expect(told(nil, 14).map(\.content) == [.batteryLow(percent: 14)])
        #expect(told(30, 14).isEmpty)
        #expect(told(29, 30, 14).isEmpty)
    }

    @Test func whatIsKnownToBeLowStaysSoBeyondTheSyncsLookedAt() throws {
        let known = KeptNotice(
            id: 1, notice: Notice(.pedometer(1), name: "ring", user: 1, since: now - 9_999_999, .batteryLow(percent: 3)), keptAt: now)
        let held = try #require(notices([sync(0, battery: 20)], standing: [known]).first)
        #expect(held.since == now - 9_999_999 && held.content == .batteryLow(percent: 20))
        #expect(notices([sync(0, battery: 30)], standing: [known]).isEmpty)
    }

    // MARK: What a sync noticed

    /// Whoever looks every day, whatever day of the week it began on.
    @Test(arguments: 0..<7) func aClockThatIsSetWrongEveryDayIsToldOnceAWeek(_ first: Int) {
        func told(_ noticed: SyncNotice) -> [Int] {
            let store = InMemoryHistory()
            return (0..<16).filter { day in
                let now = Timestamp((16_180 + first + day) * 86_400)
                let begun = store.keep([Notice(.pedometer(1), since: now, .noticed(noticed))], withdrawn: [], at: now)
                store.markSeen(Array(begun), at: now + 60)
                return !begun.isEmpty
            }
        }
        #expect(told(.clockWasOff(seconds: 7200)) == [0, 8])
        #expect(told(.counterRestarted) == Array(0..<16))
    }

    @Test func whatASyncNoticedIsAnEvent() {
        let record = sync(0)
        let report = SyncReport(
            pedometer: ring, record: record,
            notices: [
                .clockWasOff(seconds: 7200), .batteryLow(9), .undecodable(frames: 1), .implausible(samples: 2), .counterRestarted,
                .lost(from: Day(daysSince1970: 1), through: Day(daysSince1970: 2)), .dayNotClosed(Day(daysSince1970: 3)),
            ])
        let notices = NoticeFacts(users: [anna], reports: [report], now: now, localTime: place).notices
        #expect(notices.map(\.kind) == [.clockWasOff, .stepsLost, .stepsLost, .stepsLost])
        #expect(Set(notices.map(\.key)).count == 4)
        #expect(notices.allSatisfy { $0.since == record.start && $0.subject == .pedometer(1) && !$0.isState })
    }
}
