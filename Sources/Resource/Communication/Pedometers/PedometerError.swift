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
