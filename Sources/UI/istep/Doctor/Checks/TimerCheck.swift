import StepDomain

extension Check {
    /// The timer that syncs every night.
    static func timer(_ context: CheckupContext) -> Check {
        let subject = "timer"
        return Check("timer", .schedule, subject, limit: .seconds(30)) {
            let instruments = context.instruments
            guard let timers = try await instruments.timers(), !timers.isEmpty else {
                return [Remark(.note, subject, "systemd cannot be asked here, so that something else has to run istep sync")]
            }
            return timers.flatMap { $0.remarks(now: instruments.now(), localTime: instruments.localTime) }
        }
    }
}
