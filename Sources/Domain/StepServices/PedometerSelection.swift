public import StepDomain

/// Which registered pedometers a command is for.
public struct PedometerSelection: Sendable {
    private let pedometers: [Pedometer]

    public init(_ history: any StepHistory) throws { pedometers = try history.pedometers() }

    /// By address or name, ignoring case. If one pedometer has this address and another has it as a name, the address wins.
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
        let owner = try user.map { try UserSelection(history, wanted: $0, login: $0).user() }
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
