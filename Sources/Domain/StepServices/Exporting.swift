public import StepDomain

/// Writes the tables of a history: those that are stored, and the figures of days and hours.
public struct Exporting: Sendable {
    private let history: EditableHistory
    private let localTime: LocalTime
    private let now: @Sendable () -> Timestamp

    public init(
        _ history: EditableHistory, localTime: LocalTime, now: @escaping @Sendable () -> Timestamp
    ) {
        self.history = history
        self.localTime = localTime
        self.now = now
    }

    /// Writes all tables of a selection. Rows pass through one by one, so that the size of the history does not matter.
    ///
    /// - Parameter progress: called with the table and its rows so far, every ten thousand rows.
    /// - Returns: the rows of each table.
    /// - Throws: the history's error; what the writer throws: it has not finished then.
    public func export(
        _ selection: ExportSelection, into writer: any ExportWriter,
        progress: (_ table: String, _ rows: Int) throws -> Void = { _, _ in }
    ) throws -> ExportCounts {
        var (counts, current, rows) = (ExportCounts(), "", 0)
        func begin(_ table: ExportTable) throws {
            (current, rows) = (table.name, 0)
            counts.begin(table)
            try writer.begin(table)
            try progress(current, 0)
        }
        func row(_ values: [ExportValue]) throws {
            rows += 1
            if rows % 10_000 == 0 { try progress(current, rows) }
            counts.count()
            try writer.row(values)
        }
        for table in selection.tables where [.days, .hours].contains(table) {
            try begin(table)
            for user in try selection.user.map({ [$0] }) ?? history.users() {
                for figures in try figures(of: user, in: selection.days) {
                    let rows = table == .days ? [figures.exportedDay] : figures.exportedHours
                    for values in rows { try row([.text(user.name)] + values) }
                }
            }
        }
        try history.rows(selection, localTime: localTime, begin: begin, row: row)
        try writer.begin(.tables)
        for table in counts.tables { try writer.row([.text(table.name), .integer(table.rows)]) }
        try writer.finish()
        return counts
    }

    private func figures(of user: User, in days: ClosedRange<Day>?) throws -> ArraySlice<DayFigures> {
        let series = try StepStatistics(history, localTime: localTime, now: now).figures(of: user) { _, _ in }
        return days.map { series[$0] } ?? series.days[...]
    }
}
