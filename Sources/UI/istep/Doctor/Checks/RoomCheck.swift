import StepDomain

extension Check {
    /// Whether the history can grow.
    static func room(_ context: CheckupContext) -> Check {
        Check("room", .history, "disk") {
            StorageFacts(of: context)?.room ?? []
        }
    }
}
