import StepDomain

@testable import Pedometers

/// Readings of a counter around a midnight, in a zone an hour east of Greenwich.
protocol CounterReadings {}

extension CounterReadings {
    var day: Day { Day("2026-05-20")! }
    var zone: LocalTime { .fixed(3600) }
    var midnight: Timestamp { zone.moment(day) }

    /// - Parameter hours: since midnight.
    func reading(_ value: Int, _ hours: Double) -> CounterReading {
        CounterReading(at: midnight + Int(hours * 3600), value: value, utcOffset: 3600)
    }

    /// - Parameter clockOffset: seconds that the pedometer's clock is ahead of this machine's local time.
    func clock(_ reading: CounterReading, clockOffset: Int) -> DeviceClock {
        DeviceClock(wall: reading.at.seconds + reading.utcOffset + clockOffset)
    }

    func counter(_ cursor: PedometerCursor, clockSet: ClockState.Setting? = nil) -> CounterOfToday {
        CounterOfToday(cursor: cursor, localTime: zone, clockSet: clockSet)
    }

    func growing(_ cursor: PedometerCursor, modulus: Int = 1 << 32) -> GrowingCounter {
        GrowingCounter(cursor: cursor, localTime: zone, modulus: modulus)
    }

    /// - Parameter clockOffset: as for `clock(_:clockOffset:)`; nil if the pedometer's clock was not read.
    func after(_ last: CounterReading?, clockOffset: Int? = nil) -> PedometerCursor {
        PedometerCursor(readThrough: last?.at, counter: last, clockOffset: clockOffset.map { $0 + 3600 })
    }
}
