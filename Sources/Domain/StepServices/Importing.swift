public import StepDomain
internal import Support

/// Importing files of other programs: read, show what would change, store in one transaction with a backup before it.
public struct Importing: Sendable {
    private let reader: any ForeignHistoryReader
    private let change: GuardedChange

    public init(_ reader: any ForeignHistoryReader, _ change: GuardedChange) {
        self.reader = reader
        self.change = change
    }

    public var formats: [ForeignFormat] { reader.formats }

    /// Whether there is a history that would change.
    public var isHistoryThere: Bool { change.isHistoryThere }

    /// What a file has. Nothing is stored.
    ///
    /// - Parameter progress: called at most once a second, with the time that the rest takes, if that is known.
    /// - Throws: `ImportError`.
    public func read(
        _ path: String, _ options: ForeignOptions,
        progress: @escaping @Sendable (ReadingProgress, _ rest: Duration?) -> Void
    ) async throws -> ForeignHistory {
        try await blocking {
            let start = ContinuousClock.now
            var pace = ReadingProgress.Pace()
            return try reader.read(path, options) { step in
                let elapsed = ContinuousClock.now - start
                if pace.isDue(after: elapsed) { progress(step, step.rest(after: elapsed)) }
            }
        }
    }

    /// A whole export of istep, and what it has; nil for any other file. Nothing is stored.
    ///
    /// - Throws: `ImportError`.
    public func export(
        _ path: String, preview: @escaping @Sendable (any ExportedHistory) throws -> ExportCounts
    ) async throws -> (export: any ExportedHistory, counts: ExportCounts)? {
        try await blocking { () -> (export: any ExportedHistory, counts: ExportCounts)? in
            guard let export = try reader.export(path) else { return nil }
            return (export: export, counts: try preview(export))
        }
    }

    /// Takes a whole export in, where there is no history yet.
    ///
    /// - Throws: the lock's error; `ImportError`; the history's error.
    public func restore(
        _ export: any ExportedHistory, into history: @escaping @Sendable (any ExportedHistory) throws -> ExportCounts
    ) async throws -> ExportCounts {
        try await change.lock.hold(for: .syncing) { try await blocking { try history(export) } }
    }

    /// What an import would change.
    ///
    /// - Throws: `ImportError.otherZone`; the history's error.
    public func preview(_ history: ForeignHistory, of user: User, in store: EditableHistory) async throws
        -> ImportChanges
    {
        try await blocking { try Self.checked(store.preview(history, of: user, at: change.now())) }
    }

    private static func checked(_ changes: ImportChanges) throws(ImportError) -> ImportChanges {
        if let other = changes.otherZone { throw .otherZone(other) }
        return changes
    }

    /// What was stored, and the backup that was made before.
    public struct Stored: Sendable {
        public var changes: ImportChanges
        /// Nil if nothing had to be stored, or if there was no history before.
        public var backup: String?
    }

    /// - Parameter isNewHistory: whether the history was created for this import: there is nothing to back up.
    /// - Throws: the lock's error while a sync runs; `ImportError.otherZone`; the history's error.
    public func store(
        _ history: ForeignHistory, of user: User, in store: EditableHistory, isNewHistory: Bool
    ) async throws -> Stored {
        let (changes, backup) = try await change(makesBackup: !isNewHistory) {
            try store.outcomeWithoutStoring(history, of: user, at: change.now()).map(Self.checked)
        } unneeded: {
            $0
        } store: { _ in
            try Self.checked(store.store(history, of: user, at: change.now()))
        }
        return Stored(changes: changes, backup: backup)
    }

    /// What taking an import back changes.
    public struct Removal: Sendable {
        public var changes: ImportChanges
        /// What becomes of the days of which nothing is known any more.
        public var destinations: [DestinationFate]
        /// The backup that was made before; nil if nothing was taken back.
        public var backup: String?

        public init(_ changes: ImportChanges, _ destinations: [DestinationFate] = [], backup: String? = nil) {
            self.changes = changes
            self.destinations = destinations
            self.backup = backup
        }
    }

    /// What taking an import back would change.
    ///
    /// - Throws: `ImportError.noImport`; the history's error.
    public func previewRemoval(_ id: ImportRecord.ID, from store: EditableHistory) throws -> Removal {
        removal(try store.removeImport(id, at: change.now(), isPreview: true))
    }

    /// Takes an import back.
    ///
    /// - Throws: the lock's error while a sync runs; `ImportError.noImport`; the history's error.
    public func remove(_ id: ImportRecord.ID, from store: EditableHistory) async throws -> Removal {
        let (changes, backup) = try await change {
            try store.removeImport(id, at: change.now(), isPreview: true)
        } store: { _ in
            try store.removeImport(id, at: change.now(), isPreview: false)
        }
        var removal = removal(changes)
        removal.backup = backup
        return removal
    }

    private func removal(_ changes: ImportChanges) -> Removal {
        Removal(changes, DestinationFate.all(changes.shared, try? change.destinations()))
    }
}
