internal import HTTP
internal import StepDomain
internal import Support
internal import Synchronization

/// What a server of line protocol is, as far as it matters for how days are written.
enum InfluxServer: Hashable, Sendable {
    /// InfluxDB, or another server that replaces a point which is sent again.
    case influx
    case victoriaMetrics(VictoriaMetrics)
}

/// The server that a destination has found at its address. A long-running process asks again for each share: a server
/// can be replaced.
final class KnownInfluxServer: Sendable {
    private let answer = Mutex<Result<InfluxServer, ShareFailure>?>(nil)

    func remember(_ found: Result<InfluxServer, ShareFailure>) { answer.withLock { $0 = found } }

    /// What the last question has shown; nil if nobody has asked.
    ///
    /// - Throws: why it was not answered. Days that were chosen without the answer must not be written: a second
    ///   question could show that the server replaces nothing.
    var known: InfluxServer? {
        get throws(ShareFailure) { try answer.withLock(\.self)?.get() }
    }
}

/// VictoriaMetrics as it describes itself: it stores each value that it gets and replaces none, and it can remove whole
/// series only (https://docs.victoriametrics.com/victoriametrics/#how-to-delete-time-series).
///
/// Of several values of a moment it shows the greatest from version 1.85 on, and before that an arbitrary one, which
/// can change (https://github.com/VictoriaMetrics/VictoriaMetrics/pull/3421).
struct VictoriaMetrics: Hashable, Sendable {
    /// Such as 1.79.5; nil if it does not tell. Debian's 1.79.5 shows an empty text.
    let version: [Int]?
    let flags: VictoriaMetricsFlags

    private static let firstWithGreatest = [1, 85, 0]

    /// - Parameters:
    ///   - metrics: what the server shows at `/metrics`.
    ///   - secrets: secrets that the server may repeat.
    init(_ metrics: String, hiding secrets: [Secret]) {
        version = metrics.firstMatch(of: /(?m)^vm_app_version\{[^}\n]*short_version="v(\d{1,4})\.(\d{1,4})\.(\d{1,4})/)
            .map { [$0.1, $0.2, $0.3].compactMap { Int($0) } }
        flags = VictoriaMetricsFlags(metrics, hiding: secrets)
    }

    var name: String {
        version.map { "VictoriaMetrics " + $0.map(String.init).joined(separator: ".") }
            ?? "VictoriaMetrics, which does not show its version,"
    }

    /// Whether a greater value takes the place of a smaller one. Not assumed of a version that is not known.
    var keepsGreatest: Bool { version.map { !$0.lexicographicallyPrecedes(Self.firstWithGreatest) } ?? false }

    /// What it does with days, for the user.
    var limits: String {
        keepsGreatest
            ? "a day is sent when it is over, and corrected only if no figure is smaller than before"
            : "a day is sent when it is over, and cannot be corrected (possible from version 1.85 on, if no figure is smaller than before)"
    }

    /// What becomes of points that are written.
    enum Change {
        /// The server will show them.
        case possible
        /// The server shows them already.
        case none
        /// The server would show an earlier value, or an arbitrary one.
        case impossible
    }

    /// - Parameter stored: the values that the server shows; of samples, only the steps.
    func change(to points: [InfluxPoint], from stored: [InfluxPoint.Key: Double]) -> Change {
        var change = Change.none
        for (key, value) in points.flatMap(\.values) {
            guard let old = stored[key] else {
                if key.isCompared { change = .possible }
                continue
            }
            // The server keeps 15 decimal digits at least.
            if abs(old - value) <= 1e-9 * max(abs(old), abs(value)) { continue }
            guard keepsGreatest, value > old else { return .impossible }
            change = .possible
        }
        return change
    }
}

/// Reads values back from VictoriaMetrics
/// (https://docs.victoriametrics.com/victoriametrics/#how-to-export-data-in-json-line-format).
struct VictoriaMetricsExport: Sendable {
    let exchange: Exchange
    let base: WebAddress
    let headers: [HTTPRequest.Header]

    /// Days whose first values are asked for together: so many have room in an answer.
    private static let daysOfQuestion = 400

    /// Which of these points the server has, by their first field.
    ///
    /// - Parameter label: the database, which the server adds as a label.
    func holds(_ points: [InfluxPoint], label: String) async throws(ShareFailure) -> [Bool] {
        var found: Set<InfluxPoint.Key> = []
        let firsts = points.compactMap { point in point.values.first.map { (point, $0.key) } }
        for (tags, group) in Dictionary(grouping: firsts, by: \.0.tags) {
            var rest = group.sorted { $0.1.time < $1.1.time }[...]
            while let first = rest.first {
                let part = rest.prefix { $0.1.time - first.1.time < Self.daysOfQuestion * 86_400 }
                rest = rest.dropFirst(part.count)
                found.formUnion(
                    try await read(first.1.name, tags, first.1.time...(part.last ?? first).1.time, label).keys)
            }
        }
        return points.map { point in point.values.first.map { found.contains($0.key) } ?? false }
    }

    /// The values that the server shows where these points are: all of the day, and the steps of samples.
    func values(of points: [InfluxPoint], label: String) async throws(ShareFailure) -> [InfluxPoint.Key: Double] {
        var values: [InfluxPoint.Key: Double] = [:]
        for (series, group) in Dictionary(
            grouping: points, by: { InfluxPoint.Series(measurement: $0.measurement, tags: $0.tags) })
        {
            let keys = group.flatMap(\.values).map(\.key).filter(\.isCompared)
            let times = keys.map(\.time)
            guard let first = times.min(), let last = times.max() else { continue }
            let names = Set(keys.map(\.name)).sorted().joined(separator: "|")
            values.merge(try await read(names, series.tags, first...last, label)) { $1 }
        }
        return values
    }

