import HTTP
import StepDomain
import Testing
import TestSupport

@testable import Sharing

@Suite(.timeLimit(.minutes(5))) struct PostPatternTests {
    private let easter = SharedDay.easter().day

    private func pattern(_ template: String, _ day: Day? = nil) throws -> PostPattern {
        PostPattern(try PostTemplate(template), day ?? easter)
    }

    @Test(arguments: [
        "Sunday 2014-04-20: 8,123 steps 81% of the goal of 10,000 · 5.4 km · 232 kcal ▁▁▁█",
        "Sunday 2014-04-20: 0 steps", "Sunday 2014-04-20: 1,234,567 steps 3.4 mi",
        "Sunday\u{A0}2014-04-20:8,123steps\n\n▁",
        "Sunday 2014-04-20: 8,123 steps 5.4 km · 232 kcal",
    ])
    func `a pattern matches texts of the day with any figures`(text: String) throws {
        #expect(try pattern(PostTemplate.standard).matches(text))
    }

    @Test(arguments: [
        "", "Sunday 2014-04-20: steps", "Sunday 2014-04-21: 8,123 steps", "Monday 2014-04-20: 8,123 steps",
        "Sunday 2014-04-20: 8,123 steps!",
        "RT Sunday 2014-04-20: 8,123 steps", "Sunday 2014-04-20: eight steps",
        "Sunday 2014-04-20: 8,123 steps 81% of the goal of",
    ])
    func `a pattern does not match other texts`(text: String) throws {
        #expect(try !pattern(PostTemplate.standard).matches(text))
    }

    @Test func `adjacent figures are matched separately`() throws {
        #expect(try pattern("{steps}{goal}{percentage}").matches("8,12310,00081%"))
        #expect(try pattern("{steps}{steps}").matches("12"))
        #expect(try !pattern("{steps}{steps}").matches("1"))
        #expect(try pattern("{date}{date}").matches("2014-04-202014-04-20"))
    }

    @Test func `equivalent Unicode spellings of a letter match`() throws {
        #expect(try pattern("Zo\u{EB} {steps}").matches("Zoe\u{308} 5"))
    }

    @Test(arguments: 1...20 as ClosedRange<UInt64>) func `a pattern matches the generated text as a server shows it`(
        seed: UInt64
    ) throws {
        var random = SeededGenerator(seed: seed)
        let words = [
            "Hello & <world>", "\"quoted\"", "'s", "#steps", "🚶‍♀️", "\n", " · ", "  ", "https://example.org/?a=1&b=2",
            "&amp;", "Zoë", "]]>",
        ]
        for _ in 0..<30 {
            let pieces = (0..<Int.random(in: 1...12, using: &random)).map { _ in
                Bool.random(using: &random)
                    ? words.randomElement(using: &random) ?? ""
                    : "{\((PostFigure.allCases.randomElement(using: &random) ?? .steps).rawValue)}"
            }
            let template = try PostTemplate((pieces + ["{date}"]).joined())
            func one<Value>(_ value: Value) -> Value? { Bool.random(using: &random) ? value : nil }
            let day = SharedDay.easter(
                steps: Int.random(in: 0...99_999, using: &random),
                metres: one(Double.random(in: 0...99_999, using: &random)),
                kilocalories: one(Double.random(in: 0...9999, using: &random)),
                goal: one(Int.random(in: 1...20_000, using: &random)),
                later: Int.random(in: 0...300, using: &random))
            let text = template.text { $0.value(day, .metric) }
            guard text.contains("\(day.day)") else { continue }
            let shown = HTMLText.text(of: html(text))
            #expect(PostPattern(template, day.day).matches(shown), "\(template) made \(text)")
            #expect(!PostPattern(template, day.day.advanced(by: 7)).matches(shown))
        }
    }

    /// A text as Mastodon returns it.
    private func html(_ text: String) -> String {
        let escaped = text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
            .replacing(
                "\"", with: "&quot;"
            )
            .replacing("'", with: "&#39;").replacing(
                "#steps", with: "<a href=\"/tags/steps\" class=\"mention\">#<span>steps</span></a>")
        return "<p>" + escaped.replacing("\n\n", with: "</p><p>").replacing("\n", with: "<br />") + "</p>"
    }

    @Test func `matching a long text ends quickly`() throws {
        let template = String(repeating: "{goal}{percentage}\n", count: 200) + "x"
        #expect(try !pattern(template).matches(String(repeating: "1", count: 5000)))
    }
}
