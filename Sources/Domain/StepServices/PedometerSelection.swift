public import StepDomain

/// Which registered pedometers a command is for.
public struct PedometerSelection: Sendable {
    private let pedometers: [Pedometer]
    private let users: [User]
    /// Whose pedometers may be chosen; nil for those of all users.
    private let owner: User?

    /// - Parameters:
    ///   - user: a user by name, whose pedometers may be chosen; nil for all users.
    ///   - sources: sources of imports that may be chosen, too.
    /// - Throws: `ServiceError.unknownUser`, or the history's error.
    public init(_ history: any StepHistory, ofUserNamed user: String? = nil, besides sources: [Pedometer] = [])
        throws
    {
        owner = try user.map { try history.user(named: $0) }
        users = try history.users()
        pedometers = try history.pedometers() + sources
    }

    /// By address or name, ignoring case. If one pedometer has this address and another has it as a name, the address
    /// wins.
    ///
    /// - Throws: `ServiceError.unknownPedometer`, `.pedometerOfAnother`.
    public func pedometer(_ name: String) throws(ServiceError) -> Pedometer {
        let wanted = name.lowercased()
        let found =
            pedometers.first { $0.address.lowercased() == wanted }
            ?? pedometers.first { $0.name.lowercased() == wanted }
        guard let found else { throw .unknownPedometer(name, known: pedometers.filter(isOfOwner).map(\.name)) }
        guard isOfOwner(found) else {
            throw .pedometerOfAnother(
                found.name, owner: users.first { $0.id == found.user }?.name ?? "", user: owner?.name ?? "")
        }
        return found
    }

    /// Those named; without names all that may be chosen.
    ///
    /// - Throws: `ServiceError.unknownPedometer`, `.pedometerOfAnother`.
    public func pedometers(named names: [String]) throws(ServiceError) -> [Pedometer] {
        if names.isEmpty { return pedometers.filter(isOfOwner) }
        var chosen: [Pedometer] = []
        for name in names {
            let found = try pedometer(name)
            if !chosen.contains(where: { $0.id == found.id }) { chosen.append(found) }
        }
        return chosen
    }

    private func isOfOwner(_ pedometer: Pedometer) -> Bool { owner == nil || pedometer.user == owner?.id }
}

extension PedometerSelection {
    /// The address of a device, as it was typed, or that of the registered pedometer with this name.
    ///
    /// - Parameter history: opened only for a name.
    /// - Throws: `ServiceError.noSuchDevice`, also where there is no history; why the history cannot be read.
    public static func address(
        of device: String, _ catalog: any PedometerCatalog, in history: () throws -> any StepHistory
    ) throws -> String {
        if let address = catalog.address(device) { return address }
        do {
            return try PedometerSelection(history()).pedometer(device).address
        } catch ServiceError.unknownPedometer {
            throw ServiceError.noSuchDevice(device)
        } catch let error as any CategorizedError where error.category == .unavailable {
            throw ServiceError.noSuchDevice(device)
        }
    }
}
