/// A place where days are shared: what a web service, a file or a modem must do for the domain.
public protocol ShareDestination: Sendable {
    /// The user's name for it.
    var name: String { get }
    /// Key of its kind in the registry, such as `rest`.
    var kind: String { get }
    /// Where it leads, for people: an address or a path, without secrets.
    var place: String { get }
    var traits: ShareTraits { get }
    var terms: ShareTerms { get }

    /// What is wrong with what it needs on this machine, such as the file of a token; asks no network. Empty where all is well.
    func problems() -> [String]

    /// Exactly what `deliver` would send, with secrets masked; nothing is sent.
    func preview(_ parcels: [ShareParcel]) throws(ShareFailure) -> String

    /// Sends parcels, at most `traits.batch` of them, and returns only when the destination has confirmed all.
    ///
    /// A failure holds for all of them. Where the failure is `rejected` and there are several, they are sent again one by one.
    ///
    /// - Returns: one receipt for each, in their order.
    func deliver(_ parcels: [ShareParcel]) async throws(ShareFailure) -> [ShareReceipt]

    /// What became of a parcel that may have been sent; asked only where `traits.canFind`.
    func find(_ parcel: ShareParcel) async throws(ShareFailure) -> ShareFinding

    /// Whether the destination answers and accepts who is asking; changes nothing there.
    ///
    /// - Returns: what it said of itself, for people, such as the account's name.
    func check() async throws(ShareFailure) -> String
}

extension ShareDestination {
    public func problems() -> [String] { [] }

    public func find(_ parcel: ShareParcel) async throws(ShareFailure) -> ShareFinding { .unclear }
}

/// A day on its way to a destination.
public struct ShareParcel: Hashable, Sendable {
    public var day: SharedDay
    /// Equal for each attempt to send the same content of the same day to the same destination: 32 hexadecimal digits.
    public var key: String
    /// By what the destination knows what an earlier delivery of this day made there.
    public var remoteID: String?
    /// The destination has other figures of this day.
    public var isCorrection: Bool

    public init(day: SharedDay, key: String, remoteID: String? = nil, isCorrection: Bool = false) {
        self.day = day
        self.key = key
        self.remoteID = remoteID
        self.isCorrection = isCorrection
    }
}

extension ShareParcel {
    /// - Parameter content: the day's fingerprint, where it is known already.
    init(_ day: SharedDay, _ entry: ShareEntry, content: String) {
        var key = Fingerprint()
        key.add("user", day.user.name)
        key.add("day", day.day)
        key.add("destination", entry.destination)
        key.add("content", content)
        self.init(day: day, key: key.description, remoteID: entry.remoteID, isCorrection: entry.isCorrection)
    }
}

/// The destination's confirmation.
public struct ShareReceipt: Hashable, Sendable {
    /// By what it knows the day from now on, where it says. At most 1024 characters: a longer one is none.
    public let remoteID: String?

    public init(remoteID: String? = nil) { self.remoteID = remoteID.flatMap { $0.unicodeScalars.count <= 1024 ? $0 : nil } }
}

/// What became of a parcel that may have been sent.
public enum ShareFinding: Hashable, Sendable {
    case arrived(ShareReceipt)
    case absent
    /// It cannot be told.
    case unclear
}
