internal import HTTP
internal import Settings
internal import StepDomain

extension DestinationKind {
    static let influx = DestinationKind(
        "influx", title: "InfluxDB 1 or 2, VictoriaMetrics: days and samples",
        example: """
            [share.metrics]
            kind = "influx"
            url = "http://localhost:8086"
            # The database of InfluxDB 1. Debian's influxdb is one; VictoriaMetrics makes it a label.
            database = "health"

            # username = "anna"                    # for InfluxDB 1 and VictoriaMetrics, where they want one,
            # password_file = "~/.config/istep/influx.password"   # with a password_file, _env or _credential
            # retention_policy = "forever"         # of InfluxDB 1; by itself the database's own

            # bucket = "health"                    # instead of `database`: InfluxDB 2,
            # org = "home"                         # its organisation,
            # token_file = "~/.config/istep/influx.token"         # and a token_file, _env or _credential

            # samples = true                       # false: figures of days only
            # prefix = ""                          # before the measurements, which are steps_day and steps
            # tags = { household = "seaside" }     # tags of your own, besides user and pedometer. Give all machines
            #                                      # the same ones: then what two of them send is there once.
            # insecure = false                     # true: plain http, also to other machines

            # VictoriaMetrics forgets what is older than a month, and keeps every value that it was ever sent: start it with
            # -retentionPeriod=100y and -dedup.minScrapeInterval=1ms. Of figures that were corrected it shows the greater
            # then; older ones, such as Debian's 1.79, show either.
            """
    ) { reader, context in
        let url = reader.address("url", "the address of the server, such as http://localhost:8086")
        let points = reader.influxPoints()
        let database = reader.influxDatabase()
        guard let url, let points, let (database, authentication) = database else { return nil }
        return InfluxDestination(
            context: context, exchange: Exchange(transport: context.surroundings.transport()), url: url, database: database,
            authentication: authentication, points: points)
    }
}

extension TableReader {
    /// A `bucket` makes it version 2.
    fileprivate mutating func influxDatabase() -> (InfluxDestination.Database, Authentication)? {
        let isVersion2 = table.keys.contains("bucket")
        let databaseExpected = "the name of the database, as in CREATE DATABASE"
        let organisationExpected = "the name of the organisation that the bucket belongs to"
        let bucket = text("bucket", "the name of a bucket of InfluxDB 2")
        let organisation = isVersion2 ? requireText("org", organisationExpected) : text("org", organisationExpected)
        let database = isVersion2 ? text("database", databaseExpected) : requireText("database", databaseExpected)
        let policy = text("retention_policy", "the name of a retention policy of the database")
        for key in isVersion2 ? ["database", "retention_policy"] : ["org"] where table.keys.contains(key) {
            refuse(
                key, expected: isVersion2 ? "left out beside `bucket`, which is of InfluxDB 2" : "beside a `bucket`: both are of InfluxDB 2")
        }
        let authentication = authentication()
        guard isVersion2 else { return database.map { (.version1(database: $0, retentionPolicy: policy), authentication) } }
        guard case .bearer(let token) = authentication else {
            require("token_file", "the path of a file with nothing but the bucket's token in it; or use token_env or token_credential")
            return nil
        }
        guard let bucket, let organisation else { return nil }
        return (.version2(bucket: bucket, organisation: organisation), .token(token))
    }

    fileprivate mutating func influxPoints() -> InfluxPoints? {
        let prefixExpected = "a beginning for names of measurements: up to 32 letters, digits and _, the first a letter"
        let prefix = text("prefix", prefixExpected, mayBeEmpty: true) ?? ""
        let hasSamples = flag("samples") ?? true
        let tagsExpected = "a table of tags, such as { household = \"seaside\" }"
        let tags = textTable("tags", tagsExpected) ?? [:]
        if !prefix.isEmpty, !isInfluxName(prefix) { refuse("prefix", expected: prefixExpected) }
        for (name, value) in tags {
            let isTaken = ["user", "pedometer", "time", "db"].contains(name)
            guard isInfluxName(name), !isTaken, 1...256 ~= value.utf8.count else {
                refuse(
                    "tags", entry: name,
                    expected: "a text of up to 256 bytes, under a name of letters, digits and _ other than user, pedometer, time and db")
                continue
            }
        }
        return prefix.isEmpty || isInfluxName(prefix) ? InfluxPoints(prefix: prefix, tags: tags, hasSamples: hasSamples) : nil
    }
}

/// Names that need no escape anywhere, and that InfluxDB leaves to its users: those that begin with _ are its own.
private func isInfluxName(_ name: String) -> Bool {
    guard let first = name.utf8.first, UInt8(ascii: "a")...UInt8(ascii: "z") ~= first | 0x20 else { return false }
    return name.utf8.count <= 32 && name.utf8.allSatisfy { byte in
        UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte || UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte | 0x20 || byte == UInt8(ascii: "_")
    }
}
