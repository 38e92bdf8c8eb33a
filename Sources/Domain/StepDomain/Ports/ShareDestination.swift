/// A place where days are shared: what a web service, a file or a modem must do for the domain.
public protocol ShareDestination: Sendable {
    /// The user's name for it.
    var name: String { get }
    /// Key of its kind in the registry, such as `rest`.
    var kind: String { get }
    /// Where it is, for people: an address or a path, without secrets.
    var place: String { get }
    var traits: ShareTraits { get }
    var terms: ShareTerms { get }

    /// What is wrong with its requirements on this machine, such as the file of a token; does not use the network. Empty if nothing is
    /// wrong.
    func problems() -> [String]

    /// Exactly what `deliver` would send, with secrets masked; nothing is sent.
    func preview(_ parcels: [ShareParcel]) throws(ShareFailure) -> String

    /// Sends parcels, at most `traits.batch` of them, and returns only when the destination has confirmed all.
    ///
    /// A failure holds for all of them. Where the failure is `rejected` and there are several, they are sent again one by one.
    ///
    /// - Returns: one receipt for each, in their order.
    func deliver(_ parcels: [ShareParcel]) async throws(ShareFailure) -> [ShareReceipt]

    /// Asks what happened to a parcel that may have been sent; called only where `traits.canFind`.
    func find(_ parcel: ShareParcel) async throws(ShareFailure) -> ShareFinding

    /// Restores what the destination lost on its own, such as the state of a sensor after a restart; called at the end of each share where
    /// `traits.needsRestoring`.
    ///
    /// - Parameter parcels: the latest day of each user that the destination has confirmed, with the figures that it confirmed.
    func restore(_ parcels: [ShareParcel]) async throws(ShareFailure)

    /// Asks whether the destination answers and accepts the client; changes nothing there.
    ///
    /// - Returns: how it describes itself, for people, such as the account's name.
    func check() async throws(ShareFailure) -> String
}

extension ShareDestination {
    public func problems() -> [String] { [] }

    public func find(_ parcel: ShareParcel) async throws(ShareFailure) -> ShareFinding { .unclear }

    public func restore(_ parcels: [ShareParcel]) async throws(ShareFailure) {}
}

/// A day that is to be delivered to a destination.
public struct ShareParcel: Hashable, Sendable {
    public var day: SharedDay
    /// Equal for each attempt to send the same content of the same day to the same destination: 32 hexadecimal digits.
    public var key: String
    /// The destination's identifier of what an earlier delivery of this day created there.
    public var remoteID: String?
    /// The destination has other figures of this day.
    public var isCorrection: Bool
    /// The user's name for machines: a...z, 0...9 and single underscores between them; no other user of the history has the same.
    public var slug: String

    /// The destination has exactly these figures, in an earlier layout (`ShareTraits.layout`).
    public var isMoved: Bool

    /// - Parameter slug: nil for that of the only user of a history.
    public init(
        day: SharedDay, key: String, remoteID: String? = nil, isCorrection: Bool = false, isMoved: Bool = false, slug: String? = nil
    ) {
        self.day = day
        self.key = key
        self.remoteID = remoteID
        self.isCorrection = isCorrection
        self.isMoved = isMoved
        self.slug = slug ?? UserSlugs([day.user])[day.user]
    }
}

extension ShareParcel {
    /// - Parameter content: `ShareTraits.content(of:)` of the day.
    package init(_ day: SharedDay, _ entry: ShareEntry, content: String, slugs: UserSlugs) {
        var key = Fingerprint()
        key.add("user", day.user.name)
        key.add("day", day.day)
        key.add("destination", entry.destination)
        key.add("content", content)
        // Left out if it is 0, so that the keys of deliveries in progress stay as they were before this field existed.
        if entry.repetition > 0 { key.add("repetition", entry.repetition) }
        self.init(
            day: day, key: key.description, remoteID: entry.remoteID, isCorrection: entry.isCorrection,
            isMoved: entry.confirmed == day.fingerprint && content != day.fingerprint, slug: slugs[day.user])
    }
}

/// The destination's confirmation.
public struct ShareReceipt: Hashable, Sendable {
    /// The identifier by which it knows the day from now on, if it reports one. At most 1024 characters: a longer one is ignored.
    public let remoteID: String?

    public init(remoteID: String? = nil) { self.remoteID = remoteID.flatMap { $0.unicodeScalars.count <= 1024 ? $0 : nil } }
}

/// What happened to a parcel that may have been sent.
public enum ShareFinding: Hashable, Sendable {
    case arrived(ShareReceipt)
    case absent
    /// It is not known.
    case unclear
}

