internal import Dispatch

extension Duration {
    /// For dispatch: never negative, at most about 292 years.
    var dispatchInterval: DispatchTimeInterval { .nanoseconds(Int(clamping: nanoseconds)) }

    /// Nanoseconds, 0 for a negative duration, capped far below where adding it to a clock would overflow.
    var nanoseconds: UInt64 {
        let limit: UInt64 = 1 << 61
        guard self > .zero else { return 0 }
        let (seconds, fraction) = components
        guard let whole = UInt64(exactly: seconds), whole < limit / 1_000_000_000 else { return limit }
        return whole * 1_000_000_000 + UInt64(clamping: fraction / 1_000_000_000)
    }

    var seconds: Double {
        let (seconds, fraction) = components
        return Double(seconds) + Double(fraction) / 1e18
    }
}
