import GRDB
import StepDomain

/// Corrections and excluded time that imports of other histories bring, in the caller's transaction. The rules are
/// those of `ForeignDecisions`.
struct ImportDecisions {
    let database: Database
    let user: User.ID

    /// What of a file is stored.
    struct Content {
        var corrections: [ForeignDecisions.Correction] = []
        /// Without the time that the user has excluded here; no two overlap.
        var blocks: [ForeignDecisions.Block] = []
        /// Those that hold from now on.
        var newCorrections: [ForeignDecisions.Correction] = []
        var newBlocks: [ForeignDecisions.Block] = []
        var corrected = DecisionCounts()
        var excluded = DecisionCounts()
        /// Whether no import has said any of it in the same words.
        var isNew = false

        var isEmpty: Bool { corrections.isEmpty && blocks.isEmpty }
        var days: Set<Day> { Set(newCorrections.map(\.day)) }
    }

    /// - Parameter closed: days that the user has deleted here.
    func examine(_ decisions: ForeignDecisions, without closed: DaySet) throws -> Content {
        var content = Content()
        if decisions.isEmpty { return content }
        try examine(decisions.corrections.filter { !closed.contains($0.day) }, &content)
        try examine(decisions.blocks, without: closed, &content)
        return content
    }

    func store(_ content: Content, of id: ImportRecord.ID) throws {
        try withdrawTakenBack(content)
        for correction in content.corrections {
            let words = Words(correction.correction)
            try database.cachedStatement(
                sql: "INSERT INTO import_correction (import, day, steps, entered_at, reason) VALUES (?, ?, ?, ?, ?)"
            ).execute(arguments: [
                id, correction.day.description, words.steps, words.enteredAt, words.reason,
            ])
        }
        for block in content.blocks { try record(block, of: id) }
        for correction in content.newCorrections { try set(Words(correction.correction), on: correction.day) }
        for block in content.newBlocks {
            try StepDatabase.insert(block.exclusion, of: user, at: block.enteredAt.seconds, database)
        }
    }

    /// What the user has taken back does not hold again when what replaces it is taken back: earlier imports no longer
    /// say it.
    private func withdrawTakenBack(_ content: Content) throws {
        for correction in content.newCorrections where try present(correction.day) == nil {
            try database.cachedStatement(
                sql: """
                    DELETE FROM import_correction WHERE day = ? AND import IN (SELECT id FROM import WHERE person = ?)
                    """
            ).execute(arguments: [correction.day.description, user])
        }
        // New blocks are of time that is not excluded now.
        let new = Coverage(content.newBlocks.map(\.exclusion.span))
        if content.newBlocks.isEmpty { return }
        for (id, block) in try blocks() {
            let rest = new.gaps(in: block.exclusion.span)
            if rest == [block.exclusion.span] { continue }
            try database.execute(
                sql: "DELETE FROM import_exclusion WHERE import = ? AND start = ?",
                arguments: [id, block.exclusion.span.start.seconds])
            for piece in rest { try record(block.part(piece), of: id) }
        }
    }

    /// Takes back what an import has brought.
    func remove(_ id: ImportRecord.ID, _ changes: inout ImportChanges) throws {
        let corrections = try corrections(of: id), blocks = try blocks().filter { $0.import == id }
        try Self.forget(id, database)
        for (day, words) in corrections where try present(day) == words {
            let left = try said(on: day)
            if left.contains(words) { continue }
            try set(left.max(), on: day)
            changes.corrections.taken += 1
        }
        let gone = try present().filter { block in blocks.contains { $0.block.says(block) } }
        for block in gone {
            try database.execute(
                sql: "DELETE FROM excluded_time WHERE person = ? AND start = ?",
                arguments: [user, block.exclusion.span.start.seconds])
        }
        // What others say of the same time holds in their words; the one that was entered last before the others.
        let left = try self.blocks().map(\.block).sorted { $0.enteredAt > $1.enteredAt }
        for block in gone {
            var rest = [block.exclusion.span]
            for other in left {
                let parts = rest.compactMap { $0.intersection(other.exclusion.span) }
                for part in parts {
                    try StepDatabase.insert(
                        Exclusion(part, utcOffset: other.exclusion.utcOffset, reason: other.exclusion.reason), of: user,
                        at: other.enteredAt.seconds, database)
                }
                rest = rest.flatMap { Coverage(parts).gaps(in: $0) }
            }
            if !rest.isEmpty { changes.exclusions.taken += 1 }
        }
    }

