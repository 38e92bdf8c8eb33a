import BlueZ
import StepDomain

extension Check {
    /// `bluetoothd`: whether it runs, or can be started, and whether this user may talk to it.
    static func daemon(_ context: CheckupContext) -> Check {
        let subject = "Bluetooth service"
        // The bus may have to start it.
        return Check("daemon", .bluetooth, subject, needs: ["bus", "adapter"], limit: .seconds(45)) {
            let instruments = context.instruments
            context.keep(try await Central.open(instruments.bus, machine: instruments.machine))
            return [Remark(.fine, subject, "bluetoothd runs and lets you in")]
        }
    }
}
