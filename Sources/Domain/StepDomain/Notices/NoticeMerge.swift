/// What becomes of kept notices when it is known anew which hold: a value that decides, for whatever keeps them.
public struct NoticeMerge: Hashable, Sendable {
    /// To be kept from now on.
    public private(set) var begun: [Notice] = []
    /// Known ones whose words have changed, that have ended, or that stand again.
    public private(set) var changed: [KeptNotice] = []
    /// Ended so long ago that nothing can bring them up again.
    public private(set) var forgotten: [KeptNotice.ID] = []

    /// Seconds. Longer than any event is looked for, or one that was told would be told again.
    static let memory = 90 * 86_400

    /// - Parameters:
    ///   - holding: all that holds now; of what is found again for as long as it holds, the rest has ended.
    ///   - withdrawn: keys of those that have ended, whatever their kind.
    ///   - kept: all that are kept, ended ones too.
    public init(_ holding: [Notice], withdrawn: Set<String> = [], into kept: [KeptNotice], at now: Timestamp) {
        var holding = Dictionary(holding.map { ($0.key, $0) }) { _, later in later }
        var takenBack: [String: KeptNotice] = [:]
        for known in kept {
            let key = known.notice.key
            if known.endedAt != nil {
                // An event happens once. A state may come back: that is another one.
                if let notice = holding[key], known.forbids(notice) { holding[key] = nil }
                if known.wasTakenBack(at: now) { takenBack[key] = known }
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
            if !known.notice.isState, known.keptAt < now - known.notice.lifetime { new.endedAt = now }
            if new != known { changed.append(new) }
        }
        for (key, known) in takenBack {
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

extension KeptNotice {
    /// Whether this one, which has ended, is the very thing that is found again.
    fileprivate func forbids(_ again: Notice) -> Bool {
        if notice.isState { return false }
        if let pause = again.repeatsAfter {
            // On both sides: a clock that was ahead may have dated it into the future.
            return abs(again.since - max(notice.since, seenAt ?? notice.since)) < pause
        }
        // One that was taken back before anybody saw it has not been told.
        return notice.kind != .goalReached || seenAt != nil
    }

    /// Whether it stands again, as it did, when the same is found: a goal that was taken back after the desktop had shown it and before
    /// anybody looked. Begun anew, it would be shown twice.
    fileprivate func wasTakenBack(at now: Timestamp) -> Bool {
        notice.kind == .goalReached && seenAt == nil && notifiedAt != nil && keptAt >= now - notice.lifetime
    }
}
