import StepDomain

extension Check {
    /// This machine's clock and its place on the globe.
    static func clock(_ context: CheckupContext) -> Check {
        Check("clock", .time, "clock", limit: .seconds(20)) {
            await context.instruments.time().remarks(localTime: context.instruments.localTime)
        }
    }
}
