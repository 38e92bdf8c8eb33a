extension DayFigures {
    /// A row of the table `days` without the user. Steps that no person makes are left out with all that depends on
    /// them, as in every view.
    public var exportedDay: [ExportValue] {
        func tenths(_ value: Double?) -> ExportValue { ExportValue(value.map { ($0 * 10).rounded() / 10 }) }
        let isRight = isPlausible
        return [
            .text(day.description), ExportValue(plausibleSteps), ExportValue(isRight ? walkingSteps : nil),
            ExportValue(isRight ? runningSteps : nil), tenths(isRight ? distance : nil),
            tenths(isRight ? energy : nil), ExportValue(goal), .boolean(isGoalMet),
            .text(completeness.rawValue),
            .boolean(isInProgress), .boolean(isCorrected),
        ]
    }

    /// Rows of the table `hours` without the user; none if nothing is known of the day.
    public var exportedHours: [[ExportValue]] {
        hours.enumerated().map { [.text(day.description), .integer($0), ExportValue($1)] }
    }
}