/// How a destination behaves, as far as this affects when and how often something is sent to it.
public struct ShareTraits: Hashable, Sendable {
    /// What the destination does with the same day sent twice.
    public enum Resending: Hashable, Sendable {
        /// The later one replaces the earlier: sending again does no harm.
        case replaces
        /// It stores the day twice. A server that recognises an idempotency key is no exception: many ignore the key, and those that honour
        /// it do so for a while, and not while the first request is still being processed.
        case repeats
    }

    public var resending: Resending
    /// Whether figures that were sent can be corrected later.
    public var corrects: Bool
    /// Whether `find` can determine what happened to an attempt without an answer.
    public var canFind: Bool
    /// Whether a day is sent while it runs or may miss steps, to be corrected later. Otherwise it waits for its end, and a while longer if
    /// it is not complete.
    public var takesUnfinishedDays: Bool
    /// Days that fit into one delivery, at least 1; more than 1 only where sending again replaces.
    public var batch: Int
    /// Whether it is given the samples besides the day's figures.
    public var wantsSamples: Bool
    /// Whether it shows only one day of a person, the last that was sent: then no day is sent after a later one.
    public var showsLatestOnly: Bool
    /// Whether it belongs to one person (an account, a profile), and does not distinguish whose days it receives.
    public var isPersonal: Bool
    /// Whether a delivery reads what an earlier one wrote, so that no two may be in progress at the same time.
    public var isSequential: Bool
    /// Whether it can lose the latest day when it restarts: each share then ends with `restore`.
    public var needsRestoring: Bool
    /// Version of the form in which days are written, 0 or more. When it grows, every day that the destination has is sent once more.
    public var layout: Int

    public init(
        resending: Resending, corrects: Bool, canFind: Bool = false, takesUnfinishedDays: Bool, batch: Int = 1,
        wantsSamples: Bool = false, showsLatestOnly: Bool = false, isPersonal: Bool = false,
        isSequential: Bool = false, needsRestoring: Bool = false, layout: Int = 0
    ) {
        self.resending = resending
        self.corrects = corrects
        self.canFind = canFind
        self.takesUnfinishedDays = takesUnfinishedDays
        self.batch = batch
        self.wantsSamples = wantsSamples
        self.showsLatestOnly = showsLatestOnly
        self.isPersonal = isPersonal
        self.isSequential = isSequential
        self.needsRestoring = needsRestoring
        self.layout = layout
    }

    /// Fingerprint of what is sent of a day: of its figures, and from layout 1 on of the layout.
    package func content(of day: SharedDay) -> String { layout == 0 ? day.fingerprint : "\(day.fingerprint)-\(layout)" }

    /// For most destinations: a day has one place at the destination, and a new value replaces the old one.
    public static let replacing = ShareTraits(resending: .replaces, corrects: true, takesUnfinishedDays: true)
}

/// What the user configured for a destination.
public struct ShareTerms: Hashable, Sendable {
    /// Names of the users whose days go there; nil for all of the history.
    public var users: [String]?
    /// The first day that is sent automatically; nil for the day on which the destination was first seen.
    public var since: Day?
    /// Overrides the trait of that name.
    public var takesUnfinishedDays: Bool?

    public init(users: [String]? = nil, since: Day? = nil, takesUnfinishedDays: Bool? = nil) {
        self.users = users
        self.since = since
        self.takesUnfinishedDays = takesUnfinishedDays
    }

    public func include(_ user: User) -> Bool {
        users.map { $0.contains { $0.lowercased() == user.name.lowercased() } } ?? true
    }
}

/// Why a delivery failed, and in particular whether it may still have arrived.
public struct ShareFailure: Error, Hashable, Sendable {
    public enum Kind: String, Sendable {
        /// Nothing was sent: no network, no server, no program. It is retried.
        case unreachable
        /// The server declined for now and did nothing (HTTP 408, 429, 503). It is retried.
        case busy
        /// It was sent, and no answer shows the result (a lost connection, a time-out, HTTP 500). It may have arrived.
        case unanswered
        /// The server did not accept the client (HTTP 401, 403). Nothing more is sent until the user acts.
        case credentials
        /// The server refused this day, and would again (other HTTP 4xx, a fault).
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

    public init(_ kind: Kind, _ reason: String, advice: String? = nil, retryAfter: Int? = nil) {
        self.kind = kind
        self.reason = reason
        self.advice = advice
        self.retryAfter = retryAfter
    }
}

extension ShareFailure: ReportableError {
    public var description: String { reason }

    public var category: FailureCategory {
        switch kind {
        case .unreachable, .busy, .unanswered: .temporary
        case .credentials: .permission
        case .rejected: .data
        case .misconfigured: .configuration
        }
    }
}
