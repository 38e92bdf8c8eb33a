public import StepDomain

/// A destination that can be compared with what this version expects of it, and the users whose days it gets.
public struct InspectedDestination: Sendable {
    public let destination: any InspectableDestination
    public let users: [User]

    /// - Parameters:
    ///   - destinations: those of the configuration.
    ///   - requested: the name of the only user who is meant; nil for all.
    ///   - configured: without users in a history, the user who is meant: the comparison is of use before anything is
    ///     set up.
    ///   - present: the history; nil if there is none.
    /// - Throws: `ServiceError.unknownDestination`, `.notInspectable`, `.unknownUser`; what `present` throws.
    public init(
        _ name: String, among destinations: [any ShareDestination], for requested: String?, configured: String?,
        history present: () throws -> EditableHistory?
    ) throws {
        guard let named = destinations.first(where: { $0.name == name }) else {
            throw ServiceError.unknownDestination(
                name, known: destinations.filter { $0 is any InspectableDestination }.map(\.name))
        }
        guard let destination = named as? any InspectableDestination else { throw ServiceError.notInspectable(name) }
        self.destination = destination
        guard let history = try present(), case let known = try history.users(), !known.isEmpty else {
            users = (requested ?? configured).map { [User.new($0)] } ?? []
            return
        }
        // The user of the configuration is not the only one whose days are sent.
        let chosen = try requested.map { [try history.user(named: $0)] } ?? known
        users = chosen.filter { destination.terms.include($0) }
    }

    public func inspect() async throws(ShareFailure) -> DestinationInspection {
        do { return try await destination.inspect(for: users) } catch {
            throw error.naming(destination.secretPlace)
        }
    }
}
