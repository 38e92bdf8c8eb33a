/// A notice as it is stored until it has been shown.
public struct StoredNotice: Hashable, Sendable, Identifiable {
    public typealias ID = Int64
    public let id: ID
    public var notice: Notice
    /// When it was first stored.
    public var storedAt: Timestamp
    /// When a user saw it; nil while it is new.
    public var seenAt: Timestamp?
    /// When a process claimed it for the desktop; nil if the desktop did not accept it.
    public var notifiedAt: Timestamp?
    /// When its cause ended, or it expired.
    public var endedAt: Timestamp?

    public init(
        id: ID, notice: Notice, storedAt: Timestamp, seenAt: Timestamp? = nil, notifiedAt: Timestamp? = nil,
        endedAt: Timestamp? = nil
    ) {
        self.id = id
        self.notice = notice
        self.storedAt = storedAt
        self.seenAt = seenAt
        self.notifiedAt = notifiedAt
        self.endedAt = endedAt
    }

    public var isNew: Bool { seenAt == nil && endedAt == nil }
    /// A notice that was seen in a terminal needs no desktop notification.
    public var isToBeNotified: Bool { isNew && notifiedAt == nil }

    /// Records that a user saw it: this ends an event.
    public mutating func markSeen(at now: Timestamp) {
        if seenAt == nil { seenAt = now }
        if !notice.isState, endedAt == nil { endedAt = now }
    }
}

/// Decides how stored notices change when it was determined again which notices hold. It is a value: the store applies
/// the result.
public struct NoticeMerge: Hashable, Sendable {
    /// Notices to store.
    public private(set) var begun: [Notice] = []
    /// Known notices whose text has changed, that have ended, or that hold again.
    public private(set) var changed: [StoredNotice] = []
    /// Notices that ended so long ago that they can no longer matter to a new one.
    public private(set) var forgotten: [StoredNotice.ID] = []

    /// Seconds. Longer than the period that is searched for events; otherwise an event that was shown would be shown
    /// again.
    static let memory = 90 * 86_400

    /// - Parameters:
    ///   - holding: all that hold now; a stored notice that is found again for as long as it holds, and is not among
    ///     these, has ended.
    ///   - withdrawn: keys of those that have ended, whatever their kind.
    ///   - kept: all that are stored, including ended ones.
    public init(_ holding: [Notice], withdrawn: Set<String> = [], into kept: [StoredNotice], at now: Timestamp) {
        var holding = Dictionary(holding.map { ($0.key, $0) }) { _, later in later }
        var restorable: [String: StoredNotice] = [:]
        for known in kept {
            let key = known.notice.key
            if known.endedAt != nil {
                // An event happens once. A state may return: that is a new notice.
                if let notice = holding[key], known.forbids(notice) { holding[key] = nil }
                if known.wasWithdrawn(at: now) { restorable[key] = known }
                if let end = known.endedAt, end < now - Self.memory { forgotten.append(known.id) }
                continue
            }
            var new = known
            if var notice = holding.removeValue(forKey: key) {
                notice.since = known.notice.since
                new.notice = notice
            } else if known.notice.endsWithCause || withdrawn.contains(key) {
                new.endedAt = now
            }
            if !known.notice.isState, known.storedAt < now - known.notice.lifetime { new.endedAt = now }
            if new != known { changed.append(new) }
        }
        for (key, known) in restorable {
            guard var notice = holding.removeValue(forKey: key) else { continue }
            notice.since = known.notice.since
            var again = known
            again.notice = notice
            again.endedAt = nil
            changed.append(again)
        }
        begun = holding.values.sorted { ($0.since, $0.key) < ($1.since, $1.key) }
    }
}

extension StoredNotice {
    /// Whether this notice, which has ended, is the same occurrence as the one that is found again.
    fileprivate func forbids(_ again: Notice) -> Bool {
        if notice.isState { return false }
        if let pause = again.repeatsAfter {
            // In both directions: a clock that was ahead may have dated it into the future.
            return abs(again.since - max(notice.since, seenAt ?? notice.since)) < pause
        }
        // A goal that was withdrawn before a user saw it does not count as reported.
        return notice.kind != .goalReached || seenAt != nil
    }

    /// Whether a notice that has ended holds again unchanged: a goal that was withdrawn after the desktop had shown it
    /// and before a user saw it. As a new notice it would be shown twice.
    fileprivate func wasWithdrawn(at now: Timestamp) -> Bool {
        notice.kind == .goalReached && seenAt == nil && notifiedAt != nil && storedAt >= now - notice.lifetime
    }
}
