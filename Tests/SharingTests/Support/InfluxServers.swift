import Foundation
import HTTP
import Testing
import WebTestSupport

/// Debian's InfluxDB 1.6 on a loopback port, with a database `health` and users with different permissions for it.
struct RealInflux {
    let process: ServerProcess
    let url: String

    static func start() async throws -> RealInflux {
        let process = try await ServerProcess.start("/usr/bin/influxd") { directory in
            let configuration = """
                reporting-disabled = true
                bind-address = "127.0.0.1:0"
                [meta]
                  dir = "\(directory.path)/meta"
                [data]
                  dir = "\(directory.path)/data"
                  wal-dir = "\(directory.path)/wal"
                [monitor]
                  store-enabled = false
                [http]
                  bind-address = "127.0.0.1:0"
                  auth-enabled = true
                """
            let file = directory.appendingPathComponent("influx.conf")
            try configuration.write(to: file, atomically: true, encoding: .utf8)
            return ["-config", file.path]
        } until: {
            $0.contains("Listening on HTTP")
        }
        let address = try #require(process.readiness.firstMatch(of: /addr=([0-9.:]+)/)?.1)
        let influx = RealInflux(process: process, url: "http://\(address)")
        _ = try await influx.query("CREATE USER admin WITH PASSWORD 'admin' WITH ALL PRIVILEGES", asUser: nil)
        for text in [
            "CREATE DATABASE health", "CREATE USER guest WITH PASSWORD 'guest'", "GRANT READ ON health TO guest",
            "CREATE USER anna WITH PASSWORD 'anna\\'s word'", "GRANT WRITE ON health TO anna",
        ] { _ = try await influx.query(text) }
        return influx
    }

    /// Writes points unchanged.
    func write(_ lines: String) async throws {
        let url = try WebAddress(url).appending(path: ["write"]).appending(query: [
            ("db", "health"), ("precision", "s"),
        ])
        let header = HTTPRequest.Header("Authorization", "Basic " + Data("admin:admin".utf8).base64EncodedString())
        let response = try await CurlTransport(userAgent: "istep/test").send(
            HTTPRequest(method: "POST", url: url, headers: [header], body: Array(lines.utf8)))
        #expect(response.status == 204, "\(response.text)")
    }

    /// The rows that a query returns, by column names.
    func query(_ text: String, asUser user: String? = "admin") async throws -> [[String: JSONValue]] {
        let url = try WebAddress(url).appending(path: ["query"]).appending(query: [
            ("db", "health"), ("epoch", "s"), ("q", text),
        ])
        let headers =
            user.map {
                [HTTPRequest.Header("Authorization", "Basic " + Data("\($0):\($0)".utf8).base64EncodedString())]
            } ?? []
        let request = HTTPRequest(method: "POST", url: url, headers: headers)
        let response = try await CurlTransport(userAgent: "istep/test").send(request)
        #expect(response.status == 200, "\(response.text)")
        struct Answer: Decodable {
            struct Result: Decodable {
                struct Series: Decodable {
                    var columns: [String]
                    var values: [[JSONValue]]
                }
                var series: [Series]?
                var error: String?
            }
            var results: [Result]
        }
        let answer = try JSONDecoder().decode(Answer.self, from: Data(response.body))
        #expect(answer.results.allSatisfy { $0.error == nil }, "\(response.text)")
        return answer.results.flatMap { $0.series ?? [] }.flatMap { series in
            series.values.map { row in Dictionary(zip(series.columns, row)) { $1 } }
        }
    }
}

/// Debian's VictoriaMetrics on a loopback port. It stores one value for each moment.
struct RealVictoriaMetrics {
    let process: ServerProcess
    let url: String

    static func start(
        _ flags: [String] = ["-retentionPeriod=100y", "-dedup.minScrapeInterval=1ms"]
    ) async throws -> RealVictoriaMetrics {
        let address = try UnusedAddress()
        let process = try await ServerProcess.start("/usr/bin/victoria-metrics") { directory in
            ["-storageDataPath=\(directory.path)/data", "-httpListenAddr=\(address)"] + flags
        } until: {
            $0.contains("started VictoriaMetrics in")
        }
        let metrics = RealVictoriaMetrics(process: process, url: "http://\(address)")
        // It reports that it is ready before it listens.
        while (try? await metrics.get("/health")) != "OK" {
            if process.hasEnded { throw ServerProcess.Failure(words: "VictoriaMetrics has ended") }
        }
        return metrics
    }

    /// Writes points unchanged.
    func write(_ lines: String, database: String) async throws {
        let url = try WebAddress(url).appending(path: ["write"]).appending(query: [
            ("db", database), ("precision", "s"),
        ])
        let request = HTTPRequest(method: "POST", url: url, body: Array(lines.utf8))
        #expect(try await CurlTransport(userAgent: "istep/test").send(request).status == 204)
    }

    /// All series, with their values by seconds since 1970.
    func series() async throws -> [[String: String]: [Int: Double]] {
        _ = try await get("/internal/force_flush")
        struct Line: Decodable {
            var metric: [String: String]
            var values: [Double]
            var timestamps: [Int]
        }
        let text = try await get("/api/v1/export?match[]=%7B__name__!%3D%22%22%7D".replacing("[]", with: "%5B%5D"))
        let lines = try text.split(separator: "\n").map { try JSONDecoder().decode(Line.self, from: Data($0.utf8)) }
        return Dictionary(
            lines.map { line in
                (line.metric, Dictionary(zip(line.timestamps.map { $0 / 1000 }, line.values)) { $1 })
            }
        ) { $0.merging($1) { $1 } }
    }

    /// All values of a series that are stored, before the server drops all but one of a moment.
    func rawValues(of name: String, user: String) async throws -> [Double] {
        _ = try await get("/internal/force_flush")
        struct Line: Decodable {
            var metric: [String: String]
            var values: [Double]
        }
        let text = try await get("/api/v1/export?reduce_mem_usage=1&match%5B%5D=\(name)")
        return try text.split(separator: "\n").map { try JSONDecoder().decode(Line.self, from: Data($0.utf8)) }
            .filter { $0.metric["user"] == user }.flatMap(\.values)
    }

    private func get(_ target: String) async throws -> String {
        try await CurlTransport(userAgent: "istep/test").send(
            HTTPRequest(method: "GET", url: try WebAddress(url + target))
        ).text
    }
}

/// A JSON value that is a text, a number, a flag or null.
enum JSONValue: Decodable, Hashable {
    case text(String)
    case number(Double)
    case flag(Bool)
    case null

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let flag = try? container.decode(Bool.self) {
            self = .flag(flag)
        } else if let number = try? container.decode(Double.self) {
            self = .number(number)
        } else if let text = try? container.decode(String.self) {
            self = .text(text)
        } else {
            self = .null
        }
    }
}
