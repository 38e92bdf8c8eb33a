import StepDomain
import StepServices
import Testing

@testable import StepViews

@Suite(.timeLimit(.minutes(5))) struct DeletionViewTests {
    private let anna = User(id: 1, name: "anna")

    @Test func `what would be lost is listed with what becomes of it elsewhere`() {
        let next = Sample.day.advanced(by: 1)
        let losses = DeletionLosses(
            days: [.init(day: Sample.day, before: 7000, after: nil), .init(day: next, before: 500, after: nil)],
            corrections: 1, exclusions: 2)
        let fates: [DestinationFate] = [
            .init(name: "diary", days: 1, kind: .keeps), .init(name: "flux", days: 2, kind: .keepsSamples),
            .init(name: "garden", days: 2, kind: .replaced), .init(name: "hall", days: 2, kind: .removed),
        ]
        #expect(
            DeletionView(.init(.days(Sample.day...next, of: anna), losses, fates)).text() == """
                Would delete: 2014-04-20 to 2014-04-21 of anna.
                  Days        2 days, 2014-04-20 to 2014-04-21
                  Steps       7,500 steps
                  By hand     1 day
                  Excluded    2 blocks of time
                diary: 1 day there, and keeps it: delete it there.
                flux: 2 days there; the next share or sync sends 0 steps in their place. The
                  slots that were sent stay there: delete them there.
                garden: 2 days there; the next share or sync sends 0 steps in their place.
                hall: 2 days there; the next share or sync removes them.
                Syncs and imports leave these days out from then on. To let them bring them
                again:
                  istep delete --readmit 2014-04-20 2014-04-21 --user anna
                """)
    }

    @Test func `a source that was deleted says which days others have counted, and how to go back`() {
        let source = HeldSource(Sample.pedometer(), isInUse: true)
        let days = (0..<10).map { DayChange(day: Sample.day.advanced(by: $0), before: 700, after: $0 == 0 ? nil : 600) }
        let losses = DeletionLosses(days: days, pedometers: ["ring"], imports: 2)
        let text = DeletionView(.init(.source(source, of: anna), losses, backup: "/b/1.sqlite")).text()
        #expect(text.hasPrefix("Deleted: ring of anna, with all that it has counted."), "\(text)")
        #expect(text.contains("1 day, 2014-04-20\n") && text.contains("1,600 steps") && text.contains("2 imports"))
        #expect(text.contains("An import of a file that has it brings it back"))
        #expect(text.contains("Changed     9 days") && text.contains("and 1 before"), "\(text)")
        #expect(text.contains("2014-04-29  700 to 600") && text.hasSuffix("istep restore /b/1.sqlite"))
    }

    @Test func `a user is deleted without a word to destinations`() {
        let fates = [DestinationFate(name: "a\u{1b}b", days: 3, kind: .keeps)]
        let view = DeletionView(.init(.user(User(id: 1, name: "a\u{1b}b")), DeletionLosses(), fates))
        #expect(!view.text().contains("\u{1b}") && view.text().contains("delete the days first, and share"))
        #expect(!view.text().contains("readmit"))
    }

    @Test func `users are listed with pedometers, days and plans`() {
        let plan = SportPlan(validFrom: Sample.day, everyDay: 8000)
        var other = plan
        other[.sunday] = 0
        other[.saturday] = 12_000
        let view = UsersView([
            .init(user: anna, pedometers: ["ring", "phone"], days: Sample.day...Sample.day, count: 1, plan: plan),
            .init(user: User(id: 2, name: "Bob"), plan: other),
        ])
        #expect(
            view.text() == """
                anna  1 day, 2014-04-20
                  ring, phone
                  a goal of 8,000 steps
                Bob   no days yet
                  no pedometer
                  goals of 8,000 to 12,000 steps
                """)
        #expect(UsersView([]).text().contains("istep users add NAME"))
    }
}
