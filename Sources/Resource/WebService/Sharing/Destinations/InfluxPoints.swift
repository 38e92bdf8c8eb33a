internal import HTTP
internal import StepDomain
internal import TextSafety

/// The figures of a day that are written to a time series database, and their names.
///
/// A point is identified by its measurement, tags and time: a point that is sent again replaces the earlier one. So there is no tag for the
/// machine: two machines that read the same pedometer write the same points. A field that a later summary no longer has (a goal that was
/// given up) keeps its old value; line protocol cannot remove a field.
struct InfluxPoints: Hashable, Sendable {
    /// Prefix of the names `steps` and `steps_day`.
    var prefix = ""
    /// The user's own tags, added to every point.
    var tags: [String: String] = [:]
    var includesSamples = true

    /// - Parameter time: the time of the day's point.
    func points(_ day: SharedDay, at time: Timestamp) -> [InfluxPoint] {
        let figures = self.day(day, time)
        guard includesSamples else { return [figures] }
        return [figures] + day.tracks.flatMap { track in track.samples.map { sample($0, track.pedometer, day.user) } }
    }

    /// The time of a day's point: 12:00 UTC, or 09:00 UTC where clocks are twelve hours ahead of UTC or more.
    ///
    /// This time is in the day by local time (00:00 to 23:59 from UTC-12 to UTC+11:59, 21:00 to 23:00 from UTC+12 to UTC+14), so that a
    /// table or a graph in the zone of the user's browser shows it on its date. It is also in the day by UTC, by which `GROUP BY time(1d)`
    /// of InfluxDB and steps of one day in VictoriaMetrics divide time unless a zone is given. No single time does both from UTC-12 to
    /// UTC+14. Apart from Pacific islands it depends neither on the place nor on summer time, so that two machines write the same points
    /// and points of consecutive days are 24 hours apart.
    static func time(of day: Day, utcOffset: Int) -> Timestamp {
        Timestamp(day.daysSince1970 * 86_400 + (utcOffset < 12 * 3600 ? 12 : 9) * 3600)
    }

    /// The time of a day's point in layout 0: 00:00 UTC, which is the evening before in America.
    static func oldTime(of day: Day) -> Timestamp { Timestamp(day.daysSince1970 * 86_400) }

    /// The tags that identify the point of a day, besides its time.
    func dayTags(of user: User) -> [String: String] { tags.merging(["user": user.name]) { $1 } }

    var dayMeasurement: String { prefix + "steps_day" }

    private func day(_ day: SharedDay, _ time: Timestamp) -> InfluxPoint {
        let summary = day.summary
        return InfluxPoint(
            measurement: dayMeasurement, tags: dayTags(of: day.user),
            fields: [
                ("steps", .integer(day.steps)),
                ("distance_m", day.metres.map { .integer($0) }),
                ("energy_kcal", day.kilocalories.map { .integer($0) }),
                // Zero on a rest day, so that it replaces an earlier goal.
                ("goal", summary.isRestDay ? .integer(0) : summary.goal.map { .integer($0) }),
                ("percentage", day.percentage.map { .number($0) }),
                ("complete", .flag(summary.completeness == .complete && !summary.isInProgress)),
            ],
            time: time)
    }

    /// A point at the start of a sample. If a later sync extends the sample, the new point replaces the old one.
    private func sample(_ sample: StepSample, _ pedometer: String, _ user: User) -> InfluxPoint {
        InfluxPoint(
            measurement: prefix + "steps", tags: tags.merging(["user": user.name, "pedometer": pedometer]) { $1 },
            fields: [
                ("steps", .integer(sample.steps)), ("seconds", .integer(sample.length)),
                ("distance_m", sample.distance.map { .number($0) }), ("energy_kcal", sample.energy.map { .number($0) }),
            ],
            time: sample.start)
    }
}

/// A point in InfluxDB's line protocol.
///
/// Source: https://docs.influxdata.com/influxdb/v2/reference/syntax/line-protocol/ ("Special characters", "Naming restrictions", "Duplicate
/// points"). Version 1 uses the same protocol, and VictoriaMetrics accepts it.
struct InfluxPoint: Sendable {
    enum Value: Hashable, Sendable {
        case integer(Int)
        case number(Double)
        case flag(Bool)
    }

    let measurement: String
    /// Tags without a value are left out, as the protocol requires.
    var tags: [String: String]
    /// At least one that is not nil.
    var fields: [(key: String, value: Value?)]
    /// The time, in whole seconds.
    let time: Timestamp

    /// Without a line feed. Tags are sorted by key, which is best for servers.
    var line: String {
        let tags = tags.filter { !$0.value.isEmpty }.sorted { $0.key < $1.key }
            .map { ",\(Self.key($0.key))=\(Self.tag($0.value))" }.joined()
        let fields = fields.compactMap { field in field.value.map { "\(Self.key(field.key))=\(Self.text($0))" } }.joined(separator: ",")
        return "\(Self.measurement(measurement))\(tags) \(fields) \(time.seconds)"
    }

    private static func text(_ value: Value) -> String {
        switch value {
        case .integer(let number): "\(number)i"
        case .number(let number): "\(number)"
        case .flag(let flag): flag ? "true" : "false"
        }
    }

