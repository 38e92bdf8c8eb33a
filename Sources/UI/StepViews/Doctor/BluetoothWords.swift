import StepDomain

extension BluetoothDiagnosis {
    var text: DiagnosisText {
        switch self {
        case .otherBus: DiagnosisText("skipped: DBUS_SYSTEM_BUS_ADDRESS is set to a bus other than the system bus")
        case .kernelSupported: DiagnosisText("Bluetooth is supported")
        case .nothingBlocked: DiagnosisText("nothing is blocked")
        case .otherAdapterBlocked(let names):
            DiagnosisText("\(Words.list(names)) \(names.count == 1 ? "is" : "are") blocked; istep uses another adapter")
        case .adapters(let adapters):
            DiagnosisText(adapters.map { $0.name + ($0.address.map { " (\($0))" } ?? "") }.joined(separator: ", "))
        case .otherAdapters(let problem, let names):
            DiagnosisText(
                problem.text.message,
                fix: """
                    There \(names.count == 1 ? "is" : "are") \(Words.list(names)): name \(names.count == 1 ? "it" : "one") with --adapter or \
                    `adapter` in the configuration.
                    """)
        case .busAnswers: DiagnosisText("it answers")
        case .busUnreachable(let reason):
            DiagnosisText(
                "no connection to the system bus: \(reason)",
                fix: "Start the D-Bus service (package dbus), or check DBUS_SYSTEM_BUS_ADDRESS.")
        case .serviceAnswers: DiagnosisText("bluetoothd runs and permits access")
        case .adapterOn(let name): DiagnosisText("\(name) is on")
        case .adapterScanning(let name):
            DiagnosisText(
                "another program is scanning on \(name)",
                fix:
                    "While it scans, connections may fail. Close it, for example an open Bluetooth window of the desktop."
            )
        }
    }
}

extension ScanDiagnosis {
    var text: DiagnosisText {
        switch self {
        case .notRequested: DiagnosisText("skipped by --no-radio")
        case .inUse(let holder): DiagnosisText("skipped: \(holder.words); it is not interrupted")
        case .discovered(let devices):
            DiagnosisText("the adapter receives advertisements of \(Words.count(devices, "device"))")
        case .nothingDiscovered(let seconds, _):
            DiagnosisText(
                "the adapter received no advertisement within \(Words.seconds(seconds))",
                fix: """
                    If Bluetooth devices are near, the adapter may be stuck. Switch it off and on: \(command: "bluetoothctl power off"), then \
                    \(command: "bluetoothctl power on"). If that does not help, unplug it and plug it in again, or restart the service: \
                    \(command: "sudo systemctl restart bluetooth")
                    """)
        case .noPedometer:
            DiagnosisText("no pedometer has been added yet", fix: .addPedometer)
        case .candidate(let device):
            DiagnosisText(
                "\(device.name ?? device.address) is in range, but no pedometer has been added yet",
                fix: "\(command: "istep add", device.address)")
        }
    }
}

extension HistoryHolder {
    var words: String { "a \(activity.rawValue) is running (process \(process))" }
}
