/// Who may use the pages: what a store of tokens and sessions does for them.
public protocol PageAccess: Sendable {
    /// Exchanges a token, which is used up by this, for a session; nil for one that was never issued, was used before
    /// or has expired.
    func redeem(_ token: String) -> PageSession?
    /// The session of a cookie; nil for one that is unknown or was not used for long.
    func session(_ cookie: String) -> PageSession?
}
