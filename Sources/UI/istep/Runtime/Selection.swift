import StepDomain

/// Which of the pedometers somebody means.
struct Selection {
    private let pedometers: [Pedometer]

    init(_ history: any StepHistory) throws { pedometers = try history.pedometers() }

    /// By name or address, in any case.
    func pedometer(_ word: String) throws -> Pedometer {
        let wanted = word.lowercased()
        guard let found = pedometers.first(where: { $0.name.lowercased() == wanted || $0.address.lowercased() == wanted })
        else {
            let known = pedometers.map(\.name).joined(separator: ", ")
            throw CommandFailure(
                .usage, "There is no pedometer '\(word)'.",
                advice: known.isEmpty ? "Add one: istep scan, then istep add ADDRESS." : "Known are: \(known).")
        }
        return found
    }

    /// Those named, or all of a user's, or all.
    func pedometers(named words: [String], of user: User?) throws -> [Pedometer] {
        if !words.isEmpty {
            var chosen: [Pedometer] = []
            for word in words {
                let found = try pedometer(word)
                if !chosen.contains(where: { $0.id == found.id }) { chosen.append(found) }
            }
            return chosen
        }
        return pedometers.filter { user == nil || $0.user == user?.id }
    }
}
