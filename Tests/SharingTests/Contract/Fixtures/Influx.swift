import Foundation
import StepDomain
import Synchronization
import WebTestSupport

extension Fixture {
    static let influx = Fixture(
        kind: "influx", keeps: [.user, .day, .metres, .kilocalories, .goal, .percentage, .samples],
        text: { InfluxServer.text($0) },
        open: {
            let basic = Data("anna:\(TestSecret.text)".utf8).base64EncodedString()
            return try WebVenue(InfluxServer(target: "/write?db=health&precision=s", authorization: "Basic \(basic)")) {
                "url = '\($0)'\ndatabase = 'health'\nusername = 'anna'\npassword_env = '\(TestSecret.variable)'"
            }
        },
        web: WebBehaviour(confirming: [204], notFound: .misconfigured))

    static let influx2 = Fixture(
        kind: "influx", variant: "version 2", keeps: influx.keeps, text: influx.text,
        open: {
            let server = InfluxServer(
                target: "/api/v2/write?org=at%20home&bucket=health&precision=s",
                authorization: "Token \(TestSecret.text)")
            return try WebVenue(server) {
                "url = '\($0)'\nbucket = 'health'\norg = 'at home'\ntoken_env = '\(TestSecret.variable)'"
            }
        },
        web: WebBehaviour(confirming: [204], notFound: .misconfigured))
}

/// Stores points as InfluxDB does: by measurement, tags and time.
final class InfluxServer: WebService {
    private let target: String
    private let authorization: String
    private let points = Mutex<[Series: [String: String]]>([:])

    struct Series: Hashable, Sendable {
        var measurement: String
        var tags: [String: String]
        var time: Int
    }

    init(target: String, authorization: String) { (self.target, self.authorization) = (target, authorization) }

    func isDelivery(_ request: ReceivedRequest) -> Bool { !request.text.hasPrefix("#") }

    func answer(to request: ReceivedRequest) -> Answer {
        guard request.header("Authorization") == authorization else {
            return .json(#"{"error":"authorization failed"}"#, status: 401)
        }
        if request.method == "POST", request.path == "/query" { return delete(request.text) }
        guard request.method == "POST", request.target == target else {
            return .json(#"{"error":"database not found"}"#, status: 404)
        }
        for line in request.text.split(separator: "\n") where !line.hasPrefix("#") {
            guard let (series, fields) = InfluxServer.parse(String(line)) else {
                return .json(#"{"error":"partial write: unable to parse"}"#, status: 400)
            }
            points.withLock { $0[series, default: [:]].merge(fields) { $1 } }
        }
        return .reply(status: 204, headers: [("X-Influxdb-Version", "1.6.7")])
    }

    /// Statements as istep writes them: a measurement, a user, and times.
    private func delete(_ form: String) -> Answer {
        let statements = form.replacing(/^q=/, with: "").replacing("+", with: " ").removingPercentEncoding ?? ""
        let results = statements.components(separatedBy: "; ").enumerated().map { number, statement in
            guard
                let parts = statement.wholeMatch(
                    of:
                        /DELETE FROM "(\w+)" WHERE .*"user" = '([^']*)' AND time (?:= (\d+)s|>= (\d+)s AND time < (\d+)s)/
                )
            else { return #"{"statement_id":\#(number),"error":"what?"}"# }
            let first = Int(parts.3 ?? parts.4 ?? "") ?? 0, end = parts.5.flatMap { Int($0) } ?? first + 1
            points.withLock { points in
                points = points.filter { series, _ in
                    !(series.measurement == parts.1 && series.tags["user"] == String(parts.2)
                        && (first..<end).contains(series.time))
                }
            }
            return #"{"statement_id":\#(number)}"#
        }
        return .json(#"{"results":[\#(results.joined(separator: ","))]}"#)
    }

    /// The times of the points of days, in seconds since 1970.
    var times: [Int] { points.withLock { $0.keys.filter { $0.measurement == "steps_day" }.map(\.time).sorted() } }

    /// Reads a line by the rules of https://docs.influxdata.com/influxdb/v2/reference/syntax/line-protocol/.
    static func parse(_ line: String) -> (Series, [String: String])? {
        let parts = split(line, at: " ")
        guard parts.count == 3, let time = Int(parts[2]) else { return nil }
        let names = split(parts[0], at: ",")
        let tags = names.dropFirst().map { split($0, at: "=") },
            fields = split(parts[1], at: ",").map { split($0, at: "=") }
        guard (tags + fields).allSatisfy({ $0.count == 2 && !$0[0].isEmpty && !$0[1].isEmpty }) else { return nil }
        let tagPairs = tags.map { (unescaped($0[0]), unescaped($0[1])) }
        return (
            Series(measurement: unescaped(names[0]), tags: Dictionary(tagPairs) { $1 }, time: time),
            Dictionary(fields.map { (unescaped($0[0]), $0[1]) }) { $1 }
        )
    }

    /// At the separators that have no backslash before them.
    private static func split(_ text: String, at separator: Unicode.Scalar) -> [String] {
        var parts = [String.UnicodeScalarView()]
        var isEscaped = false
        for scalar in text.unicodeScalars {
            if scalar == separator, !isEscaped {
                parts.append(String.UnicodeScalarView())
            } else {
                parts[parts.count - 1].append(scalar)
            }
            isEscaped = scalar == "\\" && !isEscaped
        }
        return parts.map { String($0) }
    }

    private static func unescaped(_ text: String) -> String {
        text.replacing(/\\([,= ])/.matchingSemantics(.unicodeScalar)) { String($0.1) }
    }

    /// The stored form of a name: no control characters, no backslash that a server could take for an escape.
    static func text(_ name: String) -> String {
        name.replacing(/\\(?=[\\,= "]|\p{Cc}|$)/.matchingSemantics(.unicodeScalar), with: "\u{29F5}")
            .replacing(/\p{Cc}/.matchingSemantics(.unicodeScalar), with: " ")
    }

    var held: [HeldDay] {
        let points = points.withLock(\.self)
        return points.filter { $0.key.measurement == "steps_day" }.sorted { $0.key.time < $1.key.time }.map {
            series, fields in
            let samples = points.filter { $0.key.measurement == "steps" && $0.key.tags["user"] == series.tags["user"] }
                .sorted { $0.key.time < $1.key.time }
            return HeldDay(
                user: series.tags["user"], day: "\(Day(daysSince1970: series.time / 86_400))",
                steps: integer(fields["steps"]) ?? -1,
                metres: integer(fields["distance_m"]), kilocalories: integer(fields["energy_kcal"]),
                goal: integer(fields["goal"]).flatMap { $0 == 0 ? nil : $0 },
                percentage: fields["percentage"].flatMap(Double.init),
                samples: Dictionary(grouping: samples) { $0.key.tags["pedometer"] ?? "" }
                    .mapValues { $0.map { integer($0.value["steps"]) ?? -1 } })
        }
    }

    private func integer(_ text: String?) -> Int? { text.flatMap { $0.hasSuffix("i") ? Int($0.dropLast()) : nil } }
}
