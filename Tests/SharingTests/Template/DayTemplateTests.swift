import StepDomain
import Testing

@testable import Sharing

@Suite struct DayTemplateTests {
    @Test func figuresAreFilledIn() throws {
        let text = "{user}, {weekday} {date}: {steps} steps, {distance} km, {calories} kcal, {percentage} % of {goal}"
        #expect(
            try DayTemplate(text).text(for: parcel().day) == "anna, Sunday 2014-04-20: 8,123 steps, 5.9 km, 240 kcal, 101 % of 8,000")
    }

    @Test func whatIsNotKnownIsLeftOutWithItsBrackets() throws {
        let day = try parcel { ($0.goal, $0.percentage, $0.distance) = (nil, nil, nil) }.day
        #expect(try DayTemplate("{steps} steps[ · {distance} km][ · {calories} kcal][ · {percentage} % of {goal}]").text(for: day) == "8,123 steps · 240 kcal")
        #expect(try DayTemplate("{distance} km").text(for: day) == "– km")
    }

    @Test func bracesAndBracketsThatAreMeant() throws {
        #expect(try DayTemplate("{{x}} [[y]]").text(for: parcel().day) == "{x} [y]")
    }

    @Test(arguments: ["{stesp}", "{steps", "a } b", "[open", "close]", "[a[b]]c"])
    func whatIsNoTemplate(text: String) {
        #expect(throws: DayTemplate.Problem.self) { try DayTemplate(text) }
    }

    @Test func thousandsAndKilometresAreRounded() throws {
        let template = try DayTemplate("{steps}/{distance}")
        #expect(try template.text(for: parcel(steps: 999) { $0.distance = 949 }.day) == "999/0.9")
        #expect(try template.text(for: parcel(steps: 1000) { $0.distance = 950 }.day) == "1,000/1.0")
        #expect(try template.text(for: parcel(steps: 1_234_567) { $0.distance = 12_345 }.day) == "1,234,567/12.3")
    }

    @Test func anHourABlock() {
        #expect(Bars.of([0, 1, 500, 1000]) == "▁▂▅█")
        #expect(Bars.of([0, 0]) == "▁▁")
        #expect(Bars.of([7]) == "█")
    }

    private let standard = "{steps} steps[ · {distance} km][ · {percentage} % of {goal}] on {date}\n{bars}"

    @Test func aTextIsRecognisedWhateverItsFigures() throws {
        let template = try DayTemplate(standard)
        let before = try parcel(steps: 12).day
        let after = try parcel(steps: 23_456) { ($0.goal, $0.percentage, $0.distance) = (nil, nil, 99_000) }.day
        #expect(template.couldBe(template.text(for: before), of: after))
        #expect(template.couldBe(template.text(for: after), of: before))
        #expect(template.couldBe(template.text(for: before).replacing("\n", with: " "), of: after))
    }

    @Test func anotherDayOrAnotherTextIsNot() throws {
        let template = try DayTemplate(standard)
        let day = try parcel().day
        #expect(!template.couldBe(template.text(for: try parcel("2014-04-21").day), of: day))
        #expect(!template.couldBe(template.text(for: day) + " and more", of: day))
        #expect(!template.couldBe("", of: day))
        #expect(!template.couldBe("steps on 2014-04-20", of: day))
        #expect(template.namesDay)
        #expect(try !DayTemplate("{steps}").namesDay)
    }

    /// A hostile server's text takes no longer than another.
    @Test func aTextThatAlmostFitsIsRefusedAtOnce() throws {
        let template = try DayTemplate(String(repeating: "{steps}", count: 12) + "{date}")
        let day = try parcel().day
        #expect(!template.couldBe(String(repeating: "1", count: 5000), of: day))
    }
}
