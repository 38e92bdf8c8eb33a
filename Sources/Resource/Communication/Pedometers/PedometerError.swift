public import BlueZ
public import StepDomain

/// What can go wrong between istep and a pedometer above the link.
public enum PedometerError: Error, Hashable, Sendable {
    /// It is connected and did not answer a request (`the request for the steps of 2026-11-18`), which was sent
    /// `attempts` times. Seconds: of all attempts together.
    case noAnswer(to: String, attempts: Int, seconds: Double)
    /// It is connected, sends its steps by itself, and sent none for this many seconds.
    case sentNoSteps(seconds: Double)
    /// It answered a request (`every request for its steps`) with an error.
    case refused(String)
    /// The received data cannot be decoded.
    case undecodable(String)
    /// It announced so many records, and fewer or more arrived; nil if its answer did not end.
    case incomplete(received: Int, announced: Int?)
    /// It was still sending after this time.
    case endless(minutes: Int)
    /// It lacks an app that sends its steps: the app's name, and the message that shows it; nil if it began its answer
    /// and sent nothing more.
    case missingApp(String, message: String?)
    /// An app on it is older than the version that is needed: the app's name, that version, and the message that shows
    /// it.
    case outdatedApp(String, needs: String, message: String)
    /// Its console requires a password.
    case consoleLocked
    /// A program on it failed with this message.
    case scriptFailed(String)
    /// It is in range and advertises no steps: its model, and what to do.
    case advertisesNoSteps(model: String, advice: String)
    /// It was not heard for this many seconds, while another device with its name or data was.
    case addressMayHaveChanged(_ address: String, seconds: Double, name: String, to: String)
    /// It was not heard for this many seconds, and no other device was.
    case nothingDiscovered(_ address: String, seconds: Double)
    /// It was not heard for this many seconds, and is of a model that can be connected to only at times: what to do.
    case notConnectable(_ address: String, seconds: Double, model: String, advice: String)
    /// It lacks a service that its model must have; `actual` is the model that its services show, if any.
    case wrongDevice(model: String, missing: String, actual: String? = nil)
    /// It asks for a bond, and pairing with it failed.
    case bondFailed(model: String, reason: String)
    case unknownModel(String, known: [String])
    /// An option of a generic pedometer is not valid.
    case badOption(String, value: String, expected: String)
}

extension PedometerError: ReportableError {
    /// A pedometer whose address has changed is not heard, like one that is out of range. So is one whose adapter
    /// receives nothing.
    public var cause: FailureCause {
        switch self {
        case .addressMayHaveChanged, .nothingDiscovered, .notConnectable: .outOfRange
        default: .other
        }
    }

    public var description: String {
        switch self {
        case .noAnswer(let request, let attempts, let seconds):
            "The pedometer is connected but did not answer \(request) "
                + "(\(attempts) \(attempts == 1 ? "attempt" : "attempts"), \(Int(seconds)) seconds)."
        case .sentNoSteps(let seconds):
            "The pedometer is connected, but sent no steps within \(Int(seconds)) seconds."
        case .refused(let request):
            "The pedometer refused \(request)."
        case .undecodable(let what):
            "The pedometer sent data that cannot be decoded: \(what)."
        case .incomplete(let received, let announced?):
            "The pedometer announced \(announced) records, but \(received) arrived."
        case .incomplete(let received, nil):
            "The pedometer's answer is incomplete: \(received) records arrived."
        case .endless(let minutes):
            "The pedometer was still sending after \(minutes) minutes, and the reading was ended."
        case .missingApp(let app, let message?):
            "The app '\(app)', which sends the steps, is not installed on the watch: it answered '\(message)'."
        case .missingApp(let app, nil):
            "The watch began its answer and sent nothing more: the app '\(app)', which sends the steps, is probably not installed."
        case .outdatedApp(let app, let version, let message):
            "The app '\(app)' on the watch is older than version \(version) and cannot send the steps: it answered '\(message)'."
        case .consoleLocked:
            "The console of the watch is locked with a password, so it accepts no request."
        case .scriptFailed(let message):
            "A program on the watch failed: '\(message)'."
        case .advertisesNoSteps(let model, _):
            "The \(model) is in range, but advertises no steps."
        case .addressMayHaveChanged(let address, let seconds, let name, let new):
            """
            \(address) was not heard within \(Int(seconds.rounded())) s, but \(name.prefix(32)) is in range with another address, \(new): \
            its address may have changed.
            """
        case .nothingDiscovered(let address, let seconds):
            "\(address) was not heard within \(Int(seconds.rounded())) s, and no other Bluetooth device was heard."
        case .notConnectable(let address, let seconds, let model, _):
            "\(address) was not heard within \(Int(seconds.rounded())) s. The \(model) accepts connections only at certain times."
        case .wrongDevice(let model, let missing, let actual):
            "This is not the model \(model): it lacks the service \(missing)."
                + (actual.map { " Its services are those of this model: \($0)." } ?? "")
        case .bondFailed(let model, let reason):
            "The \(model) requires pairing, which failed: \(reason)."
        case .unknownModel(let key, let known):
            "There is no pedometer model '\(key)'; known models: \(known.joined(separator: ", "))."
        case .badOption(let name, "", let expected):
            "--\(name) is needed: \(expected)."
        case .badOption(let name, let value, let expected):
            "--\(name) '\(value)' is invalid: \(expected)."
        }
    }

