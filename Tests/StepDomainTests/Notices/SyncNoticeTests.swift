import StepDomain
import TestSupport
import Testing

/// The notices that result from the syncs of many nights.
@Suite(.timeLimit(.minutes(5))) struct SyncNoticeTests {
    private let localTime = LocalTime.berlin
    private let anna = User(id: 1, name: "anna")
    private let ring = Pedometer(
        id: 1, user: 1, model: "colmi", address: "C0:DE:00:00:00:01", addressType: "public", name: "ring")
    private let watch = Pedometer(
        id: 2, user: 1, model: "generic", address: "C0:DE:00:00:00:02", addressType: "public", name: "watch")
    private var now: Timestamp { localTime.at("2014-04-20", 4) }

    /// An attempt this many nights ago, at a quarter past three.
    private func sync(_ nightsAgo: Int, _ cause: FailureCause? = nil, battery: Int? = nil) -> SyncRecord {
        let start = localTime.at("2014-04-20", 3, 15) - nightsAgo * 86_400
        return SyncRecord(
            id: Int64(1000 - nightsAgo), pedometer: 1, start: start, end: start + 5,
            outcome: cause == nil ? .complete : .failed,
            battery: battery, failure: cause.map { "\($0)" }, cause: cause)
    }

    private func notices(_ syncs: [SyncRecord], watch others: [SyncRecord]? = nil, standing: [StoredNotice] = [])
        -> [Notice]
    {
        let devices = [NoticeRules.Device(ring, syncs)] + (others.map { [.init(watch, $0)] } ?? [])
        return NoticeRules(users: [anna], devices: devices, standing: standing, now: now, localTime: localTime).notices
    }

    private func contents(_ syncs: [SyncRecord], watch others: [SyncRecord]? = nil) -> [Notice.Content] {
        notices(syncs, watch: others).map(\.content)
    }

    // MARK: Nights

    @Test func `one or two nights of failures produce no notice`() {
        #expect(contents([]).isEmpty)
        #expect(contents([sync(0, .other)]).isEmpty)
        #expect(contents([sync(0, .other), sync(1, .other), sync(2)]).isEmpty)
    }

    @Test func `three nights of failures produce a notice`() {
        let failed = [sync(0, .other), sync(1, .other), sync(2, .other), sync(3)]
        #expect(
            notices(failed) == [
                Notice(
                    .pedometer(1), name: "ring", user: 1, since: sync(2).start,
                    .nightsFailed(nights: 3, reason: "other"))
            ])
    }

    @Test func `failed syncs of one night count as one night`() {
        var failed = [sync(0, .other), sync(0, .other), sync(0, .other), sync(1, .other), sync(1, .other)]
        #expect(contents(failed).isEmpty)
        failed.append(sync(2, .other))
        #expect(contents(failed) == [.nightsFailed(nights: 3, reason: "other")])
    }

    @Test func `failures before and after midnight count as one night`() {
        let eves = (0..<2).map { night in
            let start = sync(night).start - 4 * 3600
            return SyncRecord(
                id: 9, pedometer: 1, start: start, end: start + 5, outcome: .failed, failure: "x", cause: .other)
        }
        #expect(contents([sync(0, .other), eves[0], sync(1, .other), eves[1]]).isEmpty)
        #expect(contents([sync(0, .other), eves[0], sync(1, .other), eves[1], sync(2, .other)]).count == 1)
    }

    @Test func `a successful sync ends the notice of failed nights`() {
        #expect(contents([sync(0), sync(1, .other), sync(2, .other), sync(3, .other)]).isEmpty)
    }

    @Test func `a few interrupted syncs do not count as failed nights`() {
        #expect(contents((0..<5).map { sync($0, .interrupted) }).isEmpty)
        let killed = (0..<5).map { night in
            var sync = sync(night)
            sync.outcome = .running
            sync.end = nil
            return sync
        }
        #expect(contents(killed).isEmpty)
        // An interruption does not hide a fault, either, and is not reported as its reason.
        let mixed = [sync(0, .interrupted), killed[1], sync(1, .other), sync(2, .other), sync(3, .interrupted)]
        #expect(contents(mixed).isEmpty)
        #expect(contents(mixed + [sync(4, .other)]) == [.nightsFailed(nights: 3, reason: "other")])
    }

    /// For example a time limit that is too short for the pedometer.
    @Test func `six nights of only interrupted syncs produce a notice`() {
        let interrupted = (0..<6).map { sync($0, .interrupted) }
        #expect(contents(interrupted) == [.nightsFailed(nights: 6, reason: "interrupted")])
        #expect(contents(Array(interrupted.prefix(5)) + [sync(5)]).isEmpty)
        let killed = (1...6).map { SyncRecord(id: 9, pedometer: 1, start: sync($0).start) }
        #expect(contents(killed) == [.nightsFailed(nights: 6, reason: "interrupted")])
        // A ring that is away, and syncs that a suspend cut short in the same nights.
        let away = (0..<6).map { sync($0, .outOfRange) } + [sync(8)]
        #expect(
            contents(interrupted + away) == contents(away) && contents(away) == [.notSeen(lastRead: sync(8).start + 5)])
        // Many in one night count as one.
        #expect(contents((0..<12).map { sync($0 / 3, .interrupted) }).isEmpty)
    }

    /// The machine's clock was ahead for one sync, and was corrected later.
    @Test func `a sync in the future does not suppress a notice`() {
        let ahead = sync(-300, battery: 90)
        #expect(contents([ahead] + (0..<3).map { sync($0, .other) }) == [.nightsFailed(nights: 3, reason: "other")])
        #expect(
            contents([ahead, sync(0, .machine), sync(1, .machine)]) == [.nightsFailed(nights: 2, reason: "machine")])
        #expect(contents([ahead, sync(0, battery: 9)]) == [.batteryLow(percent: 9)])
        let away = [sync(0, .outOfRange), sync(1, .outOfRange), sync(5)]
        #expect(contents([ahead] + away) == [.notSeen(lastRead: sync(5).start + 5)])
        #expect(contents([ahead] + away.prefix(2)).isEmpty)
        // The clock was corrected while a sync ran, or differs by a little.
        var torn = sync(0)
        torn.end = ahead.end
        #expect(
            contents([torn, sync(0, .outOfRange), sync(1, .outOfRange), sync(5)]) == [
                .notSeen(lastRead: sync(5).start + 5)
            ])
        #expect(
            contents([SyncRecord(id: 1, pedometer: 1, start: now + 1800, end: now + 1805, outcome: .complete)] + away)
                .isEmpty)
    }

    // MARK: Not seen

    @Test func `a pedometer out of range for three days produces a notice`() {
        let away = (0..<3).map { sync($0, .outOfRange) }
        #expect(
            notices(away + [sync(3)]) == [
                // The last sync ended five seconds less than three days and three quarters of an hour ago.
                Notice(
                    .pedometer(1), name: "ring", user: 1, since: sync(3).start + 5,
                    .notSeen(lastRead: sync(3).start + 5))
            ])
        #expect(contents(Array(away.prefix(2)) + [sync(2)]).isEmpty)
    }

    @Test func `one failed search after the machine was off produces no notice`() {
        #expect(contents([sync(0, .outOfRange), sync(20)]).isEmpty)
        #expect(
            contents([sync(0, .outOfRange), sync(1, .outOfRange), sync(20)]) == [.notSeen(lastRead: sync(20).start + 5)]
        )
    }

    @Test func `continuous listening reports an absent pedometer without failed syncs`() {
        func notices(watched daysAgo: Int, _ syncs: SyncRecord...) -> [Notice.Content] {
            NoticeRules(
                users: [anna], devices: [.init(ring, syncs)],
                listening: ListeningState(since: [1: now - daysAgo * 86_400]), now: now,
                localTime: localTime
            ).notices.map(\.content)
        }
        #expect(notices(watched: 3, sync(4)) == [.notSeen(lastRead: sync(4).start + 5)])
        #expect(notices(watched: 2, sync(4)).isEmpty)
        #expect(notices(watched: 9, sync(2)).isEmpty)
        #expect(notices(watched: 3) == [.notSeen(lastRead: nil)])
        #expect(notices(watched: 2).isEmpty)
    }

    @Test func `listening for one pedometer does not report another as absent`() {
        let devices = [NoticeRules.Device(ring, []), .init(watch, [sync(9)])]
        func found(_ since: [Pedometer.ID: Timestamp]) -> [Notice.Subject] {
            let listening = ListeningState(since: since)
            return NoticeRules(users: [anna], devices: devices, listening: listening, now: now, localTime: localTime)
                .notices.map(\.subject)
        }
        #expect(found([1: now - 3 * 86_400]) == [.pedometer(1)])
        #expect(found([2: now - 3 * 86_400]) == [.pedometer(2)])
        #expect(found([1: now - 60, 2: now - 3 * 86_400]) == [.pedometer(2)])
        #expect(found([:]).isEmpty)
    }

    /// A watch that cannot listen tries nothing, so no sync fails.
    @Test func `a watch without Bluetooth for two days produces a machine notice`() {
        func notices(
            silentSince hoursAgo: Int?, since: [Pedometer.ID: Timestamp] = [:], _ syncs: [SyncRecord],
            known: StoredNotice? = nil
        )
            -> [Notice]
        {
            let outage = hoursAgo.map { ListeningState.Outage(since: now - $0 * 3600, reason: "no adapter") }
            return NoticeRules(
                users: [anna], devices: [.init(ring, syncs)], standing: known.map { [$0] } ?? [],
                listening: ListeningState(since: since, outage: outage), now: now, localTime: localTime
            ).notices
        }
        #expect(notices(silentSince: 47, [sync(3)]).isEmpty)
        let found = notices(silentSince: 75, [sync(4)])
        #expect(found == [Notice(.machine, since: now - 75 * 3600, .nightsFailed(nights: 3, reason: "no adapter"))])
        let known = StoredNotice(id: 1, notice: found[0], storedAt: now)
        // First another program, which does not know what the watch knows; then the watch after a restart.
        #expect(notices(silentSince: nil, [sync(4)], known: known) == found)
        #expect(notices(silentSince: 1, [sync(0, .machine), sync(4)], known: known) == found)
        // A sync has succeeded, or the pedometer was only out of range, or a watch listens again.
        #expect(notices(silentSince: nil, [sync(0)], known: known).isEmpty)
        #expect(notices(silentSince: nil, [sync(0, .outOfRange), sync(4)], known: known).isEmpty)
        #expect(notices(silentSince: nil, since: [1: now - 60], [sync(4)], known: known).isEmpty)
    }

    @Test func `a complete sync before the recent syncs gives the last read time`() {
        let away = (0..<4).map { sync($0, .outOfRange) }
        let long = NoticeRules.Device(ring, away, lastComplete: sync(400))
        let notices = NoticeRules(users: [anna], devices: [long], now: now, localTime: localTime).notices
        #expect(notices.map(\.content) == [.notSeen(lastRead: sync(400).start + 5)])
        #expect(notices.map(\.since) == [sync(400).start + 5])
    }

    @Test func `an absence notice ends only with a successful sync`() {
        let known = StoredNotice(
            id: 1,
            notice: Notice(
                .pedometer(1), name: "ring", user: 1, since: sync(9).start, .notSeen(lastRead: sync(9).start)),
            storedAt: now)
        #expect(notices([sync(0, .outOfRange), sync(9)], standing: [known]).map(\.kind) == [.notSeen])
        #expect(notices([sync(0), sync(9)], standing: [known]).isEmpty)
    }

    @Test func `a pedometer that was never read is reported as absent`() {
        let away = (0..<4).map { sync($0, .outOfRange) }
        #expect(notices(away).map(\.since) == [sync(3).start])
        #expect(contents(away) == [.notSeen(lastRead: nil)])
    }

    @Test func `failed nights take precedence over absence`() {
        let mixed = [
            sync(0, .outOfRange), sync(1, .other), sync(2, .outOfRange), sync(3, .other), sync(4, .other), sync(5),
        ]
        #expect(contents(mixed) == [.nightsFailed(nights: 3, reason: "other")])
        #expect(contents(mixed.filter { $0.start != sync(4).start }) == [.notSeen(lastRead: sync(5).start + 5)])
    }

    // MARK: The machine

    @Test func `broken Bluetooth produces one notice for all pedometers`() {
        let broken = [sync(0, .machine), sync(1, .machine)]
        let expected = Notice(.machine, since: sync(1).start, .nightsFailed(nights: 2, reason: "machine"))
        #expect(notices(broken + [sync(2)], watch: broken + [sync(2, .outOfRange), sync(3)]) == [expected])
        #expect(notices(broken) == [expected])
        #expect(notices([sync(0, .machine), sync(1)]).isEmpty)
    }

    @Test func `a search without a result counts as a working adapter`() {
        #expect(contents([sync(0, .machine), sync(2, .machine)], watch: [sync(1, .outOfRange)]).isEmpty)
        #expect(contents([sync(0, .machine), sync(1, .machine)], watch: [sync(2, .outOfRange)]).count == 1)
    }

    // MARK: Battery

    @Test func `a low battery is reported until the battery is charged`() {
        func found(_ percents: Int?...) -> [Notice] { notices(percents.enumerated().map { sync($0, battery: $1) }) }
        #expect(found(15).isEmpty)
        #expect(found(14).map(\.content) == [.batteryLow(percent: 14)])
        #expect(found(9, 12, 14, 20).map(\.since) == [sync(2).start])
        // The charge varies, as it does in the cold.
        #expect(found(17, 14).map(\.content) == [.batteryLow(percent: 17)])
        #expect(found(nil, 14).map(\.content) == [.batteryLow(percent: 14)])
        #expect(found(30, 14).isEmpty)
        #expect(found(29, 30, 14).isEmpty)
    }

    @Test func `a low battery notice keeps its start beyond the recent syncs`() throws {
        let known = StoredNotice(
            id: 1,
            notice: Notice(.pedometer(1), name: "ring", user: 1, since: now - 9_999_999, .batteryLow(percent: 3)),
            storedAt: now)
        let held = try #require(notices([sync(0, battery: 20)], standing: [known]).first)
        #expect(held.since == now - 9_999_999 && held.content == .batteryLow(percent: 20))
        #expect(notices([sync(0, battery: 30)], standing: [known]).isEmpty)
    }

    // MARK: What a sync noticed

    /// For a user who looks every day, whatever day of the week it began on.
    @Test(arguments: 0..<7) func `a daily clock error is reported once a week`(_ first: Int) {
        func found(_ noticed: SyncNotice) -> [Int] {
            let store = InMemoryHistory()
            return (0..<16).filter { day in
                let now = Timestamp((16_180 + first + day) * 86_400)
                let begun = store.update(
                    active: [Notice(.pedometer(1), since: now, .noticed(noticed))], withdrawn: [], at: now)
                store.markSeen(Array(begun), at: now + 60)
                return !begun.isEmpty
            }
        }
        #expect(found(.clockWasOff(seconds: 7200)) == [0, 8])
        #expect(found(.counterRestarted) == Array(0..<16))
    }

    @Test func `clock errors and lost steps of a sync produce events`() {
        let record = sync(0)
        let report = SyncReport(
            pedometer: ring, record: record,
            notices: [
                .clockWasOff(seconds: 7200), .batteryLow(9), .undecodable(frames: 1), .implausible(samples: 2),
                .counterRestarted,
                .lost(from: Day(daysSince1970: 1), through: Day(daysSince1970: 2)),
                .dayNotClosed(Day(daysSince1970: 3)),
                .tooOld([Day(daysSince1970: 4)]), .missing([DayGap(Day(daysSince1970: 5), .refused)]),
                .undecided(steps: 9),
                .countingStarted, .oversized(values: 1),
            ])
        let notices = NoticeRules(users: [anna], reports: [report], now: now, localTime: localTime).notices
        #expect(notices.map(\.kind) == [.clockWasOff, .stepsLost, .stepsLost, .stepsLost, .stepsLost])
        #expect(Set(notices.map(\.key)).count == 5)
        #expect(notices.allSatisfy { $0.since == record.start && $0.subject == .pedometer(1) && !$0.isState })
    }

    @Test func `steps in doubt are one event, however often they are found`() {
        let report = SyncReport(pedometer: ring, record: sync(0), notices: [.stepsInDoubt(.unchecked)])
        let notices = NoticeRules(users: [anna], reports: [report], now: now, localTime: localTime).notices
        #expect(notices.map(\.kind) == [.stepsInDoubt] && notices.allSatisfy { !$0.isState })
        let later = SyncReport(pedometer: ring, record: sync(1), notices: [.stepsInDoubt(.totals(1, 2))])
        let again = NoticeRules(users: [anna], reports: [later], now: now, localTime: localTime).notices
        #expect(notices.map(\.key) == again.map(\.key))
    }

    @Test func `missing days are a state for as long as the cursor names them`() throws {
        var ring = ring
        let gap = DayGap(Day(daysSince1970: 16_178), .refused)
        ring.cursor.missing = [gap, DayGap(Day(daysSince1970: 16_177), .unconfirmed)]
        func notices(_ ring: Pedometer, standing: [StoredNotice] = []) -> [Notice] {
            NoticeRules(
                users: [anna], devices: [.init(ring, [sync(0)])], standing: standing, now: now, localTime: localTime
            ).notices
        }
        let begun = try #require(notices(ring).first)
        #expect(begun.content == .daysMissing([gap]) && begun.isState && begun.since == now)
        // It began when it was first found.
        let known = StoredNotice(
            id: 1, notice: Notice(.pedometer(1), since: now - 86_400, .daysMissing([gap])), storedAt: now - 86_400)
        #expect(notices(ring, standing: [known]).map(\.since) == [now - 86_400])
        ring.cursor.missing = [DayGap(Day(daysSince1970: 16_177), .unconfirmed)]
        #expect(notices(ring).isEmpty, "a precaution is no news")
    }
}
