/// What is wrong with the choice of users whose days go to a destination.
public enum RecipientProblem: Hashable, Sendable, CustomStringConvertible {
    case unknownUser(String, known: [String])
    case nobody
    /// The destination has one place for the days of one person, the history has several users, and the terms name none.
    case several(known: [String])

    /// Nil if nothing is wrong.
    public init?(_ destination: any ShareDestination, users: [User]) {
        let known = users.map(\.name)
        let names = destination.terms.users
        if let stranger = names?.first(where: { name in !known.contains { $0.lowercased() == name.lowercased() } }) {
            self = .unknownUser(stranger, known: known)
        } else if names?.isEmpty == true {
            self = .nobody
        } else if destination.traits.isPersonal, names == nil, users.count > 1 {
            self = .several(known: known)
        } else {
            return nil
        }
    }

    public var description: String {
        switch self {
        case .unknownUser(let name, let known):
            "names the user \(name), who is not in the history; known users: \(known.joined(separator: ", "))"
        case .nobody: "has no recipients: its `users` are empty"
        case .several(let known):
            "has one place for the days of one person, and the history has several: \(known.joined(separator: ", "))"
        }
    }
}
