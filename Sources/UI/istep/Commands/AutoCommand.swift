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
            the journal (journalctl --user-unit istep-sync), what you should know in 'istep status'.
            """,
        subcommands: [On.self, Off.self, Status.self],
        defaultSubcommand: Status.self)
}

extension AutoCommand {
    /// What all of its subcommands take.
    struct Options: ParsableArguments {
        @Flag(name: .customLong("system"), help: "For the whole machine, with the history of the user istep; needs an administrator.")
        var isSystemWide = false

        @Flag(help: "Print JSON for programs instead of text for people.")
        var json = false

        @Flag(name: .shortAndLong, help: "Print nothing but errors.")
        var quiet = false

        var scope: UnitScope { isSystemWide ? .system : .user }

        func automatically(_ body: (AutomaticSync) async throws -> Void) async throws {
            do {
                try await AutomaticSync.with(scope, body)
            } catch SystemdError.noManager where !AutomaticSync.hasSystemd {
                throw CommandFailure(
                    .unavailable, "This machine was not started by systemd, which is what lets istep sync by itself.",
                    advice: "Let cron do it, every night: istep sync --unattended")
            }
        }

        func show(_ view: AutoView) throws {
            if !quiet || json { try Wiring.show(view, json: json) }
        }
    }

    struct On: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "on", abstract: "Sync every night from now on.",
            discussion: "With --watch istep stays besides, and syncs whenever a pedometer comes near; without it, a watch that was on ends.")

        @Flag(help: "Stay and sync whenever a pedometer comes near, too.")
        var watch = false

        @OptionGroup var options: Options

        func run() async throws {
            try await options.automatically { automatic in
                try await automatic.switchOn(watching: watch)
                try options.show(try await automatic.view())
            }
            if !options.isSystemWide, !options.quiet, !options.json { try remind() }
        }

        /// The timers take the usual history and configuration: what else is meant in this shell they do not know.
        private func remind() throws {
            for name in ["ISTEP_DB", "ISTEP_CONFIG"] where Wiring.environment[name].map({ !$0.isEmpty }) ?? false {
                Output.error.line("istep: \(name) is set here, and not for the timers: name the file in ~/.config/istep/config.toml.")
            }
            let wiring = try Wiring(try CommonOptions.parse([]))
            // Nothing that could be synced tonight is no failure, and worth a word.
            if try (try? wiring.history(for: .reading))?.pedometers().isEmpty ?? true {
                try wiring.say("There is no pedometer yet: istep scan, then istep add ADDRESS.")
            }
        }
    }

    struct Off: AsyncParsableCommand {
        static let configuration = CommandConfiguration(commandName: "off", abstract: "Sync by hand only, from now on.")

        @OptionGroup var options: Options

        func run() async throws {
            try await options.automatically { automatic in
                try await automatic.switchOff()
                try options.show(try await automatic.view())
            }
        }
    }

    struct Status: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "status", abstract: "Tell whether it is on, when it ran last and runs next.")

        @OptionGroup var options: Options

        func run() async throws {
            try await options.automatically { try options.show(try await $0.view()) }
        }
    }
}
