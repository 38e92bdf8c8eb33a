import GRDB
import StepDomain

extension ShareEntry {
    private static let query = """
        SELECT person, day, destination, state, asked, fingerprint, confirmed, attempts, first_attempt, next_attempt,
            last_error, remote_id, changed_at, stale FROM share
        """

    /// What is due for a destination (1) at a moment (2), of people in a JSON array (3), so many at most (4).
    ///
    /// Read from the index of open entries in its own order: the first that are due end it.
    static let due = query + """
         WHERE destination = ?1 AND next_attempt IS NOT NULL AND (stale OR next_attempt <= ?2) AND state <> 'sending'
            AND +person IN (SELECT value FROM json_each(?3))
        ORDER BY day, person LIMIT ?4
        """

    /// Of a destination or of all, in states. Where `sent` is none of them, that it says so has SQLite take the index of open
    /// entries.
    static func listing(of destination: String?, in states: Set<State>) -> String {
        let marks = Array(repeating: "?", count: states.count).joined(separator: ", ")
        return query + " WHERE state IN (\(marks))" + (states.contains(.sent) ? "" : " AND state <> 'sent'")
            + (destination == nil ? "" : " AND destination = ?") + " ORDER BY destination, day, person"
    }

    /// Of one destination, person and day.
    static let one = query + " WHERE destination = ? AND person = ? AND day = ?"

    static let record = """
        INSERT INTO share (destination, person, day, state, asked, fingerprint, confirmed, attempts, first_attempt,
            next_attempt, last_error, remote_id, changed_at, stale)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0) ON CONFLICT DO UPDATE
        SET state = excluded.state, fingerprint = excluded.fingerprint, confirmed = excluded.confirmed,
            attempts = excluded.attempts, first_attempt = excluded.first_attempt, last_error = excluded.last_error,
            remote_id = excluded.remote_id, changed_at = excluded.changed_at,
            asked = iif(stale, max(asked, excluded.asked), excluded.asked),
            next_attempt = iif(stale, ifnull(excluded.next_attempt, excluded.changed_at), excluded.next_attempt)
        """

    var key: StatementArguments { [destination, user, day.description] }

    var columns: StatementArguments {
        key + [
            state.rawValue, isAsked, fingerprint, confirmed, attempts, firstAttempt?.seconds, nextAttempt?.seconds,
            lastError.map(shortened), remoteID, changedAt.seconds,
        ]
    }

    init(row: Row) throws {
        guard let state = State(rawValue: row[3]) else {
            throw DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: "no state of an entry: \(row[3] as String)"))
        }
        self.init(
            user: row[0], day: try Day(column: row[1]), destination: row[2], state: state, isAsked: row[4],
            fingerprint: row[5], confirmed: row[6], attempts: row[7], firstAttempt: (row[8] as Int?).map(Timestamp.init),
            nextAttempt: (row[9] as Int?).map(Timestamp.init), lastError: row[10], remoteID: row[11],
            changedAt: Timestamp(row[12]))
    }
}

/// As much of a reason as the schema takes.
func shortened(_ reason: String) -> String { String(String.UnicodeScalarView(reason.unicodeScalars.prefix(1000))) }
