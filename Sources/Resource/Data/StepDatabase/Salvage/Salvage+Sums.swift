import GRDB
import StepDomain

/// Rows that can be read and are not those that were stored.
extension Salvage {
    /// The groups of saved rows that have another sum than the damaged file says. Groups of which the report says
    /// something already are not among them, except days that lack samples: `markLostTime` leaves these out.
    func wrongGroups(_ database: Database) throws -> [SealedGroup] {
        let seals = Seals(database)
        return try SealedTable.all.filter {
            tables[$0.name] != nil && ($0.name == "sample" || !incomplete.contains($0.name))
        }
        .flatMap { try seals.broken(in: $0, stored: sums.known(of: $0)) }
        .filter { !reported.contains($0) }.sorted()
    }

    /// A row that was changed or left out, and is reported.
    ///
    /// - Parameter row: the values in the order of the columns.
    func addReported(_ row: [DatabaseValue], _ shape: TableShape, _ database: Database) throws {
        guard let table = SealedTable.all.first(where: { $0.name == shape.name }) else { return }
        let values = shape.columns.map { _ in "?" }.joined(separator: ", ")
        let group = try Row.fetchOne(
            database,
            sql: """
                WITH of (\(shape.columns.joined(separator: ", "))) AS (VALUES (\(values)))
                SELECT \(table.owner("of")), \(table.part("of")) FROM of
                """, arguments: StatementArguments(row))
        guard let group, let owner = Int64.fromDatabaseValue(group[0]), let part = Int64.fromDatabaseValue(group[1])
        else { return }
        reported.insert(SealedGroup(kind: table.name, owner: owner, part: part))
    }

    /// Removes the time of lost and of wrong samples from what pedometers have covered, and counts the wrong groups.
    /// Samples of imports are written again instead, if what the imports say can be read.
    ///
    /// - Returns: the days that may lack steps.
    func markLostTime(_ wrong: [SealedGroup], _ database: Database) throws -> [SalvageReport.LostDays] {
        let imported = try restoreImports(wrong, database)
        var lost = try LostTime(gaps, except: imported).mark(in: database)
        // A day that lacks samples has another sum, too.
        let wrong = wrong.filter { group in
            guard group.kind == "sample" else { return true }
            return !imported.contains(group.owner)
                && !lost[group.owner, default: []].contains { $0.span.overlaps(group.day) }
        }
        // Which of the day's samples is wrong is not known: it is read again, if the pedometer still holds it.
        let doubtful = wrong.filter { $0.kind == "sample" }
        let days = Dictionary(grouping: doubtful, by: \.owner).mapValues { $0.map(\.day) }
        lost.merge(try LostTime(days).mark(in: database)) { $0 + $1 }
        for group in doubtful { lost[group.owner, default: []].append(CoveredSpan(group.day, utcOffset: 0)) }
        for group in wrong {
            let value = ReplacedValue(
                table: group.kind, column: Self.checksum,
                pedometer: group.ownerKind == .pedometer ? group.owner : nil)
            replaced[value, default: 0] += 1
        }
        return try lostDays(lost, database)
    }

    private func lostDays(_ lost: [Pedometer.ID: [CoveredSpan]], _ database: Database) throws
        -> [SalvageReport.LostDays]
    {
        try Row.fetchAll(database, sql: "SELECT id, name FROM pedometer ORDER BY id").flatMap { row in
            let pedometer: Int64 = try row.get(0), name: String = try row.get(1)
            let days = lost[pedometer, default: []].reduce(into: Set<Day>()) { days, piece in
                let first = Day(of: piece.span.start, utcOffset: piece.utcOffset)
                let last = Day(of: piece.span.end - 1, utcOffset: piece.utcOffset)
                days.formUnion(max(first, last.advanced(by: 1 - ChangedDays.maximumDays))...last)
            }
            return DaySet(days).ranges.map {
                SalvageReport.LostDays(pedometer: name, first: $0.lowerBound, last: $0.upperBound)
            }
        }
    }

    /// - Returns: the sources of imports whose samples are those that the imports say; none if what they say may be
    ///   lost.
    private func restoreImports(_ groups: [SealedGroup], _ database: Database) throws -> Set<Pedometer.ID> {
        let lacksRows = tables["sample"]?.isWhole == false || tables["coverage"]?.isWhole == false
        let wrong = Dictionary(grouping: groups.filter { $0.kind == "sample" }, by: \.owner).mapValues {
            Set($0.map { Int(clamping: $0.part) })
        }
        // A history of a version without imports has no such tables.
        guard lacksRows || !wrong.isEmpty,
            ImportedSamples.tables.allSatisfy({ tables[$0]?.isWhole == true })
        else { return [] }
        let (sources, samples) = try ImportedSamples(database: database, broken: wrong, lacksRows: lacksRows).restore()
        tables["sample"]?.rebuilt += samples
        return sources
    }
}

extension SealedGroup {
    /// Of samples: the day of UTC in which they begin.
    fileprivate var day: TimeSpan {
        let start = Timestamp(Int(part) * 86_400)
        return TimeSpan(start, start + 86_400)
    }
}
