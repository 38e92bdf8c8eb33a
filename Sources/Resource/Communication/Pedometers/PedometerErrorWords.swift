internal import BlueZ
internal import Support

extension PedometerError {
    public var description: String {
        switch self {
        case .noAnswer(let request, let attempts, let seconds):
            "The pedometer is connected but did not answer \(request) "
                + "(\(attempts) \(attempts == 1 ? "attempt" : "attempts"), \(brief(seconds)) seconds)."
        case .sentNoSteps(let seconds):
            "The pedometer is connected, but sent no steps within \(brief(seconds)) seconds."
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
            \(notHeard(address, seconds)), but \(name.prefix(32)) is in range with another address, \(new): \
            its address may have changed.
            """
        case .nothingDiscovered(let address, let seconds):
            "\(notHeard(address, seconds)), and no other Bluetooth device was heard."
        case .notConnectable(let address, let seconds, let model, _):
            "\(notHeard(address, seconds)). The \(model) accepts connections only at certain times."
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

    private func notHeard(_ address: String, _ seconds: Double) -> String {
        "\(BluetoothError.peripheralNotFound(address, seconds: seconds))"
    }
}
