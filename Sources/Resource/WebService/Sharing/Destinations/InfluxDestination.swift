internal import HTTP
internal import TextSafety
internal import Settings
internal import StepDomain

extension DestinationKind {
    static let influx = DestinationKind(
        "influx", title: "InfluxDB 1 or 2, VictoriaMetrics: days and samples",
        example: """
            [share.metrics]
            kind = "influx"
            url = "http://localhost:8086"
            # The database, for InfluxDB 1 (such as Debian's influxdb). VictoriaMetrics uses it as a label.
            database = "health"

            # username = "anna"                    # for InfluxDB 1 and VictoriaMetrics, if they need it,
            # password_file = "~/.config/istep/influx.password"   # with a password_file, _env or _credential
            # retention_policy = "forever"         # of InfluxDB 1; default: that of the database

            # bucket = "health"                    # instead of `database`: InfluxDB 2,
            # org = "home"                         # its organisation,
            # token_file = "~/.config/istep/influx.token"         # and a token_file, _env or _credential

            # samples = true                       # false: only the figures of days
            # prefix = ""                          # prefix of the measurements steps_day and steps
            # tags = { household = "seaside" }     # tags in addition to user and pedometer. Use the same tags on all
            #                                      # machines: then data that two of them send is stored once.
            # insecure = false                     # true: plain http, also to other machines

            # The point of a day (steps_day) has the time 12:00 UTC, or 09:00 UTC in zones from UTC+12 on. This is the same date in
            # UTC and in local time, in every zone. Samples (steps) have the time at which they begin.
            # VictoriaMetrics drops points that are older than a month, and stores every value that it gets: start it with
            # -retentionPeriod=100y and -dedup.minScrapeInterval=1ms; `istep share --list --check` reports if a flag is missing.
            # It then shows the greater of the old and the corrected figure; older versions, such as Debian's 1.79, show either.
            """
    ) { reader, context in
        let url = reader.address("url", "the address of the server, such as http://localhost:8086")
        let points = reader.influxPoints()
        let database = reader.influxDatabase()
        guard let url, let points, let (database, authentication) = database else { return nil }
        return InfluxDestination(
            context: context, exchange: context.exchange(), url: url, database: database,
            authentication: authentication, points: points)
    }
}

extension TableReader {
    /// A `bucket` selects version 2.
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
                key, expected: isVersion2 ? "left out: `bucket` selects InfluxDB 2" : "used together with `bucket` (InfluxDB 2)")
        }
        let authentication = authentication()
        guard isVersion2 else { return database.map { (.version1(database: $0, retentionPolicy: policy), authentication) } }
        guard case .bearer(let token) = authentication else {
            require("token_file", "the path of a file with only the bucket's token in it; or use token_env or token_credential")
            return nil
        }
        guard let bucket, let organisation else { return nil }
        return (.version2(bucket: bucket, organisation: organisation), .token(token))
    }

    fileprivate mutating func influxPoints() -> InfluxPoints? {
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
                    expected: "a text of up to 256 bytes, under a name of letters, digits and _ other than user, pedometer, time and db")
                continue
            }
        }
        return prefix.isEmpty || isInfluxName(prefix) ? InfluxPoints(prefix: prefix, tags: tags, includesSamples: includesSamples) : nil
    }
}

/// Names that need no escape anywhere and that InfluxDB does not reserve: names that begin with _ are its own.
private func isInfluxName(_ name: String) -> Bool {
    guard let first = name.utf8.first, UInt8(ascii: "a")...UInt8(ascii: "z") ~= first | 0x20 else { return false }
    return name.utf8.count <= 32
        && name.utf8.allSatisfy { byte in
            UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte || UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte | 0x20 || byte == UInt8(ascii: "_")
        }
}

/// InfluxDB, or a server that accepts its line protocol, such as VictoriaMetrics: stores figures of days, and the samples behind them.
///
/// Sources: version 1 https://docs.influxdata.com/influxdb/v1/tools/api/#write-http-endpoint, version 2
/// https://docs.influxdata.com/influxdb/v2/api/#operation/PostWrite. Both answer 204 if all points are stored.
struct InfluxDestination: ConfiguredDestination {
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

