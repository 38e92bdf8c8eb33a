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
        let isInDoubt = entry.confirmed == ShareEntry.unknownContent
        self.init(
            day: day, key: key.description, remoteID: entry.remoteID,
            isConfirmed: entry.isConfirmed && (!isInDoubt || entry.remoteID != nil),
            isMoved: entry.confirmed == day.fingerprint && content != day.fingerprint,
            isRepeated: entry.attempts > 1 || isInDoubt || entry.repetition > 0 && !entry.isConfirmed,
            slug: slugs[day.user])
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
