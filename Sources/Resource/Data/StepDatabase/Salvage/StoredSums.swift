import GRDB
import StepDomain

/// The checksums of a damaged file (`Seals`): what its rows were when they were stored.
struct StoredSums {
    private var rows: [(group: SealedGroup, sum: UInt64?)] = []

    /// - Parameter values: of a row of `seal`, in the order of its tree.
    mutating func append(_ values: [DatabaseValue]) {
        guard values.count == 4, let kind = String.fromDatabaseValue(values[0]),
            SealedTable.all.contains(where: { $0.name == kind }),
            let owner = Int64.fromDatabaseValue(values[1]), let part = Int64.fromDatabaseValue(values[2]),
            !kind.hasSuffix("sample") || StepSample.startDays.contains(Int(clamping: part)),
            values[3].isNull || Int64.fromDatabaseValue(values[3]) != nil
        else { return }
        let sum = Int64.fromDatabaseValue(values[3]).map { UInt64(bitPattern: $0) }
        rows.append((SealedGroup(kind: kind, owner: owner, part: part), sum))
    }

    /// The known sums of a table's groups.
    ///
    /// A row whose key is not between those of its neighbours is damaged, or the neighbour of a damaged one. Its sum
    /// would be compared with that of other rows.
    func known(of table: SealedTable) -> [SealedGroup: UInt64] {
        func precedes(_ first: Int, _ second: Int) -> Bool {
            guard rows.indices.contains(first), rows.indices.contains(second) else { return true }
            let (a, b) = (rows[first].group, rows[second].group)
            return (a.kind, a.owner, a.part) < (b.kind, b.owner, b.part)
        }
        var known: [SealedGroup: UInt64] = [:]
        for (index, row) in rows.enumerated()
        where row.group.kind == table.name && precedes(index - 1, index) && precedes(index, index + 1) {
            known[row.group] = row.sum
        }
        return known
    }
}