    let context: DestinationContext
    let exchange: Exchange
    let url: WebAddress
    let database: Database
    let authentication: Authentication
    let points: InfluxPoints

    var traits: ShareTraits {
        var traits = ShareTraits.replacing
        traits.batch = 64
        traits.includesSamples = points.includesSamples
        traits.layout = 1  // 0: the points of days stood at 00:00 UTC
        return traits
    }

    var place: String { "\(url.origin), \(quoted(database.name))" }

    func problems() -> [String] { authentication.problems(context.environment.variables) }

    func preview(_ payloads: [SharePayload]) throws(ShareFailure) -> String {
        let written = try bodies(payloads.map { ($0, time(of: $0)) }).map { (body) throws(ShareFailure) in try request(body, .shown) }
        return (try removals(payloads.filter(isOld), .shown).map(\.request) + written).preview
    }

    /// A point cannot be moved: the one of layout 0 is removed, then the new one is written. On a server that cannot remove it, such as
    /// VictoriaMetrics, it stays, and later figures of the day are written at its time: two points for one day would double every sum.
    func deliver(_ payloads: [SharePayload]) async throws(ShareFailure) -> [ShareReceipt] {
        var outcomes = try await remove(payloads.filter(isOld))[...]
        let timed = payloads.map { payload -> (SharePayload, Timestamp, Removal) in
            let removal = isOld(payload) ? outcomes.removeFirst() : .done
            return (payload, removal == .done ? time(of: payload) : InfluxPoints.oldTime(of: payload.day.day), removal)
        }
        // Unchanged points are not written again: VictoriaMetrics without deduplication would count them twice. If the server refused the
        // removal to this user, the write shows whether the user is accepted at all.
        let written = timed.filter { !($0.2 == .impossible && $0.0.isMoved) }.map { ($0.0, $0.1) }
        for (index, body) in bodies(written).enumerated() {
            let request = try request(body, credentials)
            do throws(ShareFailure) {
                try confirm(try await exchange.confirmed(request, at: service), request)
            } catch  where index > 0 && error.kind == .unreachable {
                // Earlier requests have arrived.
                throw ShareFailure(.unanswered, error.reason, advice: error.advice)
            }
        }
        return timed.map { ShareReceipt(remoteID: "\($0.1.seconds)") }
    }

    // MARK: The times of points

    /// Whether the server may have the day's point at the time of layout 0: deliveries since then have a remote id.
    private func isOld(_ payload: SharePayload) -> Bool { payload.isConfirmed && payload.remoteID == nil }

    /// A point keeps its first time, in seconds since 1970: it does not move when the day's first sample arrives later, from another place.
    private func time(of payload: SharePayload) -> Timestamp {
        let time = InfluxPoints.time(of: payload.day.day, utcOffset: payload.day.utcOffset)
        // Any other value belongs to a destination of another kind that had this name before.
        guard let known = payload.remoteID.flatMap({ Int($0) }), (time.seconds - 86_400...time.seconds + 86_400).contains(known) else {
            return time
        }
        return Timestamp(known)
    }

    private enum Removal {
        case done
        /// The server does not remove single points.
        case impossible
        /// The server refuses the removal to this user.
        case refused
    }

    /// Removes the points that layout 0 wrote.
    ///
    /// - Returns: what became of the point of each payload.
    /// - Throws: temporary failures: the server cannot be reached, is busy or does not answer. Points that were removed by then are removed
    ///   once more with the next attempt.
    private func remove(_ payloads: [SharePayload]) async throws(ShareFailure) -> [Removal] {
        var outcomes: [Removal] = []
        for (request, count) in try removals(payloads, credentials) {
            let response = try await exchange.answer(to: request)
            if let failure = ShareFailure(response, to: request, at: .item) {
                switch failure.kind {
                // The other points would be refused as well.
                case .credentials: return outcomes + [Removal](repeating: .refused, count: payloads.count - outcomes.count)
                case .rejected, .misconfigured: outcomes += [Removal](repeating: .impossible, count: count)
                case .unreachable, .busy, .unanswered: throw failure
                }
            } else {
                outcomes += InfluxRemoval.confirmed(response, in: database, count: count).map { $0 ? Removal.done : .impossible }
            }
        }
        return outcomes
    }

