import BlueZ
import StepDomain

extension Check {
    /// A kernel without Bluetooth, or one that keeps it from this process.
    static func kernel(_ context: CheckupContext) -> Check {
        let subject = "kernel"
        return Check("kernel", .bluetooth, subject) {
            guard let machine = context.instruments.machine?.read() else {
                return [Remark(.skipped, subject, "not looked at: DBUS_SYSTEM_BUS_ADDRESS leads to another bus than this machine's")]
            }
            guard machine.hasKernelSupport else { return [Remark(BluetoothError.noKernelSupport, subject)] }
            return [Remark(.fine, subject, "it speaks Bluetooth")]
        }
    }
}
