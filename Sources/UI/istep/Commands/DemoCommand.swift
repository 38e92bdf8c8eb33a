import ArgumentParser
import StepViews

struct DemoCommand: AsyncParsableCommand, Subcommand {
    static let name = "demo"
    static let adviceOptions = AdviceOptions.none

    static let configuration = CommandConfiguration(
        commandName: name,
        abstract: "Try everything with a simulated pedometer: no hardware, no root; your data is not touched.",
        discussion: """
            Starts a simulated BlueZ with a ring and a watch on a private D-Bus, and runs the real commands: scan, add, sync of a week, show. Only \
            the ring is added. All of it is deleted at the end unless --keep is given.

            With --keep the demo runs in the background with a year of history; the pedometers keep counting:

              istep demo --keep                    start it
              istep --demo sync                    any command in the demo
              export ISTEP_DEMO=DIRECTORY          the demo for all commands of this shell
              istep demo --keep --pedometer all    with all simulated models
              istep demo --end                     end it and delete it

            istep prints the directory of the demo. --keep DIRECTORY stores the history in a directory of your choice; --end DIRECTORY \
            then keeps that history. The demo also ends when its directory is removed.
            """)

    @Option(
        defaultAsFlag: DemoFolderArgument.standard, parsing: .next,
        help: ArgumentHelp("Leave the demo running, with its history in this directory.", valueName: "directory"))
    var keep: DemoFolderArgument?

    @Option(
        defaultAsFlag: DemoFolderArgument.standard, parsing: .next,
        help: ArgumentHelp("End a demo that was left running.", valueName: "directory"))
    var end: DemoFolderArgument?

    @Option(
        help: ArgumentHelp(
            "A pedometer in range: \(DemoPedometer.all.map(\.key).joined(separator: ", ")), or all. May be given more than once.",
            valueName: "model"))
    var pedometer: [String] = []

    /// The folder of the demo, for its background process, which --keep starts.
    @Option(name: .customLong("background-folder"), help: .hidden)
    var backgroundFolder: String?

    /// Whether the folder belongs to that process.
    @Flag(help: .hidden)
    var temporary = false

    func validate() throws {
        if end != nil, keep != nil || !pedometer.isEmpty {
            throw ValidationError("--end cannot be combined with other options.")
        }
        for key in pedometer where key != "all" && !DemoPedometer.all.contains(where: { $0.key == key }) {
            throw ValidationError(
                "There is no pedometer '\(key)'; known: all, \(DemoPedometer.all.map(\.key).joined(separator: ", ")).")
        }
    }

    func run() async throws {
        let pedometers = Demo.pedometers(pedometer)
        if let backgroundFolder {
            return try await DemoProcess(
                folder: DemoFolder(path: backgroundFolder, isTemporary: temporary), pedometers: pedometers
            ).run()
        }
        if let end { return try await BackgroundDemo(folder(end)).end() }
        if let keep { return try await BackgroundDemo(folder(keep)).start(pedometers) }
        try await Demo.runOnce(pedometers)
    }

    private func folder(_ argument: DemoFolderArgument) -> DemoFolder {
        var path: String?
        if case .named(let name) = argument { path = name }
        return DemoFolder(named: path, environment: ProcessEnvironment.current)
    }
}

/// The folder of a demo, as `--keep` and `--end` take it.
enum DemoFolderArgument: ExpressibleByArgument, CustomStringConvertible {
    case standard
    case named(String)

    init?(argument: String) {
        guard !argument.isEmpty else { return nil }
        self = .named(argument)
    }

    var description: String { "below $XDG_RUNTIME_DIR" }
}
