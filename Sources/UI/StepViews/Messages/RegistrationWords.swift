public import StepDomain

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
