internal import HTTP
internal import StepDomain

/// The figures of a day that are written to a time series database, and their names.
///
/// This file is about points: which there are for a day, line protocol, and the removal of a point. How a server is
/// configured and reached is in `InfluxDestination`.
///
/// A point is identified by its measurement, tags and time: a point that is sent again replaces the earlier one. So
/// there is no tag for the machine: two machines that read the same pedometer write the same points. A field that a
/// later summary no longer has (a goal that was given up) keeps its old value; line protocol cannot remove a field.
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

    /// The tags that identify the point of a day, besides its time.
    func dayTags(of user: User) -> [String: String] { tags.merging(["user": user.name]) { $1 } }

    var dayMeasurement: String { prefix + "steps_day" }

    private func day(_ day: SharedDay, _ time: Timestamp) -> InfluxPoint {
        let summary = day.summary
        // A point has the fields of all that were written at its time: those of a deleted day are replaced.
        let none: InfluxPoint.Value? = day.isDeletion ? .integer(0) : nil
        return InfluxPoint(
            measurement: dayMeasurement, tags: dayTags(of: day.user),
            fields: [
                ("steps", .integer(day.steps)),
                ("distance_m", day.metres.map { .integer($0) } ?? none),
                ("energy_kcal", day.kilocalories.map { .integer($0) } ?? none),
                // Zero on a rest day, so that it replaces an earlier goal.
                ("goal", summary.isRestDay ? .integer(0) : summary.goal.map { .integer($0) }),
                ("percentage", day.percentage.map { .number($0) } ?? (day.isDeletion ? .number(0) : nil)),
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
/// Source: https://docs.influxdata.com/influxdb/v2/reference/syntax/line-protocol/ ("Special characters", "Naming
/// restrictions", "Duplicate points"). Version 1 uses the same protocol, and VictoriaMetrics accepts it.
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
        let fields = fields.compactMap { field in field.value.map { "\(Self.key(field.key))=\(Self.text($0))" } }
            .joined(separator: ",")
        return "\(Self.measurement(measurement))\(tags) \(fields) \(time.seconds)"
    }

    /// A series of points.
    struct Series: Hashable, Sendable {
        let measurement: String
        let tags: [String: String]
    }

    /// A single value as VictoriaMetrics stores it: each field is a series of its own, `measurement_field`.
    struct Key: Hashable, Sendable {
        let name: String
        let tags: [String: String]
        let time: Timestamp

        /// Whether the value is one that is compared with what the server has: of samples only the steps, the others
        /// belong to them.
        var isCompared: Bool { name.contains("steps_day_") || name.hasSuffix("steps_steps") }
    }

    /// Its values as numbers, by the series of each.
    var values: [(key: Key, value: Double)] {
        fields.compactMap { field in
            let number: Double? =
                switch field.value {
                case .integer(let number)?: Double(number)
                case .number(let number)?: number
                case .flag(let flag)?: flag ? 1 : 0
                case nil: nil
                }
            return number.map { (Key(name: "\(measurement)_\(field.key)", tags: tags, time: time), $0) }
        }
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

    /// The text, changed if the format cannot represent it. The format has no line feeds. A backslash before another,
    /// before a character that needs an escape, or at the end of a tag has a different meaning on each server
    /// (https://github.com/influxdata/influxdb/issues/3070, 5231). Such a backslash becomes an operator that looks the
    /// same; a control character becomes a space.
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

/// Points of a day that are to be removed.
///
/// Sources: version 1 https://docs.influxdata.com/influxdb/v1/query_language/manage-database/#delete-series-with-delete
/// (the right to write is enough), version 2 https://docs.influxdata.com/influxdb/v2/api/#operation/PostDelete.
struct InfluxRemoval: Sendable {
    let measurement: String
    let tags: [String: String]
    /// From its first second to the one after its last.
    let span: TimeSpan

    /// One request for all in version 1, one for each in version 2, with the number of removals in each.
    static func requests(
        for removals: [InfluxRemoval], url: WebAddress, database: InfluxDestination.Database,
        headers: [HTTPRequest.Header]
    ) -> [(request: HTTPRequest, count: Int)] {
        switch database {
        case .version1(let database, _):
            // A retention policy cannot be named: the point is removed from whichever it is in.
            let statements = removals.map(\.statement).joined(separator: "; ")
            let request = HTTPRequest.form(
                [.init("q", statements)], to: url.appending(path: ["query"]).appending(query: [("db", database)]),
                headers: headers,
                isRepeatable: true)
            return [(request: request, count: removals.count)]
        case .version2(let bucket, let organisation):
            let address = url.appending(path: ["api", "v2", "delete"]).appending(query: [
                ("org", organisation), ("bucket", bucket),
            ])
            return removals.map {
                (
                    request: HTTPRequest.json("POST", address, headers: headers, $0.deletion, isRepeatable: true),
                    count: 1
                )
            }
        }
    }

    /// Which of the removals an answer of 2xx confirms as done. VictoriaMetrics answers every query of version 1 with a
    /// list of databases.
    ///
    /// - Parameter count: number of removals in the request.
    static func confirmed(_ response: HTTPResponse, in database: InfluxDestination.Database, count: Int) -> [Bool] {
        if case .version2 = database { return Array(repeating: response.status == 204, count: count) }
        guard let results = response.json(Answer.self)?.results, results.count == count else {
            return Array(repeating: false, count: count)
        }
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
        let conditions = sortedTags.map { "\"\($0)\" = '\(Self.escaped($1, "'"))'" } + [times]
        return "DELETE FROM \"\(measurement)\" WHERE " + conditions.joined(separator: " AND ")
    }

    private var times: String {
        span.length == 1
            ? "time = \(span.start.seconds)s" : "time >= \(span.start.seconds)s AND time < \(span.end.seconds)s"
    }

    /// Whether `stop` belongs to the span does not matter: no point stands at the second after it (`InfluxDayPoint`).
    private var deletion: Deletion {
        let conditions = [("_measurement", measurement)] + sortedTags
        return Deletion(
            start: span.start.iso8601(utcOffset: 0), stop: span.end.iso8601(utcOffset: 0),
            predicate: conditions.map { "\($0)=\"\(Self.escaped($1, "\""))\"" }.joined(separator: " AND "))
    }

    /// Escapes by scalars: a quote with a combining mark after it is another character in Swift, but a quote for a
    /// server.
    private static func escaped(_ text: String, _ quote: Unicode.Scalar) -> String {
        text.unicodeScalars.map { $0 == quote || $0 == "\\" ? "\\\($0)" : String($0) }.joined()
    }
}
