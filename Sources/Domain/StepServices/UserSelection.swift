public import StepDomain
internal import Support

/// Which user of the history a command is for, and adding a new one.
public struct UserSelection: Sendable {
    /// Whether a user may be added who is not in the history. With two users most commands need `--user`, so that a
    /// typing error must not add one.
    public enum Creation: Sendable { case never, first, always }

    private let history: any StepHistory
    /// The requested or configured user.
    private let wanted: String?
    /// Whether `wanted` is not requested, but of the configuration.
    private let isConfigured: Bool
    /// The name of the user who is logged in.
    private let login: String

    public init(_ history: any StepHistory, wanted: String?, isConfigured: Bool = false, login: String) {
        self.history = history
        self.wanted = wanted
        self.isConfigured = isConfigured
        self.login = login
    }

    /// The requested user; else the only one; else the one who is logged in.
    ///
    /// - Returns: a new user where the history does not have the user yet: `stored` adds one.
    /// - Throws: `ServiceError`, or the history's error.
    public func user(creating creation: Creation = .never) throws -> User {
        let users = try history.users()
        if wanted == nil, users.count == 1 { return users[0] }
        let name = wanted ?? login
        if let user = users.named(name) { return user }
        let mayBeAdded =
            switch creation {
            case .never: users.isEmpty && wanted == nil
            case .first: users.isEmpty
            case .always: true
            }
        if mayBeAdded { return .new(name) }
        let known = users.map(\.name)
        throw wanted == nil ? ServiceError.severalUsers(known: known) : .unknownUser(name, known: known)
    }

    /// The user whose plan or profile is set. One who is requested and whom the history does not have is a new user,
    /// unless the name is so similar to that of another that it may be a typing error: it would set aside the only user
    /// that commands mean without `--user`.
    ///
    /// - Throws: `ServiceError`, or the history's error.
    public func userToSet() throws -> User {
        guard let wanted, !isConfigured else { return try user(creating: .first) }
        let user = try user(creating: .always)
        if user.isNew, let known = nearestKey(to: wanted, among: try history.users().map(\.name)) {
            throw ServiceError.similarUser(wanted, known: known)
        }
        return user
    }

    /// The name of the user that is selected from several, for pages that show any; nil if there is nothing to select
    /// from, if nothing selects one, or if the history cannot be read.
    ///
    /// - Throws: `ServiceError.unknownUser` for one who is requested.
    public func nameAmongSeveral() throws -> String? {
        do {
            let user = try user(creating: .first)
            return try history.users().count > 1 ? user.name : nil
        } catch let error as ServiceError {
            if case .unknownUser = error, !isConfigured { throw error }
            return nil
        } catch {
            return nil
        }
    }

    /// Adds the user to the history, if it is a new one.
    public func stored(_ user: User) throws -> User { user.isNew ? try history.addUser(named: user.name) : user }
}

extension StepHistory {
    /// The user of a name.
    ///
    /// - Throws: `ServiceError.unknownUser`, or the history's error.
    func user(named name: String) throws -> User {
        let users = try users()
        guard let user = users.named(name) else {
            throw ServiceError.unknownUser(name, known: users.map(\.name))
        }
        return user
    }
}
