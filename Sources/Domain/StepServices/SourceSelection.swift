internal import StepDomain

/// Finds a pedometer or a source of imports by its name or address, also one that is out of use.
struct SourceSelection {
    private let store: EditableHistory

    init(_ store: EditableHistory) { self.store = store }

    /// - Parameter owner: the name of its user; nil for any.
    /// - Throws: `ServiceError.unknownUser`, `.unknownPedometer`, `.severalSources`; the history's error.
    func source(_ name: String, ofUserNamed owner: String?) throws -> HeldSource {
        let user = try owner.map { try UserSelection(store, wanted: $0, login: $0).user() }
        let all = try store.heldSources().filter { user == nil || $0.pedometer.user == user?.id }
        let wanted = name.lowercased()
        let named = [\Pedometer.address, \.name].lazy.map { key in
            all.filter { $0.pedometer[keyPath: key].lowercased() == wanted }
        }
        guard let found = named.first(where: { !$0.isEmpty }) else {
            throw ServiceError.unknownPedometer(name, known: Set(all.map(\.pedometer.name)).sorted())
        }
        if let used = found.first(where: \.isInUse) { return used }
        guard found.count == 1 else {
            throw ServiceError.severalSources(name, addresses: found.map(\.pedometer.address))
        }
        return found[0]
    }
}
