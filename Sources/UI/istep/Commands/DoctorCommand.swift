import ArgumentParser
import StepDomain
import StepServices
import StepViews

struct DoctorCommand: AsyncParsableCommand, Subcommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Check everything that a sync and a share need, and report causes and fixes.",
        discussion: """
            Checks the machine's Bluetooth, its clock, the configuration, the history, each pedometer, each destination and \
            the timers. It changes nothing, unless --repair is given. It scans for the \
            pedometers and connects to each, which can take a minute; a running sync is not interrupted.

            With --repair it checks only the history. If the history is damaged, all readable rows are saved to a new file, which replaces \
            it; lost rows are listed, and the damaged file is kept in the same directory. If the history is intact, stored daily sums that \
            differ from the samples are corrected. Exit codes with --repair: 0 the history is now intact; 65 nothing in it can be read; 75 a \
            sync or a share is running.

            Exit code 0: no faults (warnings possible). Otherwise the code of the worst fault: 69 a required resource is unavailable, such \
            as an adapter, a bus or a device; 75 a pedometer is not in range, or another temporary failure; 77 not permitted; 78 the \
            configuration is invalid; 65 the history is damaged; 71 too few threads or files, or too little memory; 1 unexpected error.
            """)
    static let documents = [JSONUse(.doctor), JSONUse(.repair, "--repair")]
    static let adviceOptions = AdviceOptions.ofMachine

    @Flag(name: .customLong("no-radio"), help: "Do not scan for pedometers or connect to them.")
    var noRadio = false

    @Flag(name: .customLong("no-network"), help: "Do not contact the destinations.")
    var noNetwork = false

    @Flag(help: "Repair a damaged history: save the readable part.")
    var repair = false

    @OptionGroup var common: CommonOptions
    @OptionGroup var bluetooth: BluetoothOptions

    func run() async throws {
        if repair { return try await repairHistory() }
        let doctor = try Wiring.doctor(common.values(bluetooth), usesRadio: !noRadio, usesNetwork: !noNetwork)
        let progress = Progress(common.quiet || !Output.error.isOverwritable ? .silent : .overwriting)
        defer { progress.end() }
        let style = Wiring.style(common.values())
        func view(_ findings: [Finding]) -> DoctorView {
            DoctorView(findings, isTerse: common.quiet, now: doctor.now(), localTime: .system)
        }
        var last: Finding?
        let findings = try await doctor.examine(begin: { progress.step("Checking: \($0.words)") }) { finding in
            if common.json { return }
            let lines = view([]).lines(of: finding, after: last, style)
            if !lines.isEmpty {
                last = finding
                progress.end()
            }
            for line in lines { try Output.standard.result(line) }
        }
        progress.end()
        if common.json {
            try Wiring.show(view(findings), common.values())
        } else if !common.quiet {
            for line in view(findings).summary(style) { try Output.standard.result(line) }
        }
        if let worst = Doctor.worst(findings) { throw AlreadyReported(worst) }
    }

    private func repairHistory() async throws {
        let wiring = try Wiring(common, bluetooth)
        let progress = wiring.progress()
        defer { progress.end() }
        progress.step("Reading \(wiring.databasePath)")
        let report = try await wiring.backupService.repair()
        // A repaired history has none yet.
        let corrected = report == nil ? try await wiring.backupService.correctSums() : 0
        progress.end()
        try wiring.show(
            RepairView(history: wiring.databasePath, report, correctedSums: corrected))
    }
}
