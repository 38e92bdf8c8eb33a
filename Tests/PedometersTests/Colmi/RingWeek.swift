import StepDomain

@testable import Pedometers

/// A ring on 2026-05-20 in Berlin that holds eight days with three slots each.
protocol RingWeek {}

extension RingWeek {
    var berlin: Int { 2 * 3600 }
    var today: Int { Day("2026-05-20")!.daysSince1970 }
    /// 2026-05-20 12:30 in Berlin.
    var now: Timestamp { Timestamp(today * 86_400 + 12 * 3600 + 1800 - berlin) }

    var week: RingScript {
        var ring = RingScript(today: today)
        for day in 0...7 { ring.history[today - day] = [(33, 100 + day), (34, 200), (48, 50)] }
        return ring
    }

    func context(_ cursor: PedometerCursor = .init(), clock: ClockState = .init(), offset: Int? = nil, days: Int? = nil)
        -> SessionContext
    {
        let ring = Pedometer(
            id: 1, user: 1, model: "colmi", address: "C0:DE:00:00:00:01", addressType: "random", name: "ring",
            clock: clock, cursor: cursor)
        return SessionContext(pedometer: ring, localTime: .fixed(offset ?? berlin), days: days)
    }

    func gap(_ daysAgo: Int, _ reason: DayGap.Reason) -> DayGap { DayGap(Day(daysSince1970: today - daysAgo), reason) }
}
