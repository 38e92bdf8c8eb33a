import ArgumentParser
import StepDomain
import StepServices
import StepViews
import Support

struct ScanCommand: AsyncParsableCommand, Subcommand {
    static let configuration = CommandConfiguration(
        commandName: "scan",
        abstract: "Find pedometers in range.",
        discussion: """
            Shows the pedometers that istep recognises and those that are registered; with --all, every Bluetooth LE device. A pedometer that \
            is connected to a phone or computer is not visible: disconnect it there first.

            For each device it shows how the model was recognised: by its name (other devices may have the same name); by the data or a service \
            that it advertises; by a service that is known from an earlier connection; or by its services, after a connection. With --probe it \
            connects to the devices in range (at most \(DeviceProbing.maximumProbed), pedometers first) and recognises them by their services. \
            This is the most reliable way. To examine a device that is not recognised: istep scan --probe --name PREFIX, or istep gatt list ADDRESS.
            """)
    static let documents = [JSONUse(.scan)]
    static let adviceOptions = AdviceOptions.ofMachine

    @Flag(help: "Show every device, not only pedometers.")
    var all = false

    @Option(help: ArgumentHelp("Only devices that advertise this service.", valueName: "uuid"))
    var service: ServiceArgument?

    @Option(
        help: ArgumentHelp(
            "Only devices whose name starts with this prefix, in upper or lower case.", valueName: "prefix"))
    var name: String?

    @Flag(help: "Connect to the devices in range, and recognise them by their services.")
    var probe = false

    @OptionGroup var common: CommonOptions
    @OptionGroup var bluetooth: BluetoothOptions

    func run() async throws {
        let wiring = try Wiring(common, bluetooth)
        let progress = wiring.progress()
        defer { progress.end() }
        let request = DeviceSearch.Request(
            ScanConditions(service: service?.uuid, namePrefix: name), seconds: wiring.chosenSearchTime, listsAll: all,
            probes: probe)
        let report = try await DeviceSearch(wiring.scanner()).run(
            request,
            // Without a history nothing is registered.
            registered: { (try? await blocking { try wiring.history(for: .reading).pedometers() }) ?? [] },
            progress: { step in
                guard case .scanned(let isTruncated) = step else {
                    return progress.step(ProgressWords.line(step), isDetail: step.isDetail)
                }
                progress.end()
                if isTruncated {
                    Output.error.line(
                        "More than \(ScanOutcome.limit) devices were found. "
                            + "Only pedometers and the devices with the strongest signal are listed.")
                }
            })
        progress.end()
        try wiring.show(ScanView(report))
    }
}

extension DeviceSearch.Step {
    /// Each device that is found.
    fileprivate var isDetail: Bool { if case .scanning(_, found: .some) = self { true } else { false } }
}