    static func measurement(_ name: String) -> String { escaped(name, ", ") }
    static func key(_ name: String) -> String { escaped(name, ",= ") }
    static func tag(_ value: String) -> String { escaped(value, ",= ") }

    private static func escaped(_ text: String, _ special: String) -> String {
        var result = ""
        for scalar in carried(text).unicodeScalars {
            if special.unicodeScalars.contains(scalar) { result += "\\" }
            result.unicodeScalars.append(scalar)
        }
        return result
    }

    /// The text, changed if the format cannot represent it. The format has no line feeds. A backslash before another, before a character
    /// that needs an escape, or at the end of a tag has a different meaning on each server
    /// (https://github.com/influxdata/influxdb/issues/3070, 5231). Such a backslash becomes an operator that looks the same; a control
    /// character becomes a space.
    static func carried(_ text: String) -> String {
        let scalars = Array(text.unicodeScalars)
        var result = String.UnicodeScalarView()
        for (index, scalar) in scalars.enumerated() {
            let next = index + 1 < scalars.count ? scalars[index + 1] : "\\"
            if scalar == "\\", "\\,= \"".unicodeScalars.contains(next) || next.properties.generalCategory == .control {
                result.append("\u{29F5}")
            } else {
                result.append(scalar.properties.generalCategory == .control ? " " : scalar)
            }
        }
        return String(result)
    }
}

/// A point of a day that is to be removed.
///
/// Sources: version 1 https://docs.influxdata.com/influxdb/v1/query_language/manage-database/#delete-series-with-delete (the right to
/// write is enough), version 2 https://docs.influxdata.com/influxdb/v2/api/#operation/PostDelete.
struct InfluxRemoval: Sendable {
    let measurement: String
    let tags: [String: String]
    let time: Timestamp

    /// One request for all in version 1, one for each in version 2, with the number of points that each removes.
    static func requests(
        for removals: [InfluxRemoval], url: WebAddress, database: InfluxDestination.Database, headers: [HTTPRequest.Header]
    ) -> [(request: HTTPRequest, count: Int)] {
        switch database {
        case .version1(let database, _):
            // A retention policy cannot be named: the point is removed from whichever it is in.
            let statements = removals.map(\.statement).joined(separator: "; ")
            let request = HTTPRequest.form(
                [.init("q", statements)], to: url.appending(path: ["query"]).appending(query: [("db", database)]), headers: headers,
                isRepeatable: true)
            return [(request: request, count: removals.count)]
        case .version2(let bucket, let organisation):
            let address = url.appending(path: ["api", "v2", "delete"]).appending(query: [("org", organisation), ("bucket", bucket)])
            return removals.map {
                (request: HTTPRequest.json("POST", address, headers: headers, $0.deletion, isRepeatable: true), count: 1)
            }
        }
    }

    /// Which of the points an answer of 2xx confirms as removed. VictoriaMetrics answers every query of version 1 with a list of databases.
    ///
    /// - Parameter count: number of points in the request.
    static func confirmed(_ response: HTTPResponse, in database: InfluxDestination.Database, count: Int) -> [Bool] {
        if case .version2 = database { return Array(repeating: response.status == 204, count: count) }
        guard let results = response.json(Answer.self)?.results, results.count == count else { return Array(repeating: false, count: count) }
        return results.map(\.isDone)
    }

    private struct Answer: Decodable {
        struct Result: Decodable {
            struct Anything: Decodable {}

            var error: String?
            var series: [Anything]?

            var isDone: Bool { error == nil && series == nil }
        }

        var results: [Result]
    }

    private struct Deletion: Encodable {
        let start: String
        let stop: String
        let predicate: String
    }

    private var sortedTags: [(String, String)] {
        tags.filter { !$0.value.isEmpty }.sorted { $0.key < $1.key }.map { ($0.key, InfluxPoint.carried($0.value)) }
    }

    /// InfluxQL: identifiers in double quotes, texts in single ones.
    private var statement: String {
        let conditions = sortedTags.map { "\"\($0)\" = '\(Self.escaped($1, "'"))'" } + ["time = \(time.seconds)s"]
        return "DELETE FROM \"\(measurement)\" WHERE " + conditions.joined(separator: " AND ")
    }

    /// From the second of the point to the next: all other points of the measurement are hours away.
    private var deletion: Deletion {
        let conditions = [("_measurement", measurement)] + sortedTags
        return Deletion(
            start: time.iso8601(utcOffset: 0), stop: (time + 1).iso8601(utcOffset: 0),
            predicate: conditions.map { "\($0)=\"\(Self.escaped($1, "\""))\"" }.joined(separator: " AND "))
    }

    /// Escapes by scalars: a quote with a combining mark after it is another character in Swift, but a quote for a server.
    private static func escaped(_ text: String, _ quote: Unicode.Scalar) -> String {
        text.unicodeScalars.map { $0 == quote || $0 == "\\" ? "\\\($0)" : String($0) }.joined()
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
            if seconds == 0 { faults.append("keeps what is sent again twice (-dedup.minScrapeInterval=\(interval))") }
            if seconds > 60, includesSamples {
                faults.append("keeps one sample of each span of \(interval) (-dedup.minScrapeInterval=\(interval))")
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
