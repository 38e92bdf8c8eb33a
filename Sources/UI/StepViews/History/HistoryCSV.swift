public import StepDomain

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
            return DayCSV.lines(statistics.days)
        case .week, .month, .year:
            return [
                "first_day,last_day,steps,mean,median,best_day,best_steps,walking_steps,running_steps,distance_metres,energy_kilocalories,"
                    + "mean_goal,goal_days,days_with_goal,rest_days,complete_days,partial_days,unknown_days,corrected_days,running"
            ]
                + parts.compactMap { part in
                    part.shown.map { shown in
                        let counted = part.total != nil
                        return line([
                            shown.lowerBound, shown.upperBound, part.total, part.mean.map(tenths),
                            part.median.map(tenths), part.best?.day, part.best?.steps,
                            counted ? part.walkingSteps : nil, counted ? part.runningSteps : nil,
                            part.distance.map(tenths), part.energy.map(tenths), part.meanGoal.map(tenths),
                            part.goalDays, part.daysWithGoal, part.restDays, part.completeDays, part.partialDays,
                            part.unknownDays, part.correctedDays, part.daysInProgress > 0,
                        ])
                    }
                }
        case .weekday:
            return ["weekday,days,mean"]
                + statistics.weekdays.map { line([$0.weekday.name, $0.days, $0.mean.map(tenths)]) }
        case .hour:
            let means = statistics.hourlyMeans, weekdays = statistics.weekdays
            return ["hour,mean," + weekdays.map(\.weekday.name).joined(separator: ",")]
                + (0..<24).map { hour in
                    let mean: Double? = means.isEmpty ? nil : means[hour].map(tenths)
                    let others = weekdays.map { $0.mean(hour: hour).map(tenths) }
                    return "\(hour)," + ([mean] + others).map { $0.map { "\($0)" } ?? "" }.joined(separator: ",")
                }
        }
    }
}

/// `istep show --csv`, and the days of `istep history --csv`: the table of an export without its first column, because
/// they are of one user.
public enum DayCSV {
    public static func lines(_ days: some Sequence<DayFigures>) -> [String] {
        [CSVText.header(ExportTable.days.columns.dropFirst())] + days.map { CSVText.line($0.exportedDay) }
    }
}
