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
    public func check(for users: [User]) async throws(ShareFailure) -> String { try await check() }

    public func currentTraits() async throws(ShareFailure) -> ShareTraits { traits }

    public func problems() -> [String] { [] }

    public func find(_ payload: SharePayload) async throws(ShareFailure) -> ShareFinding { .unclear }

    public func restore(_ payloads: [SharePayload]) async throws(ShareFailure) {}

    public func lost(_ payloads: [SharePayload]) async throws(ShareFailure) -> Set<User.ID> { [] }
}

/// A day that is to be delivered to a destination.
public struct SharePayload: Hashable, Sendable {
    public var day: SharedDay
    /// Equal for each attempt to send the same content of the same day to the same destination: 32 hexadecimal digits.
    public var key: String
    /// The destination's identifier of what an earlier delivery of this day created there.
    public var remoteID: String?
    /// The destination has other figures of this day.
    public var isConfirmed: Bool
    /// The user's machine-readable name: a...z, 0...9 and single underscores between them; no other user of the history
    /// has the same.
    public var slug: String

    /// The destination has exactly these figures, in an earlier layout (`ShareTraits.layout`).
    public var isMoved: Bool
    /// An earlier attempt was made of which the destination's answer, or `remoteID`, is not known any more: it may have
    /// left something there.
    public var isRepeated: Bool

    /// - Parameter slug: nil for the slug of a history's only user.
    public init(
        day: SharedDay, key: String, remoteID: String? = nil, isConfirmed: Bool = false, isMoved: Bool = false,
        isRepeated: Bool = false, slug: String? = nil
    ) {
        self.day = day
        self.key = key
        self.remoteID = remoteID
        self.isConfirmed = isConfirmed
        self.isMoved = isMoved
        self.isRepeated = isRepeated
        self.slug = slug ?? UserSlugs([day.user])[day.user]
    }
}

extension SharePayload {
    /// - Parameter content: the result of `ShareTraits.fingerprint(of:)` for the day.
    package init(_ day: SharedDay, _ entry: ShareEntry, content: String, slugs: UserSlugs) {
        var key = Fingerprint()
        key.add("user", day.user.name)
        key.add("day", day.day)
        key.add("destination", entry.destination)
        key.add("content", content)
        // Left out if it is 0, so that the keys of deliveries in progress stay as they were before this field existed.
        if entry.repetition > 0 { key.add("repetition", entry.repetition) }
        self.init(
            day: day, key: key.description, remoteID: entry.remoteID, isConfirmed: entry.isConfirmed,
            isMoved: entry.confirmed == day.fingerprint && content != day.fingerprint,
            isRepeated: entry.attempts > 1 || entry.repetition > 0, slug: slugs[day.user])
    }
}

/// The destination's confirmation.
public struct ShareReceipt: Hashable, Sendable {
    /// The identifier of the day at the destination from now on, if it reports one. At most 1024 characters: a longer
    /// one is ignored.
    public let remoteID: String?
    /// The destination has other figures of the day, cannot replace them, and was sent nothing.
    public let isFixed: Bool

    public init(remoteID: String? = nil, isFixed: Bool = false) {
        self.remoteID = remoteID.flatMap { $0.unicodeScalars.count <= 1024 ? $0 : nil }
        self.isFixed = isFixed
    }
}

/// What happened to a payload that may have been sent.
public enum ShareFinding: Hashable, Sendable {
    case arrived(ShareReceipt)
    case absent
    /// It is not known.
    case unclear
}

/// What the user configured for a destination.
public struct ShareTerms: Hashable, Sendable {
    /// Names of the users whose days go there; nil for all users of the history.
    public var users: [String]?
    /// The first day that is sent automatically; nil for the day on which the destination was first seen.
    public var since: Day?
    /// Overrides the trait of that name.
    public var acceptsUnfinishedDays: Bool?

    public init(users: [String]? = nil, since: Day? = nil, acceptsUnfinishedDays: Bool? = nil) {
        self.users = users
        self.since = since
        self.acceptsUnfinishedDays = acceptsUnfinishedDays
    }

    public func include(_ user: User) -> Bool {
        users.map { $0.contains { $0.lowercased() == user.name.lowercased() } } ?? true
    }
}

/// What is wrong with the choice of users whose days go to a destination.
public enum RecipientProblem: Hashable, Sendable {
    case unknownUser(String, known: [String])
    case nobody
    /// The destination has one place for the days of one person, and its terms include these users.
    case several(known: [String])

    /// Nil if nothing is wrong.
    public init?(_ destination: any ShareDestination, users: [User]) {
        let known = users.map(\.name)
        let names = destination.terms.users
        let included = users.filter { destination.terms.include($0) }
        if let unknown = names?.first(where: { name in !known.contains { $0.lowercased() == name.lowercased() } }) {
            self = .unknownUser(unknown, known: known)
        } else if names?.isEmpty == true {
            self = .nobody
        } else if destination.traits.isPersonal, included.count > 1 {
            self = .several(known: included.map(\.name))
        } else {
            return nil
        }
    }
}

/// Why a delivery failed, and in particular whether it may still have arrived.
public struct ShareFailure: Error, Hashable, Sendable {
    public enum Kind: String, Sendable {
        /// Nothing was sent: no network, no server, no program. It is retried.
        case unreachable
        /// The server declined for now and did nothing (HTTP 408, 429, 503). It is retried.
        case busy
        /// It was sent, and no answer shows the result (a lost connection, a timeout, HTTP 500). It may have arrived.
        case unanswered
        /// The server did not accept the client (HTTP 401, 403). Nothing more is sent until the user acts.
        case credentials
        /// The server refused this day and would refuse it again (other HTTP 4xx, a fault).
        case rejected
        /// The destination cannot be used as it is configured (a missing file for a token). Nothing was sent.
        case misconfigured
    }

    public var kind: Kind
    /// What happened, in words for the user; free of secrets and of control characters.
    public var reason: String
    /// What to do about it.
    public var advice: String?
    /// Seconds that the server asked to wait before the next request.
    public var retryAfter: Int?
    /// The users whose days are not accepted, while those of others are; nil if it does not depend on the user. Nothing
    /// of the delivery was stored.
    public var users: Set<User.ID>?

    public init(
        _ kind: Kind, _ reason: String, advice: String? = nil, retryAfter: Int? = nil, users: Set<User.ID>? = nil
    ) {
        self.users = users
        self.kind = kind
        self.reason = reason
        self.advice = advice
        self.retryAfter = retryAfter
    }
}

extension ShareFailure: ReportableError {
    public var description: String { reason }

    public var category: FailureCategory { kind.category }
}

extension ShareFailure.Kind {
    public var category: FailureCategory {
        switch self {
        case .unreachable, .busy, .unanswered: .temporary
        case .credentials: .permission
        case .rejected: .data
        case .misconfigured: .configuration
        }
    }
}
