import StepDomain

@testable import StepViews

/// Days in words, to be shown: `8000` complete, `8000~` partial, `?` unknown, `8000!` entered by hand, with `r` a rest
/// day; `900/400` are 900 steps of which 400 were run. Other days have a goal of 6,000. The last is today.
enum SampleHistory {
    static let user = User(id: 1, name: "anna")

    static func figures(_ words: String, from first: String = "2014-04-14") -> DaySeries {
        let start = Day(first) ?? Day(daysSince1970: 0)
        let texts = words.split(separator: " ")
        let days = texts.enumerated().map { index, text in
            let numbers = text.split(separator: "/").map { Int($0.filter(\.isNumber)) ?? 0 }
            let running = numbers.count > 1 ? numbers[1] : 0
            let completeness: DaySummary.Completeness =
                text.contains("?") ? .unknown : text.contains("~") ? .partial : .complete
            let steps = numbers[0]
            var hours = Array(repeating: 0, count: 24)
            (hours[8], hours[18]) = (steps / 4, steps - steps / 4)
            return DayFigures(
                DaySums(
                    day: start.advanced(by: index),
                    gaits: GaitSums(walkingSteps: steps - running, runningSteps: running),
                    hours: completeness == .unknown ? [] : hours, completeness: completeness),
                correction: text.contains("!") ? StepCorrection(steps: steps) : nil,
                profile: Profile(validFrom: start, height: 1.7, weight: 62, sex: .female),
                plan: SportPlan(validFrom: start, everyDay: text.contains("r") ? 0 : 6000),
                isInProgress: index == texts.count - 1)
        }
        return DaySeries(user: user, today: days.last?.day ?? start, days: days)
    }

    /// A week with each kind of day, after one that is known; Friday is today.
    static let week = figures("5000 6100 5500 ? 7000 3000 4000 8200/2200 0 2100~ 12400! ? 900", from: "2014-04-07")

    /// A Tuesday of which nothing is known from 15:00 on, before a Wednesday that runs.
    static var cut: DaySeries {
        let tuesday = Day("2014-04-15") ?? Day(daysSince1970: 0)
        let hours: [Int?] = Array(repeating: 0, count: 15) + Array(repeating: nil, count: 9)
        let sums = [
            DaySums(day: tuesday, hours: hours, completeness: .partial),
            DaySums(day: tuesday.advanced(by: 1), completeness: .unknown),
        ]
        let days = sums.map { DayFigures($0, correction: nil, profile: nil, plan: nil, isInProgress: $0.day > tuesday) }
        return DaySeries(user: user, today: tuesday.advanced(by: 1), days: days)
    }

    static func view(_ figures: DaySeries = week, _ unit: Period.Unit = .week, by grouping: HistoryView.Grouping? = nil)
        -> HistoryView
    {
        HistoryView(figures, Period(unit, containing: figures.today), by: grouping)
    }

    /// Two years to 20 April 2014, with days of all kinds.
    static let years = figures(
        (0..<740).map { index in
            switch index % 29 {
            case 3: "?"
            case 11: "\(index * 37 % 9000)~"
            case 20: "\(index * 37 % 9000)r"
            default: "\(index * 7919 % 16_000)/\(index % 5 == 0 ? index * 7919 % 16_000 / 4 : 0)"
            }
        }.joined(separator: " "), from: "2012-04-11")
}
