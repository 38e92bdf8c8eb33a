import BlueZ
import StepDomain
import Testing

@testable import Pedometers

@Suite(.timeLimit(.minutes(5))) struct GenericSessionTests {
    private let now = Timestamp(1_779_272_000)

    private func session(counts: String) throws -> any PedometerSession {
        let watch = Pedometer(
            id: 1, user: 1, model: "generic", address: "C0:DE:00:00:00:02", addressType: "random", name: "watch",
            options: ["service": "fff0", "characteristic": "fff1", "format": "u16be@1", "counts": counts],
            cursor: PedometerCursor(
                readThrough: now - 600, counter: CounterReading(at: now - 600, value: 0x0100, utcOffset: 0)))
        return try Generic.session(SessionContext(pedometer: watch, localTime: .fixed(0)))
    }

    @Test func `a session reads its value and delivers the steps`() throws {
        var session = try session(counts: "total")
        #expect(session.next(after: .started, at: now) == .read(GATTAddress("fff0", "fff1")))
        guard case .deliver(let batch, _) = session.next(after: .value([9, 0x01, 0x20]), at: now) else {
            Issue.record("nothing delivered")
            return
        }
        #expect(batch.samples.map(\.steps) == [0x20])
        #expect(session.next(after: .done, at: now) == .finish(SessionReport()))
    }

    /// It was stored as the steps of the day.
    @Test func `more than anyone walks in a day is a glitch of a counter of today`() throws {
        let player = SessionPlayer(read: { _ in [0x90, 0xd0, 0x03, 0x00] })
        let context = SessionContext(pedometer: .sample(Generic.self), localTime: .fixed(0))
        let outcome = player.play(try Generic.session(context), at: Timestamp(1_779_307_200))
        #expect(outcome.samples.isEmpty && outcome.cursor == nil && outcome.notices == [.implausible(samples: 1)])
    }

    @Test func `only a counter of today loses its count at midnight`() {
        func pedometer(_ options: [String: String]) -> Pedometer {
            Pedometer(
                id: 1, user: 1, model: "generic", address: "C0:DE:00:00:00:02", addressType: "random", name: "watch",
                options: options)
        }
        let address = ["service": "fff0", "characteristic": "fff1"]
        #expect(Generic.holdsTodayOnly(pedometer(address.merging(["counts": "today"]) { $1 })))
        #expect(!Generic.holdsTodayOnly(pedometer(address.merging(["counts": "total"]) { $1 })))
        #expect(!Generic.holdsTodayOnly(pedometer(address)))
        #expect(!Generic.holdsTodayOnly(pedometer(["counts": "today"])), "options that do not hold")
        #expect(!Colmi.holdsTodayOnly(pedometer([:])))
    }

    @Test func `a value that is too short is an error`() throws {
        var session = try session(counts: "total")
        _ = session.next(after: .started, at: now)
        #expect(
            session.next(after: .value([1]), at: now)
                == .fail(
                    .undecodable("its format is u16be@1, but the characteristic has 1 byte, and this format needs 3")))
    }

    /// 2026-05-20 00:10 UTC, a watch that was never read.
    private func firstReading() throws -> (any PedometerSession, Timestamp) {
        let midnight = Timestamp(Day("2026-05-20")!.daysSince1970 * 86_400)
        let watch = Pedometer(
            id: 1, user: 1, model: "generic", address: "C0:DE:00:00:00:02", addressType: "random", name: "watch",
            options: ["service": "fff0", "characteristic": "fff1", "format": "u16be", "counts": "today"])
        return (try Generic.session(SessionContext(pedometer: watch, localTime: .fixed(0))), midnight + 600)
    }

    private func delivered(_ action: SessionAction) -> SampleBatch? {
        guard case .deliver(let batch, _) = action else { return nil }
        return batch
    }

    @Test func `the clock is read only where something depends on it`() throws {
        var (session, now) = try firstReading()
        #expect(session.next(after: .started, at: now) == .read(GATTAddress("fff0", "fff1")))
        #expect(session.next(after: .value([0x25, 0x80]), at: now) == .readIfPresent(GATTAddress("1805", "2a2b")))
        // It shows 23:58 of the day before.
        let batch = try #require(
            delivered(session.next(after: .value([0xea, 0x07, 5, 19, 23, 58, 0, 2, 0, 0]), at: now)))
        #expect(batch.samples.map(\.steps) == [9600])
        #expect(batch.samples.map(\.day) == [Day("2026-05-19")])
        #expect(session.next(after: .done, at: now) == .finish(SessionReport()))
    }

    @Test(arguments: [SessionEvent.absent, .linkLost, .value([1, 2])])
    func `without a clock an undecided value waits`(event: SessionEvent) throws {
        var (session, now) = try firstReading()
        _ = session.next(after: .started, at: now)
        _ = session.next(after: .value([0x25, 0x80]), at: now)
        let batch = try #require(delivered(session.next(after: event, at: now)))
        #expect(batch.samples.isEmpty)
        #expect(batch.cursor?.undecided?.value == 9600)
        #expect(batch.notices == [.undecided(steps: 9600)])
    }
}
