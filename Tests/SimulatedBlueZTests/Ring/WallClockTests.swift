import Foundation
import Testing

import SimulatedBlueZ

@Suite(.timeLimit(.minutes(5))) struct WallClockTests {
    @Test(arguments: [
        (1970, 1, 1, 0, 3), (2000, 2, 29, 11_016, 1), (2024, 12, 31, 20_088, 1), (2026, 11, 21, 20_778, 5),
        (1969, 12, 31, -1, 2), (2100, 3, 1, 47_541, 0),
    ])
    func `dates are converted to day numbers and weekdays`(year: Int, month: Int, day: Int, number: Int, weekday: Int) {
        let clock = WallClock(year: year, month: month, day: day, hour: 23, minute: 59, second: 58)
        #expect(clock.dayNumber == number)
        #expect(clock.weekday == weekday)
        #expect((clock.year, clock.month, clock.day) == (year, month, day))
        #expect((clock.hour, clock.minute, clock.second) == (23, 59, 58))
    }

    @Test func `the clock shows the local time of its zone`() throws {
        let berlin = try #require(TimeZone(identifier: "Europe/Berlin"))
        let summer = Date(timeIntervalSince1970: 1_785_571_200)  // 2026-08-01 08:00 UTC
        #expect(WallClock(summer, in: berlin) == WallClock(year: 2026, month: 8, day: 1, hour: 10))
    }

    /// As if the process had been started with it: another thread may have asked for the zone before.
    private static func set(zone: String) {
        setenv("TZ", zone, 1)
        tzset()
        NSTimeZone.resetSystemTimeZone()
    }

    /// The clock of a pedometer of the demo was hours ahead of istep's where TZ is a rule.
    @Test func `a rule in TZ gives the zone that the C library and istep use`() async {
        await #expect(processExitsWith: .success) {
            Self.set(zone: "LOCAL7")
            #expect(TimeZone.ofMachine.secondsFromGMT() == -7 * 3_600)
        }
        await #expect(processExitsWith: .success) {
            Self.set(zone: "Europe/Berlin")
            #expect(TimeZone.ofMachine.identifier == "Europe/Berlin")
        }
    }
}
