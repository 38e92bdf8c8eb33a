internal import StepDomain
internal import StepViews

/// The days of a year in columns of weeks: the darker, the nearer to the goal of the day.
struct SVGHeatMap: Sendable {
    struct Cell: Sendable {
        var day: Day
        /// Nil if nothing is known.
        var steps: Int?
        /// The goal in force; nil on a rest day and without a plan.
        var goal: Int?
        var isPartial = false
        var link: Link?
        var title: String
    }

    var cells: [Cell]
    /// The first row.
    var firstWeekday: Weekday
    var summary: String

    /// Steps for the darkest tone on a day without a goal.
    private static let withoutGoal = 10_000
    private static let pitch = 12.5, size = 10.5, left = 34.0, top = 18.0

    /// 0 for no steps, 1...3 below the goal, 4 from the goal on.
    static func level(steps: Int, goal: Int?) -> Int {
        if steps <= 0 { return 0 }
        return min(4, 1 + 3 * steps / max(1, goal ?? withoutGoal))
    }

    private func row(_ day: Day) -> Int { (day.weekday.rawValue - firstWeekday.rawValue + 7) % 7 }

    private var origin: Day { cells.first.map { $0.day.advanced(by: -row($0.day)) } ?? Day(daysSince1970: 0) }

    var svg: Markup {
        guard let last = cells.last?.day else { return .nothing }
        let columns = (last.daysSince1970 - origin.daysSince1970) / 7 + 1
        let width = Int(Self.left + Double(max(columns, 53)) * Self.pitch + 4)
        return Element.svg(Attribute(.viewBox, "0 0 \(width) 110"), Attribute(.role, "img"), Attribute(.ariaLabel, summary)) { content }
    }

    /// What is drawn, without the element around it.
    @MarkupBuilder var content: Markup {
        // Monday, Wednesday and Friday are enough to find a row.
        for weekday in [Weekday.monday, .wednesday, .friday] {
            let row = (weekday.rawValue - firstWeekday.rawValue + 7) % 7
            Element.text(.css("axis"), Attribute(.x, 0), Attribute(.y, Self.top + Double(row) * Self.pitch + 9.5)) {
                weekday.shortName
            }
        }
        for cell in cells where cell.day.components.day == 1 {
            Element.text(.css("axis"), Attribute(.x, x(cell.day, origin)), Attribute(.y, 11)) { String(Words.month(cell.day).prefix(3)) }
        }
        cells.map { draw($0, origin) }
    }

    private func x(_ day: Day, _ origin: Day) -> Double {
        Self.left + Double((day.daysSince1970 - origin.daysSince1970) / 7) * Self.pitch
    }

    private func draw(_ cell: Cell, _ origin: Day) -> Markup {
        var attributes: [Attribute?] = [
            Attribute(.x, x(cell.day, origin)), Attribute(.y, Self.top + Double(row(cell.day)) * Self.pitch), Attribute(.width, Self.size),
            Attribute(.height, Self.size), Attribute(.rx, 2),
        ]
        if let steps = cell.steps {
            attributes.append(.css("heat\(Self.level(steps: steps, goal: cell.goal))" + (cell.isPartial ? " cell-partial" : "")))
        } else {
            attributes += [.css("unknown"), .fill(pattern: "unknown")]
        }
        let square = Element.rect(attributes) { Element.title { cell.title } }
        return cell.link.map { link in Element.a(.href(link), Attribute(.tabindex, -1), Attribute(.ariaLabel, cell.title)) { square } } ?? square
    }

    static var legend: Markup {
        Element.ul(.css("legend")) {
            ChartPatterns.entry("no steps", .css("heat0"))
            ChartPatterns.entry("below a third of the goal", .css("heat1"))
            ChartPatterns.entry("below two thirds", .css("heat2"))
            ChartPatterns.entry("below the goal", .css("heat3"))
            ChartPatterns.entry("goal reached (without a goal: \(Words.grouped(withoutGoal)) steps)", .css("heat4"))
            ChartPatterns.entry("partial", .css("heat2 cell-partial"))
            ChartPatterns.unknown
        }
    }
}

/// Mean steps of each hour of each weekday.
struct WeekdayHours: Sendable {
    /// By weekday, Monday first: 24 means each, nil if the hour is not known; nil if no such day is known.
    var means: [[Double?]?]
    var firstWeekday: Weekday
    var summary: String

    private static let pitch = 27.0, size = 25.0, height = 20.0, left = 40.0, top = 18.0

    /// In the order of the calendar.
    var weekdays: [Weekday] { (0..<7).map { Weekday.allCases[(firstWeekday.rawValue - 1 + $0) % 7] } }

    func means(of weekday: Weekday) -> [Double?]? { means.indices.contains(weekday.rawValue - 1) ? means[weekday.rawValue - 1] : nil }

    var svg: Markup {
        let greatest = means.flatMap { ($0 ?? []).compactMap(\.self) }.reduce(1) { max($0, $1) }
        return Element.svg(
            Attribute(.viewBox, "0 0 692 \(Int(Self.top + 7 * (Self.height + 2) + 4))"), Attribute(.role, "img"), Attribute(.ariaLabel, summary)
        ) {
            for hour in [0, 3, 6, 9, 12, 15, 18, 21] {
                Element.text(.css("axis"), Attribute(.x, Self.left + Double(hour) * Self.pitch), Attribute(.y, 12)) { "\(hour):00" }
            }
            for (row, weekday) in weekdays.enumerated() {
                let y = Self.top + Double(row) * (Self.height + 2), name = weekday.shortName
                Element.text(.css("axis"), Attribute(.x, 0), Attribute(.y, y + 14)) { name }
                let known = means(of: weekday) ?? Array(repeating: nil, count: 24)
                for hour in 0..<24 { cell(known[hour], weekday, hour, y, greatest) }
            }
        }
    }

    /// What the tones mean.
    static var legend: Markup {
        Element.ul(.css("legend")) {
            ChartPatterns.entry("no steps", .css("heat0"))
            // The squares of the fractions in `cell`.
            ChartPatterns.entry("below 6 % of the hour with the most", .css("heat1"))
            ChartPatterns.entry("below 25 %", .css("heat2"))
            ChartPatterns.entry("below 56 %", .css("heat3"))
            ChartPatterns.entry("56 % and more", .css("heat4"))
            ChartPatterns.unknown
        }
    }

    private func cell(_ mean: Double?, _ weekday: Weekday, _ hour: Int, _ y: Double, _ greatest: Double) -> Markup {
        var attributes: [Attribute] = [
            Attribute(.x, Self.left + Double(hour) * Self.pitch), Attribute(.y, y), Attribute(.width, Self.size),
            Attribute(.height, Self.height),
            Attribute(.rx, 2),
        ]
        let when = "\(weekday.title), \(hour):00 to \(hour + 1):00"
        guard let mean else {
            attributes += [.css("unknown"), .fill(pattern: "unknown")]
            return Element.rect(attributes) { Element.title { "\(when): nothing known" } }
        }
        // By the square root: one hour with a run would otherwise make all others look alike.
        let level = mean < 0.5 ? 0 : min(4, 1 + Int(3.999 * (mean / greatest).squareRoot()))
        attributes.append(.css("heat\(level)"))
        return Element.rect(attributes) { Element.title { "\(when): \(Words.grouped(Int(mean.rounded()))) steps on average" } }
    }
}
