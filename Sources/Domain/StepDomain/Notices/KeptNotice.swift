/// A notice as it is kept until it has been told.
public struct KeptNotice: Hashable, Sendable, Identifiable {
    public typealias ID = Int64
    public let id: ID
    public var notice: Notice
    /// When it was first kept.
    public var keptAt: Timestamp
    /// When somebody saw it; nil while it is new.
    public var seenAt: Timestamp?
    /// When it was claimed for the desktop; nil where the desktop did not take it.
    public var notifiedAt: Timestamp?
    /// When its cause ended, or it was no news any more.
    public var endedAt: Timestamp?

    public init(
        id: ID, notice: Notice, keptAt: Timestamp, seenAt: Timestamp? = nil, notifiedAt: Timestamp? = nil, endedAt: Timestamp? = nil
    ) {
        self.id = id
        self.notice = notice
        self.keptAt = keptAt
        self.seenAt = seenAt
        self.notifiedAt = notifiedAt
        self.endedAt = endedAt
    }

    public var isNew: Bool { seenAt == nil && endedAt == nil }
    /// Whoever has seen it in a terminal needs no bubble any more.
    public var isToBeNotified: Bool { isNew && notifiedAt == nil }

    /// Somebody saw it: that ends an event.
    public mutating func see(at now: Timestamp) {
        if seenAt == nil { seenAt = now }
        if !notice.isState, endedAt == nil { endedAt = now }
    }
}
