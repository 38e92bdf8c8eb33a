import GRDB
import StepDomain

extension KeptNotice {
    static let query = "SELECT id, subject, name, person, since, content, kept_at, seen_at, notified_at, ended_at FROM notice"

    /// - Returns: nil for one that a later version of this program wrote, of a kind not known here.
    init?(row: Row) {
        guard let subject = Notice.Subject(row[1]), let content: Notice.Content = try? value(row[5]) else { return nil }
        self.init(
            id: row[0], notice: Notice(subject, name: row[2], user: row[3], since: Timestamp(row[4]), content),
            keptAt: Timestamp(row[6]), seenAt: (row[7] as Int?).map(Timestamp.init),
            notifiedAt: (row[8] as Int?).map(Timestamp.init), endedAt: (row[9] as Int?).map(Timestamp.init))
    }
}

extension Notice {
    /// Texts of servers are bounded already; names as the schema takes them.
    static let insert = """
        INSERT INTO notice (key, subject, name, person, since, content, kept_at) VALUES (?, ?, ?, ?, ?, ?, ?)
        """

    func columns(at now: Timestamp) throws -> StatementArguments {
        [key, subject.description, name, user, since.seconds, try json(content), now.seconds]
    }
}
