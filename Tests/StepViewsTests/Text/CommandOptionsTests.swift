import StepDomain
import StepServices
import TestSupport
import Testing

@testable import StepViews

/// A command in the output for one user or history is for the same user and history.
@Suite(.timeLimit(.minutes(5))) struct CommandOptionsTests {
    private static let ben = CommandOptions(
        user: "Ben O'Hara", database: "/a b/h.sqlite", configuration: "/c.toml",
        subcommands: ["doctor": .ofMachine, "auto": .none, "show": .ofUser])

    @Test(arguments: [
        (
            "istep show 2014-04-20",
            #"istep show 2014-04-20 --user 'Ben O'\''Hara' --db '/a b/h.sqlite' --config /c.toml"#
        ),
        ("istep doctor", "istep doctor --db '/a b/h.sqlite' --config /c.toml"),
        ("istep doctor --repair --db /other", "istep doctor --repair --db /other --config /c.toml"),
        ("istep add --user NAME", "istep add --user NAME --db '/a b/h.sqlite' --config /c.toml"),
        ("istep auto on", "istep auto on"), ("sudo istep auto on --system", "sudo istep auto on --system"),
        ("chmod 600", "chmod 600"),
        ("istep", "istep"),
    ])
    func `a command gets the options that it takes and does not have`(_ line: String, _ expected: String) {
        #expect(ShellCommand(line).with(Self.ben).text() == expected)
        #expect(ShellCommand(line).with(Self.ben).with(Self.ben).text() == expected)
        #expect(ShellCommand(line).with(CommandOptions()).text() == line)
    }

    /// Without it, a restore that a demo advises would replace the user's own history.
    @Test(arguments: [
        ("istep restore", "istep --demo='/a b' restore /f"), ("istep demo", "istep demo /f"),
        ("istep auto on", "istep --demo='/a b' auto on /f"), ("chmod 600", "chmod 600 /f"),
    ])
    func `a command of a demo is for that demo`(_ line: String, _ expected: String) {
        let options = CommandOptions(demo: "--demo='/a b'"), command = ShellCommand(line, ["/f"]).with(options)
        #expect(command.text() == expected && command.with(options).text() == expected)
    }

    @Test func `options follow the words of a command`() {
        let command = ShellCommand("istep outbox drop", ["my garden", "2014-04-20"]).with(CommandOptions(user: "Ben"))
        #expect(command.text() == "istep outbox drop 'my garden' 2014-04-20 --user Ben")
        let advice: Advice = "Read it: \(command: "istep sync", "ring"), or run \(command: "chmod 600", "/h")"
        #expect(
            advice.with(CommandOptions(database: "/h")).markup
                == "Read it: `istep sync ring --db /h`, or run `chmod 600 /h`")
        let error = "There is none. Read your pedometer first: `istep sync`"
        #expect(Advice(markup: error).with(CommandOptions()).markup == error)
    }

    /// The lines of a view for Ben that have a command of istep.
    private func commands(_ view: some View, width: Int = 80) -> [String] {
        let style = TextStyle(width: width, commands: CommandOptions(user: "Ben", database: "/h.sqlite"))
        return view.lines(style).filter { $0.contains("istep ") }
    }

    private func expectOptions(_ view: some View, _ count: Int) {
        for width in [40, 60, 80] {
            let lines = commands(view, width: width)
            #expect(lines.count >= count, "\(lines)")
            for line in lines { #expect(line.hasSuffix(" --user Ben --db /h.sqlite"), "\(width): \(line)") }
        }
    }

    @Test func `every command of a view is for the user of the view`() {
        let ben = User(id: 2, name: "Ben")
        let today = Sample.localTime.day(of: Sample.now)
        let unknown = DaySummary(
            user: ben, day: today, steps: 100, category: .sedentary, completeness: .partial, isInProgress: true)
        // Height, weight, plan, sync, and the day before.
        expectOptions(DayView(unknown, today: today, now: Sample.now, localTime: Sample.localTime), 5)
        expectOptions(Sample.view(), 1)
        expectOptions(PlanView(user: ben, plans: []), 1)
        expectOptions(ProfileView(user: ben, profiles: []), 1)
        expectOptions(SampleHistory.view(), 1)
        let noPlan = [
            DayFigures(
                DaySums(day: Sample.day, gaits: GaitSums(walkingSteps: 5000), completeness: .complete), correction: nil,
                profile: nil, plan: nil,
                isInProgress: false)
        ]
        expectOptions(SampleHistory.view(DaySeries(user: ben, today: Sample.day, days: noPlan)), 1)
        let nothing = HistoryView(DaySeries(user: ben, today: today, days: []), Period(.week, containing: today))
        expectOptions(nothing, 1)
    }

    @Test func `without options the commands are as they were`() {
        #expect(Sample.view().text().hasSuffix("  Previous: istep show 2014-04-19   Next: istep show 2014-04-21"))
    }

    @Test(arguments: 40...80) func `the commands of a day are whole at every width`(_ width: Int) {
        let path = "/home/anna/a long way/" + String(repeating: "x/", count: 40) + "history.sqlite"
        let style = TextStyle(width: width, commands: CommandOptions(database: path))
        let lines = Sample.view().lines(style)
        for day in ["2014-04-19", "2014-04-21"] {
            #expect(lines.contains { $0.hasSuffix("istep show \(day) --db '\(path)'") }, "\(lines)")
        }
    }

    // MARK: Several users

    @Test func `a person of a household without a pedometer is told to add one for that person`() {
        let people = ["anna", "ben"].enumerated().map { index, name in
            StatusReport.Person(
                today: DaySummary(user: User(id: Int64(index + 1), name: name), day: Sample.day), pedometers: [])
        }
        let household = StatusView(
            people, models: Sample.models, isHousehold: true, database: "/h", now: Sample.now,
            localTime: Sample.localTime
        ).text()
        #expect(
            household.contains("istep add ADDRESS --user anna\n")
                && household.contains("istep add ADDRESS --user ben\n"), "\(household)")
        let alone = StatusView(
            [people[0]], models: Sample.models, database: "/h", now: Sample.now, localTime: Sample.localTime
        ).text()
        #expect(alone.contains("istep add ADDRESS\n"), "\(alone)")
        let imported = StatusReport.Person(today: people[0].today, firstDay: Sample.day, pedometers: [])
        let text = StatusView(
            [imported], models: Sample.models, database: "/h", now: Sample.now, localTime: Sample.localTime
        ).text()
        #expect(
            text.contains("  no pedometer; days are known since 2014-04-20\n") && !text.contains("istep add"), "\(text)"
        )
    }

    @Test func `only the day of its user is dropped or retried`() {
        let event = ShareReport.Event(user: 2, day: Sample.day, outcome: .doubtful(reason: "no answer"))
        let report = ShareReport(
            destination: "garden", kind: "rest", events: [event], waiting: 0, state: DestinationState(name: "garden"))
        let users = [User(id: 1, name: "anna"), User(id: 2, name: "ben")]
        func text(_ users: [User]) -> String {
            ShareView([report], users: users, now: Sample.now, localTime: Sample.localTime).text()
        }
        #expect(text(users).contains("istep outbox drop garden 2014-04-20 --user ben\n"))
        #expect(text(users).hasSuffix("istep outbox retry garden 2014-04-20 --user ben"))
        #expect(text([users[1]]).hasSuffix("istep outbox retry garden 2014-04-20"))

        let notice = Notice(
            .destination("garden"), name: "garden", since: Sample.synced,
            .shareInDoubt(user: "ben", day: Sample.day, reason: "no answer"))
        func commands(isHousehold: Bool) -> [String] {
            NoticeWords(notice, isHousehold: isHousehold, now: Sample.now, localTime: Sample.localTime).advice.commands
                .map { $0.text() }
        }
        #expect(commands(isHousehold: true).allSatisfy { $0.hasSuffix("garden 2014-04-20 --user ben") })
        #expect(commands(isHousehold: false).allSatisfy { $0.hasSuffix("garden 2014-04-20") })
    }
}
