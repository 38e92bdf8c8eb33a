public import StepDomain

/// `istep show --csv`: the header and the line of the day in `istep history --csv`.
public enum DayCSV {
    public static func lines(_ figures: DayFigures?) -> [String] {
        [CSVText.header(ExportTable.days.columns.dropFirst())]
            + [figures].compactMap { $0 }.map {
                CSVText.line($0.exportedDay)
            }
    }
}