    private func removals(
        _ payloads: [SharePayload], _ credentials: Credentials
    ) throws(ShareFailure) -> [(request: HTTPRequest, count: Int)] {
        if payloads.isEmpty { return [] }
        return InfluxRemoval.requests(
            for: payloads.map {
                InfluxRemoval(
                    measurement: points.dayMeasurement, tags: points.dayTags(of: $0.day.user), time: InfluxPoints.oldTime(of: $0.day.day))
            },
            url: url, database: database, headers: try authentication.headers(credentials))
    }

    /// Writes a comment: the server checks the user, the permission to write and whether the database exists, and then has nothing to
    /// store. For VictoriaMetrics, the flags are checked too.
    func check() async throws(ShareFailure) -> String {
        let request = try request("# istep", credentials)
        let response = try await exchange.answer(to: request)
        let version = response.header("X-Influxdb-Version").map { "version \(request.quotation(of: $0, limit: 40)) " } ?? ""
        // Version 2 checks the body last, and may require points in it.
        if case .version2 = database, response.status == 400, !version.isEmpty { return "\(version)accepts points" }
        if let failure = ShareFailure(response, to: request, at: service) { throw failure }
        try confirm(response, request)
        let words = "\(version)accepts points for \(quoted(database.name))"
        guard let flags = try await victoriaMetricsFlags(response) else { return words }
        return try words + flags.checked(includesSamples: points.includesSamples)
    }

    /// Nil if the server is not VictoriaMetrics, which sends the header `X-Server-Hostname` (lib/httpserver of its source). It shows its
    /// flags at `/metrics`, even if data are written below `/influx`.
    private func victoriaMetricsFlags(_ response: HTTPResponse) async throws(ShareFailure) -> VictoriaMetricsFlags? {
        guard response.header("X-Server-Hostname") != nil else { return nil }
        let base = url.path.hasSuffix("/influx") || url.path.hasSuffix("/influx/") ? url.parent : url
        let request = HTTPRequest(method: "GET", url: base.appending(path: ["metrics"]), headers: try authentication.headers(credentials))
        let metrics = try await exchange.answer(to: request)
        return VictoriaMetricsFlags(metrics.status == 200 ? metrics.text : "", hiding: request.secrets)
    }

    private var service: Addressed {
        switch database {
        case .version1: .service(advice: "Check `database`, or create it: influx -execute 'CREATE DATABASE …'.")
        case .version2: .service(advice: "Check `bucket` and `org`, or create the bucket: influx bucket create.")
        }
    }

    private func confirm(_ response: HTTPResponse, _ request: HTTPRequest) throws(ShareFailure) {
        guard response.status == 204 else { throw .unconfirmed(request, "it answered \(response.status) instead of 204") }
    }

    private func request(_ body: String, _ credentials: Credentials) throws(ShareFailure) -> HTTPRequest {
        let type = HTTPRequest.Header("Content-Type", "text/plain; charset=utf-8")
        return HTTPRequest(
            method: "POST", url: address, headers: [type] + (try authentication.headers(credentials)), body: Array(body.utf8),
            isRepeatable: true)
    }

    private var address: WebAddress {
        switch database {
        case .version1(let database, let policy):
            url.appending(path: ["write"])
                .appending(query: [("db", database)] + (policy.map { [("rp", $0)] } ?? []) + [("precision", "s")])
        case .version2(let bucket, let organisation):
            url.appending(path: ["api", "v2", "write"])
                .appending(query: [("org", organisation), ("bucket", bucket), ("precision", "s")])
        }
    }

    /// Maximum lines of one request: the batch size that InfluxData recommends.
    static let mostLines = 5000

