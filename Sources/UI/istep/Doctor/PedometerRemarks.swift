import BlueZ
import Pedometers
import StepDomain

/// What a trial to read a pedometer says of it.
struct PedometerRemarks {
    private let pedometer: Pedometer
    /// As the scan heard it; nil where it did not.
    private let discovery: Discovery?

    init(_ pedometer: Pedometer, _ discovery: Discovery?) {
        self.pedometer = pedometer
        self.discovery = discovery
    }

    private var name: String { pedometer.name }

    /// It answered.
    func of(_ report: ReadReport) -> [Remark] {
        var parts = ["it answers"]
        if let battery = report.battery { parts.append("battery \(battery) %") }
        if let rssi = discovery?.rssi { parts.append("signal \(rssi) dBm") }
        var remarks = [Remark(.fine, name, parts.joined(separator: ", "))]
        if discovery?.isConnected == true {
            remarks.append(Remark(.note, name, "this machine was connected to it already: another program uses it, or has left it so"))
        }
        if let battery = report.battery, battery < StepDataService.lowBattery {
            remarks.append(Remark(.warning, name, "its battery is at \(battery) %", cure: "Charge it."))
        }
        for notice in report.notices { remarks += of(notice) }
        return remarks
    }

    private func of(_ notice: SyncNotice) -> [Remark] {
        switch notice {
        case .clockWasOff(let seconds):
            let by = seconds.map { " by \($0 < 0 ? "-" : "+")\(abs($0) / 3600) h \(abs($0) / 60 % 60) min" } ?? ""
            return [Remark(
                .warning, name, "its clock is off\(by): another program may have set it",
                cure: "istep sync \(name) sets it. Let only one program set it.")]
        case .undecodable(let frames):
            return [Remark(
                .warning, name, "\(frames) of its packets could not be understood", cure: "If it comes again, please report it.")]
        case .batteryLow, .implausible, .counterRestarted, .lost, .dayNotClosed: return []     // for a sync to tell
        }
    }

    /// It did not.
    func of(_ error: any Error) -> [Remark] {
        switch error {
        case BluetoothError.peripheralNotFound: return [missing]
        case BluetoothError.connectFailed(_, let failure): return [refusing(failure)]
        case BluetoothError.notPaired where discovery?.isPaired == true: return [stale("it no longer knows this machine")]
        case BluetoothError.notPaired:
            return [Remark(
                .fault(.permission), name, "it demands pairing, and is not paired with this machine",
                cure: "istep sync \(name) pairs with it.")]
        default: return [Remark(error, name)]
        }
    }

    private var missing: Remark {
        Remark(
            .fault(.temporary), name, "it is not in range: \(pedometer.address) was not heard",
            cure: "Bring it close, wake it, charge it. While a phone or another computer is connected to it, it hides: let it go there.")
    }

    private func refusing(_ failure: ConnectFailure) -> Remark {
        if failure.suspectsPairing || failure.reason == .pairingBroken { return stale("\(failure)") }
        let message = "it is in range, and connecting fails: \(failure)"
        if failure.reason == .busy {
            return Remark(.fault(.temporary), name, message, cure: "Another program of this machine is connecting to it: end that, or wait.")
        }
        // BlueZ has many words for keys that do not fit, and none of them for that alone.
        if discovery?.isPaired == true {
            return Remark(
                .fault(.temporary), name, "\(message); the pairing may be lost on one side",
                cure: "Bring it nearer and try again. If it stays so: \(pairingAgain)")
        }
        return Remark(
            .fault(.temporary), name, message,
            cure: "A phone or another computer may hold it: let it go there. Else bring it nearer, or restart it.")
    }

    private func stale(_ reason: String) -> Remark {
        Remark(.fault(.permission), name, "the pairing with this machine seems to be lost on one side: \(reason)", cure: pairingAgain)
    }

    private var pairingAgain: String { "bluetoothctl remove \(pedometer.address), then istep sync \(name), which pairs again" }
}
