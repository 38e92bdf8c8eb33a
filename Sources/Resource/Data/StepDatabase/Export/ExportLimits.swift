public import StepDomain

/// What a history cannot know by itself of an export, which can be made by anybody.
public struct ExportLimits: Sendable {
    /// Nothing has happened after it.
    let now: Timestamp
    /// What a pedometer or a source can have as its model.
    let models: Set<String>
    /// Whether rows that no clock can have timed are left out; otherwise the first one is an error.
    let leavesOutImpossible: Bool

    /// - Parameters:
    ///   - models: the keys of models.
    ///   - formats: the keys of formats of imports.
    ///   - leavesOutImpossible: as in `ForeignOptions`.
    public init(now: Timestamp, models: [String], formats: [String], leavesOutImpossible: Bool = false) {
        self.now = now
        self.leavesOutImpossible = leavesOutImpossible
        self.models = Set(models + formats.map { Pedometer.importPrefix + $0 })
    }

    /// Seconds by which clocks differ, and zones too.
    private static let tolerance = 86_400
    /// Seconds for which a day waits until it is shared: `ShareRetry` has three days at most.
    private static let maximumWait = 7 * 86_400

    /// Why no clock can have timed a row of what was counted; nil if one can. As in any other import.
    ///
    /// A machine whose clock was ahead for an evening has stored such rows, and a history can keep them for years.
    func impossible(_ values: [String?], of table: ExportTable) -> String? {
        guard [.samples, .implausible, .coverage, .deviceTotals, .changedDays].contains(table) else { return nil }
        for (column, value) in zip(table.columns, values) where column.latest == .now {
            guard let text = value else { continue }
            let found: Int? =
                switch column.kind {
                case .time: ExportValue.parsed(time: text)?.seconds
                case .day: Day(text).map { $0.daysSince1970 * 86_400 }
                default: Int(text)
                }
            guard let seconds = found else { continue }
            let what = "a row of \(table.name) with \"\(text.prefix(40))\" in \(column.name)"
            if exclude(Timestamp(seconds), in: column) { return "\(what), which is in the future" }
            if table == .samples, seconds < ForeignCollector.firstDay.daysSince1970 * 86_400 { return what }
        }
        return nil
    }

    /// Whether a column cannot have a time.
    func exclude(_ moment: Timestamp, in column: ExportTable.Column) -> Bool {
        switch column.latest {
        case .now: moment > now + Self.tolerance
        case .soon: moment > now + Self.maximumWait
        case .any, nil: false
        }
    }

    /// The same of a day, which begins first at the date line.
    func exclude(_ day: Day, in column: ExportTable.Column) -> Bool {
        exclude(Timestamp(day.daysSince1970 * 86_400), in: column)
    }

    /// The same of a text with times, by what it is in the history.
    func exclude(_ text: String, of kind: ColumnRule.Kind, in column: ExportTable.Column) -> Bool {
        let moments: [Timestamp]? =
            switch kind {
            case .cursor: (try? value(text) as PedometerCursor)?.moments
            case .clock: (try? value(text) as ClockState)?.moments
            case .time, .day, .options, .paths: nil
            }
        return moments?.contains { exclude($0, in: column) } ?? false
    }
}
