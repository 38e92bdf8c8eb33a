import GRDB
import StepDomain

/// Excluded time that imports of other histories bring to a user, in the caller's transaction.
///
/// What holds is in `excluded_time`. A row there is an import's if it is a part of a block that one says.
struct ImportedBlocks {
    typealias Block = ForeignDecisions.Block

    let database: Database
    let user: User.ID

    /// What of a file is stored.
    struct Content {
        /// What the import says; no two overlap.
        var said: [Block] = []
        /// Those parts that hold from now on.
        var new: [Block] = []
        var counts = DecisionCounts()
        /// Whether no import has said any of it in the same words.
        var isNew = false
    }

    /// - Parameter closed: days that the user has deleted here.
    func examine(_ blocks: [Block], without closed: DaySet, at now: Timestamp) throws -> Content {
        var content = Content()
        if blocks.isEmpty { return content }
        let said = try self.said(), present = try self.present()
        let own = present.filter { block in !said.contains { $0.block.says(block) } }
        let ownTime = Coverage(own.map(\.exclusion.span)), excluded = Coverage(present.map(\.exclusion.span))
        let ownOfName = Self.byName(own), known = KnownBlocks(said)
        var end = Timestamp(Int.min / 2)
        for block in blocks.sorted(by: { $0.exclusion.span.start < $1.exclusion.span.start }) {
            let span = TimeSpan(max(block.exclusion.span.start, end), block.exclusion.span.end)
            end = max(end, span.end)
            var isTaken = false
            var isLeftOut = own.contains { $0.name != block.name && $0.exclusion.span.overlaps(span) }
            let admitted = closed.removed(from: CoveredSpan(span, utcOffset: block.exclusion.utcOffset)).map(\.span)
            // A copy of this history that comes back says the same.
            let others = admitted.filter { !$0.isEmpty }.flatMap { ownOfName[block.name]?.gaps(in: $0) ?? [$0] }
            for piece in others where !ownTime.gaps(in: piece).isEmpty {
                content.said.append(block.entered(by: now).part(piece))
                let unknown = known.gaps(of: block, in: piece)
                if !unknown.isEmpty { content.isNew = true }
                let new = unknown.flatMap(excluded.gaps), counting = excluded.gaps(in: piece)
                isTaken = isTaken || !new.isEmpty
                content.new += new.map(block.entered(by: now).part)
                // What was said before and counts: the user has taken it back.
                isLeftOut = isLeftOut || Self.length(counting) > Self.length(new)
            }
            content.counts.taken += isTaken ? 1 : 0
            content.counts.kept += isLeftOut ? 1 : 0
        }
        return content
    }

    private static func length(_ spans: [TimeSpan]) -> Int { spans.reduce(0) { $0 + $1.length } }

    private static func byName(_ blocks: [Block]) -> [Block.Name: Coverage] {
        Dictionary(grouping: blocks, by: \.name).mapValues { Coverage($0.map(\.exclusion.span)) }
    }

    /// What imports have said, as a file says it that comes again.
    private struct KnownBlocks {
        private let spans: [Block.Name: Coverage]
        /// When imports were made that have brought time entered by a clock which was ahead.
        private let ahead: [Timestamp]

        init(_ said: [(import: ImportRecord.ID, block: Block, importedAt: Timestamp)]) {
            spans = ImportedBlocks.byName(said.map(\.block))
            ahead = Set(said.filter { $0.block.enteredAt == $0.importedAt }.map(\.importedAt)).sorted()
        }

        /// What no import has said of a piece of a block.
        func gaps(of block: Block, in piece: TimeSpan) -> [TimeSpan] {
            let names = [block.name] + ahead.prefix { $0 < block.enteredAt }.map { block.entered(by: $0).name }
            return names.reduce([piece]) { rest, name in
                guard let known = spans[name] else { return rest }
                return rest.flatMap(known.gaps)
            }
        }
    }

    func store(_ content: Content, of id: ImportRecord.ID) throws {
        try withdrawTakenBack(content)
        for block in content.said { try record(block, of: id) }
        for block in content.new {
            try StepDatabase.insert(block.exclusion, of: user, at: block.enteredAt.seconds, database)
        }
    }

