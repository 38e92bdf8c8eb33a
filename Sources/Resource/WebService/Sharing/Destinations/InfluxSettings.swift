internal import Settings
internal import Support

extension InfluxDestination {
    /// Where points are stored. The version also determines how istep authenticates.
    enum Database: Hashable, Sendable {
        case version1(database: String, retentionPolicy: String?)
        case version2(bucket: String, organisation: String)

        var name: String {
            switch self {
            case .version1(let database, _): database
            case .version2(let bucket, _): bucket
            }
        }
    }
}

extension TableReader {
    /// A `bucket` selects version 2.
    mutating func influxDatabase() -> (InfluxDestination.Database, Authentication)? {
        let isVersion2 = table.keys.contains("bucket")
        let databaseExpected = "the name of the database, as in CREATE DATABASE"
        let organisationExpected = "the name of the organisation that the bucket belongs to"
        let bucket = text("bucket", "the name of a bucket of InfluxDB 2")
        let organisation = isVersion2 ? requireText("org", organisationExpected) : text("org", organisationExpected)
        let database = isVersion2 ? text("database", databaseExpected) : requireText("database", databaseExpected)
        let policy = text("retention_policy", "the name of a retention policy of the database")
        for key in isVersion2 ? ["database", "retention_policy"] : ["org"] where table.keys.contains(key) {
            refuse(
                key,
                expected: isVersion2
                    ? "left out: `bucket` selects InfluxDB 2" : "used together with `bucket` (InfluxDB 2)")
        }
        let authentication = authentication()
        guard isVersion2 else {
            return database.map { (.version1(database: $0, retentionPolicy: policy), authentication) }
        }
        guard case .bearer(let token) = authentication else {
            require(
                "token_file",
                "the path of a file with only the bucket's token in it; or use token_env or token_credential")
            return nil
        }
        guard let bucket, let organisation else { return nil }
        return (.version2(bucket: bucket, organisation: organisation), .token(token))
    }

    mutating func influxPoints() -> InfluxPoints? {
        let prefixExpected = "a beginning for names of measurements: up to 32 letters, digits and _, the first a letter"
        let prefix = text("prefix", prefixExpected, mayBeEmpty: true) ?? ""
        let includesSamples = flag("samples") ?? true
        let tagsExpected = "a table of tags, such as { household = \"seaside\" }"
        let tags = textTable("tags", tagsExpected) ?? [:]
        if !prefix.isEmpty, !isInfluxName(prefix) { refuse("prefix", expected: prefixExpected) }
        for (name, value) in tags {
            let isTaken = ["user", "pedometer", "time", "db"].contains(name)
            guard isInfluxName(name), !isTaken, 1...256 ~= value.utf8.count else {
                refuse(
                    "tags", entry: name,
                    expected:
                        "a text of up to 256 bytes, under a name of letters, digits and _ other than user, pedometer, time and db"
                )
                continue
            }
        }
        return prefix.isEmpty || isInfluxName(prefix)
            ? InfluxPoints(prefix: prefix, tags: tags, includesSamples: includesSamples) : nil
    }
}

/// Names that need no escape anywhere and that InfluxDB does not reserve: names that begin with _ are its own.
private func isInfluxName(_ name: String) -> Bool {
    guard let first = name.utf8.first, UInt8(ascii: "a")...UInt8(ascii: "z") ~= first | 0x20 else { return false }
    return name.utf8.count <= 32 && name.utf8.allSatisfy { $0.isAlphanumeric || $0 == UInt8(ascii: "_") }
}
