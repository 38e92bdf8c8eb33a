import ArgumentParser
import BlueZ
import Pedometers
import StepViews

struct ScanCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "scan",
        abstract: "Find pedometers in range.",
        discussion: """
            Shows the pedometers that istep knows how to read; with --all, every Bluetooth LE device. Phones and computers \
            that are connected to a pedometer hide it: let them go first.
            """)

    @Flag(help: "Show every device, not only pedometers that istep recognises.")
    var all = false

    @Option(help: ArgumentHelp("Only devices that advertise this service.", valueName: "uuid"))
    var service: BluetoothUUID?

    @Option(help: ArgumentHelp("Only devices whose name begins so.", valueName: "prefix"))
    var name: String?

    @OptionGroup var common: CommonOptions
    @OptionGroup var bluetooth: BluetoothOptions

    func run() async throws {
        let wiring = try Wiring(common, bluetooth)
        let limit = wiring.searchTime(otherwise: 10)    // listening longer than that is for the patient
        let filter = ScanFilter(services: service.map { [$0] } ?? [], namePrefix: name)
        let progress = wiring.progress()
        defer { progress.end() }
        progress.step("Scanning for \(Int(limit)) seconds")
        let found = try await wiring.withCentral { central in
            try await Neighbourhood.collect(await central.scan(filter, adapter: wiring.adapter, limit: .seconds(limit))) {
                progress.step("Scanning for \(Int(limit)) seconds: \($0) found")
            }
        }
        progress.end()
        let wanted = all || service != nil || name != nil
        let rows = found.map(ScanView.Row.init).filter { wanted || $0.model != nil }
        try wiring.show(ScanView(rows: rows, hidden: found.count - rows.count))
    }
}

extension ScanView.Row {
    fileprivate init(_ discovery: Discovery) {
        let model = PedometerRegistry.model(of: discovery)
        self.init(
            address: discovery.address.description, addressType: discovery.addressType.rawValue, name: discovery.name,
            rssi: discovery.rssi, model: model?.key, modelTitle: model?.title,
            services: discovery.services.map(\.description), isConnected: discovery.isConnected,
            isPaired: discovery.isPaired)
    }
}
