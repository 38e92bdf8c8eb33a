import ArgumentParser
import StepDomain
import StepViews
import Systemd

struct AutoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "auto",
        abstract: "Let systemd sync by itself, every night: on, off, status.",
        discussion: """
            Switched on, istep syncs and shares every night, once more shortly before midnight for pedometers that keep only today's \
            count, and when a Bluetooth adapter is plugged in. A night that was slept through is made up for. What it did stands in \
            the journal (journalctl --user -u istep-sync), what you should know in 'istep status'.
            """,
        subcommands: [On.self, Off.self, Status.self],
        defaultSubcommand: Status.self)
}

extension AutoCommand {
    /// What all of its subcommands take.
    struct Options: ParsableArguments {
        @Flag(name: .customLong("system"), help: "For the whole machine, with the history of the user istep; needs an administrator.")
        var isSystemWide = false

        var scope: UnitScope { isSystemWide ? .system : .user }
    }

    struct On: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "on", abstract: "Sync every night from now on.",
            discussion: "With --watch istep stays besides, and syncs whenever a pedometer comes near.")

        @Flag(help: "Stay and sync whenever a pedometer comes near, too.")
        var watch = false

        @OptionGroup var options: Options
        @OptionGroup var common: CommonOptions

        func run() async throws {
            try await AutomaticSync.with(options.scope) { automatic in
                try await automatic.switchOn(watching: watch)
                try Wiring.show(try await automatic.view(), common)
            }
            guard !options.isSystemWide, !common.quiet, !common.json else { return }
            // Nothing that could be synced tonight is no failure, and worth a word.
            let wiring = try Wiring(common)
            if try (try? wiring.history(for: .reading))?.pedometers().isEmpty ?? true {
                try wiring.say("There is no pedometer yet: istep scan, then istep add ADDRESS.")
            }
        }
    }

    struct Off: AsyncParsableCommand {
        static let configuration = CommandConfiguration(commandName: "off", abstract: "Sync by hand only, from now on.")

        @OptionGroup var options: Options
        @OptionGroup var common: CommonOptions

        func run() async throws {
            try await AutomaticSync.with(options.scope) { automatic in
                try await automatic.switchOff()
                try Wiring.show(try await automatic.view(), common)
            }
        }
    }

    struct Status: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "status", abstract: "Tell whether it is on, when it ran last and runs next.")

        @OptionGroup var options: Options
        @OptionGroup var common: CommonOptions

        func run() async throws {
            try await AutomaticSync.with(options.scope) { try Wiring.show(try await $0.view(), common) }
        }
    }
}
