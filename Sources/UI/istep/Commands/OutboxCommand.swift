import ArgumentParser
import StepDatabase
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

        /// Of the wanted user, if one is named, and day.
        ///
        /// - Returns: those in these states, and the destination's name as it is written.
        func entries(
            _ states: Set<ShareEntry.State>, _ history: SharingRun.History, _ wiring: Wiring, isUserNamed: Bool
        ) throws -> (name: String, entries: [ShareEntry]) {
            let user = isUserNamed ? try wiring.user(in: history) : nil
            let wanted = day?.day(today: wiring.localTime.day(of: wiring.now()))
            let all = try history.entries(for: nil, in: Set(ShareEntry.State.allCases))
            let name = all.first { $0.destination == destination }?.destination
                ?? all.first { $0.destination.lowercased() == destination.lowercased() }?.destination
            guard let name else {
                throw CommandFailure(
                    .usage, "Nothing was ever shared with '\(destination)'.", advice: "The destinations: istep share --list")
            }
            return (name, all.filter {
                $0.destination == name && states.contains($0.state) && (wanted == nil || $0.day == wanted) && (user == nil || $0.user == user?.id)
            })
        }
    }

    struct Retry: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "retry",
            abstract: "Try again what was rejected, may have arrived, or waits for a destination that was stopped.",
            discussion: """
                A day that may have arrived is sent again only if you name it: look first whether it is there, for the destination \
                may then have it twice.
                """)

        @OptionGroup var choice: Choice
        @OptionGroup var common: CommonOptions

        func run() async throws {
            let wiring = try Wiring(common)
            let history = try wiring.history(for: .updating)
            let sharing = try SharingRun(wiring, history).with([choice.destination])
            let now = wiring.now()
            try await SyncLock.hold(ofDatabase: wiring.databasePath, for: .sharing) {
                // What may have arrived is asked for by its day, one by one.
                let states: Set<ShareEntry.State> = choice.day == nil ? [.pending, .rejected] : [.pending, .rejected, .unknown, .sending]
                let chosen = try choice.entries(states, history, wiring, isUserNamed: common.user != nil).entries
                try history.record(chosen.map { entry in
                    var entry = entry
                    entry.retry(at: now)
                    return entry
                })
            }
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
            discussion: """
                What the destination has stays there, and a day that may have arrived then counts as arrived. A day that never went \
                out comes back when its steps change, or when you share it by name.
                """)

        @OptionGroup var choice: Choice
        @OptionGroup var common: CommonOptions

        func run() async throws {
            let wiring = try Wiring(common)
            let history = try wiring.history(for: .updating)
            let now = wiring.now()
            let (name, entries) = try await SyncLock.hold(ofDatabase: wiring.databasePath, for: .sharing) {
                let (name, entries) = try choice.entries(
                    [.pending, .unknown, .rejected, .sending], history, wiring, isUserNamed: common.user != nil)
                for entry in entries {
                    var entry = entry
                    if entry.drop(at: now) { try history.remove(entry) } else { try history.record([entry]) }
                }
                return (name, entries)
            }
            try wiring.say("\(entries.count) \(entries.count == 1 ? "day" : "days") dropped from the outbox of \(name).")
        }
    }
}
