internal import HTTP
internal import Settings
internal import StepDomain
internal import Support

extension DestinationKind {
    static let influx = DestinationKind(
        key: "influx", title: "InfluxDB 1 or 2, VictoriaMetrics: days and samples",
        specificExample: """
            [share.metrics]
            kind = "influx"
            url = "http://localhost:8086"
            # The database, for InfluxDB 1 (such as Debian's influxdb). VictoriaMetrics uses it as a label.
            database = "health"

            # username = "anna"                    # for InfluxDB 1 and VictoriaMetrics, if they need it,
            # password_file = "~/.config/istep/influx.password"   # with a password_file, _env or _credential
            # auth = "basic"                       # or "digest", "bearer", "header", as a proxy before it may need
            # retention_policy = "forever"         # of InfluxDB 1; default: that of the database

            # bucket = "health"                    # instead of `database`: InfluxDB 2,
            # org = "home"                         # its organisation,
            # token_file = "~/.config/istep/influx.token"         # and a token_file, _env or _credential

            # samples = true                       # false: only the figures of days
            # prefix = ""                          # prefix of the measurements steps_day and steps
            # tags = { household = "seaside" }     # tags in addition to user and pedometer. Use the same tags on all
            #                                      # machines: then data that two of them send is stored once.
            \(webKeys)

            # distance_m and energy_kcal of a day (steps_day) are istep's, by your profile; those of a sample (steps)
            # are the pedometer's.
            # The point of a day (steps_day) has the time 12:00 UTC, or 09:00 UTC in zones from UTC+12 on. This is the same date in
            # UTC and in local time, in every zone. Samples (steps) have the time at which they begin.
            # Before that time, the point of today has the time of its last sample, so that a graph which ends now shows it.
            # VictoriaMetrics drops points that are older than a month, and stores every value that it gets: start it with
            # -retentionPeriod=100y and -dedup.minScrapeInterval=1ms; `istep share --list --check` reports if a flag is missing.
            # It cannot replace a figure: a day is sent there when it is over. A correction is sent only if no figure is smaller,
            # and never to versions before 1.85, such as Debian's.
            """
    ) { reader, context in
        let url = reader.address("url", "the address of the server, such as http://localhost:8086")
        let points = reader.influxPoints()
        let database = reader.influxDatabase()
        let exchange = context.exchange(&reader)
        guard let url, let points, let (database, authentication) = database else { return nil }
        return InfluxDestination(
            context: context, exchange: exchange, url: url, database: database,
            authentication: authentication, points: points)
    }
}

/// InfluxDB, or a server that accepts its line protocol, such as VictoriaMetrics: stores figures of days, and the
/// samples behind them.
///
/// Sources: version 1 https://docs.influxdata.com/influxdb/v1/tools/api/#write-http-endpoint, version 2
/// https://docs.influxdata.com/influxdb/v2/api/#operation/PostWrite. Both answer 204 if all points are stored.
struct InfluxDestination: AuthenticatedDestination {
    let context: DestinationContext
    let exchange: Exchange
    let url: WebAddress
    let database: Database
    let authentication: Authentication
    let points: InfluxPoints
    private let server = KnownInfluxServer()

    var traits: ShareTraits {
        var traits = ShareTraits.replacing
        traits.batch = 64
        traits.includesSamples = points.includesSamples
        traits.keepsSamples = points.includesSamples
        traits.layout = 1  // 0: the points of days stood at 00:00 UTC
        return traits
    }

    var location: String { "\(url.origin), \(quoted(database.name))" }

    /// VictoriaMetrics replaces no point: its days are sent when they are over.
    func currentTraits() async throws(ShareFailure) -> ShareTraits {
        var traits = traits
        do throws(ShareFailure) {
            let found = try await identify()
            server.remember(.success(found))
            if case .victoriaMetrics = found { traits.acceptsUnfinishedDays = false }
        } catch {
            server.remember(.failure(error))
            throw error
        }
        return traits
    }

    /// As for InfluxDB: what the server is, is not known without a request to it.
    func preview(_ payloads: [SharePayload]) throws(ShareFailure) -> String {
        let dayPoints = dayPoints(of: payloads)
        let written = try bodies(dayPoints.map { ($0.payload, $0.time) }).map { (body) throws(ShareFailure) in
            try request(body, .shown)
        }
        return (try removals(dayPoints, .shown).map(\.request) + written).preview
    }

