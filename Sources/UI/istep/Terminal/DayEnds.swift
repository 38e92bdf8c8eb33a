import StepDomain

/// Reports when a local day has ended.
struct DayEnds: Sendable {
    let localTime: LocalTime
    let now: @Sendable () -> Timestamp
    let clock: any Clock<Duration>

    /// Until the task is cancelled.
    func report(_ body: @Sendable () -> Void) async {
        while true {
            let moment = now(), end = localTime.span(of: localTime.day(of: moment)).end
            // A second more than zero, whatever the clock is set to.
            do { try await clock.sleep(for: .seconds(max(1, end - moment))) } catch { return }
            body()
        }
    }
}
