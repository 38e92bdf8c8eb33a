import StepDomain

extension Check {
    /// Whether the history can grow.
    static func room(_ context: CheckupContext) -> Check {
        Check("room", .history, "disk") {
            try await blocking { StorageFacts(of: context)?.room ?? [] }
        }
    }
}
