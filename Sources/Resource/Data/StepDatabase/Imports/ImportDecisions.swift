import GRDB
import StepDomain

/// Corrections and excluded time that imports of other histories bring, in the caller's transaction. The rules are
/// those of `ForeignDecisions`.
struct ImportDecisions {
    private let database: Database
    private let corrections: ImportedCorrections
    private let blocks: ImportedBlocks

    init(database: Database, user: User.ID) {
        self.database = database
        corrections = ImportedCorrections(database: database, user: user)
        blocks = ImportedBlocks(database: database, user: user)
    }

    /// What of a file is stored.
    struct Content {
        var corrections = ImportedCorrections.Content()
        var blocks = ImportedBlocks.Content()

        var isEmpty: Bool { corrections.said.isEmpty && blocks.said.isEmpty }
        /// Whether no import has said any of it in the same words.
        var isNew: Bool { corrections.isNew || blocks.isNew }
        /// Days that are corrected from now on.
        var days: Set<Day> { Set(corrections.new.map(\.day)) }
    }

    /// - Parameters:
    ///   - closed: days that the user has deleted here.
    ///   - now: when the import is made.
    func examine(_ decisions: ForeignDecisions, without closed: DaySet, at now: Timestamp) throws -> Content {
        Content(
            corrections: try corrections.examine(decisions.corrections.filter { !closed.contains($0.day) }, at: now),
            blocks: try blocks.examine(decisions.blocks, without: closed, at: now))
    }

    func store(_ content: Content, of id: ImportRecord.ID) throws {
        try corrections.store(content.corrections, of: id)
        try blocks.store(content.blocks, of: id)
    }

    /// The days whose figures change with the blocks of a file.
    func days(of content: Content) throws -> Set<Day> { Set(try content.blocks.new.flatMap(blocks.days)) }

    /// The days whose figures a removal can change.
    func days(of id: ImportRecord.ID) throws -> Set<Day> {
        Set(try corrections.said(by: id).map(\.day)).union(try blocks.said(by: id).flatMap(blocks.days))
    }

    /// Takes back what an import has brought.
    ///
    /// - Returns: the numbers of those that do not hold any more.
    func remove(_ id: ImportRecord.ID) throws -> (corrections: Int, exclusions: Int) {
        let corrected = try corrections.said(by: id), excluded = try blocks.said(by: id)
        try Self.forget(id, database)
        return (try corrections.takeBack(corrected), try blocks.takeBack(excluded))
    }

    /// What an import has brought is the user's own from then on, or was deleted with its days.
    static func forget(_ id: ImportRecord.ID, _ database: Database) throws {
        for table in ["import_correction", "import_exclusion"] {
            try database.execute(sql: "DELETE FROM \(table) WHERE import = ?", arguments: [id])
        }
    }

    static func hasAny(of id: ImportRecord.ID, _ database: Database) throws -> Bool {
        try Bool.fetchOne(
            database,
            sql: """
                SELECT EXISTS (SELECT 1 FROM import_correction WHERE import = ?1)
                    OR EXISTS (SELECT 1 FROM import_exclusion WHERE import = ?1)
                """, arguments: [id]) ?? false
    }

    /// Takes days that are deleted out of what imports say.
    ///
    /// - Returns: the imports that have had any of them.
    func removeDays(_ days: ClosedRange<Day>) throws -> Set<ImportRecord.ID> {
        try corrections.removeDays(days).union(try blocks.removeDays(days))
    }
}
