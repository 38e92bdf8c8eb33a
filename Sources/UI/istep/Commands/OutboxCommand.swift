import ArgumentParser
import StepDomain
import StepServices
import StepViews
import Support

struct OutboxCommand: AsyncParsableCommand, TakesDays {
    static let configuration = CommandConfiguration(
        commandName: "outbox",
        abstract: "List, send, retry or drop the days that wait to be shared.",
        subcommands: [List.self, Send.self, Retry.self, Drop.self],
        defaultSubcommand: List.self)
    static let documents = [JSONUse(.share, "send", "retry"), JSONUse(.outbox, "list", "drop")]
}

extension OutboxCommand {
    struct List: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "List the days that wait, may have arrived, or were rejected.")

        @Argument(
            help: ArgumentHelp("Only for this destination.", valueName: "destination"),
            completion: CompletionNames.destinations)
        var destination: String?

        @Flag(help: "List sent days as well.")
        var all = false

        @OptionGroup var common: CommonOptions

        func run() throws {
            let wiring = try Wiring(common)
            let history = try wiring.history(for: .reading)
            let states: Set<ShareEntry.State> = all ? Set(ShareEntry.State.allCases) : ShareEntry.State.unsettled
            let users = try history.users()
            let wanted = try wiring.namedUser(in: history)
            let entries = try OutboxService(wiring.services(history)).entries(of: destination, in: states, user: wanted)
            let names = entries.map(\.destination).reduce(into: [String]()) { if !$0.contains($1) { $0.append($1) } }
            try wiring.show(
                OutboxView(
                    entries, states: names.map(history.state(of:)), users: users, now: wiring.now(),
                    localTime: wiring.localTime))
        }
    }

    /// Which entries the command applies to.
    struct Choice: ParsableArguments {
        @Argument(
            help: ArgumentHelp("The destination.", valueName: "destination"), completion: CompletionNames.destinations)
        var destination: String

        @Argument(
            help: ArgumentHelp("Only this day.", valueName: "day"), completion: .list(DayArgument.words),
            transform: DayArgument.init(word:))
        var day: DayArgument?

        /// Opens the history, and finds the user in it whose entries are meant.
        func opened(_ wiring: Wiring) async throws -> (ServiceContext, OutboxService.Choice) {
            let day = day?.day(today: wiring.localTime.day(of: wiring.now()))
            return try await blocking { [destination] in
                let history = try wiring.history(for: .updating)
                let user = try wiring.namedUser(in: history)
                return (wiring.services(history), OutboxService.Choice(destination: destination, day: day, user: user))
            }
        }
    }

    struct Retry: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "retry",
            abstract: """
                Retry the days of a destination that were rejected or wait for the next attempt, and end its pause. With DAY: of these only \
                that day, even if it may have arrived; what is due otherwise is sent, too.
                """,
            discussion: """
                Three kinds of days are sent only if you give DAY: a day that may have arrived (check first whether the destination has \
                it, otherwise it may have the day twice), a day that waits until it is over or complete, and a day that is withheld \
                because it has an implausible number of steps.
                """)

        @OptionGroup var choice: Choice
        @OptionGroup var common: CommonOptions

        func run() async throws {
            let wiring = try Wiring(common)
            let (services, chosen) = try await choice.opened(wiring)
            try await wiring.share(.due, by: OutboxService(services).retry(chosen))
        }
    }

    struct Send: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "send",
            abstract: "Send what is due, as every sync does after reading.",
            discussion:
                "A destination that failed is not contacted before its next attempt is due; with --wait this command waits for that."
        )

        @Argument(
            help: ArgumentHelp("Send only to this destination.", valueName: "destination"),
            completion: CompletionNames.destinations)
        var destination: String?

        @Flag(help: "Continue until everything has arrived.")
        var wait = false

        @OptionGroup var common: CommonOptions

        func run() async throws {
            let wiring = try Wiring(common)
            let sharing = try await blocking {
                try ShareService(wiring.services(wiring.history(for: .updating))).with(destination.map { [$0] } ?? [])
            }
            try await wiring.share(.due, by: sharing, waits: wait)
        }
    }

    struct Drop: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "drop",
            abstract: "Remove days from the outbox that you do not want to share.",
            discussion: """
                Nothing is deleted at the destination, and a day that may have arrived is treated as sent. A day that was never sent \
                is added again when its steps change, or when you give it to 'istep share'.
                """)

        @OptionGroup var choice: Choice
        @OptionGroup var common: CommonOptions

        func run() async throws {
            let wiring = try Wiring(common)
            let (services, chosen) = try await choice.opened(wiring)
            let dropped = try await OutboxService(services).drop(chosen)
            guard common.json else { return try wiring.say(dropped.words) }
            let users = try await blocking { try services.history.users() }
            try wiring.show(
                OutboxView(
                    dropped.entries, states: [dropped.destination], users: users, now: wiring.now(),
                    localTime: wiring.localTime))
        }
    }
}
