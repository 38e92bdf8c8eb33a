import ArgumentParser
import StepDomain
import StepViews

struct OutboxCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "outbox",
        abstract: "What waits to be shared: list it, send it, try it again, drop it.",
        subcommands: [List.self, Send.self, Retry.self, Drop.self],
        defaultSubcommand: List.self)
}

extension OutboxCommand {
    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "Show the days that wait, may have arrived, or were rejected.")

        @Argument(help: ArgumentHelp("Only for this destination.", valueName: "destination"))
        var destination: String?

        @Flag(help: "Show what was sent as well.")
        var all = false

        @OptionGroup var common: CommonOptions

        func run() async throws {
            let wiring = try Wiring(common)
            let history = try wiring.history(for: .reading)
            let states: Set<ShareEntry.State> = all ? Set(ShareEntry.State.allCases) : [.pending, .sending, .unknown, .rejected]
            let users = try history.users()
            let wanted = try common.user.map { _ in try wiring.user(in: history) }
            let entries = try history.entries(for: destination, in: states).filter { wanted == nil || $0.user == wanted?.id }
            let names = entries.map(\.destination).reduce(into: [String]()) { if !$0.contains($1) { $0.append($1) } }
            try wiring.show(
                OutboxView(entries, states: names.map(history.state(of:)), users: users, now: wiring.now(), localTime: wiring.localTime))
        }
    }

    /// Which entries somebody means.
    struct Choice: ParsableArguments {
        @Argument(help: ArgumentHelp("The destination.", valueName: "destination"))
        var destination: String

        @Argument(help: ArgumentHelp("Only this day.", valueName: "day"))
        var day: DayArgument?

        /// In these states, for the wanted user if one is named.
        func entries(_ states: Set<ShareEntry.State>, _ history: SharingRun.History, _ wiring: Wiring, isUserNamed: Bool) throws -> [ShareEntry] {
            let user = isUserNamed ? try wiring.user(in: history) : nil
            let today = wiring.localTime.day(of: wiring.now())
            let wanted = day?.day(today: today)
            let all = try history.entries(for: destination, in: Set(ShareEntry.State.allCases))
            guard !all.isEmpty else {
                throw UsageFailure("Nothing was ever shared with '\(destination)'.", advice: "The destinations: istep share --list")
            }
            return all.filter {
                states.contains($0.state) && (wanted == nil || $0.day == wanted) && (user == nil || $0.user == user?.id)
            }
        }
    }

    struct Retry: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "retry",
            abstract: "Try again what was rejected, may have arrived, or waits for a destination that was stopped.",
            discussion: """
                A day that may have arrived is sent again: look first whether it is there, if the destination would then have \
                it twice.
                """)

        @OptionGroup var choice: Choice
        @OptionGroup var common: CommonOptions

        func run() async throws {
            let wiring = try Wiring(common)
            let history = try wiring.history(for: .updating)
            let sharing = try SharingRun(wiring, history).with([choice.destination])
            let entries = try choice.entries([.pending, .unknown, .rejected], history, wiring, isUserNamed: common.user != nil)
            let now = wiring.now()
            try history.record(entries.map { entry in
                var entry = entry
                entry.retry(at: now)
                return entry
            })
            var state = try history.state(of: sharing.destinations[0].name)
            state.release()
            try history.record(state)
            try await sharing.run(.due)
        }
    }

    struct Send: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "send",
            abstract: "Send what is due, as every sync does after reading.",
            discussion: "A destination that failed a moment ago is left alone until its time has come; --wait waits for that.")

        @Argument(help: ArgumentHelp("Only to this destination.", valueName: "destination"))
        var destination: String?

        @Flag(help: "Go on until everything has arrived.")
        var wait = false

        @OptionGroup var common: CommonOptions

        func run() async throws {
            let wiring = try Wiring(common)
            let history = try wiring.history(for: .updating)
            let sharing = try SharingRun(wiring, history).with(destination.map { [$0] } ?? [])
            try await sharing.run(.due, isPatient: wait)
        }
    }

    struct Drop: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "drop",
            abstract: "Take days out of the outbox that you do not want to share any more.",
            discussion: "A day comes back when its steps change, or when you share it by name. What was sent is not touched.")

        @OptionGroup var choice: Choice
        @OptionGroup var common: CommonOptions

        func run() async throws {
            let wiring = try Wiring(common)
            let history = try wiring.history(for: .updating)
            let entries = try choice.entries([.pending, .unknown, .rejected], history, wiring, isUserNamed: common.user != nil)
            for entry in entries { try history.remove(entry) }
            try wiring.say("\(entries.count) \(entries.count == 1 ? "day" : "days") dropped from the outbox of \(choice.destination).")
        }
    }
}
