import BlueZ
import DBus
import StepDomain

extension Check {
    /// The bus by which BlueZ is talked to.
    static func bus(_ context: CheckupContext) -> Check {
        let subject = "D-Bus"
        return Check("bus", .bluetooth, subject, limit: .seconds(15)) {
            do throws(DBusError) {
                await (try DBusConnection.open(context.instruments.bus)).close()
            } catch {
                guard case .cannotConnect(let address, let reason) = error else { throw error }
                return [Remark(BluetoothError.noBus("\(address): \(reason)"), subject)]
            }
            return [Remark(.fine, subject, "it answers")]
        }
    }
}
