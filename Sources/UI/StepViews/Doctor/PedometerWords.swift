import StepDomain

extension PedometerDiagnosis {
    /// - Parameter name: of the pedometer.
    func text(_ name: String) -> DiagnosisText {
        switch self {
        case .notTried: DiagnosisText("not contacted")
        case .inUse(let holder):
            DiagnosisText("not contacted: \(holder?.words ?? "a sync is running")")
        case .answers(let battery, let rssi):
            DiagnosisText(
                ["it answers", battery.map { "battery \($0) %" }, rssi.map { "signal \($0) dBm" }].compactMap(\.self)
                    .joined(separator: ", "))
        case .alreadyConnected:
            DiagnosisText("this machine was connected to it already: another program uses it, or did not disconnect")
        case .batteryLow(let percent): DiagnosisText("its battery is at \(percent) %", fix: "Charge it.")
        case .clockOff(let seconds?) where seconds.isMoreThanAZone:
            DiagnosisText(
                "its clock is \(Self.offset(seconds)): a restart or an empty battery may have reset it",
                fix: "A sync sets it to local time: \(command: "istep sync", name)")
        case .clockOff(let seconds):
            DiagnosisText(
                "its clock is \(Self.offset(seconds)): another program may have set it",
                fix: "Let only one program set it. A sync sets it to local time: \(command: "istep sync", name)")
        case .undecodable(let packets):
            DiagnosisText(
                "\(Words.count(packets, "packet")) could not be decoded",
                fix: "If this happens again, please report it.")
        case .notInRange(let address):
            DiagnosisText(
                "it is not in range: \(address) was not heard",
                fix: """
                    Bring it close, wake it, charge it. While it is connected to a phone or another computer it is not visible: disconnect \
                    it there.
                    """)
        case .connectFailed(let cause, let reason): Self.connectFailed(cause, reason, name)
        case .pairingLost(let address, let reason):
            DiagnosisText(
                "the pairing with this machine seems to be lost on one side: \(reason ?? "the pedometer requires pairing again")",
                fix: "To pair again, \(Self.pairAgain(address, name))")
        case .needsPairing:
            DiagnosisText(
                "it requires pairing, and is not paired with this machine",
                fix: "A sync pairs with it: \(command: "istep sync", name)")
        }
    }

    private static func offset(_ seconds: Int?) -> String {
        guard let seconds, seconds != 0 else { return "wrong" }
        return "\(Words.duration(seconds)) \(seconds > 0 ? "ahead" : "behind")"
    }

    private static func connectFailed(_ cause: ConnectCause, _ reason: String, _ name: String) -> DiagnosisText {
        let message = "it is in range, but connecting fails: \(reason)"
        return switch cause {
        case .busy:
            DiagnosisText(
                message, fix: "Another program of this machine is connecting to it: end that program, or wait.")
        case .maybeUnpaired(let address):
            DiagnosisText(
                "\(message); the pairing may be lost on one side",
                fix: "Bring it nearer and try again. If it fails again, \(pairAgain(address, name))")
        case .unknown:
            DiagnosisText(
                message,
                fix:
                    "It may be connected to a phone or another computer: disconnect it there. Otherwise bring it nearer, or restart it."
            )
        }
    }

    /// A sync does not pair with every pedometer: with a ring, only adding it does.
    private static func pairAgain(_ address: String, _ name: String) -> Advice {
        """
        remove the pairing (its steps stay in the history): \(command: "istep forget --unpair", name). Then add it again, with the options \
        of the first time: \(command: "istep add", address)
        """
    }
}
