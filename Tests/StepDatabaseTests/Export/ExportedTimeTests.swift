import StepDomain
import Testing

@testable import StepDatabase

/// One rule for the times and days of all columns of all tables of an export.
@Suite(.timeLimit(.minutes(5))) struct ExportedTimeTests {
    private static let columns = ExportTable.stored.flatMap { table in
        table.columns.map { (table: table, column: $0) }
    }

    /// A value of a column that is years in the future.
    private func future(_ column: ExportTable.Column, _ value: String) -> String {
        switch column.kind {
        case .day: "2034-04-20"
        case .time: "2034-04-20T00:00:00+02:00"
        case .integer: "2029190400"
        case .number, .boolean: value
        case .text: value.replacing(String(noon.seconds), with: "2029190400")
        }
    }

    @Test func `a time in the future is refused in every column that cannot have one`() throws {
        try withFixture { history in
            try history.fillForExport()
            let export = try ExportedTables(history.database)
            for (table, column) in Self.columns {
                guard let latest = column.latest else { continue }
                let place = try #require(table.columns.firstIndex(of: column)), name = "\(table.name).\(column.name)"
                let index = try #require(
                    export.rows.firstIndex { $0.table == table && $0.values[place] != nil }, "\(name) has no value")
                var changed = export
                changed.rows[index].values[place] = future(column, try #require(export.rows[index].values[place]))
                #expect(changed.rows[index].values != export.rows[index].values, "\(name)")
                func refusal() throws -> String? {
                    do {
                        _ = try StepDatabase.previewRestoring(changed, .ofTests)
                        return nil
                    } catch ImportError.malformed(_, let reason) {
                        return reason
                    } catch ImportError.impossible(let reason) {
                        return reason
                    }
                }
                let reason = try refusal()
                if latest == .any {
                    #expect(reason?.contains("future") != true, "\(name): \(reason ?? "")")
                } else {
                    #expect(
                        reason?.contains("in \(column.name), which is in the future") == true,
                        "\(name): \(reason ?? "")"
                    )
                }
                guard latest == .soon else { continue }
                // What istep writes is accepted: a destination that waits.
                changed.rows[index].values[place] = ExportValue.time(noon.seconds + 369 * 86_400, utcOffset: 0).text
                #expect(try refusal() == nil, "\(name)")
            }
        }
    }

    @Test func `a column that holds a time says how late it can be`() throws {
        try withFixture { history in
            try history.fillForExport()
            for (table, values) in try ExportedTables(history.database).rows where table != .tables {
                for (column, value) in zip(table.columns, values) where column.latest == nil {
                    let numbers = (value ?? "").split { !$0.isNumber }.compactMap { Int($0) }
                    #expect(
                        !numbers.contains { abs($0 - noon.seconds) < 10 * 366 * 86_400 } && Day(value ?? "") == nil,
                        "\(table.name).\(column.name)")
                }
            }
            let undeclared = Self.columns.filter { [.day, .time].contains($0.column.kind) && $0.column.latest == nil }
            #expect(undeclared.isEmpty)
        }
    }

    /// A new time of a cursor that is not in `moments` would be accepted.
    @Test func `all times of a cursor are examined, except those of the pedometer's own clock`() {
        let reading = CounterReading(at: Timestamp(2), value: 1, utcOffset: 0)
        let undecided = CounterReading(at: Timestamp(3), value: 1, utcOffset: 0)
        let cursor = PedometerCursor(
            readThrough: Timestamp(1), counter: reading, undecided: undecided,
            alternative: CounterReading(at: Timestamp(8), value: 1, utcOffset: 0),
            gaps: [TimeSpan(Timestamp(10), Timestamp(11))],
            tail: [WallSlot(wall: 9, start: Timestamp(9), steps: 1)], lacksTotalSince: Timestamp(4),
            lacksBatterySince: Timestamp(5),
            clockMark: ClockMark(at: Timestamp(6), uptime: 1, boot: "", isTrusted: true))
        func moments(_ value: Any) -> [Timestamp] {
            if let moment = value as? Timestamp { return [moment] }
            return Mirror(reflecting: value).children.filter { !["tail", "gaps", "pastDays"].contains($0.label) }
                .flatMap { moments($0.value) }
        }
        #expect(Set(moments(cursor)) == Set(cursor.moments) && cursor.moments.count == 7)
        let clock = ClockState(settings: [.init(at: Timestamp(7), utcOffset: 0)])
        #expect(moments(clock) == clock.moments)
    }
}
