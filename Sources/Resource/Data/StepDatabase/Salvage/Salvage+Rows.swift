import GRDB
import GRDBSQLite
import StepDomain

/// The rows of the damaged file: found by trees, by indexes and on stray pages, and inserted where the schema accepts
/// them.
extension Salvage {
    func readRows(_ database: Database) throws {
        var walk = TreeWalk(store)
        walk.walk(1, isIndex: false) { _ in }
        var displaced: [Displaced] = []
        for shape in shapes {
            var last: SampleKey?, isGap = false
            try walk.walk(roots[shape.name] ?? 0, isIndex: shape.isWithoutRowID) { event in
                switch event {
                case .hole:
                    incomplete.insert(shape.name)
                    tables[shape.name]?.gaps += 1
                    isGap = true
                case .doubtful(let number, let values):
                    displaced.append(Displaced(number: number, values: values, shape: shape))
                case .row(let number, let values):
                    guard try insert(number, values, into: shape, database) else {
                        displaced.append(Displaced(number: number, values: values, shape: shape))
                        tables[shape.name]?.gaps += 1
                        isGap = true
                        return
                    }
                    guard shape.name == "sample", let key = sampleKey(shape, values) else { return }
                    if isGap { gaps.append((last, key)) }
                    (last, isGap) = (key, false)
                }
            }
            if shape.name == "sample", isGap { gaps.append((last, nil)) }
            if shape.numberColumn != nil, tables[shape.name]?.gaps == 0 {
                // An empty table may be the page of another one in the place of its root: then its rows are found
                // later.
                let numbers = try Set(Int64.fetchAll(database, sql: "SELECT rowid FROM \(shape.name)"))
                if !numbers.isEmpty { parents[shape.name] = numbers }
            }
        }
        for shape in shapes {
            for index in shape.indexes {
                walk.walk(roots[index.name] ?? 0, isIndex: true) { event in
                    guard case .row(let number, let values) = event else { return }
                    // The root of the index may be the page of a table, which leads to its rows.
                    if values.count == index.columns.count {
                        keep(values, of: index, shape)
                    } else {
                        displaced.append(Displaced(number: number, values: values))
                    }
                }
            }
        }
        for (name, columns) in derivedColumns {
            walk.walk(roots[name] ?? 0, isIndex: true) { event in
                guard case .row(let number, let values) = event else { return }
                // If its root is damaged, the pages below can be those of another table.
                if values.count != columns {
                    displaced.append(Displaced(number: number, values: values))
                } else if name == "seal" {
                    sums.append(values)
                }
            }
        }
        for index in derivedIndexes {
            walk.walk(roots[index.name] ?? 0, isIndex: true) { event in
                if case .row(let number, let values) = event, values.count != index.columns.count {
                    displaced.append(Displaced(number: number, values: values))
                }
            }
        }
        let free = walk.freePages()
        let areOthersWhole = others.roots.map { walk.pass(over: $0, besides: free) }.allSatisfy(\.self)
        areStraysCertain = walk.isFreeListSound && areOthersWhole && others.areCertain
        try walk.strays(besides: free) { event in
            switch event {
            case .row(let number, let values): try insertStray(number, values, database)
            // After all rows that are certain.
            case .doubtful(let number, let values): displaced.append(Displaced(number: number, values: values))
            case .hole: break
            }
        }
        for row in displaced {
            // A wrong value makes a row of `sample` fit a table that accepts any value, so its own table comes before
            // those.
            if let shape = row.shape {
                if try insertStray(row.number, row.values, database, atLeast: shape.strictness) { continue }
                if try insertCorrected(row.number, row.values, into: shape, database) { continue }
            }
            if try insertStray(row.number, row.values, database) { continue }
            // If the table of this row is unknown, it is counted for the first table that it fits.
            guard let shape = row.shape ?? candidates.first(where: { $0.row(row.number, row.values) != nil }) else {
                continue
            }
            tables[shape.name]?.rejected += 1
            if let values = shape.row(row.number, row.values) { try addReported(values, shape, database) }
        }
    }

