import Foundation
import SimulatedBlueZ
import StepDomain
import Testing

@testable import Pedometers

/// What the watch reports about its clock, and watches that cannot answer.
extension BangleSessionTests {
    static let losAngeles = TimeZone(identifier: "America/Los_Angeles")!
    static let kathmandu = TimeZone(identifier: "Asia/Kathmandu")!
    private static let question = BangleClock.question(read: Timestamp(1_779_278_400), now: Timestamp(1_779_284_820))

    // MARK: The question

    /// Compared with what Espruino 2v29 prints for it.
    @Test func `the question is a line of JavaScript whose error prints nothing`() {
        let moments = "1779284820000,1779278400000,1771422420000,1763560020000,1755697620000"
        #expect(
            Self.question == #"try{Bluetooth.println("\n"+JSON.stringify({t:"istep",now:Date.now(),"#
                + #"tz:[\#(moments)].map(t=>new Date(t).getTimezoneOffset()).join(),"#
                + #"health:(require("Storage").readJSON("health.info",1)||{}).version}))}catch(e){}"#)
        #expect(Self.question.utf8.count < 512 && !Self.question.contains("\n"))
    }

    @Test func `an answer of Espruino is parsed`() {
        let line = BangleLine(
            #"{"t":"istep","now":1795701321423.09204101562,"tz":"-120,-120,-60,-60,-120","health":"0.43"}"#)
        guard case .clock(let clock) = line else {
            Issue.record("\(line)")
            return
        }
        #expect(clock.time == Timestamp(1_795_701_321) && clock.utcOffset == 7_200 && clock.offsetAtCursor == 7_200)
        #expect(clock.followsRule && clock.health == BangleVersion("0.43"))
        let other = BangleLine(#"{"t":"istep","now":1795701321423,"tz":"480,480,480,480,480"}"#)
        guard case .clock(let fixed) = other else {
            Issue.record("\(other)")
            return
        }
        #expect(!fixed.followsRule && fixed.utcOffset == -28_800 && fixed.health == nil)
    }

    @Test(arguments: [
        #"{"t":"istep"}"#, #"{"t":"istep","now":1,"tz":""}"#, #"{"t":"istep","now":1,"tz":"1,2"}"#,
        #"{"t":"istep","now":-1,"tz":"0,0,0,0,0"}"#,
        #"{"t":"istep","now":1e300,"tz":"0,0,0,0,0"}"#, #"{"t":"istep","now":1,"tz":"0,0,0,0,901"}"#,
        #"{"t":"istep","now":1,"tz":"0,0,,0,0"}"#,
        #"{"t":"istep","now":1,"tz":"0,0,0,0,99999999999999999999"}"#, #"{"t":"istep","now":1,"tz":0}"#,
    ])
    func `an impossible answer about the clock is ignored`(text: String) { #expect(BangleLine(text) == .other) }

    @Test func `versions are compared by their numbers`() {
        #expect(BangleVersion("0.9")! < BangleVersion("0.33")! && BangleVersion("0.33")! < BangleVersion("1.0")!)
        #expect(BangleVersion("") == nil && BangleVersion("new") == nil && BangleVersion("1.2.3.4.5") == nil)
    }

    // MARK: West of Greenwich

    @Test(arguments: [false, true]) func `in the evening, steps west of Greenwich are read`(isConsoleOff: Bool) {
        // 19:00 in Los Angeles is the next day in UTC.
        let now = Self.moment("2026-11-21", 3)
        let watch = watch(days: 2, zone: Self.losAngeles, at: now)
        watch.behaviour.isConsoleOff = isConsoleOff
        let cursor = PedometerCursor(readThrough: Self.moment("2026-11-21", 1), utcOffset: -28_800)
        let outcome = play(watch, cursor: cursor, zone: Self.losAngeles, at: now)
        let unread = watch.expectedSteps.filter { $0.key >= WallClock(year: 2026, month: 11, day: 20, hour: 17) }
        #expect(unread.count == 12)
        #expect(outcome.error == nil && outcome.steps == unread.values.reduce(0, +) && outcome.steps > 0)
        #expect(outcome.cursor?.readThrough == now)
        #expect(outcome.coverage == [TimeSpan(Self.moment("2026-11-21", 1), now)])
    }

    @Test func `west of Greenwich, a limit of days requests a day more and stores none before it`() {
        let now = Self.moment("2026-11-21", 3)
        let watch = watch(days: 4, zone: Self.losAngeles, at: now)
        let outcome = play(watch, zone: Self.losAngeles, days: 1, at: now)
        #expect(outcome.steps > 0 && outcome.samples.allSatisfy { $0.day == Day("2026-11-20")! })
    }

    @Test func `if the watch's own zone is west of Greenwich, the request is sent again for a day earlier`() {
        let now = Self.moment("2026-11-21", 3)
        let watch = watch(days: 2, zone: Self.losAngeles, at: now)
        watch.zone = .fixed(-28_800)
        let cursor = PedometerCursor(readThrough: Self.moment("2026-11-21", 1), utcOffset: 3_600, deviceOffset: -28_800)
        #expect(play(watch, cursor: cursor, at: now).written.count == 2, "the zone of the watch was known")
        var unknown = cursor
        unknown.deviceOffset = nil
        let outcome = play(watch, cursor: unknown, at: now)
        #expect(outcome.written.count == 4 && outcome.error == nil)
        #expect(outcome.steps == play(watch, cursor: cursor, at: now).steps && outcome.steps > 0)
    }

    // MARK: Zones

    @Test func `a watch whose zone alone was changed counts nothing twice, and its day is partial`() {
        for change in [-9 * 3_600, -3_600, 3_600, 9 * 3_600] {
            let first = watch(days: 1)
            first.zone = .fixed(7_200)
            let read = play(first)
            #expect(read.coverage.last?.end == Self.moment("2026-05-20", 13, 40) && read.cursor?.deviceOffset == 7_200)
            // A day later: four hours of records with the old offset, then the change.
            let later = Self.now + 24 * 3_600
            let now = later.seconds / 600 * 600
            let changed = watch(days: 0, at: later)
            for (clock, steps) in first.expectedSteps { changed.setSteps(steps, at: clock) }
            var made = 0
            for start in stride(from: Self.moment("2026-05-20", 13, 40).seconds, to: now, by: 600) {
                let offset = 7_200 + (start < Self.moment("2026-05-20", 17, 40).seconds ? 0 : change)
                let clock = WallClock(seconds: start + offset)
                guard changed.expectedSteps[clock] == nil else { continue }
                changed.setSteps(10, at: clock)
                made += 10
            }
            changed.zone = .fixed(7_200 + change)
            let outcome = play(changed, cursor: read.cursor!, at: later)
            #expect(outcome.error == nil && outcome.steps == made, "\(change)")
            #expect(Set(outcome.samples.map(\.start)).count == outcome.samples.count)
            #expect(outcome.samples.allSatisfy { $0.start >= read.cursor!.readThrough! })
            #expect(outcome.coverage.allSatisfy { $0.end <= Self.moment("2026-05-20", 17, 40) }, "\(change)")
            #expect(outcome.notices.contains(.zoneChanged(seconds: change)))
            // The next sync has nothing new, and is certain again.
            let next = play(changed, cursor: outcome.cursor!, at: later)
            #expect(next.steps == 0 && next.notices == [.zoneDiffers(seconds: 7_200 + change)])
        }
    }

    @Test func `records that a watch made shortly before its clock was put back are left for later`() {
        let first = watch(days: 1)
        first.zone = .fixed(7_200)
        let read = play(first)
        let later = Self.now + 2 * 3_600
        for index in 0..<11 {
            first.setSteps(10, at: WallClock(seconds: Self.moment("2026-05-20", 13, 40).seconds + 7_200 + index * 600))
        }
        let changed = watch(days: 0, at: later)
        for (clock, steps) in first.expectedSteps { changed.setSteps(steps, at: clock) }
        changed.zone = .fixed(3_600)
        let outcome = play(changed, cursor: read.cursor!, at: later)
        #expect(
            outcome.notices == [.zoneChanged(seconds: -3_600), .zoneDiffers(seconds: 3_600)], "no record is implausible"
        )
        #expect(outcome.cursor == nil, "they are read again")
        let end = later + 3_600
        let after = watch(days: 0, at: end)
        for (clock, steps) in first.expectedSteps { after.setSteps(steps, at: clock) }
        after.zone = .fixed(3_600)
        let last = play(after, cursor: read.cursor!, at: end)
        #expect(Set(outcome.samples + last.samples).reduce(0) { $0 + $1.steps } == 110)
    }

    /// Noted by a version that did not ask the watch.
    @Test(arguments: [SimulatedBangle.Zone.follows(berlin), .fixed(3_600), .fixed(7_200), .rule(berlin)])
    func `an earlier cursor goes on`(zone: SimulatedBangle.Zone) {
        let watch = watch(days: 0)
        watch.zone = zone
        let offset = if case .fixed(let seconds) = zone { seconds } else { 7_200 }
        for index in 1...30 {
            watch.setSteps(index, at: WallClock(seconds: Self.now.seconds / 600 * 600 - index * 600 + offset))
        }
        let cursor = PedometerCursor(readThrough: Timestamp(Self.now.seconds / 600 * 600 - 6_000), utcOffset: 7_200)
        let outcome = play(watch, cursor: cursor)
        #expect(outcome.steps == 55, "the last ten")
        #expect(outcome.coverage == [TimeSpan(cursor.readThrough!, Timestamp(Self.now.seconds / 600 * 600))])
    }

    @Test(arguments: [false, true]) func `in Kathmandu, a watch at UTC is read, and the notice names its zone`(
        isConsoleOff: Bool
    ) {
        let watch = watch(days: 0)
        watch.zone = .fixed(0)
        watch.behaviour.isConsoleOff = isConsoleOff
        for index in 1...307 { watch.setSteps(10, at: WallClock(seconds: Self.now.seconds / 600 * 600 - index * 600)) }
        let outcome = play(watch, zone: Self.kathmandu)
        #expect(outcome.error == nil && outcome.steps == 3_070)
        #expect(outcome.notices == [.zoneDiffers(seconds: isConsoleOff ? nil : 0)])
        #expect(outcome.coverage.isEmpty == isConsoleOff, "without its answer its zone is a guess")
        #expect(play(watch, cursor: outcome.cursor!, zone: Self.kathmandu).steps == 0)
    }

    // MARK: Clocks

    @Test(arguments: [-3_600, -130, 130, 3_600])
    func `a clock that is off is reported, and no record is called implausible`(clockOffset: Int) {
        let watch = watch(days: 1)
        watch.behaviour.clockOffset = clockOffset
        watch.setSteps(
            9, at: WallClock(seconds: Self.now.seconds / 600 * 600 + 7_200 + (clockOffset > 600 ? 3_000 : 0)))
        let outcome = play(watch)
        #expect(outcome.notices.contains(.clockWasOff(seconds: clockOffset)))
        #expect(outcome.coverage.isEmpty == (abs(clockOffset) > 600))
        #expect(!outcome.notices.contains { if case .implausible = $0 { clockOffset > 0 } else { false } })
    }

    // MARK: Watches that cannot answer

    @Test func `with its console off, a watch is read as before, and a missing app is named`() {
        let watch = watch()
        watch.behaviour.isConsoleOff = true
        let outcome = play(watch)
        #expect(outcome.error == nil && outcome.steps == total(watch) && outcome.cursor?.deviceOffset == nil)
        watch.behaviour.lacks = "health"
        #expect(play(watch).error == .missingApp("Health Tracking", message: nil))
    }

    @Test func `a locked console is named`() {
        let watch = watch()
        watch.behaviour.isLocked = true
        #expect(play(watch).error == .consoleLocked)
    }

    @Test func `an app that is too old is named`() {
        let watch = watch()
        watch.behaviour.hasOldAndroid = true
        #expect(play(watch).error == .outdatedApp("Android Integration", needs: "0.31", message: "GB Unknown { "))
        watch.behaviour.hasOldAndroid = false
        watch.behaviour.health = "0.25"
        guard case .outdatedApp("Health Tracking", "0.33", _) = play(watch).error else {
            Issue.record("not named")
            return
        }
    }

    @Test(arguments: [false, true]) func `an app that does not send today is named`(isConsoleOff: Bool) {
        let watch = watch()
        watch.behaviour.health = "0.32"
        watch.behaviour.isConsoleOff = isConsoleOff
        let outcome = play(watch)
        #expect(outcome.error == nil && outcome.notices == [.appOutdated("Health Tracking", needs: "0.33")])
        #expect(outcome.cursor?.readThrough == Self.moment("2026-05-19", 22), "today is read when it is sent")
        watch.behaviour.health = "0.33"
        #expect(play(watch).notices.isEmpty)
    }

    @Test func `a line that another program left on the console is discarded`() {
        let watch = watch()
        watch.behaviour.unfinishedLine = "print(1"
        let outcome = play(watch)
        #expect(outcome.error == nil && outcome.steps == total(watch))
    }

    @Test(arguments: [SimulatedBangle.Behaviour.Order.before, .after])
    func `lines before and after an answer change nothing`(order: SimulatedBangle.Behaviour.Order) {
        let watch = watch()
        watch.behaviour.greets = order
        watch.behaviour.sendsLiveLines = order
        watch.behaviour.omitsActivity = true
        let outcome = play(watch)
        #expect(outcome.error == nil && outcome.steps == total(watch) && outcome.notices.isEmpty)
    }
}
