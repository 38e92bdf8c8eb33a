import StepDomain
import StepServices
import Testing

@Suite(.timeLimit(.minutes(5))) struct ConfigurationCheckTests {
    private let anna = User(id: 1, name: "anna"), ben = User(id: 2, name: "ben")

    private func check(_ written: WrittenConfiguration) -> ConfigurationCheck.Report {
        ConfigurationCheck(FixedConfiguration(written: written)).run()
    }

    private func configured(
        _ destination: any ShareDestination, secrets: [(reason: String, problem: ConfigurationProblem)] = [],
        line: Int = 1
    ) -> WrittenDestination {
        WrittenDestination(destination, secretProblems: secrets) { reason, key in
            ConfigurationProblem("\(key): \(reason)", file: "/user", line: key == .users ? line : line + 1)
        }
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
            .init(text, file: file, line: line)
        }
        let unordered = [
            problem("flag", nil, nil), problem("user 9", "/user", 9), problem("unread", "/broken", 3),
            problem("user 2", "/user", 2),
            problem("system", "/system", 7), problem("user", "/user", nil), problem("user 2 again", "/user", 2),
        ]
        let report = check(.init(files: ["/system", "/user"], problems: unordered, destinations: [], users: []))
        #expect(
            report.problems.map(\.text) == ["system", "user 2", "user 2 again", "user 9", "user", "unread", "flag"])
    }

    @Test func `recipients are checked against the users, once there are users`() {
        let personal = ScriptedProblems("garden", isPersonal: true)
        #expect(
            check(.init(files: [], problems: [], destinations: [configured(personal)], users: [anna, ben])).problems
                .map(\.text)
                == ["users: \(ConfigurationFinding.recipients(.several(known: ["anna", "ben"])))"])
        for users in [[anna], []] {
            #expect(
                check(.init(files: [], problems: [], destinations: [configured(personal)], users: users)).problems
                    .isEmpty)
        }
        let stranger = ScriptedProblems("garden", terms: ShareTerms(users: ["zoe"]))
        #expect(check(.init(files: [], problems: [], destinations: [configured(stranger)], users: [])).problems.isEmpty)
        #expect(
            check(.init(files: [], problems: [], destinations: [configured(stranger)], users: [anna])).problems.map(
                \.text)
                == ["users: \(ConfigurationFinding.recipients(.unknownUser("zoe", known: ["anna"])))"])
    }

    @Test func `other settings name users of the history, once there are users`() {
        func problems(_ users: [User]) -> [String] {
            let names = ["ANNA", "zoe"].map { name in
                (
                    name: name,
                    problem: { @Sendable (reason: ConfigurationFinding) in
                        ConfigurationProblem("user: \(reason)", file: "/user", line: 3)
                    }
                )
            }
            return check(.init(files: ["/user"], problems: [], destinations: [], users: users, userNames: names))
                .problems.map(\.text)
        }
        #expect(problems([]).isEmpty)
        #expect(problems([anna]) == ["user: \(ConfigurationFinding.recipients(.unknownUser("zoe", known: ["anna"])))"])
    }

    @Test func `a destination for one person takes the days of one user, also where several are named`() {
        let users = [anna, ben, User(id: 3, name: "carl")]
        func problems(_ names: [String], isPersonal: Bool = true) -> [String] {
            let garden = ScriptedProblems("garden", isPersonal: isPersonal, terms: ShareTerms(users: names))
            return check(.init(files: [], problems: [], destinations: [configured(garden)], users: users)).problems.map(
                \.text)
        }
        #expect(
            problems(["Ben", "anna"]) == ["users: \(ConfigurationFinding.recipients(.several(known: ["anna", "ben"])))"]
        )
        #expect(
            problems(["ben"]).isEmpty && problems(["ben", "BEN"]).isEmpty
                && problems(["ben", "anna"], isPersonal: false).isEmpty)
    }

    @Test func `an unreadable secret is reported once, by its own line`() {
        let destination = ScriptedProblems("garden", problems: ["cannot read /token", "no program /bin/x"])
        let secret = (
            reason: "cannot read /token",
            problem: ConfigurationProblem("token: cannot read /token", file: "/user", line: 9)
        )
        let report = check(
            .init(
                files: ["/user"], problems: [], destinations: [configured(destination, secrets: [secret], line: 4)],
                users: []))
        #expect(
            report.problems.map(\.text) == [
                "commandOrPath: \(ConfigurationFinding.reported("no program /bin/x"))", "token: cannot read /token",
            ])
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
