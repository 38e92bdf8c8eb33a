import StepDomain
import Testing

@testable import Sharing

@Suite(.timeLimit(.minutes(5))) struct PostTemplateTests {
    private func text(_ template: String, _ day: SharedDay, _ units: UnitSystem = .metric) throws -> String {
        try PostTemplate(template).text { $0.value(day, units) }
    }

    private let all = "{date}|{weekday}|{steps}|{distance}|{calories}|{percentage}|{goal}"

    @Test func `figures replace their names in the template`() throws {
        #expect(try text(all, .easter()) == "2014-04-20|Sunday|8,123|5.4 km|232 kcal|81%|10,000")
        #expect(try text(all, .easter(), .imperial) == "2014-04-20|Sunday|8,123|3.4 mi|232 kcal|81%|10,000")
        let long = SharedDay.easter(steps: 1_234_567, metres: 1_234_567.8, kilocalories: 12_345, goal: 1000)
        #expect(try text(all, long) == "2014-04-20|Sunday|1,234,567|1,234.6 km|12,345 kcal|123,457%|1,000")
    }

    @Test func `the standard template contains steps, goal, distance, calories and bars`() throws {
        let hours = (0..<24).map {
            DaySummary.Hour(start: Timestamp($0 * 3600), hour: $0, utcOffset: 0, steps: $0 == 8 ? 4000 : $0 * 10)
        }
        var summary = SharedDay.easter().summary
        summary.hours = hours
        let day = try #require(SharedDay(summary))
        #expect(
            try text(PostTemplate.standard, day) == """
                Sunday 2014-04-20: 8,123 steps
                81% of the goal of 10,000 · 5.4 km · 232 kcal
                ▁▂▂▂▂▂▂▂█▂▂▂▂▂▂▂▂▂▂▂▂▂▂▂
                """)
    }

    @Test func `a part or line with an unknown figure is omitted`() throws {
        #expect(
            try text(PostTemplate.standard, .easter(goal: nil)) == "Sunday 2014-04-20: 8,123 steps\n5.4 km · 232 kcal")
        #expect(
            try text(PostTemplate.standard, .easter(kilocalories: nil))
                == "Sunday 2014-04-20: 8,123 steps\n81% of the goal of 10,000 · 5.4 km")
        #expect(
            try text(PostTemplate.standard, .easter(metres: nil, kilocalories: nil, goal: nil))
                == "Sunday 2014-04-20: 8,123 steps")
        #expect(try text("{distance} far", .easter(metres: nil)) == "")
        #expect(try text("a\n\n{goal}\nb ·c", .easter(goal: nil)) == "a\n\nb ·c")
    }

    @Test func `the percentage is 100% only when the goal is reached`() throws {
        #expect(try text("{percentage}", .easter(steps: 9999)) == "99%")
        // As `istep show` has it.
        #expect(try text("{percentage}", .easter(steps: 8670)) == "87%")
        #expect(try text("{percentage}", .easter(steps: 10_000)) == "100%")
    }

    @Test(
        arguments: [
            ([0, 0, 0], "▁▁▁"), ([1, 0, 0], "█▁▁"), ([1, 1_000_000], "▂█"), ([1, 2, 3, 4, 5, 6, 7], "▃▄▅▅▆▇█"),
            ([Int.max / 2, 1], "█▂"),
        ] as [([Int], String)])
    func `each bar shows the steps of one hour`(steps: [Int], bars: String) throws {
        var summary = SharedDay.easter().summary
        summary.hours = steps.enumerated().map { .init(start: Timestamp($0 * 3600), hour: $0, utcOffset: 0, steps: $1) }
        let day = try #require(SharedDay(summary))
        let text = try text("{bars}", day)
        #expect(text == bars + String(repeating: "▁", count: 24 - steps.count))
    }

    @Test func `an hour that the clock repeats is one bar`() throws {
        var summary = SharedDay.easter().summary
        summary.hours = [(1, 10), (2, 20), (2, 40), (99, 70), (3, 60)].map {
            .init(start: Timestamp(0), hour: $0, utcOffset: 0, steps: $1)
        }
        let day = try #require(SharedDay(summary))
        #expect(try text("{bars}", day).prefix(5) == "▁▃██▁".prefix(5))
    }

    @Test func `an unknown hour is not shown as an hour without steps`() throws {
        var summary = SharedDay.easter().summary
        summary.hours = (0..<24).map {
            .init(start: Timestamp($0 * 3600), hour: $0, utcOffset: 0, steps: $0 < 3 ? nil : $0 == 8 ? 4000 : 0)
        }
        // The clock repeats this hour, and only one of the two is known.
        summary.hours.append(.init(start: Timestamp(2 * 3600), hour: 2, utcOffset: 0, steps: 4000))
        let day = try #require(SharedDay(summary))
        let bars = try text("{bars}", day)
        #expect(bars == "··█▁▁▁▁▁█" + String(repeating: "▁", count: 15))
        #expect(
            PostPattern(try PostTemplate("{date}\n{bars}"), day.day).matches("2014-04-20 \(bars)"),
            "such a post is found again")
    }

    @Test func `a day without known hours has no bars`() throws {
        var summary = SharedDay.easter().summary
        summary.hours = (0..<24).map { .init(start: Timestamp($0 * 3600), hour: $0, utcOffset: 0, steps: nil) }
        let day = try #require(SharedDay(summary))
        #expect(try text("{steps}\n{bars}", day) == "8,123")
    }

    @Test(arguments: ["{step}", "{}", "{ steps}", "{Steps}", "{steps} {x"])
    func `an unknown figure in a template is rejected`(text: String) {
        #expect(throws: PostTemplate.Problem.self) { try PostTemplate(text) }
    }

    @Test func `a template without figures is valid`() throws {
        #expect(try text("went for a walk } today", .easter()) == "went for a walk } today")
    }

    @Test(arguments: [
        ("a · {weekday}\n{steps} · on {date}", true), ("{date}: {steps}", true), ("went", false), ("{weekday}", false),
        ("{date}: {goal}", false), ("{goal} · {date}", true), ("{goal}\n{date}{bars}", false),
    ])
    func `a template has a date only if it is never omitted`(template: String, hasDate: Bool) throws {
        #expect(try PostTemplate(template).hasDate == hasDate)
    }

    @Test func `the calculated maximum length is never exceeded`() throws {
        let longest = try PostTemplate(PostTemplate.standard).longest
        var summary = SharedDay.easter(
            steps: 9_999_999, metres: 99_999_949, kilocalories: 999_999, goal: 200_000, later: 3
        ).summary
        summary.hours = (0..<24).map { .init(start: Timestamp(0), hour: $0, utcOffset: 0, steps: 1) }
        let day = try #require(SharedDay(summary))
        #expect(try text(PostTemplate.standard, day).count <= longest)
        #expect(longest < 130)
    }
}
