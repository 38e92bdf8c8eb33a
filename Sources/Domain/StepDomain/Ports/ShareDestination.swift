/// A place where days are shared: what a web service, a file or a modem must do for the domain.
public protocol ShareDestination: Sendable {
    /// The user's name for it.
    var name: String { get }
    /// Key of its kind in the registry, such as `rest`.
    var kind: String { get }
    /// Its address or path, for display: of a web service the server and the account, without the path, which can be a
    /// secret.
    var location: String { get }
    var traits: ShareTraits { get }
    var terms: ShareTerms { get }

    /// Where its token or password is, in words, such as `the file "/home/anna/token"`; nil without one.
    var secretPlace: String? { get }

    /// What in the place of a day there depends on the user's name, such as a level of a topic; nil if nothing does.
    /// While it stays the same, a user who has another name keeps the place.
    ///
    /// - Parameter slug: as `SharePayload.slug`.
    func place(of user: User, slug: String) -> String?

    /// The traits of the server that answers, where they depend on its kind or version; asked once before the
    /// deliveries of a run. Otherwise `traits`.
    func currentTraits() async throws(ShareFailure) -> ShareTraits

    /// What is wrong with its requirements on this machine, such as the file of a token. Does not use the network.
    /// Empty if nothing is wrong.
    func problems() -> [String]

    /// Exactly what `deliver` would send, with secrets masked; nothing is sent.
    func preview(_ payloads: [SharePayload]) throws(ShareFailure) -> String

    /// Sends payloads, at most `traits.batch` of them, and returns only when the destination has confirmed all.
    ///
    /// A failure holds for all of them, or for all of its `users`: then the others are sent again without those. If the
    /// failure is `rejected` and there are several, they are sent again one by one.
    ///
    /// - Returns: one receipt for each, in their order.
    func deliver(_ payloads: [SharePayload]) async throws(ShareFailure) -> [ShareReceipt]

    /// Asks what happened to a payload that may have been sent; called only if `traits.canFind`.
    func find(_ payload: SharePayload) async throws(ShareFailure) -> ShareFinding

    /// Restores what the destination has lost, such as the state of a sensor after a restart; called at the end of each
    /// share if `traits.needsRestoring`.
    ///
    /// - Parameter payloads: the latest day of each user that the destination has confirmed, with the figures that it
    ///   confirmed.
    func restore(_ payloads: [SharePayload]) async throws(ShareFailure)

    /// Asks whether the destination still has what it confirmed; called at the beginning of each share if
    /// `traits.needsRestoring`.
    ///
    /// - Parameter payloads: the first day with steps of each user that the destination has confirmed.
    /// - Returns: the users whose days it has lost; they are sent again.
    func lost(_ payloads: [SharePayload]) async throws(ShareFailure) -> Set<User.ID>

    /// Asks whether the destination answers and accepts the client; changes nothing there.
    ///
    /// - Returns: the destination's description of itself, such as the account's name, for display beside its place.
    func check() async throws(ShareFailure) -> String

    /// The same, also whether it takes the days of these users of its terms.
    func check(for users: [User]) async throws(ShareFailure) -> String
}

extension ShareDestination {
    public var secretPlace: String? { nil }

    public func check(for users: [User]) async throws(ShareFailure) -> String { try await check() }

    public func place(of user: User, slug: String) -> String? {
        traits.resending == .replaces && !traits.isPersonal ? user.name : nil
    }

    public func currentTraits() async throws(ShareFailure) -> ShareTraits { traits }

    public func problems() -> [String] { [] }

    public func find(_ payload: SharePayload) async throws(ShareFailure) -> ShareFinding { .unclear }

    public func restore(_ payloads: [SharePayload]) async throws(ShareFailure) {}

    public func lost(_ payloads: [SharePayload]) async throws(ShareFailure) -> Set<User.ID> { [] }
}
