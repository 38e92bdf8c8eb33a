import ArgumentParser
import StepDomain

/// The options of the commands that use Bluetooth.
struct BluetoothOptions: ParsableArguments {
    @Option(help: ArgumentHelp("Use this adapter, such as hci1; by default the first that is on.", valueName: "name"))
    var adapter: String?

    @Option(
        help: ArgumentHelp(
            """
            Search for at most this many seconds (default: \(Int(SearchTime.reading)); scan: \(Int(SearchTime.scan)); \
            doctor: \(Int(SearchTime.checkup)); add: \(Int(SearchTime.device)) for one device, \
            \(Int(SearchTime.anyPedometer)) for any pedometer).
            """,
            valueName: "seconds"),
        transform: ArgumentRules.number)
    var timeout: Double?
}

/// The pedometers that a command is about; none for all.
struct PedometerArguments: ParsableArguments {
    @Argument(
        help: ArgumentHelp("Only these pedometers, by name or address.", valueName: "pedometer"),
        completion: CompletionNames.pedometers)
    var pedometers: [String] = []
}
