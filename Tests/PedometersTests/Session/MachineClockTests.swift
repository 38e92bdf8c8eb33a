import StepDomain
import Testing

@testable import Pedometers

/// A clock that was set by 17 hours since the last reading of a counter: which of the two times was wrong decides
/// whether the reading moves.
struct MachineClockTests {
    private let last = CounterReading(at: Timestamp(1_398_000_000), value: 5010, utcOffset: 7200)

    /// - Returns: the last reading as the next one sees it, and up to when a ring was read.
    private func seen(
        trustedBefore: Bool = false, trustedNow: Bool = false, hasOwnClock: Bool, hours: Int = 17
    ) -> (counter: Timestamp?, ring: Timestamp?) {
        func context(_ change: (inout PedometerCursor) -> Void) -> SessionContext {
            var pedometer = Pedometer(
                id: 1, user: 1, model: "infinitime", address: "C0:DE:00:00:00:01", addressType: "random", name: "watch")
            pedometer.cursor.clockMark = ClockMark(at: last.at, uptime: 1000, boot: "a", isTrusted: trustedBefore)
            change(&pedometer.cursor)
            let mark = ClockMark(
                at: last.at + hours * 3600 + 60, uptime: 1060, boot: "a", isTrusted: trustedNow,
                hasOwnClock: hasOwnClock)
            return SessionContext(pedometer: pedometer, localTime: .fixed(7200), mark: mark)
        }
        return (
            context { $0.counter = last }.pedometer.cursor.counter?.at,
            context { $0.readThrough = last.at }.pedometer.cursor.readThrough
        )
    }

    @Test func `time that passed while a machine with a clock of its own was paused moves no reading`() {
        #expect(seen(hasOwnClock: true) == (last.at, last.at))
    }

    @Test func `a time server that has set the clock shows that it was wrong before`() {
        #expect(seen(trustedNow: true, hasOwnClock: true).counter == last.at + 17 * 3600)
    }

    @Test func `a board without a clock of its own had the wrong time before`() {
        #expect(seen(hasOwnClock: false).counter == last.at + 17 * 3600)
    }

    @Test(arguments: [true, false]) func `a clock that went back makes the days in doubt be requested again`(
        hasOwnClock: Bool
    ) {
        #expect(seen(hasOwnClock: hasOwnClock, hours: -17).ring == nil)
    }
}
