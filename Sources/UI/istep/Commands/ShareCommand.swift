import ArgumentParser
import StepDomain
import StepServices
import StepViews
import Support

struct ShareCommand: AsyncParsableCommand, TakesDays {
    static let dayOptions: Set = ["--from", "--to", "--to-day"]
    static let documents = [
        JSONUse(.share), JSONUse(.previews, "--dry-run"), JSONUse(.destinations, "--list"), JSONUse(.outbox, "--queue"),
    ]

    static let configuration = CommandConfiguration(
        commandName: "share",
        abstract: "Share a day with the configured destinations.",
        discussion: """
            Sends the day's summary to your destinations, together with the days that wait in the outbox. Every sync shares new days \
            automatically; this command is for a day that you want to share now.

              istep share yesterday                  one day
              istep share yesterday --with server    only with this destination
              istep share --from 2014-04-01 --to yesterday
              istep share --dry-run                  exactly what would be sent of the day
              istep share yesterday --again          again, although it was sent
              istep share --list --check             check each destination

            'istep config kinds' lists the kinds of destinations. What cannot be sent \
            now stays in the outbox and is sent later. A day that you share is sent as it is; where a day cannot be corrected, a sync waits \
            until it is over and complete. Exit codes: 75 days stay in the outbox, 77 credentials were rejected, 78 the configuration is \
            wrong, 65 a destination rejected a day.
            """)

    @Argument(
        help: ArgumentHelp(
            "today, yesterday, 2014-04-20, -3 (days ago) or a weekday; today if none is given.", valueName: "day"),
        transform: DayArgument.init(word:))
    var day: DayArgument?

    @Option(
        help: ArgumentHelp("Only with this destination; may be given more than once.", valueName: "name"),
        completion: CompletionNames.destinations)
    var with: [String] = []

    @Option(
        help: ArgumentHelp("Share all days from this one on.", valueName: "day"), completion: .list(DayArgument.words),
        transform: DayArgument.init(word:))
    var from: DayArgument?

    /// Before version 0.4 this named a destination: a word that is not a day, or that is the name of one, still does.
    @Option(
        help: ArgumentHelp("The last day to share; yesterday if none is given.", valueName: "day"),
        completion: .list(DayArgument.words))
    var to: [String] = []

    /// The name of `--to` before version 0.4.
    @Option(help: .hidden, transform: DayArgument.init(word:))
    var toDay: DayArgument?

    @Flag(help: "Show exactly what would be sent of the days, secrets masked; send nothing.")
    var dryRun = false

    @Flag(help: "Continue until everything has arrived, however long a server takes.")
    var wait = false

    @Flag(help: "Only put the days into the outbox; the next sync sends them.")
    var queue = false

    @Flag(
        help:
            "Send the days once more even if they were already sent. A service that does not replace a day then has it twice."
    )
    var again = false

    @Flag(help: "List the destinations instead.")
    var list = false

    @Flag(help: "With --list: check that each answers and, if it can tell without a day, accepts your credentials.")
    var check = false

    @OptionGroup var common: CommonOptions

    func validate() throws {
        if day != nil, from != nil { throw ValidationError("A day cannot be combined with --from.") }
        if toDay != nil, from == nil { throw ValidationError("--to-day needs --from.") }
        if check, !list { throw ValidationError("--check needs --list.") }
        if list, day != nil || from != nil || dryRun || wait || queue || again {
            throw ValidationError("--list can only be combined with --with and --check.")
        }
        if [dryRun, wait, queue].count(where: { $0 }) > 1 {
            throw ValidationError("Only one of --dry-run, --wait and --queue can be given.")
        }
    }

    func run() async throws {
        let wiring = try Wiring(common)
        let (destinations, last) = try chosen(of: wiring.destinationNames)
        let sharing = try await blocking {
            try ShareService(wiring.services(wiring.history(for: list || dryRun ? .reading : .updating))).with(
                destinations)
        }
        if list { return try await showDestinations(wiring, sharing) }
        try sharing.requireDestination()
        let (user, chosen) = try await blocking {
            let user = try wiring.user(in: sharing.context.history)
            return (
                user,
                try days(
                    through: last, of: user, in: sharing.context.history, today: wiring.localTime.day(of: wiring.now()))
            )
        }
        if dryRun {
            let previews = try await blocking { try sharing.previews(of: chosen, of: user, again: again) }
            return try wiring.show(PreviewView(previews, of: user))
        }
        let order = ShareOrder.days(chosen, of: user, again: again)
        // Without a day, also what has changed since it was sent, such as a day that was corrected.
        if day == nil, from == nil { try await sharing.enqueue(.due) }
        if queue {
            wiring.noteOtherHistory()
            try await sharing.enqueue(order)
            if common.json { return try await showQueue(chosen, user, wiring, sharing) }
            if common.quiet { return }
            let (previews, states) = try await blocking {
                (
                    try sharing.previews(of: chosen, of: user, hasContent: false),
                    try sharing.destinations.map { try sharing.context.history.state(of: $0.name) }
                )
            }
            let view = PreviewView(previews, of: user)
            for line in view.queueLines(wiring.style, states: states, now: wiring.now()) { try wiring.say(line) }
            return
        }

        try await wiring.share(order, by: sharing, waits: wait)
    }

    /// The destinations that are named, and the last day.
    private func chosen(of known: [String]) throws -> (destinations: [String], last: DayArgument?) {
        var (destinations, last) = (with, toDay)
        for word in to {
            if !known.contains(word), let day = try? DayArgument(word: word) {
                last = day
            } else {
                destinations.append(word)
            }
        }
        if last != nil, from == nil {
            throw CommandFailure(.usage, "--to needs --from.", advice: "For one day: `istep share DAY`")
        }
        return (destinations, last)
    }

    private func days(through last: DayArgument?, of user: User, in history: History, today: Day) throws -> [Day] {
        let choice: ShareDays.Choice =
            if let from {
                .range(from: from.day(today: today), through: last?.day(today: today))
            } else {
                .day((day ?? DayArgument(.daysAgo(0))).day(today: today))
            }
        do {
            return try ShareDays(choice, today: today).days(of: user, in: history)
        } catch ServiceError.dayNotBegun(let day, _) where from != nil {  // in the words of the options
            throw CommandFailure(
                .usage, "--from \(day) has not begun; today is \(today).", advice: "Give a past day to --from.")
        } catch ServiceError.rangeReversed(let first, let last) {
            throw CommandFailure(
                .usage, "--from \(first) is after --to \(last).", advice: "Give the earlier day to --from.")
        }
    }

    /// Shows the entries of these days that are in the outbox now.
    private func showQueue(_ days: [Day], _ user: User, _ wiring: Wiring, _ sharing: ShareService) async throws {
        let view = try await blocking {
            let history = sharing.context.history, names = sharing.destinations.map(\.name)
            let entries = try names.flatMap { try history.unsettledEntries(for: $0, of: user.id) }.filter {
                days.contains($0.day)
            }
            return OutboxView(
                entries, states: try names.map(history.state(of:)), users: sharing.users, now: wiring.now(),
                localTime: wiring.localTime)
        }
        try wiring.show(view)
    }

    private func showDestinations(_ wiring: Wiring, _ sharing: ShareService) async throws {
        let statuses = try await sharing.statuses(isChecked: check)
        try wiring.show(DestinationsView(statuses, now: wiring.now(), localTime: wiring.localTime))
        if let worst = statuses.compactMap(\.failure?.category).worst { throw AlreadyReported(worst) }
    }
}
