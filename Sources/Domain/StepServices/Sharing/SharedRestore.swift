public import StepDomain

/// Finds what a destination has of a user, to build a history from it on a new machine.
public struct SharedRestore: Sendable {
    private let destinations: [any ShareDestination]

    /// - Parameter destinations: those of the configuration.
    public init(_ destinations: [any ShareDestination]) { self.destinations = destinations }

    /// - Parameters:
    ///   - history: what would be replaced; nil if there is nothing.
    ///   - path: where it is.
    /// - Throws: `ServiceError.historyInUse` if there is a history with users; what `destinations` throws.
    public init(
        _ destinations: () throws -> [any ShareDestination], replacing history: EditableHistory?, at path: String
    ) throws {
        if let history, try !history.users().isEmpty { throw ServiceError.historyInUse(path) }
        self.destinations = try destinations()
    }

    /// The days of a user that one machine has sent.
    public struct Candidate: Sendable {
        public let destination: any RestorableDestination
        public let held: HeldHistory
        /// The other machines that have sent days of the user.
        public let others: [HeldHistory]
        /// Destinations that would get days once more that they may have, and keep both: the record of what was sent is
        /// not restored.
        public let repeating: [String]

        public init(
            destination: any RestorableDestination, held: HeldHistory, others: [HeldHistory] = [],
            repeating: [String] = []
        ) {
            (self.destination, self.held, self.others, self.repeating) = (destination, held, others, repeating)
        }

        public var export: any ExportedHistory { destination.export(held) }
    }

    /// - Parameters:
    ///   - name: the name of a destination, with or without its kind before a colon, such as `postgres:family`.
    ///   - user: nil if the destination has only one.
    ///   - machine: nil for the only one that has sent days, or the one with the name of this machine.
    /// - Throws: `ServiceError`, `ShareFailure`.
    public func candidate(from name: String, user: String?, machine: String?) async throws -> Candidate {
        let destination = try self.destination(name)
        let held: [HeldHistory]
        do throws(ShareFailure) { held = try await destination.heldHistories(of: user) } catch {
            throw error.naming(destination.secretPlace)
        }
        var subjects = Set(held.map(\.subject))
        if subjects.count > 1, let user, let exact = held.first(where: { $0.user == user }) {
            subjects = [exact.subject]
        }
        guard let subject = subjects.first else { throw ServiceError.nothingHeld(user, destination: destination.name) }
        if subjects.count > 1 { throw ServiceError.severalUsers(known: Set(held.map(\.user)).sorted()) }
        let machines = held.filter { $0.subject == subject }
        guard let chosen = try Self.choose(machine, among: machines) else {
            throw ServiceError.severalMachines(machines.map(\.machine), user: machines[0].user)
        }
        let repeating = destinations.filter { other in
            guard other.traits.resending == .repeats, let since = other.terms.since, let last = chosen.lastDay else {
                return false
            }
            return since <= last && other.terms.include(User.new(chosen.user))
        }
        return Candidate(
            destination: destination, held: chosen, others: machines.filter { $0.machine != chosen.machine },
            repeating: repeating.map(\.name))
    }

    private func destination(_ words: String) throws(ServiceError) -> any RestorableDestination {
        let parts = words.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        let name = parts.last ?? words
        guard let found = destinations.first(where: { $0.name == name && (parts.count == 1 || $0.kind == parts[0]) })
        else {
            let restorable = destinations.compactMap { $0 as? any RestorableDestination }
            throw .unknownDestination(words, known: restorable.map { "\($0.kind):\($0.name)" })
        }
        guard let restorable = found as? any RestorableDestination else { throw .notRestorable(found.name) }
        return restorable
    }

    private static func choose(_ name: String?, among machines: [HeldHistory]) throws(ServiceError) -> HeldHistory? {
        guard let name else { return machines.count == 1 ? machines[0] : machines.first(where: \.isOwn) }
        guard let named = machines.first(where: { $0.machine == name }) else {
            throw .unknownMachine(name, known: machines.map(\.machine))
        }
        return named
    }
}
