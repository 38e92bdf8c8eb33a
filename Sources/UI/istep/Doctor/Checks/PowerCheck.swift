import BlueZ
import StepDomain

extension Check {
    /// Whether the adapter is switched on, and left alone by others.
    static func power(_ context: CheckupContext) -> Check {
        let subject = "adapter power"
        return Check("power", .bluetooth, subject, needs: ["daemon"]) {
            guard let central = context.central else { return [] }
            let adapter = try await central.adapter(context.adapter)
            var remarks = [Remark(.fine, subject, "\(adapter.name) is on")]
            if adapter.isDiscovering {
                remarks.append(Remark(
                    .note, subject, "another program is scanning on \(adapter.name)",
                    cure: "If it never stops (an open Bluetooth window of the desktop, say), connecting gets harder: close it."))
            }
            return remarks
        }
    }
}
