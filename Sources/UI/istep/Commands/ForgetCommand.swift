import ArgumentParser
import BlueZ
import StepDomain
import StepViews

struct ForgetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "forget",
        abstract: "Take a pedometer out of use; its steps stay in the history.",
        discussion: "Adding it again takes up where it was left.")

    @Argument(help: ArgumentHelp("Its name or address.", valueName: "pedometer"))
    var pedometer: String

    @Flag(help: "Remove its pairing from this machine, too.")
    var unpair = false

    @OptionGroup var common: CommonOptions
    @OptionGroup var bluetooth: BluetoothOptions

    func run() async throws {
        let wiring = try Wiring(common, bluetooth)
        let history = try wiring.history(for: .updating)
        let known = try Selection(history).pedometer(pedometer)
        let entry = try wiring.entry(of: known, in: history)
        if unpair, let address = DeviceAddress(known.address) {
            _ = try await wiring.withCentral { central in
                try await central.remove(address, adapter: wiring.adapter)
            }
        }
        try history.forgetPedometer(known.id)
        if common.json {
            try wiring.show(DevicesView([entry], now: wiring.now(), localTime: wiring.localTime))
        } else {
            try wiring.say("\(Printable(known.name)) is forgotten. Its steps stay in the history.")
        }
    }
}
