internal import StepDomain

extension HistoryView {
    /// `istep history --csv`: the numbers behind the bars, with a header (RFC 4180, but lines end as elsewhere on this
    /// system). A value that is not known is empty. As in the document, `running` means that a day is not over; scripts
    /// read it by this name.
    public var csv: [String] {
        func line(_ values: [(any CustomStringConvertible)?]) -> String {
            values.map { $0.map { "\($0)" } ?? "" }.joined(separator: ",")
        }
        switch grouping {
        case .day:
            // Of one user: the table of an export without its first column.
            return [CSVText.header(ExportTable.days.columns.dropFirst())]
                + statistics.days.map { CSVText.line($0.exportedDay) }
        case .week, .month, .year:
            return [
                "first_day,last_day,steps,mean,median,best_day,best_steps,walking_steps,running_steps,distance_metres,energy_kilocalories,"
                    + "mean_goal,goal_days,days_with_goal,rest_days,complete_days,partial_days,unknown_days,corrected_days,running"
            ]
                + document.parts.map {
                    line([
                        $0.firstDay, $0.lastDay, $0.steps, $0.mean, $0.median, $0.bestDay, $0.bestSteps,
                        $0.walkingSteps, $0.runningSteps,
                        $0.distanceMetres, $0.energyKilocalories, $0.meanGoal, $0.goalDays, $0.daysWithGoal,
                        $0.restDays, $0.completeDays,
                        $0.partialDays, $0.unknownDays, $0.correctedDays, $0.running,
                    ])
                }
        case .weekday: return ["weekday,days,mean"] + document.weekdays.map { line([$0.weekday, $0.days, $0.mean]) }
        case .hour:
            let means = statistics.hourlyMeans
            return ["hour,mean," + document.weekdays.map(\.weekday).joined(separator: ",")]
                + (0..<24).map { hour in
                    let mean: Double? = means.isEmpty ? nil : means[hour].map(tenths)
                    let weekdays: [Double?] = document.weekdays.map { $0.hours.isEmpty ? nil : $0.hours[hour] }
                    return "\(hour)," + ([mean] + weekdays).map { $0.map { "\($0)" } ?? "" }.joined(separator: ",")
                }
        }
    }
}
