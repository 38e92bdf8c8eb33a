import BlueZ
import StepDomain

extension Check {
    /// rfkill, by a program or by a key of the machine.
    static func radioSwitch(_ context: CheckupContext) -> Check {
        let subject = "radio switch"
        return Check("switch", .bluetooth, subject, needs: ["kernel"]) {
            guard let machine = context.instruments.machine?.read() else { return [] }
            if let fault = machine.fault(adapter: context.adapter), case .adapterBlocked = fault { return [Remark(fault, subject)] }
            let blocked = machine.switches.filter { $0.isSoftBlocked || $0.isHardBlocked }.map(\.name)
            guard blocked.isEmpty else {
                return [Remark(.note, subject, "\(blocked.joined(separator: ", ")) is blocked, which is not the adapter that istep uses")]
            }
            return [Remark(.fine, subject, "nothing is blocked")]
        }
    }
}