    /// What to do next.
    public var advice: String? {
        switch self {
        case .noAnswer: "Put it on its charger for a moment, bring it close, and sync again."
        case .sentNoSteps: "Walk a little with it, then sync again."
        case .refused: "Sync again. If it happens again, its firmware may use another protocol: please report it."
        case .incomplete: "What has arrived is stored. Sync again."
        case .endless: "What could be used of it is stored. Sync again; if it happens again, please report it."
        case .missingApp(let app, _):
            "Install '\(app)' on the watch with its app loader (https://banglejs.com/apps/), then sync again."
        case .outdatedApp(let app, _, _):
            "Update '\(app)' on the watch with its app loader (https://banglejs.com/apps/), then sync again."
        case .consoleLocked:
            "Remove the password (`E.setPassword()` in the Web IDE, after unlocking it), then sync again."
        case .scriptFailed:
            "Update the apps and the firmware of the watch, and sync again; if it happens again, please report it."
        case .advertisesNoSteps(_, let advice), .notConnectable(_, _, _, let advice): advice
        case .undecodable: "The raw frames are kept. Sync again; if it happens again, please report it."
        case .addressMayHaveChanged(let address, _, _, let new):
            """
            If it is the same pedometer: `istep forget \(address)`, then `istep add \(new)`. Its steps stay in the history, and no steps are counted twice.
            """
        case .nothingDiscovered:
            """
            Bring it close, wake it, or disconnect it from the phone. If other devices are near, the adapter may not receive: `istep doctor`
            """
        case .bondFailed:
            """
            Disconnect it from other devices, and remove its pairing there. To remove its pairing here: `bluetoothctl remove ADDRESS`. Then put \
            it on its charger for a moment, and try again. Without the pairing it may not be found after its first connection.
            """
        case .wrongDevice(_, _, _?): "Add it without --model: istep recognises it by its services."
        case .wrongDevice: "Find the address of the pedometer with 'istep scan', and add that address."
        case .unknownModel: "Choose one of those, or describe the pedometer with --model generic."
        case .badOption: "See 'istep add --help'."
        }
    }

    public var category: FailureCategory {
        switch self {
        case .noAnswer, .sentNoSteps, .refused, .incomplete, .endless, .addressMayHaveChanged, .nothingDiscovered,
            .notConnectable:
            .temporary
        case .undecodable, .scriptFailed: .data
        case .wrongDevice, .missingApp, .outdatedApp, .consoleLocked, .advertisesNoSteps: .unavailable
        case .bondFailed: .permission
        case .unknownModel, .badOption: .usage
        }
    }
}

// BlueZ's module has no access to the domain; the conformance is added here.

extension BluetoothError: ReportableError {
    public var category: FailureCategory {
        switch self {
        case .noKernelSupport, .noAdapter, .adapterDown, .adapterBlocked, .adapterStuck, .adapterLost,
            .daemonNotRunning, .daemonSilent,
            .noBus:
            .unavailable
        case .serviceNotFound, .characteristicNotFound: .unavailable
        case .accessDenied, .notPaired, .pairingFailed: .permission
        case .peripheralNotFound, .connectFailed, .linkLost, .timedOut, .busy, .cancelled: .temporary
        case .readFailed, .writeFailed, .notifyFailed, .attError: .data
        case .unexpected: .unforeseen
        }
    }

    /// The cause; `outOfRange` if it was not heard.
    public var cause: FailureCause {
        switch self {
        case .peripheralNotFound: .outOfRange
        case .noKernelSupport, .noAdapter, .adapterDown, .adapterBlocked, .adapterStuck, .adapterLost,
            .daemonNotRunning, .daemonSilent,
            .noBus, .accessDenied:
            .machine
        case .cancelled: .interrupted
        case .connectFailed, .serviceNotFound, .characteristicNotFound, .readFailed, .writeFailed, .notifyFailed,
            .attError, .notPaired,
            .pairingFailed, .linkLost, .timedOut, .busy, .unexpected:
            .other
        }
    }
}
