/// What the user configured for a destination.
public struct ShareTerms: Hashable, Sendable {
    /// Names of the users whose days go there; nil for all users of the history.
    public var users: [String]?
    /// The first day that is sent automatically; nil for the day on which the destination was first seen.
    public var since: Day?
    /// Overrides the trait of that name.
    public var acceptsUnfinishedDays: Bool?

    public init(users: [String]? = nil, since: Day? = nil, acceptsUnfinishedDays: Bool? = nil) {
        self.users = users
        self.since = since
        self.acceptsUnfinishedDays = acceptsUnfinishedDays
    }

    public func include(_ user: User) -> Bool {
        users.map { $0.contains { $0.lowercased() == user.name.lowercased() } } ?? true
    }
}

/// What is wrong with the choice of users whose days go to a destination.
public enum RecipientProblem: Hashable, Sendable {
    case unknownUser(String, known: [String])
    case nobody
    /// The destination has one place for the days of one person, and its terms include these users.
    case several(known: [String])

    /// Nil if nothing is wrong.
    public init?(_ destination: any ShareDestination, users: [User]) {
        let known = users.map(\.name)
        let names = destination.terms.users
        let included = users.filter { destination.terms.include($0) }
        if let unknown = names?.first(where: { name in !known.contains { $0.lowercased() == name.lowercased() } }) {
            self = .unknownUser(unknown, known: known)
        } else if names?.isEmpty == true {
            self = .nobody
        } else if destination.traits.isPersonal, included.count > 1 {
            self = .several(known: included.map(\.name))
        } else {
            return nil
        }
    }
}