    /// - Parameter strictness: of the least strict table.
    @discardableResult
    private func insertStray(
        _ number: Int64?, _ values: [DatabaseValue], _ database: Database, atLeast strictness: Int = 0
    ) throws -> Bool {
        // If it is not certain which pages are free, a stray row of a table without gaps is a deleted row, or one of a
        // table that is not istep's.
        for shape in candidates
        where shape.strictness >= strictness && (areStraysCertain || tables[shape.name]?.gaps ?? 0 > 0) {
            guard values.count == shape.columns.count, try insert(number, values, into: shape, database) else {
                continue
            }
            if database.changesCount > 0, tables[shape.name]?.gaps == 0 { tables[shape.name]?.gaps = 1 }
            return true
        }
        return false
    }

    /// - Returns: whether the schema accepts the row, or already has it.
    private func insert(_ number: Int64?, _ values: [DatabaseValue], into shape: TableShape, _ database: Database)
        throws -> Bool
    {
        guard var row = shape.row(number, values), let changed = resets[shape.name]?.decodable(&row) else {
            return false
        }
        // A row with a dangling reference would take the place of a good row with the same key, and would be removed at
        // the end.
        for (column, parent) in shape.parents where isDangling(row[column], parent) { return false }
        return try insert(row, replacing: changed, shape, database)
    }

    /// Inserts a row of a known table that the schema does not accept, with other values in place of those that cannot
    /// be correct. All good rows are inserted before.
    private func insertCorrected(
        _ number: Int64?, _ values: [DatabaseValue], into shape: TableShape, _ database: Database
    ) throws -> Bool {
        guard let reset = resets[shape.name], var row = shape.row(number, values), var changed = reset.decodable(&row)
        else { return false }
        for (column, parent) in shape.parents where isDangling(row[column], parent) {
            if let number, let known = fragments[shape.name]?[number]?[shape.columns[column]],
                !isDangling(known, parent)
            {
                row[column] = known
            } else if let all = parents[parent], all.count == 1, let only = all.first {
                row[column] = only.databaseValue
            } else if parent == "sync" {
                // Corrected by its neighbours (`LostParents`).
                continue
            } else {
                return false
            }
            changed.append(column)
        }
        if try insert(row, replacing: changed, shape, database) { return true }
        for attempt in reset.attempts(row)
        where try insert(attempt.row, replacing: changed + attempt.changed, shape, database) {
            return true
        }
        return false
    }

    private func isDangling(_ value: DatabaseValue, _ parent: String) -> Bool {
        guard let known = parents[parent], let id = Int64.fromDatabaseValue(value) else { return false }
        return !known.contains(id)
    }

    private func insert(_ row: [DatabaseValue], replacing changed: [Int], _ shape: TableShape, _ database: Database)
        throws -> Bool
    {
        guard let insert = inserts[shape.name] else { return false }
        do {
            try insert.execute(arguments: StatementArguments(row))
        } catch let error as DatabaseError
            where [.SQLITE_CONSTRAINT, .SQLITE_MISMATCH, .SQLITE_ERROR, .SQLITE_TOOBIG].contains(error.resultCode)
        {
            // Otherwise the next use of the statement would report this failure again, and a good row would be lost.
            sqlite3_reset(insert.sqliteStatement)
            return false
        }
        if database.changesCount > 0 {
            let pedometer =
                shape.name == "pedometer" ? shape.numberColumn.flatMap { Int64.fromDatabaseValue(row[$0]) } : nil
            for column in changed {
                replaced[
                    ReplacedValue(table: shape.name, column: shape.columns[column], pedometer: pedometer), default: 0] +=
                    1
            }
            if !changed.isEmpty { try addReported(row, shape, database) }
        }
        return true
    }

    private func sampleKey(_ shape: TableShape, _ values: [DatabaseValue]) -> SampleKey? {
        guard let row = shape.row(nil, values), let pedometer = Int64.fromDatabaseValue(row[0]),
            let start = Int.fromDatabaseValue(row[1]),
            let length = Int.fromDatabaseValue(row[2])
        else { return nil }
        return SampleKey(pedometer: pedometer, start: start, end: start + length)
    }

    private func keep(_ values: [DatabaseValue], of index: TableShape.Index, _ shape: TableShape) {
        guard !shape.isWithoutRowID, ["person", "pedometer", "sync"].contains(shape.name),
            values.count == index.columns.count,
            let position = index.columns.firstIndex(of: -1), let number = Int64.fromDatabaseValue(values[position]),
            number > 0
        else { return }
        for (value, column) in zip(values, index.columns) where column >= 0 && !value.isNull {
            fragments[shape.name, default: [:]][number, default: [:]][shape.columns[column]] = value
        }
    }
}
