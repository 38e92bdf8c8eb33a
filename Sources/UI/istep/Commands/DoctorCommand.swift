import ArgumentParser
import Settings
import StepDomain
import StepViews

struct DoctorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Find out why something does not work: checks all, from the kernel to the cloud.",
        discussion: """
            Goes through the machine's Bluetooth, its clock, the configuration, the history, each pedometer, each destination and \
            the nightly sync, and names the cause and the cure of what is not well. It changes nothing. It listens for the \
            pedometers and connects to each, which can take a minute; a sync that runs is not disturbed.

            Exit code 0: nothing but warnings at most; else that of the worst fault: 69 no adapter, bus or device; 75 a pedometer is \
            not in range, or something else that may pass; 77 not permitted; 78 the configuration does not hold; 65 the history is \
            damaged; 1 something unforeseen.
            """)

    @Flag(name: .customLong("no-radio"), help: "Do not listen for pedometers, nor connect to them.")
    var isRadioSpared = false

    @Flag(name: .customLong("no-network"), help: "Do not ask the destinations whether they answer.")
    var isNetworkSpared = false

    @OptionGroup var common: CommonOptions
    @OptionGroup var bluetooth: BluetoothOptions

    func run() async throws {
        let environment = Wiring.environment
        let settings = Settings.check(flags: Wiring.flags(common, bluetooth), environment: environment)
        // A slip in the command line is no sickness of the machine.
        if let slip = settings.problems.first(where: { $0.exitCode == ExitStatus.usage.rawValue }) { throw slip }
        let context = CheckupContext(
            settings, Instruments.live(environment), environment: environment,
            spared: CheckupContext.Spared(radio: isRadioSpared, network: isNetworkSpared))
        let progress = Progress(common.quiet || !Output.error.isTerminal ? .silent : .overwriting)
        defer { progress.end() }
        let style = TextStyle(.standard, environment: environment)
        var last: Finding?
        let findings = try await Doctor.examine(context, begin: { progress.step("Looking at: \($0.subject)") }) { finding in
            if common.json { return }
            let lines = DoctorView.lines(of: finding, after: last, isTerse: common.quiet, style)
            if !lines.isEmpty {
                last = finding
                progress.end()
            }
            for line in lines { try Output.standard.result(line) }
        }
        progress.end()
        let view = DoctorView(findings, isTerse: common.quiet)
        if common.json {
            try Wiring.show(view, common)
        } else if !common.quiet {
            for line in view.summary(style) { try Output.standard.result(line) }
        }
        if let worst = Doctor.worst(findings) { throw SilentExit(worst) }
    }
}
