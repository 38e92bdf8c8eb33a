import StepDomain
import StepViews
import Testing

@testable import StepPages

/// The drawings of pages.
@Suite(.timeLimit(.minutes(5))) struct ChartTests {
    private func bar(_ steps: Int?, running: Int = 0, goal: Int? = nil, partial: Bool = false, reached: Bool = true)
        -> BarChart.Bar
    {
        BarChart.Bar(
            label: "1", steps: steps, running: running, goal: goal, isReached: reached, isPartial: partial,
            title: "a <day>")
    }

    private func svg(_ bars: BarChart.Bar...) -> String { BarChart(bars: bars, summary: "all & nothing").svg.source }

    /// The classes of the shapes of columns, in order: rectangles whose place is in per cent.
    private func shapes(_ svg: String) -> [String] {
        svg.matches(of: /<rect class="([a-z0-9-]+)" (fill|stroke)="[^"]+" x="[0-9.]+%"/).map { String($0.1) }
    }

    @Test func `unknown, partial, no steps, below the goal and reached are drawn differently`() {
        #expect(shapes(svg(bar(nil))) == ["f-unknown"] && svg(bar(nil)).contains("height=\"8\""))
        #expect(shapes(svg(bar(0))).isEmpty)
        #expect(shapes(svg(bar(10))) == ["f-walk"])
        #expect(shapes(svg(bar(10, reached: false))) == ["f-below"])
        #expect(shapes(svg(bar(10, partial: true))) == ["f-walk", "s-walk"])
        // It was drawn as a complete day without steps.
        #expect(shapes(svg(bar(0, partial: true))) == ["f-walk", "s-walk"])
    }

    /// At 390 px, `Dec` lay on `27 Nov` in a chart of 27 November to 31 December.
    @Test func `on a narrow screen the name of a month that would lie on that of the first day is left out`() {
        func minor(_ months: [(slot: Int, name: String)], _ days: Int) -> [String] {
            var chart = BarChart(bars: Array(repeating: bar(5), count: days), summary: "days")
            chart.months = months
            let names = months.map(\.name)
            return chart.svg.source.matches(of: /<text class="[^"]*minor[^"]*"[^>]*>([^<]+)</).map { String($0.1) }
                .filter(names.contains)
        }
        #expect(minor([(0, "27 Nov"), (4, "Dec")], 35) == ["Dec"])
        #expect(minor([(0, "14 Oct"), (18, "Nov")], 45) == [])
        // `26` lay on `19 Oct` at 320 px.
        #expect(minor([(0, "19 Oct"), (7, "26"), (14, "2 Nov")], 40) == ["26"])
        #expect(minor([(0, "Jan"), (4, "Feb"), (9, "Mar")], 35) == [])
        #expect(minor([(0, "27 Nov"), (4, "Dec"), (35, "Jan"), (66, "Feb"), (94, "Mar")], 120) == ["Dec", "Feb"])
    }

    /// The name of a month that begins on the last day stood outside the chart.
    @Test func `no name stands at the right edge`() {
        var chart = BarChart(bars: Array(repeating: bar(5), count: 100), summary: "days")
        chart.months = [(0, "Jan"), (50, "Feb"), (99, "Mar")]
        #expect(chart.svg.source.contains(">Feb<") && !chart.svg.source.contains(">Mar<"))
        let means = [Double?](repeating: 5, count: 100)
        let trend = TrendChart(
            first: PagesFixture.today, week: means, month: means, summary: "", months: chart.months
        ).markup.source
        #expect(trend.contains(">Feb<") && !trend.contains(">Mar<"))
    }

    /// At 320 px, seven numbers of five digits lay on each other.
    @Test func `a number of five digits has a short form for narrow charts`() {
        let chart = svg(bar(9999), bar(19_999), bar(120_345), bar(nil))
        #expect(chart.contains(">9,999</text>") && chart.contains(">?</text>"))
        #expect(chart.contains(#"<tspan class="long">19,999</tspan><tspan class="short">19.9k</tspan></text>"#))
        #expect(chart.contains(#"<tspan class="long">120,345</tspan><tspan class="short">120.3k</tspan></text>"#))
    }

    @Test func `words of a column are as short on a phone as they are clear`() {
        func tip(_ steps: Int?, _ title: String) -> String? {
            var one = bar(steps)
            one.title = title
            let chart = BarChart(bars: Array(repeating: one, count: 8), summary: "").svg.source
            return chart.firstMatch(of: /text-anchor="start">([^\n]*?)<\/text><\/g>/).map { String($0.1) }
        }
        #expect(tip(5, "Mon 3 Nov: 5 steps, partial") == #"Mon 3 Nov: 5 steps<tspan class="minor">, partial</tspan>"#)
        #expect(tip(5, "Week 4: 5 steps a day") == #"Week 4: 5<tspan class="minor"> steps</tspan> a day"#)
        #expect(tip(nil, "Week 4: unknown") == #"Week 4<tspan class="minor">: unknown</tspan>"#)
        #expect(tip(5, "Week 4: 5 steps") == "Week 4: 5 steps")
    }

    @Test func `the base line lies below known slots only`() {
        func bases(_ svg: String) -> [String] {
            svg.matches(of: /class="s-border" stroke="[^"]+" x1="([0-9.]+%)" x2="([0-9.]+%)" y1="236"/).map {
                "\($0.1) \($0.2)"
            }
        }
        #expect(bases(svg(bar(0), bar(5), bar(nil), bar(0))) == ["0% 50%", "75% 100%"])
    }

    @Test func `nothing is drawn of an hour that has not begun`() {
        var future = bar(nil)
        future.hasBegun = false
        #expect(shapes(svg(bar(10), future)) == ["f-walk"])
    }

    @Test func `running lies at the bottom, and what is all running is one orange bar`() {
        #expect(shapes(svg(bar(9000, running: 2000))) == ["f-walk", "f-run", "f-card"])
        #expect(shapes(svg(bar(9000, running: 9000))) == ["f-run"])
        // Never more running than steps: a bar would leave the chart.
        #expect(shapes(svg(bar(100, running: 500))) == ["f-run"])
    }

    @Test func `the goal is one line through neighbours that have the same`() {
        func lines(_ svg: String) -> Int { svg.matches(of: /stroke-dasharray="5 4"/).count }
        #expect(lines(svg(bar(9000, goal: 8000), bar(9000, goal: 8000))) == 1)
        #expect(lines(svg(bar(9000, goal: 8000), bar(9000), bar(9000, goal: 8000))) == 2)
        #expect(lines(svg(bar(9000, goal: 8000), bar(9000, goal: 9000))) == 2 && lines(svg(bar(9000))) == 0)
    }

    @Test func `words in a chart are escaped`() {
        let chart = BarChart(bars: Array(repeating: bar(5), count: 8), summary: "all & nothing").svg.source
        #expect(
            chart.contains("a &lt;day&gt;") && chart.contains("aria-label=\"all &amp; nothing\"")
                && !chart.contains("<day>"))
    }

    @Test func `few columns have numbers and are stops of the tab key, many have neither`() {
        func chart(_ count: Int) -> String {
            var one = bar(1234)
            one.link = Link(["day"])
            return BarChart(bars: Array(repeating: one, count: count), summary: "").svg.source
        }
        #expect(
            chart(7).matches(of: />1,234<\/text>/).count == 7 && !chart(7).contains("tabindex")
                && chart(7).contains("role=\"group\""))
        #expect(!chart(12).contains(">1,234</text>") && !chart(12).contains("tabindex"))
        #expect(chart(13).matches(of: /tabindex="-1"/).count == 13 && chart(13).contains("role=\"img\""))
    }

    @Test(arguments: [
        (0, 1, 1), (4, 1, 4), (5, 2, 3), (9097, 2500, 4), (10_000, 2500, 4), (10_001, 5000, 3), (19_104, 5000, 4),
        (200_000, 50_000, 4),
    ])
    func `the scale ends just above the greatest value`(_ greatest: Int, _ step: Int, _ count: Int) {
        let scale = Scale(greatest)
        #expect(scale.step == step && scale.count == count && scale.top >= greatest, "\(scale)")
    }

    @Test func `numbers of an axis have one unit`() {
        #expect([0, 2000, 8000].map(Scale(8000).name) == ["0", "2,000", "8,000"])
        #expect([0, 2500, 10_000].map(Scale(9500).name) == ["0", "2.5k", "10k"])
        #expect([500_000, 2_000_000].map(Scale(2_000_000).name) == ["0.5M", "2M"])
    }

    // MARK: The calendar

    @Test(arguments: [
        (0, 8000, 0), (1, 8000, 1), (2666, 8000, 1), (2667, 8000, 2), (7999, 8000, 3), (8000, 8000, 4),
        (90_000, 8000, 4),
    ])
    func `tones of the calendar show how near the goal is`(_ steps: Int, _ goal: Int, _ level: Int) {
        #expect(Calendar.level(steps: steps, goal: goal) == level)
    }

    @Test(arguments: Weekday.allCases) func `a year of the calendar has 53 or 54 columns of seven days`(
        _ first: Weekday
    ) throws {
        let start = try #require(Day("2024-01-01"))
        let cells = (0..<366).map { Calendar.Cell(day: start.advanced(by: $0), steps: $0, title: "\($0)") }
        let calendar = Calendar(cells: cells, firstWeekday: first, summary: "")
        var count = 0, columns = 0
        for half in 0...1 {
            let rects = calendar.content(ofHalf: half).source.matches(of: /<rect [^>]*x="([0-9.]+)" y="([0-9.]+)"/)
            let positions = rects.map { "\($0.1) \($0.2)" }
            #expect(Set(positions).count == positions.count, "two days share a place")
            #expect(
                rects.allSatisfy {
                    (Double($0.1) ?? 1e9) + 17 <= Calendar.width && (Double($0.2) ?? 1e9) + 17 <= Calendar.height
                })
            count += positions.count
            columns += Set(rects.map { String($0.1) }).count
        }
        #expect(count == 366 && [53, 54].contains(columns))
    }

    /// A new history has few days: they are not larger than others.
    @Test func `a year of two known days has the places and the names of a whole year`() throws {
        let year = try #require(Day("2026-01-01"))...(try #require(Day("2026-12-31")))
        let cells = ["2026-11-25", "2026-11-26"].compactMap { Day($0) }.map { Calendar.Cell(day: $0, title: "") }
        let calendar = Calendar(cells: cells, span: year, firstWeekday: .monday, summary: "")
        func names(_ half: Int) -> [String] {
            calendar.content(ofHalf: half).source.matches(of: #/>([A-Z][a-z]{2})</text>/#).map { String($0.1) }
        }
        #expect(names(0) == ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul"])
        #expect(names(1) == ["Aug", "Sep", "Oct", "Nov"])
        #expect(!calendar.content(ofHalf: 0).source.contains("<rect"))
        #expect(calendar.content(ofHalf: 1).source.matches(of: #/<rect /#).count == 2)
        #expect(calendar.markup.source.matches(of: /class="half"/).count == 2)
        // Without more room than its days, it leaves that of the second half.
        let alone = Calendar(cells: cells, firstWeekday: .monday, summary: "").markup.source
        #expect(
            alone.matches(of: /class="half spare"/).count == 1 && alone.matches(of: /viewBox="0 0 540 164"/).count == 2)
    }

    @Test func `unknown days, partial days and today are marked, and the legend says so`() throws {
        let day = try #require(Day("2024-01-01"))
        var partial = Calendar.Cell(day: day.advanced(by: 1), steps: 5000, title: "")
        partial.isPartial = true
        var today = Calendar.Cell(day: day.advanced(by: 2), steps: 5000, title: "")
        today.isToday = true
        let calendar = Calendar(
            cells: [Calendar.Cell(day: day, steps: nil, title: ""), partial, today], firstWeekday: .monday, summary: "")
        let content = calendar.content(ofHalf: 0).source
        #expect(
            content.contains("class=\"s-unknown\"") && content.contains("<circle class=\"f-muted\"")
                && content.contains("class=\"s-text\""))
        let legend = calendar.legend.source
        #expect(
            legend.contains("partial") && legend.contains("unknown") && legend.contains("10,000")
                && !legend.contains("goal"))
    }

    // MARK: The ring

    /// Within the ring: a circle of 150 of the 200.
    @Test func `a word in place of the steps is not wider than the ring`() {
        func size(_ steps: Int?, _ word: String) -> String? {
            let ring = Ring(steps: steps, word: word, name: "", remark: "", percentage: nil, summary: "").markup.source
            return ring.firstMatch(of: /y="111" font-size="([0-9]+)"/).map { String($0.1) }
        }
        #expect(size(nil, "unknown") == "28" && size(8567, "8,567") == "41" && size(1_000_000, "1,000,000") == "32")
    }

    private func ring(_ percentage: Double?) -> String {
        Ring(steps: 1, word: "1", name: "steps", remark: "", percentage: percentage, summary: "").drawing.source
    }

    @Test func `the ring grows to the goal, and then has a second lap`() {
        func tones(_ percentage: Double?) -> [String] {
            ring(percentage).matches(of: /class="s-([a-z]+)"/).map { String($0.1) }
        }
        #expect(tones(nil) == ["sunk"] && tones(0) == ["sunk"])
        #expect(tones(43) == ["sunk", "walk"] && tones(100) == ["sunk", "below", "walk"])
        #expect(tones(195) == ["sunk", "below", "card", "walk"] && tones(250) == ["sunk", "below", "walk"])
        #expect(ring(50).contains("stroke-dasharray=\"263.9 527.8\""))
    }

    @Test func `places on a circle are those of the share`() {
        for (share, x, y) in [
            (0.0, 1.0, 0.0), (0.125, 0.70711, 0.70711), (0.25, 0, 1), (0.5, -1, 0), (0.75, 0, -1),
            (0.95, 0.95106, -0.30902),
        ] {
            let (cosine, sine) = Geometry.onCircle(share)
            #expect(abs(cosine - x) < 1e-4 && abs(sine - y) < 1e-4, "\(share): \(cosine) \(sine)")
        }
    }
}
