extension Schema.Migration {
    /// Version 9: checksums of groups of rows (`RowSeal`), which find a value that changed on the disk: `PRAGMA
    /// integrity_check` cannot.
    ///
    /// A group is the samples of a pedometer on a day at Greenwich, or some rows of a table that grows slowly. Triggers
    /// mark the group of each change, whichever program makes it, and the transaction of istep calculates the sum at
    /// its end; that of another program leaves it to the next one of istep. A sum that is NULL is not checked. The
    /// groups of an older history are only marked here: SQL has no checksum, and the values cannot be checked against
    /// anything yet.
    static let seals = Schema.Migration(
        name: "seals",
        sql: """
            CREATE TABLE seal (
                kind TEXT NOT NULL,
                owner INTEGER NOT NULL,
                part INTEGER NOT NULL,
                -- The hashes of all rows of the group, added; NULL while it is to be calculated.
                sum INTEGER,
                PRIMARY KEY (kind, owner, part)
            ) STRICT, WITHOUT ROWID;
            CREATE INDEX seal_open ON seal (kind) WHERE sum IS NULL;

            -- Has a row only within a transaction that adds samples and updates their sums itself: a trigger for each of thousands of rows
            -- would take longer.
            CREATE TABLE sealing (id INTEGER PRIMARY KEY) STRICT;

            -- As in version 7, except that a merge deletes the sums of its days itself: once for a day, not for each sample.
            DROP TRIGGER day_sum_sample_insert;
            CREATE TRIGGER day_sum_sample_insert AFTER INSERT ON sample WHEN NOT EXISTS (SELECT 1 FROM sealing) BEGIN
                DELETE FROM day_sum WHERE person = (SELECT person FROM pedometer WHERE id = new.pedometer)
                    AND day BETWEEN (new.start + 36000) / 86400 - 1 AND (new.start + 50400) / 86400;
            END;

            """ + SealedTable.ofVersion9.map(triggers).joined())

    /// Marks of the groups of a table, for its migration.
    static func triggers(_ table: SealedTable) -> String {
        func mark(_ row: String) -> String {
            """
                INSERT INTO seal VALUES ('\(table.name)', \(table.owner(row)), \(table.part(row)), NULL)
                    ON CONFLICT DO UPDATE SET sum = NULL WHERE sum IS NOT NULL;

            """
        }
        let isBypassed = table.name == "sample" ? " WHEN NOT EXISTS (SELECT 1 FROM sealing)" : ""
        return """
            INSERT INTO seal SELECT DISTINCT '\(table.name)', \(table.owner("of")), \(table.part("of")), NULL FROM \(table.name) AS of;
            CREATE TRIGGER seal_\(table.name)_insert AFTER INSERT ON \(table.name)\(isBypassed) BEGIN
            \(mark("new"))END;
            CREATE TRIGGER seal_\(table.name)_update AFTER UPDATE ON \(table.name) BEGIN
            \(mark("old"))\(mark("new"))END;
            CREATE TRIGGER seal_\(table.name)_delete AFTER DELETE ON \(table.name) BEGIN
            \(mark("old"))END;

            """
    }
}

/// A table whose rows are sealed, and how they are grouped: a change makes the whole group be read again.
struct SealedTable: Sendable {
    /// Whose the rows of a group are.
    enum Owner: String {
        case pedometer, person
    }

    let name: String
    /// Nil if the rows of all owners are one group.
    let ownerKind: Owner?
    /// As SQL; `%` is the name of the row.
    private let partSQL: String

    func owner(_ row: String) -> String {
        guard let ownerKind else { return "0" }
        return ownerKind.rawValue == name ? "\(row).id" : "\(row).\(ownerKind.rawValue)"
    }

    func part(_ row: String) -> String { partSQL.replacing("%", with: row) }

    /// All figures that people see, and what they are calculated with. Frames are only read again by a corrected
    /// decoder, and the ledger of sharing is compared with the answers of servers.
    static let all = ofVersion9 + [excludedTime]
    static let excludedTime = SealedTable(name: "excluded_time", ownerKind: .person, partSQL: "%.start / 31622400")
    static let ofVersion9 = [
        SealedTable(name: "sample", ownerKind: .pedometer, partSQL: "%.start / 86400"),
        SealedTable(name: "implausible_sample", ownerKind: .pedometer, partSQL: "%.start / 86400"),
        SealedTable(name: "coverage", ownerKind: .pedometer, partSQL: "%.start / 2764800"),
        SealedTable(name: "device_total", ownerKind: .pedometer, partSQL: "CAST(substr(%.day, 1, 4) AS INTEGER)"),
        SealedTable(name: "correction", ownerKind: .person, partSQL: "CAST(substr(%.day, 1, 4) AS INTEGER)"),
        SealedTable(name: "profile", ownerKind: .person, partSQL: "0"),
        SealedTable(name: "plan", ownerKind: .person, partSQL: "0"),
        SealedTable(name: "person", ownerKind: nil, partSQL: "0"),
        SealedTable(name: "pedometer", ownerKind: .pedometer, partSQL: "0"),
        SealedTable(name: "sync", ownerKind: nil, partSQL: "%.id / 32"),
    ]
}
