/// A session of a browser that was authenticated.
public struct PageSession: Hashable, Sendable {
    /// The value of its cookie.
    public var cookie: String
    /// What its forms have to contain.
    public var formKey: String

    /// Seconds since it was last used, after which it ends.
    public static let lifetime = 7 * 86_400
    /// Seconds for which the token that begins a session can be used: it is typed or clicked soon after it was shown.
    public static let tokenLifetime = 3600

    public init(cookie: String, formKey: String) {
        self.cookie = cookie
        self.formKey = formKey
    }
}
