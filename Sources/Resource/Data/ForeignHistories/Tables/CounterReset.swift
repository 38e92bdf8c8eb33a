/// Watches with a counter of the day that is set to 0 late: InfiniTime does it when the watch next wakes up
/// (https://github.com/InfiniTimeOrg/InfiniTime/issues/1270).
enum CounterReset {
    /// Whether the first reading of a day counts this day alone.
    ///
    /// - Parameters:
    ///   - seconds: since midnight.
    ///   - before: the last reading of an earlier day.
    static func isReset(_ value: Int, seconds: Int, after before: Int) -> Bool {
        !(value >= before && seconds < 3600 && before > 0 && value > 2000)
    }
}
