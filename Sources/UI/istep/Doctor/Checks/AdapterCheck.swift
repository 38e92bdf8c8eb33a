import BlueZ
import StepDomain

extension Check {
    /// An adapter, as the kernel sees it.
    static func adapter(_ context: CheckupContext) -> Check {
        let subject = "adapter"
        return Check("adapter", .bluetooth, subject, needs: ["kernel", "switch"]) {
            guard let machine = context.instruments.machine?.read() else { return [] }
            if let fault = machine.fault(adapter: context.adapter), case .noAdapter = fault {
                let names = machine.radios.map(\.name).joined(separator: ", ")
                let cure = "There is \(names): name that with --adapter or `adapter` in the configuration."
                return [Remark(fault, subject, cure: names.isEmpty ? nil : cure)]
            }
            let radios = machine.radios.map { $0.name + ($0.address.map { " (\($0))" } ?? "") }
            return [Remark(.fine, subject, radios.joined(separator: ", "))]
        }
    }
}
