import StepDomain

extension Check {
    /// The history is its owner's alone.
    static func permissions(_ context: CheckupContext) -> Check {
        Check("permissions", .history, "permissions") {
            try await blocking { StorageFacts(of: context)?.privacy ?? [] }
        }
    }
}
