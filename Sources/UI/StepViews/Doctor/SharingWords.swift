import StepDomain

extension ConfigurationDiagnosis {
    var text: DiagnosisText {
        switch self {
        case .invalid(let message): DiagnosisText(message, fix: "Correct it, then check it: \(command: "istep config check")")
        case .writableByOthers(let path):
            DiagnosisText("other users of this machine can change \(path)", fix: "\(command: "chmod go-w", path)")
        case .valid(let files): DiagnosisText(files.isEmpty ? "no file, and none is needed" : files.joined(separator: ", "))
        }
    }
}

extension DestinationDiagnosis {
    /// - Parameter name: of the destination.
    func text(_ name: String) -> DiagnosisText {
        switch self {
        case .recipients(let problem):
            DiagnosisText("it \(problem)", fix: "Set the users whose days are sent, such as: users = [\"NAME\"]")
        case .unusable(let problem): DiagnosisText(problem, fix: Advice(commandOf: problem))
        case .secretOfService:
            DiagnosisText(
                "skipped: systemd gives its secret to the service only",
                fix: "\(command: "sudo systemd-run --pipe -p User=istep -p LoadCredential=istep:/etc/istep/credentials istep doctor")")
        case .notContacted: DiagnosisText("skipped by --no-network")
        case .answers(let place, let description): DiagnosisText("\(place) answers: \(description)")
        case .paused(let reason):
            DiagnosisText("paused, nothing is sent: \(reason)", fix: .renewCredentials(of: name))
        case .rejected(let days, let last, let reason):
            DiagnosisText(
                "\(Words.count(days, "day")) rejected, the last \(last): \(reason ?? "no reason given")",
                fix: """
                    See which: \(command: "istep outbox", name) To send them again: \(command: "istep outbox retry", name) To remove them: \
                    \(command: "istep outbox drop", name)
                    """)
        case .uncertain(let days):
            DiagnosisText(
                "\(Words.count(days, "day")) may have arrived",
                fix: """
                    Check whether the destination has them. See which: \(command: "istep outbox", name) For a day that it has: \
                    \(command: "istep outbox drop", name, "DAY") For a day that it does not have: \
                    \(command: "istep outbox retry", name, "DAY")
                    """)
        case .waiting(let days, let seconds, let reason):
            DiagnosisText(
                "\(Words.count(days, "day")) waiting, the oldest for \(Words.duration(seconds)): \(reason ?? "no reason given")",
                fix: """
                    See why: \(command: "istep outbox", name) To send them and wait until they are sent: \
                    \(command: "istep outbox send --wait", name)
                    """)
        }
    }
}
