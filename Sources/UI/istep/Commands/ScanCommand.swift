import ArgumentParser
import Blocking
import StepDomain
import StepServices
import StepViews

struct ScanCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "scan",
        abstract: "Find pedometers in range.",
        discussion: """
            Shows the pedometers that istep recognises and those that are registered; with --all, every Bluetooth LE device. A pedometer that \
            is connected to a phone or computer is not visible: disconnect it there first.

            For each device it shows how the model was recognised: by its name (other devices may have the same name); by the data or a service \
            that it advertises; by a service that is known from an earlier connection; or by its services, after a connection. With --probe it \
            connects to the devices in range (at most \(Self.mostProbed), pedometers first) and recognises them by their services. This is the \
            most reliable way. To examine a device that is not recognised: istep scan --probe --name PREFIX, or istep gatt list ADDRESS.
            """)

    @Flag(help: "Show every device, not only pedometers.")
    var all = false

    @Option(help: ArgumentHelp("Only devices that advertise this service.", valueName: "uuid"))
    var service: ServiceArgument?

    @Option(help: ArgumentHelp("Only devices whose name starts with this prefix.", valueName: "prefix"))
    var name: String?

    @Flag(help: "Connect to the devices in range, and recognise them by their services.")
    var probe = false

    /// Each takes some seconds, and is not available to others meanwhile.
    private static let mostProbed = 10

    @OptionGroup var common: CommonOptions
    @OptionGroup var bluetooth: BluetoothOptions

    func run() async throws {
        let wiring = try Wiring(common, bluetooth)
        let limit = wiring.chosenSearchTime ?? 10  // a longer scan must be requested by the user
        let progress = wiring.progress()
        defer { progress.end() }
        progress.step("Scanning for \(Int(limit)) seconds")
        let outcome = try await wiring.scanner().scan(ScanConditions(service: service?.uuid, namePrefix: name), seconds: limit) {
            progress.step("Scanning for \(Int(limit)) seconds: \($0) found")
        }
        progress.end()
        if outcome.isCut {
            Output.error.line(
                "More than \(ScanOutcome.limit) devices were found. Only pedometers and the devices with the strongest signal are listed.")
        }
        // Without a history nothing is registered.
        let registered = try? await blocking { try wiring.history(for: .reading).pedometers() }
        let names = Dictionary((registered ?? []).map { ($0.address, $0.name) }, uniquingKeysWith: { $1 })
        let isEveryOneWanted = all || service != nil || name != nil
        // What a generic pedometer advertises shows no model.
        var rows = outcome.devices.filter { isEveryOneWanted || $0.kind != nil || names[$0.address] != nil }
        var hidden = outcome.devices.count - rows.count
        var probing: ScanView.Probing?
        if probe {
            let listed = Set(rows.map(\.address))
            let results = await DeviceProbing(wiring.scanner()).probe(outcome.devices, limit: Self.mostProbed) {
                progress.step("Connecting to \($0.name.map { Printable($0).description } ?? $0.address)")
            }
            rows = results.devices.filter { listed.contains($0.address) || $0.kind != nil }
            let shown = Set(rows.map(\.address))
            let others = results.devices.filter { !shown.contains($0.address) }
            let unlisted = others.count { !results.probed.contains($0.address) }
            hidden = others.count - unlisted
            probing = ScanView.Probing(
                skipped: rows.count { !results.probed.contains($0.address) && $0.evidence != .advertisedData }, unlisted: unlisted,
                limit: Self.mostProbed, isInterrupted: results.isInterrupted,
                failures: results.failures.mapValues { "\($0)" }, refuted: results.refuted.mapValues(\.title))
            progress.end()
        }
        try wiring.show(
            ScanView(rows: rows, hidden: hidden, isFiltered: service != nil || name != nil, probing: probing, registered: names))
    }
}
