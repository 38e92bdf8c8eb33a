import GRDB
public import StepDomain

/// Gives the rows of the history out, one by one: a history of any size needs the memory of one row.
extension StepDatabase {
    public func rows(
        _ selection: ExportSelection, localTime: LocalTime, begin: (ExportTable) throws -> Void,
        row: ([ExportValue]) throws -> Void
    ) throws {
        // An error of the receiver passes through the transaction, whose other errors are those of the history.
        var refusal: (any Error)?
        func pass(_ error: any Error) -> any Error {
            refusal = error
            return error
        }
        do {
            try read { database in
                var names: [Int64: String] = [:]
                for row in try Row.fetchAll(database, sql: "SELECT id, name FROM person") {
                    let id: Int64 = try row.get(0)
                    names[id] = try row.get(1)
                }
                for table in StoredTable.all where selection.tables.contains(table.export) {
                    do { try begin(table.export) } catch { throw pass(error) }
                    let reader = RowReader(table: table, names: names, localTime: localTime)
                    let rows = try Row.fetchCursor(
                        database,
                        sql: table.select(ofPerson: selection.user != nil, ofDays: selection.days != nil),
                        arguments: Self.arguments(selection, table))
                    while let next = try rows.next() {
                        let values = try reader.values(next)
                        do { try row(values) } catch { throw pass(error) }
                    }
                }
            }
        } catch {
            throw refusal ?? error
        }
    }

    private static func arguments(_ selection: ExportSelection, _ table: StoredTable) -> StatementArguments {
        let sql = table.select(ofPerson: selection.user != nil, ofDays: selection.days != nil)
        let days = selection.days ?? Period.calendar
        let all: [(name: String, value: (any DatabaseValueConvertible)?)] = [
            ("?1", days.lowerBound.inCalendar.description), ("?2", days.upperBound.inCalendar.description),
            ("?3", days.lowerBound.daysSince1970), ("?4", days.upperBound.daysSince1970), ("?5", selection.user?.id),
        ]
        // SQLite counts parameters up to the highest one that a statement has.
        let count = (1...5).last { sql.contains("?\($0)") } ?? 0
        return StatementArguments(all.prefix(count).map(\.value))
    }
}

/// Turns the rows of a table into values of an export.
private struct RowReader {
    let table: StoredTable
    let names: [Int64: String]
    let localTime: LocalTime

    func values(_ row: Row) throws -> [ExportValue] {
        let offset: Int? = table.hasOffset ? try row.get(table.columns.count) : nil
        return try table.export.columns.enumerated().map { index, column in
            if column.name == "user" {
                let person: Int64? = try row.get(index)
                return ExportValue(person.flatMap { names[$0] })
            }
            switch column.kind {
            case .integer: return ExportValue(try row.get(index) as Int?)
            case .number: return ExportValue(try row.get(index) as Double?)
            case .text: return ExportValue(try row.get(index) as String?)
            case .boolean: return (try row.get(index) as Int?).map { .boolean($0 != 0) } ?? .null
            case .day:
                let stored: DatabaseValue = try row.get(index)
                if case .int64(let number) = stored.storage, number.magnitude < 1 << 24 {
                    return .text(Day(daysSince1970: Int(number)).description)
                }
                return ExportValue(String.fromDatabaseValue(stored))
            case .time:
                guard let seconds = try row.get(index) as Int? else { return .null }
                return .time(
                    seconds,
                    utcOffset: offset ?? (seconds.magnitude < 1 << 40 ? localTime.utcOffset(Timestamp(seconds)) : 0)
                )
            }
        }
    }
}
