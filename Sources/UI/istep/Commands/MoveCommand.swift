import ArgumentParser
import StepDomain
import StepServices
import StepViews
import Support

struct MoveCommand: AsyncParsableCommand, TakesDays {
    static let configuration = CommandConfiguration(
        commandName: "move",
        abstract: "Move days or a pedometer with its steps to another user.",
        discussion: """
              istep move 2014-04-20 --to bob               a day
              istep move 2014-04-20 2014-04-25 --to bob    from the first day to the last
              istep move ring --to bob                     a pedometer or a source

            Shows the days that change for both users and whether they were shared, asks, and makes a backup before. A pedometer moves \
            with everything that it has counted for its user, and counts for the other user from then on. To pass one on and keep its \
            steps so far: 'istep forget', then 'istep add --user'. Days move with all that is known of them, also corrections; later \
            syncs and imports of the first user leave them out. Days that were shared are sent again for both users.
            """)
    static let documents = [JSONUse(.move)]

    @Argument(
        help: ArgumentHelp(
            "A day, the first and the last day, or a pedometer or a source of imports by name or address.",
            valueName: "day-or-pedometer"),
        completion: CompletionNames.sources)
    var what: [String] = []

    @Option(
        help: ArgumentHelp("The user who gets it.", valueName: "user"), completion: CompletionNames.users)
    var to: String

    @Option(
        help: ArgumentHelp("A pedometer or a source whose name is also that of a day.", valueName: "name"),
        completion: CompletionNames.sources)
    var source: String?

    @OptionGroup var confirmation: ConfirmationOptions

    @OptionGroup var common: CommonOptions

    private var days: [DayArgument]? {
        let days = what.compactMap { try? DayArgument(word: $0) }
        return days.count == what.count && !days.isEmpty ? days : nil
    }

    func validate() throws {
        guard what.isEmpty != (source == nil) else {
            throw ValidationError("Name one thing: a day, the first and the last day, or a pedometer.")
        }
        if what.count > 2 { throw ValidationError("Give one day, or the first and the last day.") }
        if what.count == 2, days == nil {
            for word in what { _ = try DayArgument(word: word) }
        }
    }

    func run() async throws {
        let wiring = try Wiring(common)
        let request = request(wiring)
        let (moving, people, preview) = try await blocking {
            let store = try wiring.history(for: .updating)
            let (moving, people) = (wiring.moving(store), wiring.people(of: store))
            return (moving, people, try moving.preview(request, of: people, owner: common.user, to: to))
        }
        let words = (source.map { ["--source", $0] } ?? []) + ["--to", to] + (days?.map(\.word) ?? what)
        let question = Question(
            text: "Move it? A backup is made before.", refusal: "Nothing was moved.", purpose: "To move it",
            command: ShellCommand("istep move --yes", words))
        guard try await wiring.confirm(question, showing: MoveView(preview), confirmation) else { return }
        try wiring.show(MoveView(try await moving.move(request, of: people, owner: common.user, to: to)))
    }

    private func request(_ wiring: Wiring) -> Moving.Request {
        if let source { return .source(source) }
        let today = wiring.localTime.day(of: wiring.now())
        guard let days = days?.map({ $0.day(today: today) }) else { return .source(what[0]) }
        return .days(first: days[0], last: days[days.count - 1])
    }
}
