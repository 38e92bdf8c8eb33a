/// Who owns the well-known names that match rules ask for.
struct NameOwners {
    private struct Entry {
        var owner: String?
        var users = 0
        var changes = 0
    }

    private var entries: [String: Entry] = [:]

    func owner(of name: String) -> String? { entries[name]?.owner }

    mutating func follow(_ name: String) {
        entries[name, default: Entry()].users += 1
    }

    mutating func unfollow(_ name: String) {
        guard var entry = entries[name] else { return }
        entry.users -= 1
        entries[name] = entry.users > 0 ? entry : nil
    }

    /// The bus told of a change.
    /// - Parameter owner: nil or empty if nobody owns the name any more.
    mutating func didChange(_ name: String, to owner: String?) {
        guard var entry = entries[name] else { return }
        entry.owner = owner?.isEmpty == true ? nil : owner
        entry.changes += 1
        entries[name] = entry
    }

    /// To be asked for before the bus is asked for the owner, and given back with its answer.
    func changes(of name: String) -> Int { entries[name]?.changes ?? 0 }

    /// The bus answered. A change that was handled in the meantime is newer than the answer, or tells the same.
    mutating func didAnswer(_ name: String, owner: String?, askedAfter changes: Int) {
        guard var entry = entries[name], entry.changes == changes else { return }
        entry.owner = owner
        entries[name] = entry
    }
}