    private struct Line: Decodable {
        var metric: [String: String]
        var values: [Double?]
        var timestamps: [Int]
    }

    /// A matcher that every series fulfils, another one in each request: for 10 seconds the server remembers which
    /// series a selector has, also that it has none (lib/mergeset/table.go, `startFlushCallbackWorker`). What was
    /// written after the first request would not be found by the second.
    private static var uncached: String { "istep_request!=\(quoted("\(UInt64.random(in: 0 ... .max))"))" }

    /// - Parameter names: of series, separated by `|`. They have no character that is special in an expression.
    private func read(
        _ names: String, _ tags: [String: String], _ times: ClosedRange<Timestamp>, _ label: String
    ) async throws(ShareFailure) -> [InfluxPoint.Key: Double] {
        let own = tags.filter { !$0.value.isEmpty }.mapValues(InfluxPoint.carried)
        let matchers = own.sorted { $0.key < $1.key }.map { "\($0.key)=\(Self.quoted($0.value))" }
        let address = base.appending(path: ["api", "v1", "export"]).appending(query: [
            ("match[]", "{" + (["__name__=~\"\(names)\""] + matchers + [Self.uncached]).joined(separator: ",") + "}"),
            ("start", "\(times.lowerBound.seconds)"), ("end", "\(times.upperBound.seconds)"),
        ])
        let request = HTTPRequest(method: "GET", url: address, headers: headers)
        let response = try await exchange.confirmed(
            request,
            at: .service(advice: "Check `url`: istep reads there which days VictoriaMetrics has (/api/v1/export)."))
        if response.isPage { throw .unconfirmed(request, "it answered with a web page") }
        var values: [InfluxPoint.Key: Double] = [:]
        for line in response.text.split(separator: "\n") {
            guard let line = HTTPResponse(status: 200, body: Array(line.utf8)).json(Line.self) else {
                throw .unconfirmed(request, "its answer is not an export")
            }
            var labels = line.metric
            guard let name = labels.removeValue(forKey: "__name__") else { continue }
            // Series with more labels are others; the server adds the database as one.
            guard labels.filter({ own[$0.key] == nil }).allSatisfy({ $0.value == label }) else { continue }
            for (value, time) in zip(line.values, line.timestamps) {
                values[InfluxPoint.Key(name: name, tags: tags, time: Timestamp(time / 1000))] = value
            }
        }
        return values
    }

    private static func quoted(_ text: String) -> String {
        "\"" + text.unicodeScalars.map { $0 == "\"" || $0 == "\\" ? "\\\($0)" : String($0) }.joined() + "\""
    }
}

/// The two flags of VictoriaMetrics that istep requires: without them it confirms days that it does not keep, or keeps
/// twice.
///
/// Sources: https://docs.victoriametrics.com/victoriametrics/single-server-victoriametrics/#retention (one month by
/// default; points that are older are dropped, and the request is confirmed) and #deduplication (off by default: a
/// point that is sent again is there twice).
struct VictoriaMetricsFlags: Hashable, Sendable {
    /// Such as `100y`; a number without a unit is in months. Nil if the server does not show it.
    let retention: String?
    let isRetentionChosen: Bool
    /// Such as `1ms`; 0 is off.
    let interval: String?

    /// - Parameters:
    ///   - metrics: what the server shows at `/metrics`, with a line such as `flag{name="retentionPeriod", value="1",
    ///     is_set="false"} 1` for each flag.
    ///   - secrets: secrets that the server may repeat.
    init(_ metrics: String, hiding secrets: [Secret]) {
        func flag(_ name: String) -> (value: String, isSet: Bool)? {
            guard
                let line = metrics.split(whereSeparator: \.isNewline).first(where: {
                    $0.hasPrefix("flag{name=\"\(name)\"")
                }),
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
            return "; it does not show its flags: it needs \(Self.needed)"
        }
        var faults: [String] = []
        if !isRetentionChosen {
            faults.append("drops days that are older than a month (-retentionPeriod=\(retention))")
        }
        if let seconds = Self.seconds(interval) {
            if seconds == 0 {
                faults.append("stores a point twice if it is sent twice (-dedup.minScrapeInterval=\(interval))")
            }
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

    /// A duration as Go writes it, such as `1m30s` (https://pkg.go.dev/time#ParseDuration), or with days; nil if the
    /// text is not a duration.
    private static func seconds(_ duration: String) -> Double? {
        let units = [
            "ns": 1e-9, "us": 1e-6, "µs": 1e-6, "ms": 1e-3, "s": 1, "m": 60, "h": 3600, "d": 86_400, "w": 604_800,
            "y": 31_536_000,
        ]
        if duration == "0" { return 0 }
        guard duration.wholeMatch(of: /(?:[0-9.]+(?:ns|us|µs|ms|s|m|h|d|w|y))+/) != nil else { return nil }
        return duration.matches(of: /([0-9.]+)([a-zµ]+)/).reduce(0) {
            $0 + (Double($1.1) ?? 0) * (units[String($1.2)] ?? 0)
        }
    }
}
