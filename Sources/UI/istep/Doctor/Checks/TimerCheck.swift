import StepDomain

extension Check {
    /// The timer that syncs every night.
    static func timer(_ context: CheckupContext) -> Check {
        let subject = "timer"
        return Check("timer", .schedule, subject, limit: .seconds(30)) {
            let instruments = context.instruments
            guard let timers = try await instruments.timers(), !timers.isEmpty else {
                return [Remark(.note, subject, "there is no systemd to ask: something else has to run istep sync --unattended")]
            }
            return timers.flatMap { $0.remarks(now: instruments.now(), localTime: instruments.localTime) }
        }
    }
}
