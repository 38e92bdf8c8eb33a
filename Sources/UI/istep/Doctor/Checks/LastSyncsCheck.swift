import StepDomain

extension Check {
    /// What the history tells of a pedometer.
    static func lastSyncs(of pedometer: Pedometer, _ context: CheckupContext) -> Check {
        Check("syncs", .pedometers, pedometer.name, needs: ["history"]) {
            guard let history = context.history else { return [] }
            let syncs = try await blocking { try history.syncs(of: pedometer.id, limit: 30) }
            return SyncsFacts(pedometer: pedometer, syncs: syncs, now: context.instruments.now()).remarks
        }
    }
}
