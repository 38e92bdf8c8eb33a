import Foundation
import StepDomain
import StepViews
import Testing

@testable import StepPages

@Suite(.timeLimit(.minutes(5))) struct ChartTests {
    private func bar(_ steps: Int?, running: Int = 0, goal: Int? = nil, partial: Bool = false) -> SVGBarChart.Bar {
        SVGBarChart.Bar(label: "1", steps: steps, running: running, goal: goal, isPartial: partial, title: "a <day>")
    }

    private func svg(_ bars: SVGBarChart.Bar...) -> String { SVGBarChart(bars: bars, summary: "all & nothing").svg.source }

    @Test func `unknown, partial and no steps are drawn differently`() {
        let shapes = [svg(bar(nil)), svg(bar(0)), svg(bar(10)), svg(bar(10, partial: true))]
        #expect(Set(shapes).count == 4)
        #expect(shapes[0].contains("url(#unknown)") && !shapes[1].contains("url(#unknown)"))
        #expect(shapes[1].contains("class=\"zero\"") && shapes[2].contains("class=\"walking\"") && shapes[3].contains("url(#partial)"))
    }

    @Test func `nothing is drawn of an hour that has not begun`() {
        var future = bar(nil)
        future.hasBegun = false
        let chart = svg(bar(10), future)
        #expect(chart.contains("class=\"walking\"") && !chart.contains("url(#unknown)"))
    }

    @Test func `running has its own colour in a bar, and the goal has a mark`() {
        let chart = svg(bar(9000, running: 2000, goal: 8000))
        #expect(chart.contains("class=\"running\"") && chart.contains("class=\"goal\""))
        #expect(!svg(bar(9000)).contains("class=\"goal\""))
        // Never more running than steps: a bar would leave the chart.
        #expect(svg(bar(100, running: 500)).contains("class=\"running\""))
    }

    @Test func `words in a chart are escaped`() {
        #expect(svg(bar(5)).contains("a &lt;day&gt;") && svg(bar(5)).contains("aria-label=\"all &amp; nothing\""))
    }

    @Test(arguments: [
        (0, 1, 1), (5, 1, 5), (6, 2, 3), (9097, 2000, 5), (10_000, 2000, 5), (10_001, 2500, 5), (19_104, 5000, 4), (200_000, 50_000, 4),
    ])
    func `the scale ends just above the greatest value`(_ greatest: Int, _ step: Int, _ count: Int) {
        let scale = SVGBarChart.Scale(greatest)
        #expect(scale.step == step && scale.count == count && scale.top >= greatest, "\(scale)")
    }

    @Test func `labels do not touch`() {
        let bars = (1...53).map { (week: Int) in SVGBarChart.Bar(label: "\(week)", steps: week, title: "") }
        let svg = SVGBarChart(bars: bars, summary: "").svg.source
        let labels = svg.matches(of: /class="axis" x="([0-9.]+)" y="213"/).compactMap { Double($0.1) }
        #expect(labels.count > 10 && zip(labels, labels.dropFirst()).allSatisfy { $1 - $0 >= 18 })
    }

    @Test(arguments: [(0, 8000, 0), (1, 8000, 1), (2666, 8000, 1), (2667, 8000, 2), (7999, 8000, 3), (8000, 8000, 4), (90_000, 8000, 4)])
    func `tones of the heat map show how near the goal is`(_ steps: Int, _ goal: Int, _ level: Int) {
        #expect(SVGHeatMap.level(steps: steps, goal: goal) == level)
    }

    @Test(arguments: Weekday.allCases) func `a year of the heat map has 53 or 54 columns of seven days`(_ first: Weekday) throws {
        let start = try #require(Day("2024-01-01"))
        let cells = (0..<366).map { SVGHeatMap.Cell(day: start.advanced(by: $0), steps: $0, title: "\($0)") }
        let map = SVGHeatMap(cells: cells, firstWeekday: first, summary: "")
        let positions = map.svg.source.matches(of: /<rect x="([0-9.]+)" y="([0-9.]+)"/).map { String($0.1) + " " + String($0.2) }
        #expect(positions.count == 366 && Set(positions).count == 366, "two days share a place")
        #expect([53, 54].contains(Set(map.svg.source.matches(of: /<rect x="([0-9.]+)"/).map { String($0.1) }).count))
    }

    // MARK: The card

    private func card(isPlain: Bool = false, _ change: (inout DaySummary) -> Void = { _ in }) throws -> String {
        let day = try #require(Day("2014-04-20")), zone = LocalTime.fixed(7200)
        let start = zone.moment(day)
        let hours = (0..<24).map { DaySummary.Hour(start: start + $0 * 3600, hour: $0, steps: $0 == 8 ? 5000 : $0 == 18 ? 3123 : 0) }
        var summary = DaySummary(
            user: User(id: 1, name: "anna"), day: day, steps: 8123, distance: 5970, distanceSource: .height, energy: 215, energySource: .weight,
            goal: 8000, percentage: 101.5375, category: .somewhatActive, hours: hours, completeness: .complete)
        change(&summary)
        let card = DayCard(DayView(summary, today: day.advanced(by: 3), now: start + 400_000, localTime: zone))
        return (isPlain ? card.plainDocument : card.document).source
    }

    /// librsvg 2.54 knows no variables: what has one is drawn black.
    @Test func `the plain card has colours in place of variables`() throws {
        let plain = try card(isPlain: true)
        #expect(!plain.contains("var(") && !plain.contains("@media") && plain.contains(".walking { fill: #2e8562; }"))
        #expect(plain.contains("8,123"))
    }

    /// A golden file changes only with the design: look at it before it is replaced (`ISTEP_GOLDEN=write`).
    private func expectGolden(_ picture: String, _ name: String) throws {
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("Golden/\(name)")
        if ProcessInfo.processInfo.environment["ISTEP_GOLDEN"] == "write" { try Data(picture.utf8).write(to: file) }
        #expect(try String(contentsOf: file, encoding: .utf8) == picture)
    }

    @Test func `the card equals the golden file`() throws { try expectGolden(try card(), "day.svg") }

    @Test func `a card names a goal, a rest day or neither`() throws {
        let rest = try card { ($0.goal, $0.percentage, $0.isRestDay) = (nil, nil, true) }
        #expect(rest.contains("aria-label=\"anna, Sunday 20 April 2014: 8,123 steps; rest day; complete\"") && rest.contains(">rest day<"))
        #expect(try card().contains("8,123 steps; goal 101 % of 8,000 steps; complete"))
        let none = try card { ($0.goal, $0.percentage) = (nil, nil) }
        #expect(none.contains("8,123 steps; complete") && !none.contains("; goal "))
    }

    @Test func `the card shows no invalid figure`() throws {
        let wrong = try card { $0.distance = -5 }
        #expect(!wrong.contains(" km") && wrong.contains("8,123"))
        let steps = try card { $0.steps = -1 }
        #expect(!steps.contains("-1") && steps.contains(">wrong<"))
    }

    @Test func `the hours of a corrected day are marked as counted`() throws {
        let mark = "hours as counted; the total is corrected to 9,000"
        let corrected = try card { ($0.steps, $0.countedSteps, $0.isCorrected) = (9000, 8123, true) }
        #expect(corrected.contains(">\(mark)<") && corrected.contains("entered by hand; \(mark)\""))
        let wrong = try card { ($0.steps, $0.countedSteps, $0.isCorrected) = (-1, 8123, true) }
        #expect(try !card().contains("as counted") && !wrong.contains("corrected to"))
    }

    @Test func `an unknown day is not shown as zero steps`() throws {
        let unknown = try card { day in day = DaySummary(user: day.user, day: day.day) }
        #expect(unknown.contains(">unknown<") && unknown.contains("url(#unknown)") && !unknown.contains(">0<"))
    }

    @Test func `markup in a user name is escaped in the card`() throws {
        let card = try card { $0.user = User(id: 1, name: "</text><script>x</script>") }
        #expect(!card.contains("<script") && card.contains("&lt;/text&gt;&lt;script&gt;"))
    }

    // MARK: The year

    @Test func `a year is a picture with every day, and unknown ones are not pale`() throws {
        let first = try #require(Day("2014-01-01")), user = User(id: 1, name: "<anna>")
        let plan = SportPlan(validFrom: first, everyDay: 8000)
        let days = (0..<365).map { index in
            DayFigures(
                DaySums(day: first.advanced(by: index)), correction: index % 7 == 3 ? nil : StepCorrection(steps: index * 40), profile: nil,
                plan: plan,
                isInProgress: false)
        }
        let figures = DaySeries(user: user, today: first.advanced(by: 400), days: days)
        let picture = YearPicture(figures.statistics(of: Period(.year, containing: first)), of: user).document.source
        #expect(picture.split(separator: "><title>").count - 1 == 366)  // and its own
        let unknown = days.count { $0.steps == nil }
        #expect(unknown > 50 && picture.split(separator: "url(#unknown)").count - 1 == unknown)
        #expect(picture.contains("&lt;anna&gt;, 2014") && !picture.contains("<anna>"))
        try expectGolden(picture, "year.svg")
    }
}
