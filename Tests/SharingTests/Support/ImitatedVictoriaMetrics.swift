import Foundation
import Synchronization
import WebTestSupport

/// Stores values as VictoriaMetrics does: all that it gets, of which it shows one for each moment.
final class ImitatedVictoriaMetrics: Sendable {
    struct Key: Hashable {
        var name: String
        var tags: [String: String]
        var time: Int
    }

    let server: LoopbackServer
    private let values: Values

    private final class Values: Sendable {
        let all = Mutex<[Key: [Double]]>([:])
        /// Selectors that had no series. The server forgets them after 10 seconds, this imitation never.
        let empty = Mutex<Set<String>>([])
    }

    /// - Parameters:
    ///   - version: as its `/metrics` shows it.
    ///   - exports: whether it shows what it has.
    init(version: String, exports: Bool = true) throws {
        let values = Values()
        self.values = values
        let keepsGreatest = version.hasPrefix("v1.1") || version.hasPrefix("v1.9")
        server = try LoopbackServer.start { request in
            let header = [("X-Server-Hostname", "vm"), ("X-Influxdb-Version", "1.8.0")]
            switch request.path {
            case "/metrics":
                return .reply(
                    headers: header,
                    body: """
                        vm_app_version{version="victoria-metrics-20220912-tags-\(version)", short_version="\(version)"} 1
                        flag{name="dedup.minScrapeInterval", value="1ms", is_set="true"} 1
                        flag{name="retentionPeriod", value="100y", is_set="true"} 1
                        """)
            case "/write":
                for line in request.text.split(separator: "\n") where !line.hasPrefix("#") {
                    guard let (series, fields) = InfluxServer.parse(String(line)) else {
                        return .reply(status: 400, headers: header)
                    }
                    for (field, text) in fields {
                        let number =
                            text == "true"
                            ? 1 : text == "false" ? 0 : Double(text.hasSuffix("i") ? String(text.dropLast()) : text)
                        let key = Key(name: "\(series.measurement)_\(field)", tags: series.tags, time: series.time)
                        values.all.withLock { $0[key, default: []].append(number ?? -1) }
                    }
                }
                return .reply(status: 204, headers: header)
            case "/api/v1/export" where exports:
                let text = Self.export(request, values.all.withLock(\.self), keepsGreatest)
                let selector = URLComponents(string: request.target)?.queryItems?.first { $0.name == "match[]" }?.value
                let wasEmpty = values.empty.withLock { empty in
                    text.isEmpty ? !empty.insert(selector ?? "").inserted : empty.contains(selector ?? "")
                }
                return .reply(headers: header, body: wasEmpty ? "" : text)
            default: return .reply(status: 400, headers: header, body: "unsupported path requested")
            }
        }
    }

    private static func export(_ request: ReceivedRequest, _ values: [Key: [Double]], _ keepsGreatest: Bool) -> String {
        let query = URLComponents(string: request.target)?.queryItems ?? []
        func item(_ name: String) -> String { query.first { $0.name == name }?.value ?? "" }
        let selector = item("match[]")
        let names =
            selector.firstMatch(of: /__name__=~"([^"]*)"/).map { $0.1.split(separator: "|").map(String.init) } ?? []
        let tags = selector.matches(of: /[{,](\w+)="([^"]*)"/).map { (String($0.1), String($0.2)) }
        let times = (Int(item("start")) ?? 0)...(Int(item("end")) ?? 0)
        return values.filter { key, _ in
            names.contains(key.name) && tags.allSatisfy { key.tags[$0.0] == $0.1 } && times.contains(key.time)
        }.map { key, values in
            let metric = key.tags.merging(["__name__": key.name, "db": "health"]) { $1 }
            let line: [String: Any] = [
                "metric": metric, "values": [(keepsGreatest ? values.max() : values.first) ?? 0],
                "timestamps": [key.time * 1000],
            ]
            return (try? JSONSerialization.data(withJSONObject: line)).map { String(decoding: $0, as: UTF8.self) } ?? ""
        }.joined(separator: "\n")
    }

    /// All values that were written for a series, in their order.
    func written(_ name: String, user: String = "Anna") -> [Double] {
        values.all.withLock {
            $0.filter { $0.key.name == name && $0.key.tags["user"] == user }.sorted { $0.key.time < $1.key.time }
        }
        .flatMap(\.value)
    }
}
