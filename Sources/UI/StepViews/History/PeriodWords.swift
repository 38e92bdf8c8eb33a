public import StepDomain

extension Period {
    /// Its name: `Sunday 20 April 2014`, `Week 16 of 2014, 14 to 20 April 2014`, `April 2014`, `2014`, `1 to 10 April 2014`.
    public var title: String {
        switch unit {
        case .day: Words.date(days.lowerBound)
        case .week: (isoWeek.map { "Week \($0.week) of \($0.year), " } ?? "Week, ") + Words.range(days)
        case .month: "\(Words.month(days.lowerBound)) \(days.lowerBound.components.year)"
        case .year: "\(days.lowerBound.components.year)"
        case nil: Words.range(days)
        }
    }

    /// Its name within a sentence: `week 16 of 2014`.
    var shortTitle: String {
        switch unit {
        case .week: isoWeek.map { "week \($0.week) of \($0.year)" } ?? "the week of \(Words.range(days.lowerBound...days.lowerBound))"
        case .day, .month, .year, nil: title
        }
    }
}

extension Weekday {
    /// `Mon`.
    var shortName: String { name.prefix(1).uppercased() + name.dropFirst().prefix(2) }
    /// `Monday`.
    var title: String { name.prefix(1).uppercased() + name.dropFirst() }
}
