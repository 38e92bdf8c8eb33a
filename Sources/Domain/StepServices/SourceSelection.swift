internal import StepDomain

extension HistoryEditing {
    /// Finds a pedometer or a source of imports by its name or address, also one that is out of use.
    ///
    /// - Parameter owner: the name of its user; nil for any.
    /// - Throws: `ServiceError.unknownUser`, `.unknownPedometer`, `.severalSources`; the history's error.
    func source(_ name: String, ofUserNamed owner: String?) throws -> (source: HeldSource, owner: User) {
        let chosen = try owner.map { try user(named: $0) }
        let all = try heldSources().filter { chosen == nil || $0.pedometer.user == chosen?.id }
        let wanted = name.lowercased()
        let named = [\Pedometer.address, \.name].lazy.map { key in
            all.filter { $0.pedometer[keyPath: key].lowercased() == wanted }
        }
        guard let found = named.first(where: { !$0.isEmpty }) else {
            throw ServiceError.unknownPedometer(name, known: Set(all.map(\.pedometer.name)).sorted())
        }
        guard let source = found.first(where: \.isInUse) ?? (found.count == 1 ? found[0] : nil) else {
            throw ServiceError.severalSources(name, addresses: found.map(\.pedometer.address))
        }
        guard let person = try users().first(where: { $0.id == source.pedometer.user }) else {
            throw ServiceError.unknownPedometer(name, known: [])
        }
        return (source, person)
    }
}
