public import StepDomain

/// Finding and adding the users of a history.
public struct People: Sendable {
    /// Whether a user may be added who is not in the history. Users cannot be removed, so that a typing error must not add one.
    public enum Creation: Sendable { case never, first, always }

    private let history: any StepHistory
    /// The requested or configured user.
    private let wanted: String?
    /// The name of the user who is logged in.
    private let login: String

    public init(_ history: any StepHistory, wanted: String?, login: String) {
        self.history = history
        self.wanted = wanted
        self.login = login
    }

    /// The requested user; else the only one; else the one who is logged in.
    ///
    /// - Returns: with the `id` 0 where the history does not have the user yet: `stored` adds one.
    /// - Throws: `ServiceError`, or the history's error.
    public func user(creating creation: Creation = .never) throws -> User {
        let users = try history.users()
        if wanted == nil, users.count == 1 { return users[0] }
        let name = wanted ?? login
        if let user = users.first(where: { $0.name.lowercased() == name.lowercased() }) { return user }
        let mayBeAdded =
            switch creation {
            case .never: users.isEmpty && wanted == nil
            case .first: users.isEmpty
            case .always: true
            }
        if mayBeAdded { return User(id: 0, name: name) }
        let known = users.map(\.name)
        throw wanted == nil ? ServiceError.severalUsers(known: known) : .unknownUser(name, known: known)
    }

    /// Adds the user to the history, if it is a new one.
    public func stored(_ user: User) throws -> User { user.id == 0 ? try history.addUser(named: user.name) : user }
}

/// Selection of registered pedometers by name.
public struct PedometerSelection: Sendable {
    private let pedometers: [Pedometer]

    public init(_ history: any StepHistory) throws { pedometers = try history.pedometers() }

    /// By address or name, in any case. An address is that of the pedometer, whatever another one is called.
    ///
    /// - Throws: `ServiceError.unknownPedometer`.
    public func pedometer(_ name: String) throws(ServiceError) -> Pedometer {
        let wanted = name.lowercased()
        let found = pedometers.first { $0.address.lowercased() == wanted } ?? pedometers.first { $0.name.lowercased() == wanted }
        guard let found else { throw .unknownPedometer(name, known: pedometers.map(\.name)) }
        return found
    }

    /// The same for a user by name; nil for all users.
    ///
    /// - Throws: `ServiceError`, or the history's error.
    public func pedometers(named names: [String], ofUserNamed user: String?, in history: any StepHistory) throws -> [Pedometer] {
        let owner = try user.map { try People(history, wanted: $0, login: $0).user() }
        return try pedometers(named: names, of: owner)
    }

    /// Those named, or all of a user, or all.
    ///
    /// - Throws: `ServiceError.unknownPedometer`.
    public func pedometers(named names: [String], of user: User?) throws(ServiceError) -> [Pedometer] {
        if names.isEmpty { return pedometers.filter { user == nil || $0.user == user?.id } }
        var chosen: [Pedometer] = []
        for name in names {
            let found = try pedometer(name)
            if !chosen.contains(where: { $0.id == found.id }) { chosen.append(found) }
        }
        return chosen
    }
}
