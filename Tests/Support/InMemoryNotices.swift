public import StepDomain
internal import Synchronization

/// The notices of a history without a database.
extension InMemoryHistory: NoticeStore {
    @discardableResult
    public func update(active: [Notice], withdrawn: Set<String>, at now: Timestamp) -> Set<StoredNotice.ID> {
        state.withLock { state in
            let merge = NoticeMerge(active, withdrawn: withdrawn, into: state.notices, at: now)
            for known in merge.changed {
                guard let index = state.notices.firstIndex(where: { $0.id == known.id }) else { continue }
                state.notices[index] = known
            }
            state.notices.removeAll { merge.forgotten.contains($0.id) }
            var begun: Set<StoredNotice.ID> = []
            for notice in merge.begun {
                let id = (state.notices.map(\.id).max() ?? 0) + 1
                state.notices.append(StoredNotice(id: id, notice: notice, storedAt: now))
                begun.insert(id)
            }
            return begun
        }
    }

    public func standingNotices() -> [StoredNotice] {
        state.withLock {
            $0.notices.filter { $0.endedAt == nil }.sorted { ($0.notice.since, $0.id) < ($1.notice.since, $1.id) }
        }
    }

    public func markSeen(_ ids: [StoredNotice.ID], at now: Timestamp) { mark(ids) { $0.markSeen(at: now) } }

    public func claim(_ ids: [StoredNotice.ID], at now: Timestamp) -> Set<StoredNotice.ID> {
        mark(ids) { if $0.isToBeNotified { $0.notifiedAt = now } }
    }

    public func release(_ ids: [StoredNotice.ID]) { mark(ids) { $0.notifiedAt = nil } }

    /// - Returns: the notices that were changed.
    @discardableResult
    private func mark(_ ids: [StoredNotice.ID], _ change: (inout StoredNotice) -> Void) -> Set<StoredNotice.ID> {
        state.withLock { state in
            var changed: Set<StoredNotice.ID> = []
            for index in state.notices.indices where ids.contains(state.notices[index].id) {
                let known = state.notices[index]
                change(&state.notices[index])
                if state.notices[index] != known { changed.insert(known.id) }
            }
            return changed
        }
    }
}
