import BlueZ
import Pedometers
import StepDatabase
import StepDomain

extension Check {
    /// Listens: whether the adapter can, and who is in range.
    static func scan(_ context: CheckupContext) -> Check {
        let subject = "scan"
        let seconds = context.searchTime
        return Check("scan", .pedometers, subject, needs: ["power"], limit: .seconds(seconds + 40)) {
            if context.spared.radio { return [Remark(.skipped, subject, "not looked at, as --no-radio says")] }
            guard let central = context.central else { return [] }
            if let process = try await blocking({ context.database.flatMap { SyncLock.holder(ofDatabase: $0) } }) {
                return [Remark(.skipped, subject, "not looked at: a sync is running (process \(process)), and is not to be disturbed")]
            }
            let wanted = Set((context.pedometers ?? []).compactMap { DeviceAddress($0.address) })
            var heard: [DeviceAddress: Discovery] = [:]
            for try await discovery in await central.scan(ScanFilter(), adapter: context.adapter, limit: .seconds(seconds)) {
                heard[discovery.address] = discovery
                if !wanted.isEmpty, wanted.isSubset(of: heard.keys) { break }
            }
            context.keep(heard)
            let remark = remark(subject, heard, isMissed: !wanted.isEmpty, seconds: seconds)
            return context.pedometers?.isEmpty == true ? [remark, newcomer(subject, heard)] : [remark]
        }
    }

    private static func remark(
        _ subject: String, _ heard: [DeviceAddress: Discovery], isMissed: Bool, seconds: Double
    ) -> Remark {
        guard heard.isEmpty else {
            return Remark(.fine, subject, "the adapter hears \(heard.count == 1 ? "1 device" : "\(heard.count) devices")")
        }
        return Remark(
            isMissed ? .warning : .note, subject, "the adapter hears no device at all within \(Int(seconds)) seconds",
            cure: "If there should be some, the adapter is stuck. " + BluetoothError.adapterStuck("", reason: "").advice)
    }

    /// Nothing was added: what is in range might be.
    private static func newcomer(_ subject: String, _ heard: [DeviceAddress: Discovery]) -> Remark {
        let found = heard.values.filter { PedometerRegistry.model(of: $0) != nil }.min { $0.address < $1.address }
        guard let found else {
            return Remark(.note, subject, "no pedometer was added yet", cure: "istep scan, then istep add ADDRESS")
        }
        return Remark(
            .note, subject, "there is \(found.name ?? "\(found.address)"), and no pedometer was added yet",
            cure: "istep add \(found.address)")
    }
}
