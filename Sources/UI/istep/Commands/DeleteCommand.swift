import ArgumentParser
import StepDomain
import StepServices
import StepViews
import Support

struct DeleteCommand: AsyncParsableCommand, TakesDays {
    static let configuration = CommandConfiguration(
        commandName: "delete",
        abstract: "Delete days, a pedometer or a user from the history.",
        discussion: """
              istep delete 2014-04-20                a day
              istep delete 2014-04-20 2014-04-25     from the first day to the last
              istep delete --source phone            a pedometer or a source of imports
              istep delete --everything --user bob   a user: istep users remove bob
              istep delete --list                    days that syncs leave out
              istep delete 2014-04-20 --readmit      syncs may bring the day again

            Shows what would be lost, asks, and makes a backup before. Nothing of the figures stays: no steps, no raw frames, no contents \
            of imports. Later syncs and imports leave deleted days out, although a pedometer may still hold them. If today is deleted, \
            what you walk later today is left out, too. Destinations that can replace a day remove it or get 0 steps with the next share; the \
            others are named. To keep the steps and not count them: 'istep correct DAY --from --to --steps 0'.
            """)
    static let documents = [JSONUse(.deletion), JSONUse(.deletedDays, "--list"), JSONUse(.readmission, "--readmit")]

    @Argument(
        help: ArgumentHelp(
            "The day, or the first and the last day: yesterday, 2014-04-20, -3 (days ago) or a weekday.",
            valueName: "day"),
        completion: .list(DayArgument.words), transform: DayArgument.init(word:))
    var days: [DayArgument] = []

    @Option(
        help: ArgumentHelp(
            "A pedometer or a source of imports, by name or address; also one that is out of use.", valueName: "name"),
        completion: CompletionNames.sources)
    var source: String?

    @Flag(help: "The user that --user names, with everything that belongs to the user.")
    var everything = false

    @Flag(help: "Let syncs and imports bring deleted days again.")
    var readmit = false

    @Flag(help: "List the deleted days that syncs and imports leave out.")
    var list = false

    @OptionGroup var confirmation: ConfirmationOptions

    @OptionGroup var common: CommonOptions

    func validate() throws {
        guard [!days.isEmpty, source != nil, everything, list].count(where: \.self) == 1 else {
            throw ValidationError("Name one thing: days, --source NAME, --everything with --user NAME, or --list.")
        }
        if days.count > 2 { throw ValidationError("Give one day, or the first and the last day.") }
        if everything, common.user == nil { throw ValidationError("--everything needs --user NAME.") }
        if readmit, days.isEmpty || confirmation.isGiven {
            throw ValidationError("--readmit takes days only, without --yes and --dry-run.")
        }
        if list, confirmation.isGiven {
            throw ValidationError("--list deletes nothing: leave --yes and --dry-run out.")
        }
    }

    func run() async throws {
        let wiring = try Wiring(common)
        if list { return try await list(wiring) }
        if readmit { return try await readmit(wiring) }
        let request = request(wiring)
        try await Self.delete(
            request, common, wiring, question: "Delete \(request.isPlural ? "them" : "it")? A backup is made before.",
            command: ShellCommand("istep delete --yes", words),
            confirmation)
    }

    /// Shows, asks and deletes.
    static func delete(
        _ request: Deleting.Request, _ common: CommonOptions, _ wiring: Wiring, question: String,
        command: ShellCommand, _ confirmation: ConfirmationOptions
    ) async throws {
        let (deleting, people, preview) = try await blocking {
            let store = try wiring.history(for: .updating)
            let (deleting, people) = (wiring.deleting(store), wiring.people(of: store))
            return (deleting, people, try deleting.preview(request, of: people, owner: common.user))
        }
        let asked = Question(
            text: question, refusal: "Nothing was deleted.",
            purpose: "To delete \(request.isPlural ? "them" : "it")", command: command)
        guard try await wiring.confirm(asked, showing: DeletionView(preview), confirmation) else { return }
        let deleted = try await deleting.delete(request, of: people, owner: common.user)
        try wiring.show(DeletionView(deleted))
    }

    private func request(_ wiring: Wiring) -> Deleting.Request {
        if let source { return .source(source) }
        if everything { return .user }
        let (first, last) = range(wiring)
        return .days(first: first, last: last)
    }

    private func range(_ wiring: Wiring) -> (first: Day, last: Day) {
        let today = wiring.localTime.day(of: wiring.now())
        let days = days.map { $0.day(today: today) }
        return (days[0], days[days.count - 1])
    }

    private var words: [String] {
        if let source { return ["--source", source] }
        if everything { return ["--everything"] }
        return days.map(\.word)
    }

    private func list(_ wiring: Wiring) async throws {
        let view = try await blocking {
            let store = try wiring.history(for: .reading)
            let user = try wiring.user(in: store)
            return DeletedDaysView(user, try store.closedDays(of: user.id), localTime: wiring.localTime)
        }
        try wiring.show(view)
    }

    private func readmit(_ wiring: Wiring) async throws {
        let (first, last) = range(wiring)
        let view = try await blocking {
            let store = try wiring.history(for: .updating)
            let user = try wiring.user(in: store)
            let count = try wiring.deleting(store).readmit(first: first, last: last, of: user)
            return ReadmissionView(user, first: first, last: last, count: count)
        }
        try wiring.show(view)
    }
}

extension Deleting.Request {
    fileprivate var isPlural: Bool { if case .days(let first, let last) = self { first != last } else { false } }
}
