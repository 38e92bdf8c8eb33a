import StepDomain

/// Where the columns of a table of an export are in the history.
struct StoredTable: Sendable {
    struct Column: Sendable, ExpressibleByStringLiteral {
        /// An expression of SQL.
        let select: String
        /// The column that an import writes; nil for one that others decide.
        let insert: String?
        /// The expression in an export of some days.
        let selectOfDays: String

        init(stringLiteral name: String) { self.init(name, insert: name) }

        init(_ select: String, insert: String?, ofDays: String? = nil) {
            (self.select, self.insert, selectOfDays) = (select, insert, ofDays ?? select)
        }

        // A span can reach beyond the days: only what it says of them is exported.
        static let start = Column("start", insert: "start", ofDays: "max(start, ?3 * 86400 - utc_offset)")
        static let until = Column("until", insert: "until", ofDays: "min(until, (?4 + 1) * 86400 - utc_offset)")

        /// The owner of the pedometer of the row.
        static let ownerOfPedometer = Column(
            "(SELECT person FROM pedometer WHERE pedometer.id = of.pedometer)", insert: nil)
    }

    let export: ExportTable
    /// Its name in the history.
    let name: String
    /// Those of the export. A column `user` is the number of the person.
    let columns: [Column]
    /// Whether its times have the offset of the place, in the column `utc_offset`.
    let hasOffset: Bool
    let order: String
    /// Which rows concern days: from ?1 to ?2 as ISO 8601 text, or as numbers since 1970.
    let days: String?

    private init(
        _ export: ExportTable, _ name: String, _ columns: [Column], hasOffset: Bool = false, by order: String,
        days: String? = nil
    ) {
        (self.export, self.name, self.columns) = (export, name, columns)
        (self.hasOffset, self.order, self.days) = (hasOffset, order, days)
    }

    private static let dayText = "day BETWEEN ?1 AND ?2"
    private static let spanOfDays = "until + utc_offset > ?3 * 86400 AND start + utc_offset < (?4 + 1) * 86400"
    private static let startOfDay = "(start + 86400 * 800000 + %) / 86400 - 800000 BETWEEN ?3 AND ?4"

    static let all: [StoredTable] = [
        .init(.users, "person", ["id"], by: "id"),
        .init(
            .profiles, "profile",
            [
                "person", "valid_from", "height", "weight", "sex", "birth_date", "step_length", "running_step_length",
            ],
            by: "person, valid_from"),
        .init(
            .plans, "plan", ["person", "valid_from"] + Weekday.allCases.map { Column(stringLiteral: $0.name) },
            by: "person, valid_from"),
        .init(
            .pedometers, "pedometer",
            [
                "id", "person", "name", "model", "address", "address_type", "options", "clock", "cursor", "forgotten",
                "counts_from",
            ],
            by: "id"),
        .init(
            .syncs, "sync",
            [
                "id", .ownerOfPedometer, "pedometer", "started_at", "ended_at", "outcome", "battery", "failure",
                "cause", "added", "grown", "unchanged", "implausible", "steps", "frames",
            ], by: "id"),
        .init(
            .samples, "sample",
            [.ownerOfPedometer, "pedometer", "start", "length", "steps", "distance", "energy", "sync"],
            hasOffset: true, by: "pedometer, start", days: startOfDay.replacing("%", with: "utc_offset")),
        .init(
            .implausible, "implausible_sample",
            [.ownerOfPedometer, "pedometer", "start", "length", "steps", "distance", "energy", "utc_offset", "sync"],
            by: "pedometer, start", days: startOfDay.replacing("%", with: "utc_offset")),
        .init(
            .coverage, "coverage", [.ownerOfPedometer, "pedometer", .start, .until], hasOffset: true,
            by: "pedometer, of.start", days: spanOfDays),
        .init(
            .deviceTotals, "device_total", [.ownerOfPedometer, "pedometer", "day", "at", "total", "slots"],
            by: "pedometer, day", days: dayText),
        .init(
            .corrections, "correction", ["person", "day", "steps", "entered_at", "reason"], by: "person, day",
            days: dayText),
        .init(
            .excluded, "excluded_time", ["person", .start, .until, "entered_at", "reason"], hasOffset: true,
            by: "person, of.start", days: spanOfDays),
        .init(.deletedDays, "deleted_day", ["person", "day", "closed", "at"], by: "person, day", days: dayText),
        .init(
            .destinations, "destination",
            ["name", "first_day", "not_before", "failures", "stopped", "last_error", "layout"], by: "name"),
        .init(
            .shares, "share",
            [
                "destination", "person", "day", "state", "asked", "fingerprint", "confirmed", "attempts",
                "first_attempt", "next_attempt", "last_error", "cause", "remote_id", "changed_at", "stale",
                "repetition",
            ], by: "destination, person, day", days: dayText),
        .init(
            .shareProgress, "share_watermark", ["destination", "person", "since", "revision"],
            by: "destination, person"),
        .init(
            .changedDays, "changed_day", ["person", "day", "revision", "counted"], by: "person, day", days: dayText),
        .init(
            .imports, "import",
            [
                "id", "person", "at", "path", "format", "digest", "zone", "days", "steps", "first_day", "last_day",
                "changed_days",
            ], by: "id"),
        .init(
            .importTracks, "import_track", ["import", .ownerOfPedometer, "pedometer", "sync", "until"],
            by: "import, pedometer"),
        .init(
            .importContents, "import_content",
            ["id", .ownerOfPedometer, "pedometer", "day", Column("hex(content)", insert: "content")], by: "id"),
        .init(
            .importParts, "import_part",
            [ownerOfImport, "import", "content"],
            by: "import, content"),
        .init(
            .importCorrections, "import_correction",
            [ownerOfImport, "import", "day", "steps", "entered_at", "reason"], by: "import, day"),
        .init(
            .importExcluded, "import_exclusion",
            [ownerOfImport, "import", "start", "until", "entered_at", "reason"], hasOffset: true, by: "import, start"),
    ]

    private static let ownerOfImport = Column("(SELECT person FROM import WHERE import.id = of.import)", insert: nil)

    /// The number of the owner of a row; nil where rows have no owner.
    private var owner: String? {
        export.columns.firstIndex { $0.name == "user" }.map { columns[$0].select }
    }

    /// Reads all rows, or those of a person (?5) and of days.
    func select(ofPerson: Bool, ofDays: Bool) -> String {
        let values = columns.map { ofDays ? $0.selectOfDays : $0.select } + (hasOffset ? ["utc_offset"] : [])
        let conditions = [ofPerson ? owner.map { "\($0) = ?5" } : nil, ofDays ? days : nil].compactMap(\.self)
        let filter = conditions.isEmpty ? "" : " WHERE " + conditions.joined(separator: " AND ")
        return "SELECT \(values.joined(separator: ", ")) FROM \(name) AS of\(filter) ORDER BY \(order)"
    }
}
