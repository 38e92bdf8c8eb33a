/// Stores time whose steps do not count: what a database must do for it. Each call is one transaction.
public protocol ExclusionStore: Sendable {
    /// What was excluded of the same time before is replaced. The days whose steps change are to be shared again.
    func exclude(_ exclusion: Exclusion, of user: User.ID, at moment: Timestamp) throws

    /// Lets the steps of a span count again.
    ///
    /// - Returns: whether any of it was excluded.
    func include(_ span: TimeSpan, of user: User.ID) throws -> Bool
}
