public import StepDomain

/// What is said about users that are added or renamed.
public enum UserWords {
    public static func added(_ user: User) -> String { "Added the user \(Printable(user.name, limit: 64))." }

    public static func renamed(_ before: User, to after: User) -> String {
        "Renamed \(Printable(before.name, limit: 64)) to \(Printable(after.name, limit: 64))."
    }

    /// - Parameter place: a setting, such as `user`.
    public static func stillNamed(_ user: User, in place: String) -> String {
        "The configuration names \(Printable(user.name, limit: 64)) in \(Printable(place, limit: 64)): change it there."
    }
}
