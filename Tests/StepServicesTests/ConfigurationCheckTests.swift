import StepDomain
import StepServices
import Testing

@Suite(.timeLimit(.minutes(5))) struct ConfigurationCheckTests {
    private let anna = User(id: 1, name: "anna"), ben = User(id: 2, name: "ben")

    private func check(_ written: WrittenConfiguration) -> ConfigurationCheck.Report {
        ConfigurationCheck(FixedConfiguration(written: written)).run()
    }

    private func configured(
        _ destination: any ShareDestination, secrets: [ConfigurationProblem] = [], line: Int = 1
    ) -> WrittenDestination {
        WrittenDestination(
            destination, secretProblems: secrets, users: garden(line), commandOrPath: garden(line + 1))
    }

    /// A place in the table of the destination.
    private func garden(_ line: Int) -> ConfigurationPlace {
        ConfigurationPlace(.destination("garden"), file: "/user", line: line)
    }

    @Test func `a correct configuration has no problems`() {
        let report = check(
            .init(
                files: ["/system", "/user"], problems: [], destinations: [configured(ScriptedProblems("garden"))],
                users: [anna]))
        #expect(report.files == ["/system", "/user"] && report.destinations == ["garden"] && report.problems.isEmpty)
    }

    @Test func `problems are in the order of files and lines, those without a place last`() {
        func problem(_ text: String, _ file: String?, _ line: Int?) -> ConfigurationProblem {
            .init(.reported(text), at: ConfigurationPlace(nil, file: file, line: line))
        }
        let unordered = [
            problem("flag", nil, nil), problem("user 9", "/user", 9), problem("unread", "/broken", 3),
            problem("user 2", "/user", 2),
            problem("system", "/system", 7), problem("user", "/user", nil), problem("user 2 again", "/user", 2),
        ]
        let report = check(.init(files: ["/system", "/user"], problems: unordered, destinations: [], users: []))
        #expect(
            report.problems.map(\.finding)
                == ["system", "user 2", "user 2 again", "user 9", "user", "unread", "flag"].map { .reported($0) })
    }

    @Test func `recipients are checked against the users, once there are users`() {
        let personal = ScriptedProblems("garden", isPersonal: true)
        #expect(
            check(.init(files: [], problems: [], destinations: [configured(personal)], users: [anna, ben])).problems
                == [ConfigurationProblem(.recipients(.several(known: ["anna", "ben"])), at: garden(1))])
        for users in [[anna], []] {
            #expect(
                check(.init(files: [], problems: [], destinations: [configured(personal)], users: users)).problems
                    .isEmpty)
        }
        let stranger = ScriptedProblems("garden", terms: ShareTerms(users: ["zoe"]))
        #expect(check(.init(files: [], problems: [], destinations: [configured(stranger)], users: [])).problems.isEmpty)
        #expect(
            check(.init(files: [], problems: [], destinations: [configured(stranger)], users: [anna])).problems
                == [ConfigurationProblem(.recipients(.unknownUser("zoe", known: ["anna"])), at: garden(1))])
    }

    @Test func `other settings name users of the history, once there are users`() {
        let place = ConfigurationPlace(.user, file: "/user", line: 3)
        func problems(_ users: [User]) -> [ConfigurationProblem] {
            let names = [(name: "ANNA", place: place), (name: "zoe", place: place)]
            return check(.init(files: ["/user"], problems: [], destinations: [], users: users, userNames: names))
                .problems
        }
        #expect(problems([]).isEmpty)
        #expect(
            problems([anna]) == [ConfigurationProblem(.recipients(.unknownUser("zoe", known: ["anna"])), at: place)])
    }

    @Test func `a destination for one person takes the days of one user, also where several are named`() {
        let users = [anna, ben, User(id: 3, name: "carl")]
        func problems(_ names: [String], isPersonal: Bool = true) -> [ConfigurationProblem] {
            let garden = ScriptedProblems("garden", isPersonal: isPersonal, terms: ShareTerms(users: names))
            return check(.init(files: [], problems: [], destinations: [configured(garden)], users: users)).problems
        }
        #expect(
            problems(["Ben", "anna"])
                == [ConfigurationProblem(.recipients(.several(known: ["anna", "ben"])), at: self.garden(1))])
        #expect(
            problems(["ben"]).isEmpty && problems(["ben", "BEN"]).isEmpty
                && problems(["ben", "anna"], isPersonal: false).isEmpty)
    }

    @Test func `an unreadable secret is reported once, by its own line`() {
        let destination = ScriptedProblems("garden", problems: ["cannot read /token", "no program /bin/x"])
        let secret = ConfigurationProblem(.reported("cannot read /token"), at: garden(9))
        let report = check(
            .init(
                files: ["/user"], problems: [], destinations: [configured(destination, secrets: [secret], line: 4)],
                users: []))
        #expect(
            report.problems == [ConfigurationProblem(.reported("no program /bin/x"), at: garden(5)), secret])
    }
}

private struct FixedConfiguration: ConfigurationSource {
    let written: WrittenConfiguration

    func read() -> WrittenConfiguration { written }
}

/// A destination of which only its requirements matter.
private struct ScriptedProblems: ShareDestination {
    let name: String
    let kind = "scripted"
    let location = "memory"
    let traits: ShareTraits
    let terms: ShareTerms
    private let found: [String]

    init(_ name: String, isPersonal: Bool = false, terms: ShareTerms = ShareTerms(), problems: [String] = []) {
        self.name = name
        self.terms = terms
        found = problems
        traits = ShareTraits(resending: .replaces, corrects: true, acceptsUnfinishedDays: true, isPersonal: isPersonal)
    }

    func problems() -> [String] { found }
    func preview(_ payloads: [SharePayload]) throws(ShareFailure) -> String { "" }
    func deliver(_ payloads: [SharePayload]) async throws(ShareFailure) -> [ShareReceipt] {
        throw ShareFailure(.unreachable, "not used")
    }
    func check() async throws(ShareFailure) -> String { "" }
}
