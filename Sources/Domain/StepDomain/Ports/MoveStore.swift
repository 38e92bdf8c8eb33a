/// Moves parts of a history from one user to another: what a database must do for it. Each call is one transaction.
public protocol MoveStore: Sendable {
    /// Both users' days are to be shared again. Days that were moved are closed to later syncs and imports of the first
    /// user, as if they were deleted there.
    ///
    /// - Parameter isPreview: whether nothing is changed.
    func move(_ move: Move, at moment: Timestamp, isPreview: Bool) throws -> MoveEffect
}
