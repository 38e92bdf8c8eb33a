import StepDomain
import StepServices
import Testing

@testable import StepViews

@Suite(.timeLimit(.minutes(5))) struct MoveViewTests {
    private let anna = User(id: 1, name: "anna")
    private let bob = User(id: 2, name: "Bob")

    @Test func `both sides and what was shared are shown`() {
        let days = Sample.day...Sample.day
        let effect = MoveEffect(
            from: .init(days: [.init(day: Sample.day, before: 7000, after: nil)]), to: .init(), corrections: 1,
            lostCorrections: 1)
        let view = MoveView(
            .init(
                .days(days, from: anna, to: bob), effect,
                [
                    .init(name: "diary", user: anna, days: 1, isSentAgain: false),
                    .init(name: "garden", user: bob, days: 2, isSentAgain: true),
                ]))
        #expect(
            view.text() == """
                Would move: 2014-04-20 of anna to Bob.
                  anna: 1 day changes
                    2014-04-20  7,000 to nothing
                  Bob: no day changes
                  1 correction by hand would move with the days.
                  Bob keeps 1 correction by hand: what anna has for the same days is lost.
                diary: 1 day of anna there, which it keeps as it was sent.
                garden: 2 days of Bob there; the next share or sync sends them again.
                Later syncs and imports of anna leave these days out.
                """)
    }

    @Test func `a pedometer moves with all that it has counted`() {
        let source = HeldSource(Sample.pedometer(), isInUse: true)
        let days = (0..<9).map { DayChange(day: Sample.day.advanced(by: $0), before: nil, after: 100) }
        let text = MoveView(
            .init(.source(source, from: anna, to: bob), MoveEffect(to: .init(days: days)), backup: "/b/1.sqlite")
        ).text()
        #expect(text.hasPrefix("Moved: ring of anna, with all that it has counted, to Bob."), "\(text)")
        #expect(text.contains("Bob: 9 days change") && text.contains("and 1 before"), "\(text)")
        #expect(!text.contains("leave these days out") && text.hasSuffix("istep restore /b/1.sqlite"))
    }
}
