/// Stores time whose steps do not count: what a database must do for it. Each call is one transaction.
public protocol ExclusionStore: Sendable {
    /// What was excluded of the same time before is replaced. The days whose steps change are to be shared again.
    func exclude(_ exclusion: Exclusion, of user: User.ID, at moment: Timestamp) throws

    /// Lets the steps of a span count again.
    ///
    /// - Returns: whether any of it was excluded.
    func include(_ span: TimeSpan, of user: User.ID) throws -> Bool
}

/// Deletes parts of a history: what a database must do for it. Each call is one transaction.
public protocol DeletionStore: Sendable {
    /// Deletes, and leaves nothing that shows the figures: no samples, raw frames, contents of imports or counts of
    /// syncs. A deleted day is noted, so that destinations are told, and that later syncs and imports leave it out.
    ///
    /// - Parameter isPreview: whether nothing is changed.
    func delete(_ deletion: Deletion, at moment: Timestamp, isPreview: Bool) throws -> DeletionLosses

    /// The days of a user that syncs and imports leave out, by day.
    func closedDays(of user: User.ID) throws -> [DeletedDay]

    /// Lets syncs and imports bring days again that were deleted.
    ///
    /// - Returns: how many of the days were closed to them.
    func readmit(_ days: ClosedRange<Day>, of user: User.ID) throws -> Int

    /// All pedometers and sources of imports, by name, those in use first.
    func heldSources() throws -> [HeldSource]

    /// Gives a user another name.
    func renameUser(_ id: User.ID, to name: String) throws
}

/// Moves parts of a history from one user to another: what a database must do for it. Each call is one transaction.
public protocol MoveStore: Sendable {
    /// Both users' days are to be shared again. Days that were moved are closed to later syncs and imports of the first
    /// user, as if they were deleted there.
    ///
    /// - Parameter isPreview: whether nothing is changed.
    func move(_ move: Move, at moment: Timestamp, isPreview: Bool) throws -> MoveEffect
}

/// A history with all that a user can do to it.
public typealias EditableHistory = any StepHistory & ShareLedger & NoticeStore & ExclusionStore & DeletionStore
    & MoveStore & ImportStore & ScheduledImportStore & ReplayStore & HistoryExport
