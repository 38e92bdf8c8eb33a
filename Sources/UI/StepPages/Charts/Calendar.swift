internal import StepDomain
internal import StepViews

/// Days in columns of weeks: the darker, the nearer to the goal of the day. Two halves, which stand below each other on
/// a phone.
struct Calendar: Sendable {
    struct Cell: Sendable {
        var day: Day
        /// Nil if nothing is known.
        var steps: Int?
        /// The effective goal; nil on a rest day and without a plan.
        var goal: Int?
        var isPartial = false
        var isToday = false
        var link: Link?
        var title: String
    }

    /// In order, without gaps; at most 54 weeks.
    var cells: [Cell]
    /// The days that it has room for, of which the cells may be a part; nil for those of the cells.
    var span: ClosedRange<Day>?
    /// The first row.
    var firstWeekday: Weekday
    var summary: String
    /// Whether the newer half stands first on a phone.
    var isNewestFirst = false

    /// Steps for the darkest tone on a day without a goal.
    static let withoutGoal = 10_000
    /// Weeks of a half.
    private static let half = 27
    private static let pitch = 20.0, size = 17.0, top = 24.0
    static let width = Double(half) * pitch, height = 164.0

    /// 0 for no steps, 1...3 below the goal, 4 from the goal on.
    static func level(steps: Int, goal: Int?) -> Int {
        if steps <= 0 { return 0 }
        return min(4, 1 + 3 * steps / max(1, goal ?? withoutGoal))
    }

    static let tones: [Tone] = [.heat0, .heat1, .heat2, .heat3, .heat4]

    private func row(_ day: Day) -> Int { (day.weekday.rawValue - firstWeekday.rawValue + 7) % 7 }
    private var begin: Day? { span?.lowerBound ?? cells.first?.day }
    private var origin: Day { begin.map { $0.advanced(by: -row($0)) } ?? Day(daysSince1970: 0) }
    private func column(_ day: Day) -> Int { (day.daysSince1970 - origin.daysSince1970) / 7 }

    var markup: Markup {
        guard let last = cells.last?.day else { return .nothing }
        let hasTwo = column(span?.upperBound ?? last) >= Self.half
        return Element.div(.css("cal")) {
            Element.svg(.css("names"), Attribute(.viewBox, "0 0 46 164"), Attribute(.ariaHidden, "true")) { names }
            half(0, hasTwo ? ", first half" : "", .css("half"))
            if hasTwo {
                half(1, ", second half", .css(isNewestFirst ? "half newest" : "half"))
            } else {
                // A few weeks have the size of the weeks of a year.
                Element.svg(
                    .css("half spare"), Attribute(.viewBox, "0 0 \(Int(Self.width)) \(Int(Self.height))"),
                    Attribute(.ariaHidden, "true")
                ) {}
            }
        }
    }

    /// Monday, Wednesday and Friday are enough to find a row.
    var names: Markup {
        .joined(
            [Weekday.monday, .wednesday, .friday].map { weekday in
                let row = (weekday.rawValue - firstWeekday.rawValue + 7) % 7
                return Element.text(
                    .fill(.muted), Attribute(.fontSize, 12), Attribute(.x, 0),
                    Attribute(.y, Self.top + Double(row) * Self.pitch + 13)
                ) { weekday.shortName }
            })
    }

    private func half(_ index: Int, _ name: String, _ style: Attribute) -> Markup {
        Element.svg(
            style, Attribute(.viewBox, "0 0 \(Int(Self.width)) \(Int(Self.height))"), Attribute(.role, "img"),
            Attribute(.ariaLabel, summary + name)
        ) { content(ofHalf: index) }
    }

    /// What is drawn, without the element around it.
    @MarkupBuilder func content(ofHalf index: Int) -> Markup {
        let columns = index * Self.half..<(index + 1) * Self.half
        let shown = cells.filter { columns.contains(column($0.day)) }
        months(in: columns)
        shown.map { draw($0, from: columns.lowerBound) }
    }

    /// Above the week of the first day of each month. The month that the calendar begins in is named if there is room.
    private func months(in columns: Range<Int>) -> Markup {
        guard let begin, let last = cells.last?.day, begin <= last else { return .nothing }
        let first = columns.lowerBound
        var names: [(column: Int, day: Day)] = []
        for number in begin.daysSince1970...last.daysSince1970 {
            let day = Day(daysSince1970: number)
            if columns.contains(column(day)), day.components.day == 1 { names.append((column(day) - first, day)) }
        }
        if first == 0, names.first.map({ $0.column >= 3 }) ?? true { names.insert((0, begin), at: 0) }
        return .joined(
            names.map { column, day in
                Element.text(
                    .fill(.muted), Attribute(.fontSize, 12), Attribute(.x, Double(column) * Self.pitch),
                    Attribute(.y, 14)
                ) {
                    String(Words.month(day).prefix(3))
                }
            })
    }

    private func draw(_ cell: Cell, from first: Int) -> Markup {
        let x = Double(column(cell.day) - first) * Self.pitch, y = Self.top + Double(row(cell.day)) * Self.pitch
        var parts: [Markup] = []
        if let steps = cell.steps {
            let level = Self.level(steps: steps, goal: cell.goal)
            parts.append(square(.fill(Self.tones[level]), x, y, Self.size))
            if cell.isPartial {
                parts.append(
                    Element.circle(
                        .fill(level <= 2 ? .muted : .card), Attribute(.cx, x + Self.size / 2),
                        Attribute(.cy, y + Self.size / 2),
                        Attribute(.r, 2.8)))
            }
        } else {
            parts.append(
                square(
                    .stroke(.unknown), x + 1, y + 1, Self.size - 2, Attribute(.fill, "none"),
                    Attribute(.pointerEvents, "all"),
                    Attribute(.strokeDasharray, "2 2")))
        }
        if cell.isToday {
            parts.append(square(.stroke(.text), x, y, Self.size, Attribute(.fill, "none"), Attribute(.strokeWidth, 2)))
        }
        let content = Markup.joined(parts) + Element.title { cell.title }
        guard let link = cell.link else { return Element.g { content } }
        return Element.a(.href(link), Attribute(.tabindex, -1)) { content }
    }

    private func square(_ colour: Attribute, _ x: Double, _ y: Double, _ size: Double, _ more: Attribute?...) -> Markup
    {
        Element.rect(
            [
                colour, Attribute(.x, x), Attribute(.y, y), Attribute(.width, size), Attribute(.height, size),
                Attribute(.rx, 4),
            ] + more)
    }

    /// The marks that occur.
    var legend: Markup {
        var legend = Legend()
        let hasGoals = cells.contains { $0.goal != nil }
        let withoutGoal = hasGoals && cells.allSatisfy { $0.goal != nil } ? "" : Words.grouped(Self.withoutGoal)
        legend.add(.box(.heat0), "0")
        legend.add(.box(.heat1), "below 1/3")
        legend.add(.box(.heat2), "below 2/3")
        legend.add(.box(.heat3), hasGoals ? "below the goal" : "below \(withoutGoal)")
        legend.add(
            .box(.heat4),
            hasGoals ? "goal reached" + (withoutGoal.isEmpty ? "" : " (or \(withoutGoal))") : withoutGoal)
        if cells.contains(where: \.isPartial) { legend.add(.dotted(.heat2), "partial") }
        if cells.contains(where: { $0.steps == nil }) { legend.add(.hole, "unknown") }
        return legend.markup
    }
}
