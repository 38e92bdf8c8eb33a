/// Reads files of other programs: what a resource must do for an import.
public protocol ForeignHistoryReader: Sendable {
    var formats: [ForeignFormat] { get }

    /// Reads a file or folder, whose format is recognised by its content. Changes nothing, and needs bounded memory
    /// whatever the size.
    ///
    /// - Throws: `ImportError`.
    func read(_ path: String, _ options: ForeignOptions, progress: @Sendable (_ done: Double) throws -> Void) throws
        -> ForeignHistory

    /// The file itself, or of a folder the newest file that has a format which can be imported.
    ///
    /// - Parameter unreadable: the paths of files that count as damaged, because reading them has shown it.
    /// - Throws: `ImportError`; of a folder with damaged files only if it has no other.
    func newest(in path: String, _ options: ForeignOptions, unreadable: Set<String>) throws -> NewestForeignFile

    /// An export of istep whose rows can be stored as they are; nil for any other file, also for a table without those
    /// that its rows refer to.
    ///
    /// - Throws: `ImportError`.
    func export(_ path: String) throws -> (any ExportedHistory)?
}

/// Stores what files of other programs say: what a database must do for it. Each call is one transaction.
public protocol ImportStore: Sendable {
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
}

/// Stores what became of the imports of the configuration: what a database must do for it.
public protocol ScheduledImportStore: Sendable {
    func scheduledImports() throws -> [ScheduledImportState]
    /// Replaces the state of the same name.
    func store(_ state: ScheduledImportState) throws
}
