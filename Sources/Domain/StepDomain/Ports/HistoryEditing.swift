/// A history with all that a user can do to it.
public typealias EditableHistory = any HistoryEditing

/// Changes a history as a user wants it, and gives it out: what a database must do for that. Each call that stores is
/// one transaction.
public protocol HistoryEditing: StepHistory, ShareLedger, NoticeStore {
    // MARK: Time whose steps do not count

    /// What was excluded of the same time before is replaced. The days whose steps change are to be shared again.
    func exclude(_ exclusion: Exclusion, of user: User.ID, at moment: Timestamp) throws

    /// Lets the steps of a span count again.
    ///
    /// - Returns: whether any of it was excluded.
    func include(_ span: TimeSpan, of user: User.ID) throws -> Bool

    // MARK: Deletions and moves

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

    /// Both users' days are to be shared again. Days that were moved are closed to later syncs and imports of the first
    /// user, as if they were deleted there.
    ///
    /// - Parameter isPreview: whether nothing is changed.
    func move(_ move: Move, at moment: Timestamp, isPreview: Bool) throws -> MoveEffect

    // MARK: Imports

    /// What an import would change. Nothing is stored.
    ///
    /// - Parameter user: with the `id` 0 where the history does not have the user yet.
    func preview(_ history: ForeignHistory, of user: User, at now: Timestamp) throws -> ImportChanges

    /// What `store` would return without storing anything; nil if there is something to store. Much faster than
    /// `preview`.
    func outcomeWithoutStoring(_ history: ForeignHistory, of user: User, at now: Timestamp) throws -> ImportChanges?

    /// Stores what a file says.
    ///
    /// Each source becomes a pedometer of the user. What a source said before and a newer export says otherwise is
    /// corrected; the newer export is the one that reaches further. What a newer export does not have stays.
    ///
    /// - Parameter user: in the history.
    /// - Returns: nothing is stored if it has `otherZone`, `sameAs` or `isOwn`, or only deleted days.
    func store(_ history: ForeignHistory, of user: User, at now: Timestamp) throws -> ImportChanges

    /// All imports, the oldest first.
    func imports() throws -> [ImportRecord]

    /// Takes an import back: its days are then what pedometers and the other imports say.
    ///
    /// - Parameter isPreview: whether nothing is changed.
    /// - Throws: `ImportError.noImport`.
    func removeImport(_ id: ImportRecord.ID, at now: Timestamp, isPreview: Bool) throws -> ImportChanges

    // MARK: Imports of the configuration

    func scheduledImports() throws -> [ScheduledImportState]
    /// Replaces the state of the same name.
    func store(_ state: ScheduledImportState) throws

    // MARK: Frames that are decoded again

    /// The syncs of a pedometer, the oldest first, each with its frames.
    func readings(of pedometer: Pedometer.ID, _ body: (StoredReading) throws -> Void) throws

    /// Replaces the samples that these syncs have stored by what was decoded of them, in one transaction.
    ///
    /// Samples of other syncs stay, and so do corrections and excluded time. Cursors stay.
    ///
    /// - Parameter isPreview: whether nothing is changed.
    func replace(_ replays: [PedometerReplay], at now: Timestamp, isPreview: Bool) throws -> [ReplayChanges]

    // MARK: Export

    /// Reads the stored tables of a selection in one transaction, row by row.
    ///
    /// - Parameter localTime: the offset of times that have none of their own.
    func rows(
        _ selection: ExportSelection, localTime: LocalTime, begin: (ExportTable) throws -> Void,
        row: ([ExportValue]) throws -> Void) throws
}
