import Foundation
import MQTTTestSupport

/// Debian's mosquitto, read back by a subscriber.
struct BrokerVenue: Venue {
    let broker: RealBroker
    private let more: String
    private let days: @Sendable ([String: String]) throws -> [HeldDay]

    /// - Parameters:
    ///   - more: lines of the destination's table, besides those of the broker.
    ///   - days: what the retained messages, by topic, say of days.
    static func start(
        _ more: String, days: @escaping @Sendable ([String: String]) throws -> [HeldDay]
    ) async throws -> BrokerVenue {
        let broker = try await RealBroker.start(users: ["istep": TestSecret.text])
        return BrokerVenue(broker: broker, more: more, days: days)
    }

    var keys: String {
        "host = '127.0.0.1'\nport = \(broker.port)\nusername = 'istep'\npassword_env = '\(TestSecret.variable)'\n\(more)"
    }

    var retained: [String: String] {
        get async { await Subscriber.retained(port: broker.port, user: ("istep", TestSecret.text)) }
    }

    func held() async throws -> [HeldDay] { try days(await retained) }

    func sent() async -> [String] { await retained.map { "\($0.key) (retained)\n\($0.value)" }.sorted() }

    func announced(_ preview: String) -> [String] {
        // Skips the part that names broker and user; payloads contain no empty lines.
        preview.split(separator: "\n\n").dropFirst().map(String.init).sorted()
    }

    func close() async { await broker.stop() }

    static func object(_ text: String) throws -> [String: Any] {
        try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any] ?? [:]
    }
}
