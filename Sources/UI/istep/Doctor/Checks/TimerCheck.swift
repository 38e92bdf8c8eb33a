import Pedometers
import StepDomain

extension Check {
    /// The timers that sync every night, and before midnight.
    static func timer(_ context: CheckupContext) -> Check {
        let subject = "timer"
        return Check("timer", .schedule, subject, limit: .seconds(30)) {
            let instruments = context.instruments
            guard let timers = try await instruments.timers(), !timers.isEmpty else {
                return [Remark(.note, subject, "there is no systemd to ask: something else has to run istep sync --unattended")]
            }
            let counters = (context.pedometers ?? []).filter(PedometerRegistry.holdsTodayOnly).map(\.name)
            return timers.flatMap { $0.remarks(now: instruments.now(), localTime: instruments.localTime, counters: counters) }
        }
    }
}
