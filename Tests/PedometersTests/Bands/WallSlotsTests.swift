import StepDomain
import Testing

@testable import Pedometers

@Suite struct WallSlotsTests {
    private let now = BandLab.now

    private func converter(_ settings: [ClockState.Setting] = [], offset: Int = 7_200, days: Int = 7) -> WallSlotConverter {
        var pedometer = Pedometer.sample(Lefun.self)
        pedometer.clock = ClockState(settings: settings)
        return WallSlotConverter(SessionContext(pedometer: pedometer, localTime: .fixed(offset)), days: days)
    }

    @Test func `slots are those of local time, or of the clock as it was set`() {
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

    @Test func `a time that the clock has shown twice is not counted again`() {
        // Put back by an hour, an hour ago.
        let change = now - 3_600
        var converter = converter([.init(at: now - 86_400, utcOffset: 7_200), .init(at: change, utcOffset: 3_600)], offset: 3_600)
        let back = change.seconds + 3_600
        #expect(converter.sample(WallRecord(wall: back + 900, length: 900, steps: 5), now: now) == nil)
        #expect(converter.sample(WallRecord(wall: back - 900, length: 1_800, steps: 5), now: now) == nil)
        #expect(converter.sample(WallRecord(wall: back - 900, length: 900, steps: 5), now: now)?.start == change - 4_500)
        #expect(converter.sample(WallRecord(wall: back + 3_600, length: 900, steps: 5), now: now + 900)?.start == now)
        #expect(converter.misplaced == 0)
        // The hour is not accounted for.
        let spans = converter.spans(back - 7_200..<back + 7_200, now: now + 1_800)
        #expect(spans == [TimeSpan(change - 10_800, change), TimeSpan(now, now + 1_800)])
    }
}