    /// What the user has taken back does not hold again when what replaces it is taken back: earlier imports no longer
    /// say it.
    private func withdrawTakenBack(_ content: Content) throws {
        // New blocks are of time that is not excluded now.
        let new = Coverage(content.new.map(\.exclusion.span))
        if content.new.isEmpty { return }
        for (id, block, _) in try said() {
            let rest = new.gaps(in: block.exclusion.span)
            if rest != [block.exclusion.span] { try replace(block, of: id, by: rest) }
        }
    }

    /// Takes back what an import has said that is not there any more.
    ///
    /// - Returns: the number of those of which some time counts again.
    func takeBack(_ said: [Block]) throws -> Int {
        var counted: Set<Int> = []
        let gone = try present().compactMap { block in
            said.firstIndex { $0.says(block) }.map { (index: $0, block: block) }
        }
        for (_, block) in gone {
            try database.execute(
                sql: "DELETE FROM excluded_time WHERE person = ? AND start = ?",
                arguments: [user, block.exclusion.span.start.seconds])
        }
        // What others say of the same time holds in their words; the one that was entered last before the others.
        let left = try self.said().map(\.block).sorted { $0.enteredAt > $1.enteredAt }
        for (index, block) in gone {
            var rest = [block.exclusion.span]
            for other in left {
                let parts = rest.compactMap { $0.intersection(other.exclusion.span) }
                for part in parts {
                    try StepDatabase.insert(
                        other.part(part).exclusion, of: user, at: other.enteredAt.seconds, database)
                }
                rest = rest.flatMap { Coverage(parts).gaps(in: $0) }
            }
            if !rest.isEmpty { counted.insert(index) }
        }
        return counted.count
    }

    /// What an import says.
    func said(by id: ImportRecord.ID) throws -> [Block] { try said().filter { $0.import == id }.map(\.block) }

    /// The days with samples in the time of a block.
    func days(of block: Block) throws -> Set<Day> {
        Set(try StepDatabase.days(changedBy: block.exclusion, of: user, database))
    }

    /// Takes days out of what imports say, of each block by its own offset.
    ///
    /// - Returns: the imports that have had any of them.
    func removeDays(_ days: ClosedRange<Day>) throws -> Set<ImportRecord.ID> {
        var imports: Set<ImportRecord.ID> = []
        for (id, block, _) in try said() {
            let covered = CoveredSpan(block.exclusion.span, utcOffset: block.exclusion.utcOffset)
            let rest = covered.without(days)
            if rest == [covered] { continue }
            imports.insert(id)
            try replace(block, of: id, by: rest.map(\.span))
        }
        return imports
    }

    private func replace(_ block: Block, of id: ImportRecord.ID, by rest: [TimeSpan]) throws {
        try database.execute(
            sql: "DELETE FROM import_exclusion WHERE import = ? AND start = ?",
            arguments: [id, block.exclusion.span.start.seconds])
        for piece in rest { try record(block.part(piece), of: id) }
    }

    private func record(_ block: Block, of id: ImportRecord.ID) throws {
        try database.cachedStatement(sql: "INSERT INTO import_exclusion VALUES (?, ?, ?, ?, ?, ?)").execute(
            arguments: [
                id, block.exclusion.span.start.seconds, block.exclusion.span.end.seconds, block.exclusion.utcOffset,
                block.enteredAt.seconds, block.exclusion.reason,
            ])
    }

    private func present() throws -> [Block] {
        try Row.fetchAll(
            database,
            sql: "SELECT start, until, utc_offset, reason, entered_at FROM excluded_time WHERE person = ?",
            arguments: [user]
        ).map { try Block($0, at: 0) }
    }

    /// What imports say, each with the moment when it was made.
    private func said() throws -> [(import: ImportRecord.ID, block: Block, importedAt: Timestamp)] {
        try Row.fetchAll(
            database,
            sql: """
                SELECT import, import.at, start, until, utc_offset, reason, entered_at FROM import_exclusion
                JOIN import ON import.id = import WHERE person = ? ORDER BY import, start
                """, arguments: [user]
        ).map { (try $0.get(0), try Block($0, at: 2), try $0.time(1)) }
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

    /// As an import takes it: a clock that was ahead does not outdo what is entered later.
    fileprivate func entered(by moment: Timestamp) -> Self {
        var block = self
        block.enteredAt = min(enteredAt, moment)
        return block
    }
}
