/// What can go wrong between istep and a pedometer above the link.
public enum PedometerError: Error, Hashable, Sendable {
    /// It is connected, and did not answer for so many seconds, asked as often as is sensible.
    case noAnswer(to: String, seconds: Double)
    /// It answered that it will not.
    case refused(String)
    /// What came cannot be understood.
    case undecodable(String)
    /// It lacks a service that its model must have.
    case wrongDevice(model: String, missing: String)
    case unknownModel(String, known: [String])
    /// An option of a generic pedometer does not hold.
    case badOption(String, value: String, expected: String)
}

extension PedometerError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .noAnswer(let request, let seconds):
            "The pedometer is connected but did not answer \(request) within \(Int(seconds)) seconds."
        case .refused(let request):
            "The pedometer refused \(request)."
        case .undecodable(let what):
            "The pedometer sent something that cannot be understood: \(what)."
        case .wrongDevice(let model, let missing):
            "This is not a \(model): it lacks the service \(missing)."
        case .unknownModel(let key, let known):
            "There is no pedometer model '\(key)'; istep knows \(known.joined(separator: ", "))."
        case .badOption(let name, let value, let expected):
            "--\(name) '\(value)' does not hold: \(expected)."
        }
    }

    /// What to do next.
    public var advice: String {
        switch self {
        case .noAnswer: "Put it on its charger for a moment, bring it close, and sync again."
        case .refused: "Sync again; if it stays so, its firmware may speak another protocol: please report it."
        case .undecodable: "The raw frames are kept. Sync again; if it stays so, please report it."
        case .wrongDevice: "Look with 'istep scan' which address is the pedometer's, and add that one."
        case .unknownModel: "Choose one of those, or describe the pedometer with --model generic."
        case .badOption: "See 'istep add --help'."
        }
    }

    /// Whether another try later may do.
    public var isTransient: Bool {
        switch self {
        case .noAnswer, .refused: true
        case .undecodable, .wrongDevice, .unknownModel, .badOption: false
        }
    }
}
