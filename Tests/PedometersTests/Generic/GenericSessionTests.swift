import BlueZ
import StepDomain
import Testing

@testable import Pedometers

@Suite struct GenericSessionTests {
    private let now = Timestamp(1_779_272_000)

    private func session(counts: String) throws -> any PedometerSession {
        let watch = Pedometer(
            id: 1, user: 1, model: "generic", address: "C0:DE:00:00:00:02", addressType: "random", name: "watch",
            options: ["service": "fff0", "characteristic": "fff1", "format": "u16be@1", "counts": counts],
            cursor: PedometerCursor(readThrough: now - 600, counter: CounterReading(at: now - 600, value: 0x0100, utcOffset: 0)))
        return try Generic.session(SessionContext(pedometer: watch, localTime: .fixed(0)))
    }

    @Test func readsItsValueAndHandsTheStepsOver() throws {
        var session = try session(counts: "total")
        #expect(session.next(after: .started, at: now) == .read(GATTAddress("fff0", "fff1")))
        guard case .deliver(let batch, _) = session.next(after: .value([9, 0x01, 0x20]), at: now) else {
            Issue.record("nothing delivered")
            return
        }
        #expect(batch.samples.map(\.steps) == [0x20])
        #expect(session.next(after: .done, at: now) == .finish(SessionReport()))
    }

    @Test func onlyACountOfTodayIsLostAtMidnight() {
        func pedometer(_ options: [String: String]) -> Pedometer {
            Pedometer(id: 1, user: 1, model: "generic", address: "C0:DE:00:00:00:02", addressType: "random", name: "watch", options: options)
        }
        let address = ["service": "fff0", "characteristic": "fff1"]
        #expect(Generic.holdsTodayOnly(pedometer(address.merging(["counts": "today"]) { $1 })))
        #expect(!Generic.holdsTodayOnly(pedometer(address.merging(["counts": "total"]) { $1 })))
        #expect(!Generic.holdsTodayOnly(pedometer(address)))
        #expect(!Generic.holdsTodayOnly(pedometer(["counts": "today"])), "options that do not hold")
        #expect(!Colmi.holdsTodayOnly(pedometer([:])))
    }

    @Test func aShortValueIsAnError() throws {
        var session = try session(counts: "total")
        _ = session.next(after: .started, at: now)
        #expect(session.next(after: .value([1]), at: now) == .fail(.undecodable("1 bytes where u16be@1 was expected")))
    }
}
