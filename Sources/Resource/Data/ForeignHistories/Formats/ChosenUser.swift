import StepDomain

extension ForeignOptions {
    /// The user whose steps are imported from a file that names its users: the one that was chosen, the one of the same
    /// name as the user of this history, or the only one.
    ///
    /// - Throws: `ImportError.noSuchUser`, `.severalUsers`.
    func chosen(of users: [String], in path: String) throws(ImportError) -> String? {
        func named(_ name: String?) -> String? { users.first { $0.lowercased() == name?.lowercased() } }
        if let fromUser {
            guard let chosen = named(fromUser) else { throw .noSuchUser(fromUser, path: path, users: users) }
            return chosen
        }
        if let same = named(user) { return same }
        if users.count > 1 { throw .severalUsers(path: path, users: users) }
        return users.first
    }
}