    /// A point cannot be moved: the one at an earlier time is removed, then the new one is written. On a server that
    /// does not remove it, it stays, and later figures of the day are written at its time: two points for one day would
    /// double every sum.
    func deliver(_ payloads: [SharePayload]) async throws(ShareFailure) -> [ShareReceipt] {
        if case .victoriaMetrics(let metrics) = try server.known {
            return try await deliver(payloads, to: metrics)
        }
        let dayPoints = dayPoints(of: payloads)
        var outcomes = try await remove(dayPoints)[...]
        let timed = dayPoints.map { dayPoint -> (SharePayload, Timestamp, Removal) in
            let removal = dayPoint.removals.isEmpty ? .done : outcomes.removeFirst()
            return (dayPoint.payload, removal == .done ? dayPoint.time : dayPoint.timeIfNotRemoved, removal)
        }
        // An unchanged point is not written again. If the server refused the removal to this user, the write shows
        // whether the user is accepted at all.
        try await write(timed.filter { !($0.2 == .impossible && $0.0.isMoved) }.map { ($0.0, $0.1) })
        return timed.map { ShareReceipt(remoteID: "\($0.1.seconds)") }
    }

    /// Writes only what the server will show: it replaces no point.
    private func deliver(_ payloads: [SharePayload], to metrics: VictoriaMetrics) async throws(ShareFailure)
        -> [ShareReceipt]
    {
        let stored = VictoriaMetricsExport(
            exchange: exchange, base: metricsBase, headers: try authentication.headers(credentials))
        var written: [(SharePayload, Timestamp)] = []
        var receipts: [ShareReceipt] = []
        let timed = dayPoints(of: payloads).map { ($0.payload, $0.timeIfNotRemoved) }
        let days = timed.map { points.points($0.0.day, at: $0.1) }
        let known = try await stored.holds(days.compactMap(\.first), label: database.name)
        for ((payload, time), (points, isKnown)) in zip(timed, zip(days, known)) {
            let change =
                isKnown
                ? metrics.change(to: points, from: try await stored.values(of: points, label: database.name))
                : .possible
            if change == .possible { written.append((payload, time)) }
            receipts.append(ShareReceipt(remoteID: "\(time.seconds)", isFixed: change == .impossible))
        }
        try await write(written)
        return receipts
    }

    private func write(_ days: [(SharePayload, Timestamp)]) async throws(ShareFailure) {
        for (index, body) in bodies(days).enumerated() {
            let request = try request(body, credentials)
            do throws(ShareFailure) {
                try confirm(try await exchange.confirmed(request, at: service), request)
            } catch {
                guard index > 0 else { throw error }
                // Earlier requests have arrived.
                if error.kind == .unreachable { throw ShareFailure(.unanswered, error.reason, advice: error.advice) }
                var failure = error
                failure.isPartial = true
                throw failure
            }
        }
    }

    // MARK: The points of days

    private func dayPoints(of payloads: [SharePayload]) -> [InfluxDayPoint] {
        let environment = context.environment
        let now = environment.now()
        return payloads.map { InfluxDayPoint($0, span: environment.localTime.span(of: $0.day.day), now: now) }
    }

    private enum Removal {
        case done
        /// The server does not remove single points.
        case impossible
        /// The server refuses the removal to this user.
        case refused
    }

    /// Removes points of the days that are not at the times at which these are to stand.
    ///
    /// - Returns: what became of them, for each point that has removals.
    /// - Throws: temporary failures: the server cannot be reached, is busy or does not answer. Points that were removed
    ///   by then are removed once more with the next attempt.
    private func remove(_ dayPoints: [InfluxDayPoint]) async throws(ShareFailure) -> [Removal] {
        let counts = dayPoints.map(\.removals.count).filter { $0 > 0 }
        let all = counts.reduce(0, +)
        var outcomes: [Removal] = []
        for (request, count) in try removals(dayPoints, credentials) where outcomes.count < all {
            let response = try await exchange.answer(to: request)
            if let failure = ShareFailure(response, to: request, at: .item) {
                switch failure.kind {
                // The other points would be refused as well.
                case .credentials: outcomes += [Removal](repeating: .refused, count: all - outcomes.count)
                case .rejected, .misconfigured: outcomes += [Removal](repeating: .impossible, count: count)
                case .unreachable, .busy, .unanswered: throw failure
                }
            } else {
                outcomes += InfluxRemoval.confirmed(response, in: database, count: count).map {
                    $0 ? Removal.done : .impossible
                }
            }
        }
        var rest = outcomes[...]
        return counts.map { count in
            let own = rest.prefix(count)
            rest = rest.dropFirst(count)
            return own.first { $0 != .done } ?? .done
        }
    }

