/// A session of a browser that was authenticated.
public struct PageSession: Hashable, Sendable {
    /// The value of its cookie.
    public var cookie: String
    /// What its forms have to contain.
    public var formKey: String

    /// Seconds since it was last used, after which it ends.
    public static let lifetime = 7 * 86_400

    public init(cookie: String, formKey: String) {
        self.cookie = cookie
        self.formKey = formKey
    }
}

/// Who may use the pages: what a store of tokens and sessions does for them.
public protocol PageAccess: Sendable {
    /// Exchanges a token, which is used up by this, for a session; nil for one that was never issued, was used before
    /// or has expired.
    func redeem(_ token: String) -> PageSession?
    /// The session of a cookie; nil for one that is unknown or was not used for long.
    func session(_ cookie: String) -> PageSession?
}
