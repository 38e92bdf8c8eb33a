import StepDomain
import Testing

@testable import Pedometers

@Suite(.timeLimit(.minutes(5))) struct WallSlotsTests {
    private let now = BandFixture.now

    private func converter(_ settings: [ClockState.Setting] = [], offset: Int = 7_200, days: Int = 7)
        -> WallSlotConverter
    {
        var pedometer = Pedometer.sample(Lefun.self)
        pedometer.clock = ClockState(settings: settings)
        return WallSlotConverter(SessionContext(pedometer: pedometer, localTime: .fixed(offset)), days: days)
    }

    @Test func `times of slots are local time, or the time to which the clock was set`() {
        var local = converter()
        let wall = now.seconds + 7_200 - 3_600
        #expect(local.sample(WallRecord(wall: wall, length: 900, steps: 5), now: now)?.start == now - 3_600)
        // Set to UTC+1 a day ago, at another place.
        var set = converter([.init(at: now - 86_400, utcOffset: 3_600)])
        let sample = set.sample(WallRecord(wall: now.seconds + 3_600 - 600, length: 600, steps: 5), now: now)
        #expect(sample?.start == now - 600 && sample?.utcOffset == 3_600)
    }

    @Test func `a slot in the future or too old is left out and reported`() {
        var converter = converter()
        let wall = now.seconds + 7_200
        #expect(converter.sample(WallRecord(wall: wall + 3_600, length: 900, steps: 5), now: now) == nil)
        #expect(converter.sample(WallRecord(wall: wall - 10 * 86_400, length: 900, steps: 5), now: now) == nil)
        #expect(converter.notices == [.clockWasOff(seconds: 3_600), .implausible(samples: 2)])
        // Its times are not certain then.
        #expect(converter.spans(wall - 7_200..<wall, now: now).isEmpty)
    }

    @Test func `a span is limited to the time from the beginning of the memory until now`() {
        let (local, wall) = (converter(), now.seconds + 7_200)
        #expect(local.spans(0..<wall + 86_400, now: now) == [TimeSpan(now - 9 * 86_400, now)])
        #expect(local.spans(0..<86_400, now: now).isEmpty && local.spans(wall + 60..<wall + 86_400, now: now).isEmpty)
        let old = WallRecord(wall: 86_400, length: 900, steps: 5)
        let new = WallRecord(wall: wall - 3_600, length: 900, steps: 5)
        #expect(local.beginning(of: [old, new], now: now) == new.wall)
        #expect(local.beginning(of: [new, old], now: now) == nil && local.beginning(of: [], now: now) == nil)
    }

    @Test func `times of a clock that was never set are converted with its difference from the machine's`() throws {
        var converter = converter()
        converter.observe(ahead: -3_600, at: now)
        let midnight = LocalTime.fixed(7_200).moment(BandFixture.today)
        // 23:00 on its clock.
        let wall = BandFixture.today.daysSince1970 * 86_400 - 3_600
        let converted = converter.sample(WallRecord(wall: wall, length: 60, steps: 5), now: now)
        let sample = try #require(converted)
        #expect(sample.start == midnight && sample.day == BandFixture.today && sample.utcOffset == 7_200)
        #expect(converter.spans(wall..<wall + 900, now: now) == [TimeSpan(midnight, midnight + 900)])
        // The next reading, after the clock was set, gives the same time.
        let mark = try #require(converter.tail(nil, now: now))
        var pedometer = Pedometer.sample(Lefun.self, cursor: PedometerCursor(readThrough: now, tail: mark))
        pedometer.clock = ClockState(settings: [.init(at: now + 5, utcOffset: 7_200)])
        var next = WallSlotConverter(SessionContext(pedometer: pedometer, localTime: .fixed(7_200)), days: 7)
        #expect(next.sample(WallRecord(wall: wall, length: 60, steps: 5), now: now + 3_600) == sample)
        #expect(
            next.sample(WallRecord(wall: now.seconds + 7_200 + 900, length: 60, steps: 5), now: now + 3_600)?.start
                == now + 900)
    }

    /// The zone of the machine can change, or be corrected, after the first sync.
    @Test func `slots from before the first setting stay where they are, wherever the machine is`() {
        let settings = [ClockState.Setting(at: now - 86_400, utcOffset: 7_200)]
        let record = WallRecord(wall: now.seconds - 2 * 86_400 + 7_200, length: 900, steps: 5)
        for offset in [7_200, -14_400, 0] {
            var converter = converter(settings, offset: offset)
            let sample = converter.sample(record, now: now)
            #expect(sample?.start == now - 2 * 86_400 && sample?.utcOffset == 7_200, "\(offset)")
        }
    }

    /// Each reading of its clock measures the drift anew.
    @Test func `a clock that is not set is taken to show the same zone by each reading`() throws {
        let record = WallRecord(wall: now.seconds - 600 + 3_600, length: 60, steps: 5)
        var first = converter()
        first.observe(ahead: -3_599, at: now)
        let sample = first.sample(record, now: now)
        #expect(sample?.start == now - 600)
        let tail = first.tail(nil, now: now)
        // After a lost link the reading begins again, with what the one before has stored.
        for ahead in [-3_600, -3_598] {
            let pedometer = Pedometer.sample(Lefun.self, cursor: PedometerCursor(tail: tail))
            var again = WallSlotConverter(SessionContext(pedometer: pedometer, localTime: .fixed(7_200)), days: 7)
            again.observe(ahead: ahead + 3_600, at: now)
            #expect(again.sample(record, now: now) == sample && again.tail(tail, now: now) == tail)
            // Another program has set it to another zone since.
            again.observe(ahead: -7_200, at: now)
            #expect(again.wall(now) == now.seconds - 3_600)
        }
    }

    @Test func `a clock that is put forward has two slots of that time, and both count`() {
        let setting = now - 300
        var converter = converter(
            [.init(at: now - 86_400, utcOffset: 3_600), .init(at: setting, utcOffset: 7_200)])
        let wall = setting.seconds + 3_600 - 600
        let samples = [wall, wall + 3_600].compactMap {
            converter.sample(WallRecord(wall: $0, length: 900, steps: 50), now: now)
        }
        #expect(samples.map(\.start) == [setting - 600, setting] && samples.map(\.length) == [600, 300])
        // Each sync sets it again.
        var again = self.converter(
            [
                .init(at: now - 86_400, utcOffset: 3_600), .init(at: now - 80_000, utcOffset: 3_600),
                .init(at: setting, utcOffset: 7_200), .init(at: setting + 120, utcOffset: 7_200),
                .init(at: setting + 900, utcOffset: 7_200),
            ])
        let later = [wall, wall + 3_600].compactMap {
            again.sample(WallRecord(wall: $0, length: 900, steps: 50), now: now)
        }
        #expect(later == samples)
        // The clock drifts: a part of a slot can have more steps than its seconds.
        let late = WallRecord(wall: setting.seconds + 7_200 - 895, length: 900, steps: 50)
        #expect(converter.sample(late, now: now)?.length == 10)
    }

    @Test func `a clock that was changed at an unknown time gives no steps near midnight`() {
        var converter = converter([.init(at: now - 5 * 86_400, utcOffset: 7_200)])
        converter.observe(ahead: -3_600, at: now)
        let wall = BandFixture.today.daysSince1970 * 86_400
        #expect(converter.sample(WallRecord(wall: wall - 1_800, length: 60, steps: 5), now: now) == nil)
        #expect(
            converter.sample(WallRecord(wall: wall + 600, length: 60, steps: 5), now: now)?.day == BandFixture.today)
        #expect(converter.misplaced == 1 && converter.tail(nil, now: now) == nil)
        let midnight = LocalTime.fixed(7_200).moment(BandFixture.today)
        #expect(
            converter.spans(wall - 10_000..<wall + 10_000, now: now) == [
                TimeSpan(midnight - 10_000, midnight - 3_600), TimeSpan(midnight + 3_600, midnight + 10_000),
            ])
        #expect(converter.wall(now) == now.seconds + 3_600)
    }

    @Test func `a clock with another date gives no steps`() {
        var converter = converter()
        converter.observe(ahead: -3 * 86_400, at: now)
        let wall = now.seconds + 7_200 - 3_600
        #expect(converter.sample(WallRecord(wall: wall, length: 60, steps: 5), now: now) == nil)
        #expect(converter.spans(wall..<wall + 900, now: now).isEmpty && converter.misplaced == 1)
    }

    @Test func `steps at a time that the clock has shown twice are not counted again`() {
        // Put back by an hour, an hour ago.
        let change = now - 3_600
        var converter = converter(
            [.init(at: now - 86_400, utcOffset: 7_200), .init(at: change, utcOffset: 3_600)], offset: 3_600)
        let back = change.seconds + 3_600
        #expect(converter.sample(WallRecord(wall: back + 900, length: 900, steps: 5), now: now) == nil)
        #expect(converter.sample(WallRecord(wall: back - 900, length: 1_800, steps: 5), now: now) == nil)
        #expect(
            converter.sample(WallRecord(wall: back - 900, length: 900, steps: 5), now: now)?.start == change - 4_500)
        #expect(converter.sample(WallRecord(wall: back + 3_600, length: 900, steps: 5), now: now + 900)?.start == now)
        #expect(converter.misplaced == 0)
        // The hour is not accounted for.
        let spans = converter.spans(back - 7_200..<back + 7_200, now: now + 1_800)
        #expect(spans == [TimeSpan(change - 10_800, change), TimeSpan(now, now + 1_800)])
    }
}
