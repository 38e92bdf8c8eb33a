import ArgumentParser
import StepDomain
import StepServices
import StepViews
import Support

struct AutoCommand: AsyncParsableCommand, Subcommand {
    static let configuration = CommandConfiguration(
        commandName: "auto",
        abstract: "Enable, disable or show automatic sync by systemd timers.",
        discussion: """
            When enabled, istep syncs and shares every night, again shortly before midnight for pedometers that keep only today's \
            count, and when a Bluetooth adapter is plugged in. A missed nightly run is made up for later; a missed run before midnight \
            is not. The log is in the journal (journalctl --user-unit 'istep-*'); 'istep status' shows notices.
            """,
        subcommands: [On.self, Off.self, Status.self],
        defaultSubcommand: Status.self)
    static let documents = [JSONUse(.auto, "on", "off", "status")]
    static let adviceOptions = AdviceOptions.none
}

extension AutoCommand {
    /// The options of all its subcommands.
    struct Options: ParsableArguments {
        @Flag(
            name: .customLong("system"),
            help: "For the whole machine, with the history of the system user istep; 'on' and 'off' require root.")
        var isSystemWide = false

        @Flag(help: "Print JSON for programs instead of text for people.")
        var json = false

        @Flag(name: .shortAndLong, help: "Print only errors.")
        var quiet = false

        /// Runs `body` on the service, and shows the state that it returns.
        func show(_ body: (any Scheduler) async throws -> SyncSchedule) async throws {
            let schedule = try await Wiring.withScheduler(isSystemWide: isSystemWide, body)
            let view = AutoView(schedule, now: Wiring.now(), localTime: .system)
            if !quiet || json { try Wiring.show(view, GlobalOptions(isForPrograms: json)) }
        }
    }

    struct On: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "on", abstract: "Sync every night from now on.",
            discussion:
                "With --watch, istep also keeps running and syncs when a pedometer comes into range. Without it, an enabled watch is disabled."
        )

        @Flag(help: "Also keep running, and sync when a pedometer comes into range.")
        var watch = false

        @OptionGroup var options: Options

        func run() async throws {
            try await options.show { try await $0.enable(watching: watch) }
            if !options.isSystemWide, !options.quiet, !options.json { try await remind() }
        }

        /// The timers use the usual history and configuration: they do not know what is set in this shell.
        private func remind() async throws {
            let wiring = try Wiring(GlobalOptions())
            let hasSources = try await blocking {
                guard let history = try? wiring.history(for: .reading) else { return false }
                return try wiring.scheduledImports != nil || !history.pedometers().isEmpty
            }
            for reminder in SchedulingReminder.all(variables: wiring.variablesOfPlaces, hasSources: hasSources) {
                switch reminder {
                case .ignoredVariable(let name):
                    let fix =
                        name.hasPrefix("XDG_")
                        ? "set it in ~/.config/environment.d/istep.conf too, and log in again"
                        : "set the file in ~/.config/istep/config.toml"
                    Output.error.line("istep: \(name) is set in this shell, but not for the timers: \(fix).")
                case .noPedometer: try wiring.say(Advice.firstPedometer().description)
                }
            }
        }
    }

    struct Off: AsyncParsableCommand {
        static let configuration = CommandConfiguration(commandName: "off", abstract: "Disable automatic sync.")

        @OptionGroup var options: Options

        func run() async throws {
            try await options.show { try await $0.disable() }
        }
    }

    struct Status: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "status", abstract: "Show whether it is on, when it ran last and when it runs next.")

        @OptionGroup var options: Options

        func run() async throws {
            try await options.show { try await $0.schedule() }
        }
    }
}
