public import StepDomain
public import StepServices

extension ProgressWords {
    /// A pedometer that is being registered.
    public static func line(_ step: Registration.Step) -> String {
        switch step {
        case .searching(let device): "Looking for \(device.map { Printable($0).description } ?? "pedometers")"
        case .searchingOn(let device, let others):
            "Still looking for \(Printable(device))"
                + (others.isEmpty
                    ? "" : "; in range: \(others.map { Printable($0).description }.joined(separator: ", "))")
        case .connecting(let name): "Connecting to \(Printable(name))"
        case .listening(let name): "Listening for the steps of \(Printable(name))"
        case .probing(let name): "Reading the services of \(Printable(name))"
        case .experimental(let kind): "\(kind.title) is experimental"
        }
    }

    /// A search for devices; empty when it has ended.
    public static func line(_ step: DeviceSearch.Step) -> String {
        switch step {
        case .scanning(let seconds, let found):
            "Scanning for \(Words.count(Int(seconds), "second"))" + (found.map { ": \($0) found" } ?? "")
        case .scanned: ""
        case .probing(let device): "Connecting to \(device.name.map { Printable($0).description } ?? device.address)"
        }
    }
}

/// What is said about pedometers that are registered, renamed or removed.
public enum RegistrationWords {
    public static func added(_ pedometer: Pedometer, model: String, user: User) -> String {
        "Added \(Printable(pedometer.name)) (\(model)) for \(Printable(user.name))."
    }

    /// Before a pedometer of this kind is registered; nil if it is not experimental.
    public static func caveat(_ kind: PedometerKind) -> String? {
        kind.caveat.map { "\(kind.title): experimental. \($0)" }
    }

    /// For a pedometer that keeps only today's count.
    public static let holdsTodayOnly =
        "It keeps only today's count and resets it at midnight. 'istep auto on' also syncs it shortly before midnight."

    public static func renamed(_ before: Pedometer, to after: Pedometer) -> String {
        "Renamed \(Printable(before.name)) to \(Printable(after.name))."
    }

    public static func forgotten(_ pedometer: Pedometer) -> String {
        "Removed \(Printable(pedometer.name)). Its steps stay in the history."
    }

    /// What removing a pedometer loses, in sentences.
    public static let losses = [
        "Its steps stay in the history.",
        "It is not synced any longer: steps that it has not passed on yet are lost when it overwrites them.",
        "If you add it again, the next sync continues where the last one stopped.",
    ]

    /// What is wrong with an address or name that a user has typed; nil for nothing.
    ///
    /// - Parameter isAddress: whether a text is an address.
    public static func problem(ofDevice text: String, isAddress: (String) -> Bool) -> String? {
        guard text.contains(":"), !isAddress(text) else { return nil }
        return "'\(Printable(text, limit: 64))' is not an address. Write it like C0:DE:00:00:00:01."
    }
}
