import Foundation
import Synchronization
import Testing

@testable import SimulatedBlueZ

@Suite(.timeLimit(.minutes(5))) struct SimulatedGenericTests {
    private static let steps = CharacteristicID("fff0", "fff1")
    /// Saturday, 2026-11-21, 15:00 UTC.
    private static let now = Date(timeIntervalSince1970: 1_795_273_200)

    private func pedometer(_ source: SimulatedGeneric.Source, _ format: SimulatedGeneric.Format = .init())
        -> SimulatedGeneric
    {
        SimulatedGeneric(
            address: "C0:DE:00:00:00:07", name: "Band", advertisedServices: ["fff0"], steps: Self.steps, format: format,
            source: source, now: { Self.now })
    }

    @Test func `the step count is encoded in the configured format`() throws {
        typealias Format = SimulatedGeneric.Format
        #expect(try pedometer(.manual(0x010203)).read(Self.steps) == [3, 2, 1, 0])
        #expect(try pedometer(.manual(0x010203), Format(width: 3, bigEndian: true)).read(Self.steps) == [1, 2, 3])
        #expect(try pedometer(.manual(0x0102), Format(width: 2, offset: 2)).read(Self.steps) == [0, 0, 2, 1])
        #expect(try pedometer(.manual(65_537), Format(width: 2)).read(Self.steps) == [1, 0])
    }

    @Test func `a daily count begins at midnight and a counter does not`() throws {
        let utc = try #require(TimeZone(identifier: "UTC"))
        let history = WalkingHistory(seed: 5)
        let clock = WallClock(Self.now, in: utc)
        let today = history.slots(day: clock.dayNumber, until: clock).map(\.steps).reduce(0, +)
        let yesterday = history.slots(day: clock.dayNumber - 1, until: clock).map(\.steps).reduce(0, +)
        #expect(pedometer(.today(history, utc)).count == today)
        let since = WallClock(seconds: (clock.dayNumber - 1) * 86_400)
        #expect(pedometer(.counter(history, utc, since: since)).count == today + yesterday)
    }

    @Test func `a new step count causes a notification`() throws {
        let pedometer = pedometer(.manual(1))
        let received = Mutex<[[UInt8]]>([])
        pedometer.linkOpened(
            PeripheralLink { event in
                if case .notification(Self.steps, let value) = event { received.withLock { $0.append(value) } }
            })
        pedometer.set(513)
        #expect(received.withLock { $0 } == [[1, 2, 0, 0]])
        #expect(pedometer.count == 513)
    }

    @Test func `a write is rejected as not permitted`() {
        #expect(throws: ATTError.writeNotPermitted) { try pedometer(.manual(1)).write([1], to: Self.steps) }
    }

    @Test func `InfiniTime advertises its name but not its step service`() {
        let watch = SimulatedGeneric.infiniTime(now: { Self.now })
        #expect(watch.advertisement.name == "InfiniTime")
        #expect(!watch.advertisement.services.contains(watch.steps.service))
        #expect(watch.services.map(\.uuid).contains(watch.steps.service))
    }
}
