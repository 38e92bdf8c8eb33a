import StepDomain
import Synchronization
import TestSupport
import Testing

@testable import Pedometers

@Suite(.timeLimit(.minutes(5))) struct BatchStorageTests {
    private struct Full: Error, Equatable {}

    /// What was committed and reported, in order.
    private final class Log: Sendable {
        let stored = Mutex<[SampleBatch]>([])
        let reported = Mutex<[ReadProgress]>([])

        func storage(isFull: Bool = false) -> BatchStorage {
            BatchStorage(
                store: { batch in
                    if isFull { throw Full() }
                    self.stored.withLock { $0.append(batch) }
                }, report: { step in self.reported.withLock { $0.append(step) } })
        }
    }

    private func batch(_ steps: Int, cursor: PedometerCursor? = nil, total: Int? = nil) -> SampleBatch {
        let start = Timestamp(3600 * steps)
        return SampleBatch(
            samples: [StepSample(start: start, length: 60, steps: steps, utcOffset: 0)],
            coverage: [TimeSpan(start, start + 3600)],
            frames: [RawFrame(.received, at: start, bytes: [UInt8(steps)])], cursor: cursor,
            notices: [.undecodable(frames: steps)],
            deviceTotal: total.map { DeviceTotal(day: Day(daysSince1970: 0), at: start, total: $0, slots: $0) })
    }

    @Test func `batches are stored together, in their order, and each is reported after that`() async throws {
        let log = Log()
        var storage = log.storage()
        let cursor = PedometerCursor(readThrough: Timestamp(7200))
        try await storage.add(batch(1, total: 5), .reading(done: 1, of: 2), at: .zero)
        try await storage.add(batch(2, cursor: cursor), .reading(done: 2, of: 2), at: .milliseconds(10))
        #expect(log.stored.withLock(\.isEmpty) && log.reported.withLock(\.isEmpty))
        try await storage.flush()
        let stored = try #require(log.stored.withLock { $0.count == 1 ? $0.first : nil })
        #expect(
            stored.samples.map(\.steps) == [1, 2] && stored.frames.map(\.bytes) == [[1], [2]]
                && stored.coverage.count == 2)
        #expect(stored.cursor == cursor && stored.deviceTotal?.total == 5)
        #expect(stored.notices == [.undecodable(frames: 1), .undecodable(frames: 2)])
        #expect(log.reported.withLock(\.self) == [.reading(done: 1, of: 2), .reading(done: 2, of: 2)])
        try await storage.flush()
        #expect(log.stored.withLock(\.count) == 1)
    }

    @Test func `a batch waits for a quarter of a second, counted from the first`() async throws {
        var storage = Log().storage()
        #expect(storage.remaining(at: .seconds(7)) == nil)
        try await storage.add(batch(1), .reading(done: 1, of: 3), at: .seconds(7))
        try await storage.add(batch(2), .reading(done: 2, of: 3), at: .seconds(7) + .milliseconds(200))
        #expect(storage.remaining(at: .seconds(7) + .milliseconds(200)) == .milliseconds(50))
        #expect(storage.remaining(at: .seconds(8)) == .zero)
        storage.begin()
        #expect(storage.remaining(at: .seconds(8)) == nil)
        try await storage.add(batch(3), .reading(done: 3, of: 3), at: .seconds(9))
        #expect(storage.remaining(at: .seconds(9)) == .milliseconds(250))
    }

    @Test func `a refused batch ends the reading at the next batch or at the end`() async throws {
        var storage = Log().storage(isFull: true)
        try await storage.add(batch(1), .reading(done: 1, of: 2), at: .zero)
        storage.begin()
        do throws(BatchStorage.Refusal) {
            try await storage.add(batch(2), .reading(done: 2, of: 2), at: .zero)
            Issue.record("the refusal was not reported")
        } catch {
            #expect(error.cause is Full)
        }
        try await storage.add(batch(2), .reading(done: 2, of: 2), at: .zero)
        do throws(BatchStorage.Refusal) {
            try await storage.flush()
            Issue.record("the refusal was not reported")
        } catch {
            #expect(error.cause is Full)
        }
    }

    /// Slots that occur in both, with fewer and with more steps, and coverage that overlaps.
    @Test func `batches stored together have the same result as one after the other`() throws {
        let first = SampleBatch(
            samples: [9, 5].enumerated().map {
                StepSample(start: Timestamp(60 * $0), length: 60, steps: $1, utcOffset: 0)
            },
            coverage: [TimeSpan(Timestamp(0), Timestamp(600))])
        let second = SampleBatch(
            samples: [4, 7].enumerated().map {
                StepSample(start: Timestamp(60 * $0), length: 60, steps: $1, utcOffset: 0)
            },
            coverage: [TimeSpan(Timestamp(300), Timestamp(900))])
        let data = try [[first, second], [first.followed(by: second)]].map { batches -> DayData in
            let history = InMemoryHistory()
            let user = history.addUser(named: "anna")
            let ring = history.addPedometer(
                Pedometer(
                    user: user.id, model: "colmi", address: "C0:DE:00:00:00:01", addressType: "public",
                    name: "ring"))
            let sync = try history.beginSync(of: ring.id, at: Timestamp(1000))
            for batch in batches { _ = try history.merge(batch, sync: sync, localTime: .fixed(0)) }
            return try history.dayData(of: user, on: Day(daysSince1970: 0))
        }
        #expect(data[0] == data[1])
        #expect(data[0].tracks.first?.samples.map(\.steps) == [9, 7])
    }
}
