/// Keeps notices until they have been told: what a database must do for them.
///
/// As with `StepHistory`, every call is one transaction.
public protocol NoticeStore: Sendable {
    /// Makes the kept notices agree with all that hold now, as `NoticeMerge` decides. The same again changes nothing.
    ///
    /// - Parameter withdrawn: keys of those that have ended, whatever their kind.
    /// - Returns: those that began with this call. Of several that keep the same at once, one is told of each.
    @discardableResult
    func keep(_ holding: [Notice], withdrawn: Set<String>, at now: Timestamp) throws -> Set<KeptNotice.ID>
    /// Those that have not ended, by when they began.
    func standingNotices() throws -> [KeptNotice]
    /// Somebody has seen them; those that were seen before, or are not there any more, stay as they are.
    func markSeen(_ ids: [KeptNotice.ID], at now: Timestamp) throws
    /// Claims notices for the desktop before it is handed them: of several that want to show the same, one may.
    ///
    /// - Returns: those that are the caller's to show. The others were claimed or seen meanwhile, or have ended.
    func claim(_ ids: [KeptNotice.ID], at now: Timestamp) throws -> Set<KeptNotice.ID>
    /// Gives back what the caller has claimed and the desktop did not take: the next one may show it.
    func giveBack(_ ids: [KeptNotice.ID]) throws
}

extension NoticeStore {
    @discardableResult
    public func keep(_ holding: [Notice], at now: Timestamp) throws -> Set<KeptNotice.ID> { try keep(holding, withdrawn: [], at: now) }
}
