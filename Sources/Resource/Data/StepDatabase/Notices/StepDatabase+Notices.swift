import GRDB
public import StepDomain

extension StepDatabase: NoticeStore {
    @discardableResult
    public func keep(_ holding: [Notice], withdrawn: Set<String>, at now: Timestamp) throws(HistoryError) -> Set<KeptNotice.ID> {
        try write { database in
            let kept = try Row.fetchAll(database, sql: KeptNotice.query).compactMap(KeptNotice.init)
            let merge = NoticeMerge(holding, withdrawn: withdrawn, into: kept, at: now)
            var begun: Set<KeptNotice.ID> = []
            for notice in merge.begun {
                try database.cachedStatement(sql: Notice.insert).execute(arguments: try notice.columns(at: now))
                begun.insert(database.lastInsertedRowID)
            }
            for known in merge.changed {
                try database.cachedStatement(sql: "UPDATE notice SET name = ?, content = ?, ended_at = ? WHERE id = ?")
                    .execute(arguments: [known.notice.name, try json(known.notice.content), known.endedAt?.seconds, known.id])
            }
            for id in merge.forgotten { try database.execute(sql: "DELETE FROM notice WHERE id = ?", arguments: [id]) }
            return begun
        }
    }

    public func standingNotices() throws(HistoryError) -> [KeptNotice] {
        try read { database in
            try Row.fetchAll(database, sql: KeptNotice.query + " WHERE ended_at IS NULL ORDER BY since, id")
                .compactMap(KeptNotice.init)
        }
    }

    public func markSeen(_ ids: [KeptNotice.ID], at now: Timestamp) throws(HistoryError) {
        try mark(ids) { $0.see(at: now) }
    }

    public func claim(_ ids: [KeptNotice.ID], at now: Timestamp) throws(HistoryError) -> Set<KeptNotice.ID> {
        try mark(ids) { if $0.isToBeNotified { $0.notifiedAt = now } }
    }

    public func giveBack(_ ids: [KeptNotice.ID]) throws(HistoryError) {
        try mark(ids) { $0.notifiedAt = nil }
    }

    /// - Returns: those that it changed.
    @discardableResult
    private func mark(_ ids: [KeptNotice.ID], _ change: (inout KeptNotice) -> Void) throws(HistoryError) -> Set<KeptNotice.ID> {
        if ids.isEmpty { return [] }
        return try write { database in
            var changed: Set<KeptNotice.ID> = []
            for id in ids {
                let row = try Row.fetchOne(
                    database.cachedStatement(sql: KeptNotice.query + " WHERE id = ?"), arguments: [id])
                guard let known = row.flatMap(KeptNotice.init) else { continue }
                var new = known
                change(&new)
                guard new != known else { continue }
                try database.cachedStatement(sql: "UPDATE notice SET seen_at = ?, notified_at = ?, ended_at = ? WHERE id = ?")
                    .execute(arguments: [new.seenAt?.seconds, new.notifiedAt?.seconds, new.endedAt?.seconds, id])
                changed.insert(id)
            }
            return changed
        }
    }
}
