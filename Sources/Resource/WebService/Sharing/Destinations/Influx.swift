internal import HTTP
internal import Quoting
internal import Settings
internal import StepDomain

/// InfluxDB, or what takes its line protocol, such as VictoriaMetrics: figures of days, and the samples behind them.
///
/// Sources: version 1 https://docs.influxdata.com/influxdb/v1/tools/api/#write-http-endpoint, version 2
/// https://docs.influxdata.com/influxdb/v2/api/#operation/PostWrite. Both answer 204 where all points are stored.
struct InfluxDestination: ConfiguredDestination {
    /// Where points go, and how a server of this version is told who asks.
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
        traits.wantsSamples = points.hasSamples
        return traits
    }

    var place: String { "\(url.origin), \(quoted(database.name))" }

    func problems() -> [String] { authentication.problems(context.surroundings.environment) }

    func preview(_ parcels: [ShareParcel]) throws(ShareFailure) -> String {
        try bodies(parcels).map { (body) throws(ShareFailure) in try request(body, .shown) }.preview
    }

    func deliver(_ parcels: [ShareParcel]) async throws(ShareFailure) -> [ShareReceipt] {
        for (index, body) in bodies(parcels).enumerated() {
            let request = try request(body, credentials)
            do throws(ShareFailure) {
                try confirm(try await exchange.confirmed(request, ifNotFound: advice), request)
            } catch where index > 0 && error.kind == .unreachable {
                // What went before did arrive.
                throw ShareFailure(.unanswered, error.reason, advice: error.advice)
            }
        }
        return parcels.map { _ in ShareReceipt() }
    }

    /// Writes a comment: the server looks who asks, whether they may write and whether the database is there, and then has
    /// nothing to store.
    func check() async throws(ShareFailure) -> String {
        let request = try request("# istep", credentials)
        let response = try await exchange.answer(to: request)
        let version = response.header("X-Influxdb-Version").map { " (\(quoted(String($0.prefix(40)))))" } ?? ""
        // Version 2 comes to the body last, and may want points in it.
        if case .version2 = database, response.status == 400, !version.isEmpty { return "\(url.origin)\(version) takes points" }
        if let failure = ShareFailure(response, to: request, ifNotFound: advice) { throw failure }
        try confirm(response, request)
        return "\(url.origin)\(version) takes points for \(quoted(database.name))"
    }

    private var advice: String {
        switch database {
        case .version1: "Check `database`, or create it: influx -execute 'CREATE DATABASE …'."
        case .version2: "Check `bucket` and `org`, or create the bucket: influx bucket create."
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

    /// Lines of one request: what InfluxData recommends for a batch.
    static let mostLines = 5000

    /// Whole lines, in requests of a size that every server takes.
    private func bodies(_ parcels: [ShareParcel]) -> [String] {
        var bodies: [[String]] = [[]]
        for line in parcels.lazy.flatMap({ points.points($0.day) }).map(\.line) {
            if bodies[bodies.count - 1].count == Self.mostLines { bodies.append([]) }
            bodies[bodies.count - 1].append(line)
        }
        return bodies.filter { !$0.isEmpty }.map { $0.joined(separator: "\n") }
    }
}
