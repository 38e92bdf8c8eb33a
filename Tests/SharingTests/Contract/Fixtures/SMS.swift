import DBus
import ModemTestSupport
import PrivateBus

extension Fixture {
    static let sms = Fixture(
        kind: "sms", keeps: [.day], corrects: false, hasSecret: false, open: { try await ModemVenue() })
}

/// A modem on a private bus, and the receiver of its messages.
private struct ModemVenue: Venue {
    let bus: PrivateBus
    let manager: FakeModemManager
    let keys = "number = '+49 170 1234567'"

    init() async throws {
        bus = try await PrivateBus.start()
        manager = try await FakeModemManager.start(bus.address)
    }

    var systemBus: DBusAddress { .address(bus.address) }

    func held() async -> [HeldDay] {
        await manager.delivered.compactMap { message in
            guard let match = message.text.wholeMatch(of: /(?s)([0-9-]{10}): ([0-9,]+) steps.*/),
                let steps = Int(match.2.replacing(",", with: ""))
            else { return nil }
            return HeldDay(day: String(match.1), steps: steps)
        }.sorted { ($0.day ?? "") < ($1.day ?? "") }
    }

    func sent() async -> [String] { await manager.delivered.map { "To: \($0.number)\n\n\($0.text)" } }

    func close() async {
        await manager.stop()
        withExtendedLifetime(bus) {}
    }
}