    /// Whole lines, in requests of a size that every server accepts.
    private func bodies(_ payloads: [(SharePayload, Timestamp)]) -> [String] {
        var bodies: [[String]] = [[]]
        for line in payloads.lazy.flatMap({ points.points($0.0.day, at: $0.1) }).map(\.line) {
            if bodies[bodies.count - 1].count == Self.mostLines { bodies.append([]) }
            bodies[bodies.count - 1].append(line)
        }
        return bodies.filter { !$0.isEmpty }.map { $0.joined(separator: "\n") }
    }
}

/// The two flags of VictoriaMetrics that istep requires: without them it confirms days that it does not keep, or keeps twice.
///
/// Sources: https://docs.victoriametrics.com/victoriametrics/single-server-victoriametrics/#retention (one month by default; points that
/// are older are dropped, and the request is confirmed) and #deduplication (off by default: a point that is sent again is there twice).
struct VictoriaMetricsFlags: Hashable, Sendable {
    /// Such as `100y`; a number without a unit is in months. Nil if the server does not show it.
    let retention: String?
    let isRetentionChosen: Bool
    /// Such as `1ms`; 0 is off.
    let interval: String?

    /// - Parameters:
    ///   - metrics: what the server shows at `/metrics`, with a line such as `flag{name="retentionPeriod", value="1", is_set="false"} 1` for
    ///     each flag.
    ///   - secrets: secrets that the server may repeat.
    init(_ metrics: String, hiding secrets: [Secret]) {
        func flag(_ name: String) -> (value: String, isSet: Bool)? {
            guard let line = metrics.split(whereSeparator: \.isNewline).first(where: { $0.hasPrefix("flag{name=\"\(name)\"") }),
                let value = line.firstMatch(of: /value="([^"\\]{0,40})"/)
            else { return nil }
            return (HTTPResponse.line(of: String(value.1), hiding: secrets), !line.contains(#"is_set="false""#))
        }
        let retention = flag("retentionPeriod")
        self.retention = retention?.value
        // Older versions do not say whether a flag was set.
        isRetentionChosen = retention?.isSet == true && retention?.value != "1"
        interval = flag("dedup.minScrapeInterval")?.value
    }

    /// The settings, as text for users.
    ///
    /// - Throws: `misconfigured`, with the flags that are missing.
    func checked(includesSamples: Bool) throws(ShareFailure) -> String {
        guard let retention, let interval else {
            return "; it is VictoriaMetrics and does not show its flags: it needs \(Self.needed)"
        }
        var faults: [String] = []
        if !isRetentionChosen { faults.append("drops days that are older than a month (-retentionPeriod=\(retention))") }
        if let seconds = Self.seconds(interval) {
            if seconds == 0 { faults.append("stores a point twice if it is sent twice (-dedup.minScrapeInterval=\(interval))") }
            if seconds > 60, includesSamples {
                faults.append("keeps only one sample per \(interval) (-dedup.minScrapeInterval=\(interval))")
            }
        }
        guard faults.isEmpty else {
            throw ShareFailure(
                .misconfigured, "VictoriaMetrics confirms all points, but \(faults.joined(separator: " and "))",
                advice: "Start it with \(Self.needed).")
        }
        return "; -retentionPeriod=\(retention) -dedup.minScrapeInterval=\(interval)"
    }

    private static let needed = "-retentionPeriod=100y -dedup.minScrapeInterval=1ms"

    /// A duration as Go writes it, such as `1m30s` (https://pkg.go.dev/time#ParseDuration), or with days; nil if the text is not a duration.
    private static func seconds(_ duration: String) -> Double? {
        let units = ["ns": 1e-9, "us": 1e-6, "µs": 1e-6, "ms": 1e-3, "s": 1, "m": 60, "h": 3600, "d": 86_400, "w": 604_800, "y": 31_536_000]
        if duration == "0" { return 0 }
        guard duration.wholeMatch(of: /(?:[0-9.]+(?:ns|us|µs|ms|s|m|h|d|w|y))+/) != nil else { return nil }
        return duration.matches(of: /([0-9.]+)([a-zµ]+)/).reduce(0) { $0 + (Double($1.1) ?? 0) * (units[String($1.2)] ?? 0) }
    }
}
