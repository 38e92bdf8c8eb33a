import ArgumentParser
import StepDomain
import StepViews

struct ShareCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "share",
        abstract: "Share a day with the web services that you set up.",
        discussion: """
            Sends the day's summary to your destinations, and what waits in the outbox. Every sync shares by itself what is new; \
            this is for a day that you want to share now.

              istep share yesterday                  one day
              istep share --from 2014-04-01 --to-day yesterday
              istep share --dry-run                  what would be sent, word for word
              istep share --list --check             your destinations, and whether each answers

            'istep config kinds' tells what destinations there are. What cannot be sent now stays in the outbox and goes out \
            later. Exit codes: 75 something stays queued, 77 credentials are refused, 78 the configuration does not hold, \
            65 a destination rejected a day.
            """)

    @Argument(help: ArgumentHelp("today, yesterday, 2014-04-20, -3 (days ago) or a weekday; today if none is given.", valueName: "day"))
    var day: DayArgument?

    @Option(help: ArgumentHelp("Only with this destination; may be given more than once.", valueName: "name"))
    var to: [String] = []

    @Option(help: ArgumentHelp("Share all days from this one on.", valueName: "day"))
    var from: DayArgument?

    @Option(help: ArgumentHelp("The last day to share; yesterday if none is given.", valueName: "day"))
    var toDay: DayArgument?

    @Flag(help: "Show exactly what would be sent, secrets masked; send nothing.")
    var dryRun = false

    @Flag(help: "Go on until everything has arrived, however long a server makes us wait.")
    var wait = false

    @Flag(help: "Only put it into the outbox; the next sync sends it.")
    var queue = false

    @Flag(help: "List the destinations instead.")
    var list = false

    @Flag(help: "With --list: ask each whether it answers and accepts you.")
    var check = false

    @OptionGroup var common: CommonOptions

    func validate() throws {
        if day != nil, from != nil || toDay != nil { throw ValidationError("Give a day, or --from and --to-day, not both.") }
        if toDay != nil, from == nil { throw ValidationError("--to-day needs --from.") }
        if check, !list { throw ValidationError("--check goes with --list.") }
        if list, day != nil || from != nil || dryRun || wait || queue { throw ValidationError("--list takes --to, --check and nothing else.") }
        if [dryRun, wait, queue].count(where: { $0 }) > 1 { throw ValidationError("Of --dry-run, --wait and --queue only one can be.") }
    }

    func run() async throws {
        let wiring = try Wiring(common)
        let history = try wiring.history(for: list || dryRun ? .reading : .updating)
        let sharing = try SharingRun(wiring, history).with(to)
        if list { return try await DestinationList(sharing).show(isChecked: check) }
        guard !sharing.destinations.isEmpty else {
            throw CommandFailure(
                .configuration, "There is nowhere to share: the configuration has no destination.",
                advice: "See what there is: istep config kinds; then: istep config example KIND")
        }
        let user = try wiring.user(in: history)
        let days = try days(of: user, history, today: wiring.localTime.day(of: wiring.now()))
        let order = StepDataService.ShareOrder.days(days, of: user)
        if dryRun { return try preview(days, user, sharing) }
        if queue {
            try sharing.service.enqueueShares(order, to: sharing.destinations, users: sharing.users)
            return try wiring.say("Put into the outbox; the next sync sends it.")
        }

        try await sharing.run(order, isPatient: wait)
    }

    private func days(of user: User, _ history: SharingRun.History, today: Day) throws -> [Day] {
        guard let from else {
            let day = (day ?? DayArgument(.daysAgo(0))).day(today: today)
            guard day <= today else {
                throw CommandFailure(.usage, "\(day) has not begun.", advice: "Share a day that has; today is \(today).")
            }
            return [day]
        }
        let first = from.day(today: today)
        let last = toDay?.day(today: today) ?? today.advanced(by: -1)
        guard first <= last else { throw CommandFailure(.usage, "\(first) is after \(last).", advice: "Give the earlier day to --from.") }
        let days = try history.knownDays(of: user.id, from: first, through: min(last, today))
        guard !days.isEmpty else { throw CommandFailure(.usage, "Nothing is known of the days from \(first) to \(last).") }
        return days
    }

    private func preview(_ days: [Day], _ user: User, _ sharing: SharingRun) throws {
        var previews: [PreviewView.Preview] = []
        for destination in sharing.destinations {
            for day in days {
                var preview = PreviewView.Preview(destination: destination.name, user: user.name, day: day, content: nil)
                if destination.terms.include(user) {
                    switch try sharing.service.previewShare(of: user, on: day, to: destination) {
                    case .content(let content): preview.content = content
                    case .settled: preview.remark = "it is there already, or cannot be changed there"
                    case .nothingKnown: preview.remark = "nothing is known of that day"
                    }
                } else {
                    preview.remark = "by its `users`, the days of \(user.name) do not go there"
                }
                previews.append(preview)
            }
        }
        try sharing.wiring.show(PreviewView(previews))
    }
}

/// `istep share --list`.
struct DestinationList {
    private let sharing: SharingRun

    init(_ sharing: SharingRun) { self.sharing = sharing }

    func show(isChecked: Bool) async throws {
        let answers = isChecked ? await answers() : [:]
        let all = Set(ShareEntry.State.allCases)
        let entries = try sharing.destinations.map { destination in
            DestinationsView.Entry(
                name: destination.name, kind: destination.kind, place: destination.place,
                state: try sharing.history.state(of: destination.name),
                counts: try sharing.history.entries(for: destination.name, in: all)
                    .reduce(into: [:]) { $0[$1.state, default: 0] += 1 },
                answer: answers[destination.name])
        }
        try sharing.wiring.show(DestinationsView(entries, now: sharing.wiring.now(), localTime: sharing.wiring.localTime))
        let failures = answers.values.compactMap { if case .failure(let failure) = $0 { Failure(failure) } else { nil } }
        if let worst = failures.max(by: { $0.severity < $1.severity }) { throw SilentExit(worst.status) }
    }

    /// All at the same time: one that does not answer keeps nobody waiting for the others.
    private func answers() async -> [String: Result<String, ShareFailure>] {
        await withTaskGroup(of: (String, Result<String, ShareFailure>).self) { group in
            for destination in sharing.destinations {
                group.addTask {
                    do throws(ShareFailure) {
                        return (destination.name, .success(try await destination.check()))
                    } catch {
                        return (destination.name, .failure(error))
                    }
                }
            }
            return await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
        }
    }
}