    /// The days whose figures a removal can change.
    func days(of id: ImportRecord.ID) throws -> Set<Day> {
        let blocks = try blocks().filter { $0.import == id }
        return try Set(corrections(of: id).map(\.day)).union(blocks.flatMap { try days(of: $0.block) })
    }

    /// Those with samples in its time.
    func days(of block: ForeignDecisions.Block) throws -> Set<Day> {
        Set(try StepDatabase.days(withSamplesIn: block.exclusion.span, of: user, database))
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

    /// Takes days that are deleted out of what imports say, each block by its own offset.
    ///
    /// - Returns: the imports that have had any of it.
    func removeDays(_ days: ClosedRange<Day>) throws -> Set<ImportRecord.ID> {
        let texts: StatementArguments = [
            user, days.lowerBound.inCalendar.description, days.upperBound.inCalendar.description,
        ]
        let condition = "day BETWEEN ?2 AND ?3 AND import IN (SELECT id FROM import WHERE person = ?1)"
        var imports = Set(
            try Int64.fetchAll(
                database, sql: "SELECT import FROM import_correction WHERE \(condition)", arguments: texts))
        try database.execute(sql: "DELETE FROM import_correction WHERE \(condition)", arguments: texts)
        for (id, block) in try blocks() {
            let covered = CoveredSpan(block.exclusion.span, utcOffset: block.exclusion.utcOffset)
            let rest = covered.without(days)
            if rest == [covered] { continue }
            imports.insert(id)
            try database.execute(
                sql: "DELETE FROM import_exclusion WHERE import = ? AND start = ?",
                arguments: [id, covered.span.start.seconds])
            for piece in rest { try record(block.part(piece.span), of: id) }
        }
        return imports
    }

    private func record(_ block: ForeignDecisions.Block, of id: ImportRecord.ID) throws {
        try database.cachedStatement(sql: "INSERT INTO import_exclusion VALUES (?, ?, ?, ?, ?, ?)").execute(
            arguments: [
                id, block.exclusion.span.start.seconds, block.exclusion.span.end.seconds, block.exclusion.utcOffset,
                block.enteredAt.seconds, block.exclusion.reason,
            ])
    }

    // MARK: Corrections

    /// A correction as it is compared: by when it was entered.
    private struct Words: Hashable, Comparable {
        var steps: Int
        var enteredAt: Int
        var reason: String?

        init(_ correction: StepCorrection) {
            (steps, enteredAt, reason) = (
                correction.steps, correction.enteredAt?.seconds ?? 0, correction.reason
            )
        }

        /// Of a row that has these columns from an index on.
        init(_ row: Row, at index: Int) throws {
            (steps, enteredAt, reason) = (try row.get(index), try row.get(index + 1), try row.get(index + 2))
        }

        static func < (one: Self, other: Self) -> Bool {
            (one.enteredAt, one.steps, one.reason ?? "") < (other.enteredAt, other.steps, other.reason ?? "")
        }
    }

    private func examine(_ corrections: [ForeignDecisions.Correction], _ content: inout Content) throws {
        var seen: Set<Day> = []
        for correction in corrections where seen.insert(correction.day).inserted {
            let words = Words(correction.correction), said = try said(on: correction.day)
            let present = try present(correction.day)
            if let present, !said.contains(present) {
                // A copy of this history that comes back says the same.
                if present != words { content.corrected.kept += 1 }
                continue
            }
            content.corrections.append(correction)
            let isKnown = said.contains(words)
            if !isKnown { content.isNew = true }
            guard let present else {
                if isKnown { content.corrected.kept += 1 } else { content.take(correction) }
                continue
            }
            if present < words { content.take(correction) }
        }
    }

    private func present(_ day: Day) throws -> Words? {
        try Row.fetchOne(
            database.cachedStatement(
                sql: "SELECT steps, entered_at, reason FROM correction WHERE person = ? AND day = ?"),
            arguments: [user, day.description]
        ).map { try Words($0, at: 0) }
    }

    /// What imports say of a day.
    private func said(on day: Day) throws -> Set<Words> {
        Set(
            try Row.fetchAll(
                database.cachedStatement(
                    sql: """
                        SELECT import_correction.steps, entered_at, reason FROM import_correction
                        JOIN import ON import.id = import WHERE day = ? AND person = ?
                        """), arguments: [day.description, user]
            ).map { try Words($0, at: 0) })
    }

    private func corrections(of id: ImportRecord.ID) throws -> [(day: Day, words: Words)] {
        try Row.fetchAll(
            database,
            sql: "SELECT day, steps, entered_at, reason FROM import_correction WHERE import = ? ORDER BY day",
            arguments: [id]
        ).map { (try $0.day(0), try Words($0, at: 1)) }
    }

    private func set(_ words: Words?, on day: Day) throws {
        guard let words else {
            return try database.execute(
                sql: "DELETE FROM correction WHERE person = ? AND day = ?", arguments: [user, day.description])
        }
        try database.execute(
            sql: "INSERT OR REPLACE INTO correction (person, day, steps, entered_at, reason) VALUES (?, ?, ?, ?, ?)",
            arguments: [user, day.description, words.steps, words.enteredAt, words.reason])
    }

    // MARK: Excluded time

    private func examine(
        _ blocks: [ForeignDecisions.Block], without closed: DaySet, _ content: inout Content
    ) throws {
        if blocks.isEmpty { return }
        let said = try self.blocks().map(\.block), present = try self.present()
        let own = present.filter { block in !said.contains { $0.says(block) } }
        let ownTime = Coverage(own.map(\.exclusion.span)), excluded = Coverage(present.map(\.exclusion.span))
        let known = Dictionary(grouping: said) { $0.name }.mapValues { Coverage($0.map(\.exclusion.span)) }
        var end = Timestamp(Int.min / 2)
        for block in blocks.sorted(by: { $0.exclusion.span.start < $1.exclusion.span.start }) {
            let span = TimeSpan(max(block.exclusion.span.start, end), block.exclusion.span.end)
            end = max(end, span.end)
            if own.contains(where: { $0.name != block.name && $0.exclusion.span.overlaps(span) }) {
                content.excluded.kept += 1
            }
            let admitted = closed.removed(from: CoveredSpan(span, utcOffset: block.exclusion.utcOffset))
            for piece in admitted.filter({ !$0.span.isEmpty }).flatMap({ ownTime.gaps(in: $0.span) }) {
                content.blocks.append(block.part(piece))
                let unknown = (known[block.name] ?? Coverage([])).gaps(in: piece)
                if !unknown.isEmpty { content.isNew = true }
                let new = unknown.flatMap(excluded.gaps)
                if !new.isEmpty { content.excluded.taken += 1 }
                content.newBlocks += new.map(block.part)
            }
        }
    }

    private func present() throws -> [ForeignDecisions.Block] {
        try Row.fetchAll(
            database,
            sql: "SELECT start, until, utc_offset, reason, entered_at FROM excluded_time WHERE person = ?",
            arguments: [user]
        ).map { try ForeignDecisions.Block($0, at: 0) }
    }

    /// What imports say.
    private func blocks() throws -> [(import: ImportRecord.ID, block: ForeignDecisions.Block)] {
        try Row.fetchAll(
            database,
            sql: """
                SELECT import, start, until, utc_offset, reason, entered_at FROM import_exclusion
                JOIN import ON import.id = import WHERE person = ? ORDER BY import, start
                """, arguments: [user]
        ).map { (try $0.get(0), try ForeignDecisions.Block($0, at: 1)) }
    }
}

extension ImportDecisions.Content {
    fileprivate mutating func take(_ correction: ForeignDecisions.Correction) {
        newCorrections.append(correction)
        corrected.taken += 1
    }
}

extension ForeignDecisions.Block {
    fileprivate init(_ row: Row, at index: Int) throws {
        self.init(
            Exclusion(
                TimeSpan(try row.time(index), try row.time(index + 1)), utcOffset: try row.get(index + 2),
                reason: try row.get(index + 3)), enteredAt: try row.time(index + 4))
    }

    /// By which a block is recognised also when a part of it counts again.
    fileprivate struct Name: Hashable {
        var enteredAt: Timestamp
        var reason: String?
    }

    fileprivate var name: Name { Name(enteredAt: enteredAt, reason: exclusion.reason) }

    /// Whether another block is a part of this one.
    fileprivate func says(_ other: Self) -> Bool {
        name == other.name && exclusion.span.start <= other.exclusion.span.start
            && exclusion.span.end >= other.exclusion.span.end
    }

    fileprivate func part(_ span: TimeSpan) -> Self {
        var part = self
        part.exclusion.span = span
        return part
    }
}
