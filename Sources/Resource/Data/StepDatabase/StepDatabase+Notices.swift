import Foundation
import GRDB
public import StepDomain

/// Stores notices until they have been shown.
extension StepDatabase: NoticeStore {
    @discardableResult
    public func update(active: [Notice], withdrawn: Set<String>, at now: Timestamp) throws(HistoryError) -> Set<
        StoredNotice.ID
    > {
        try write { database in
            let kept = try Row.fetchAll(database, sql: StoredNotice.query).compactMap { try StoredNotice(row: $0) }
            let merge = NoticeMerge(active, withdrawn: withdrawn, into: kept, at: now)
            var begun: Set<StoredNotice.ID> = []
            for notice in merge.begun {
                try database.cachedStatement(sql: StoredNotice.deleteOthers).execute(arguments: [notice.key, nil])
                try database.cachedStatement(sql: Notice.insert).execute(arguments: try notice.columns(at: now))
                begun.insert(database.lastInsertedRowID)
            }
            for known in merge.changed {
                if known.endedAt == nil {
                    try database.cachedStatement(sql: StoredNotice.deleteOthers).execute(arguments: [
                        known.notice.key, known.id,
                    ])
                }
                try database.cachedStatement(sql: "UPDATE notice SET name = ?, content = ?, ended_at = ? WHERE id = ?")
                    .execute(arguments: [
                        known.notice.name, try json(known.notice.content), known.endedAt?.seconds, known.id,
                    ])
            }
            for id in merge.forgotten { try database.execute(sql: "DELETE FROM notice WHERE id = ?", arguments: [id]) }
            return begun
        }
    }

    public func standingNotices() throws(HistoryError) -> [StoredNotice] {
        try read { database in
            try Row.fetchAll(database, sql: StoredNotice.query + " WHERE ended_at IS NULL ORDER BY since, id")
                .compactMap { try StoredNotice(row: $0) }
        }
    }

    public func markSeen(_ ids: [StoredNotice.ID], at now: Timestamp) throws(HistoryError) {
        try mark(ids) { $0.markSeen(at: now) }
    }

    public func claim(_ ids: [StoredNotice.ID], at now: Timestamp) throws(HistoryError) -> Set<StoredNotice.ID> {
        try mark(ids) { if $0.isToBeNotified { $0.notifiedAt = now } }
    }

    public func release(_ ids: [StoredNotice.ID]) throws(HistoryError) {
        try mark(ids) { $0.notifiedAt = nil }
    }

    /// - Returns: the notices that it changed.
    @discardableResult
    private func mark(_ ids: [StoredNotice.ID], _ change: (inout StoredNotice) -> Void) throws(HistoryError) -> Set<
        StoredNotice.ID
    > {
        if ids.isEmpty { return [] }
        return try write { database in
            var changed: Set<StoredNotice.ID> = []
            for id in ids {
                let row = try Row.fetchOne(
                    database.cachedStatement(sql: StoredNotice.query + " WHERE id = ?"), arguments: [id])
                guard let known = try row.flatMap({ try StoredNotice(row: $0) }) else { continue }
                var new = known
                change(&new)
                guard new != known else { continue }
                try database.cachedStatement(
                    sql: "UPDATE notice SET seen_at = ?, notified_at = ?, ended_at = ? WHERE id = ?"
                )
                .execute(arguments: [new.seenAt?.seconds, new.notifiedAt?.seconds, new.endedAt?.seconds, id])
                changed.insert(id)
            }
            return changed
        }
    }
}

extension StoredNotice {
    static let query =
        "SELECT id, subject, name, person, since, content, kept_at, seen_at, notified_at, ended_at FROM notice"

    /// Deletes a standing notice of a key (1) except that of an id (2). Only one that cannot be decoded can be in the
    /// way of another one with its key.
    static let deleteOthers = "DELETE FROM notice WHERE key = ?1 AND ended_at IS NULL AND id IS NOT ?2"

    /// - Returns: nil for a notice that a later version of this program wrote, of a kind that is unknown here.
    init?(row: Row) throws {
        let name: String = try row.get(1), text: String = try row.get(5)
        guard let subject = Notice.Subject(name), let content: Notice.Content = try? value(text) else { return nil }
        self.init(
            id: try row.get(0),
            notice: Notice(subject, name: try row.get(2), user: try row.get(3), since: try row.time(4), content),
            storedAt: try row.time(6), seenAt: try row.timeIfPresent(7), notifiedAt: try row.timeIfPresent(8),
            endedAt: try row.timeIfPresent(9))
    }
}

extension Notice {
    /// Texts of servers are already limited; names have the limits of the schema.
    static let insert = """
        INSERT INTO notice (key, subject, name, person, since, content, kept_at) VALUES (?, ?, ?, ?, ?, ?, ?)
        """

    func columns(at now: Timestamp) throws -> StatementArguments {
        [key, subject.description, name, user, since.seconds, try json(content), now.seconds]
    }
}

/// The text of a column that holds JSON; equal values give equal text.
func json(_ value: some Encodable) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode(value), as: UTF8.self)
}

/// The value of a column that holds JSON.
func value<T: Decodable>(_ json: String) throws -> T {
    try JSONDecoder().decode(T.self, from: Data(json.utf8))
}