    private func removals(
        _ dayPoints: [InfluxDayPoint], _ credentials: Credentials
    ) throws(ShareFailure) -> [(request: HTTPRequest, count: Int)] {
        let removals = dayPoints.flatMap { dayPoint in
            dayPoint.removals.map {
                InfluxRemoval(
                    measurement: points.dayMeasurement, tags: points.dayTags(of: dayPoint.payload.day.user), span: $0)
            }
        }
        if removals.isEmpty { return [] }
        return InfluxRemoval.requests(
            for: removals, url: url, database: database, headers: try authentication.headers(credentials))
    }

    /// Writes a comment: the server checks the user, the permission to write and whether the database exists, and then
    /// has nothing to store. For VictoriaMetrics, the flags are checked too.
    func check() async throws(ShareFailure) -> String {
        let request = try request("# istep", credentials)
        let response = try await exchange.answer(to: request)
        let version =
            response.header("X-Influxdb-Version").map { "version \(request.quotation(of: $0, limit: 40)) " } ?? ""
        // Version 2 checks the body last, and may require points in it.
        if case .version2 = database, response.status == 400, !version.isEmpty { return "\(version)accepts points" }
        if let failure = ShareFailure(response, to: request, at: service) { throw failure }
        try confirm(response, request)
        guard case .victoriaMetrics(let metrics) = try await kind(of: response) else {
            return "\(version)accepts points for \(quoted(database.name))"
        }
        let flags = try metrics.flags.checked(includesSamples: points.includesSamples)
        return "\(metrics.name) accepts points for \(quoted(database.name))\(flags); \(metrics.limits)"
    }

    // MARK: The server

    private func identify() async throws(ShareFailure) -> InfluxServer {
        let request = try request("# istep", credentials), response = try await exchange.answer(to: request)
        // A proxy can answer in place of the server.
        let isOfServer = [2, 4].contains(response.status / 100) && ![407, 429].contains(response.status)
        if !isOfServer, let failure = ShareFailure(response, to: request, at: service) { throw failure }
        return try await kind(of: response)
    }

    /// VictoriaMetrics sends the header `X-Server-Hostname` (lib/httpserver of its source), and the version of the
    /// InfluxDB that it imitates. It shows its own version and its flags at `/metrics`, even if data are written below
    /// `/influx`.
    private func kind(of response: HTTPResponse) async throws(ShareFailure) -> InfluxServer {
        guard response.header("X-Server-Hostname") != nil else { return .influx }
        let request = HTTPRequest(
            method: "GET", url: metricsBase.appending(path: ["metrics"]),
            headers: try authentication.headers(credentials))
        let metrics = try await exchange.answer(to: request)
        return .victoriaMetrics(VictoriaMetrics(metrics.status == 200 ? metrics.text : "", hiding: request.secrets))
    }

    private var metricsBase: WebAddress {
        url.path.hasSuffix("/influx") || url.path.hasSuffix("/influx/") ? url.parent : url
    }

    private var service: Addressed {
        switch database {
        case .version1: .service(advice: "Check `database`, or create it: influx -execute 'CREATE DATABASE …'.")
        case .version2: .service(advice: "Check `bucket` and `org`, or create the bucket: influx bucket create.")
        }
    }

    private func confirm(_ response: HTTPResponse, _ request: HTTPRequest) throws(ShareFailure) {
        guard response.status == 204 else {
            throw .unconfirmed(request, "it answered \(response.status) instead of 204")
        }
    }

    private func request(_ body: String, _ credentials: Credentials) throws(ShareFailure) -> HTTPRequest {
        let type = HTTPRequest.Header("Content-Type", "text/plain; charset=utf-8")
        return HTTPRequest(
            method: "POST", url: address, headers: [type] + (try authentication.headers(credentials)),
            body: Array(body.utf8),
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
    static let maximumLines = 5000

    /// Whole lines, in requests of a size that every server accepts.
    private func bodies(_ payloads: [(SharePayload, Timestamp)]) -> [String] {
        var bodies: [[String]] = [[]]
        for line in payloads.lazy.flatMap({ points.points($0.0.day, at: $0.1) }).map(\.line) {
            if bodies[bodies.count - 1].count == Self.maximumLines { bodies.append([]) }
            bodies[bodies.count - 1].append(line)
        }
        return bodies.filter { !$0.isEmpty }.map { $0.joined(separator: "\n") }
    }
}
