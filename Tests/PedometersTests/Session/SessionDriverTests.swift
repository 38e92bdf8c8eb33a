import BlueZ
import StepDomain
import Synchronization
import TestSupport
import Testing

@testable import Pedometers

@Suite(.timeLimit(.minutes(5))) struct SessionDriverTests {
    private let address = GATTAddress("fff0", "fff1")

    /// Performs the given actions in order, then finishes.
    private struct Script: PedometerSession {
        var actions: [SessionAction]
        var events: [SessionEvent] = []
        /// What it delivers when the link ends.
        var last: SampleBatch?
        var readsOn = false

        mutating func next(after event: SessionEvent, at now: Timestamp, uptime: Duration) -> SessionAction {
            events.append(event)
            if event == .linkLost {
                return last.map { .deliver($0, progress: .reading(done: 1, of: 2)) } ?? .finish(SessionReport())
            }
            return actions.isEmpty ? .finish(SessionReport(battery: 50)) : actions.removeFirst()
        }
    }

    /// Answers a write with notifications; anything unexpected fails.
    private final class Link: SessionLink {
        struct Unexpected: Error {}
        struct Gone: Error, Equatable {}
        let answers: [[UInt8]]
        let breaks: Bool
        private let waiting = Mutex<[[UInt8]]?>(nil)

        let value: [UInt8]?
        let willWrite: @Sendable () -> Void

        init(
            answers: [[UInt8]] = [], breaks: Bool = false, value: [UInt8]? = nil,
            willWrite: @escaping @Sendable () -> Void = {}
        ) {
            self.answers = answers
            self.value = value
            self.breaks = breaks
            self.willWrite = willWrite
        }

        func subscribe(_ address: GATTAddress) { waiting.withLock { $0 = [] } }
        func subscribeAll(_ addresses: [GATTAddress]) { waiting.withLock { $0 = [] } }

        /// A link that breaks does so after the answers.
        func next(within limit: Duration) throws -> [UInt8]? {
            try waiting.withLock { waiting in
                guard waiting != nil else { throw Unexpected() }
                if waiting?.isEmpty == false { return waiting?.removeFirst() }
                if breaks { throw Gone() }
                return nil
            }
        }

        func write(_ bytes: [UInt8], to address: GATTAddress, response: Bool) async throws {
            willWrite()
            try waiting.withLock { waiting in
                guard waiting != nil else { throw Unexpected() }
                waiting? += answers
            }
        }

        func read(_ address: GATTAddress) throws -> [UInt8] {
            guard let value else { throw Unexpected() }
            return value
        }
        func readIfPresent(_ address: GATTAddress) throws -> [UInt8]? { value }
        func stream(_ bytes: [UInt8], to address: GATTAddress) async throws {
            try await write(bytes, to: address, response: false)
        }
        func writeIfPresent(_ bytes: [UInt8], to address: GATTAddress) async throws -> Bool {
            guard value != nil else { return false }
            try await write(bytes, to: address, response: true)
            return true
        }
        func batteryLevel() -> Int? { 77 }
    }

    private actor History {
        struct Full: Error, Equatable {}
        var batches: [SampleBatch] = []
        var isFull = false
        func fill() { isFull = true }
        func merge(_ batch: SampleBatch) throws {
            if isFull { throw Full() }
            batches.append(batch)
        }
    }

    private func run(
        _ actions: [SessionAction], last: SampleBatch? = nil, _ link: Link, _ history: History, readsOn: Bool = false
    ) async throws -> SessionDriver.Outcome {
        let driver = SessionDriver(
            link: link, now: { Timestamp(1000) }, progress: { _ in }, merge: { try await history.merge($0) })
        var session: any PedometerSession = Script(actions: actions, last: last, readsOn: readsOn)
        return try await driver.run(&session)
    }

    @Test func `frames are stored with the batch that follows them`() async throws {
        let history = History()
        let sample = StepSample(start: Timestamp(0), length: 60, steps: 10, utcOffset: 0)
        let outcome = try await run(
            [
                .subscribe(address), .write([1], to: address, response: false), .receive(seconds: 5),
                .deliver(SampleBatch(samples: [sample]), progress: .reading(done: 1, of: 1)),
                .write([2], to: address, response: false), .receive(seconds: 5),
            ], Link(answers: [[9, 9]]), history)
        let batches = await history.batches
        #expect(batches.map(\.samples) == [[sample]])
        #expect(batches[0].frames.map(\.bytes) == [[1], [9, 9]])
        #expect(outcome.rest?.frames.map(\.bytes) == [[2], [9, 9]])
        #expect(batches[0].frames.map(\.direction) == [.sent, .received])
        #expect(outcome.report.battery == 50)
    }

    @Test func `frames before a lost link are stored`() async throws {
        let history = History()
        let actions: [SessionAction] = [
            .subscribe(address), .write([1], to: address, response: false), .receive(seconds: 5), .receive(seconds: 5),
        ]
        await #expect(throws: Link.Gone()) { try await run(actions, Link(answers: [[8]], breaks: true), history) }
        #expect(await history.batches.map { $0.frames.map(\.bytes) } == [[[1], [8]]])
    }

    /// Whatever it sends: other pedometers are to be read, too.
    @Test func `an endless reading is ended, and the received data is stored`() async throws {
        let history = History(), minutes = Mutex(0)
        let sample = StepSample(start: Timestamp(0), length: 60, steps: 10, utcOffset: 0)
        let driver = SessionDriver(
            link: Link(answers: Array(repeating: [7], count: 100)), now: { Timestamp(1000) },
            uptime: {
                minutes.withLock { minutes in
                    minutes += 1
                    return .seconds(60 * minutes)
                }
            }, progress: { _ in }, merge: { try await history.merge($0) })
        var session: any PedometerSession = Script(
            actions: [.subscribe(address)] + Array(repeating: .receive(seconds: 5), count: 100),
            last: SampleBatch(samples: [sample]),
            readsOn: false)
        await #expect(throws: PedometerError.endless(minutes: 15)) { _ = try await driver.run(&session) }
        #expect(await history.batches.map(\.samples) == [[sample]])
    }

    @Test func `a failed merge ends the reading with its error`() async throws {
        let history = History()
        await history.fill()
        let actions: [SessionAction] = [
            .deliver(SampleBatch(), progress: .reading(done: 1, of: 1)), .subscribe(address),
        ]
        await #expect(throws: History.Full()) { try await run(actions, Link(), history) }
    }

    /// The order in which a delivery is committed, once the write after it was begun or no other is expected, and the
    /// writes.
    private func order(readsOn: Bool) async throws -> [String] {
        let order = Mutex<[String]>([])
        let (written, write) = AsyncStream<Void>.makeStream()
        let link = Link(answers: [[9]]) {
            order.withLock { $0.append("write") }
            write.yield()
        }
        let driver = SessionDriver(
            link: link, now: { Timestamp(1000) }, progress: { _ in },
            merge: { batch in
                if readsOn, !batch.samples.isEmpty { for await _ in written { break } }
                order.withLock { $0.append("commit") }
            })
        let sample = StepSample(start: Timestamp(0), length: 60, steps: 10, utcOffset: 0)
        let actions: [SessionAction] = [
            .subscribe(address), .deliver(SampleBatch(samples: [sample]), progress: .reading(done: 1, of: 1)),
            .write([1], to: address, response: false),
            .deliver(SampleBatch(), progress: .reading(done: 1, of: 1)),
        ]
        var session: any PedometerSession = Script(actions: actions, readsOn: readsOn)
        _ = try await driver.run(&session)
        return order.withLock(\.self)
    }

    @Test func `a session that only reads goes on before a batch is stored`() async throws {
        #expect(try await order(readsOn: true) == ["write", "commit"])
    }

    /// The samples of each commit of a session that only reads: two batches with one sample each, and a write and a
    /// wait after each batch.
    ///
    /// - Parameter pause: time that passes with each look at the clock.
    private func commits(pause: Duration, _ link: Link) async throws -> [[Int]] {
        let history = History(), uptime = Mutex(Duration.zero)
        let driver = SessionDriver(
            link: link, now: { Timestamp(1000) },
            uptime: {
                uptime.withLock { uptime in
                    uptime += pause
                    return uptime
                }
            }, progress: { _ in }, merge: { try await history.merge($0) })
        let days = (1...2).flatMap { steps -> [SessionAction] in
            let sample = StepSample(start: Timestamp(60 * steps), length: 60, steps: steps, utcOffset: 0)
            return [
                .deliver(SampleBatch(samples: [sample]), progress: .reading(done: steps, of: 2)),
                .write([1], to: address, response: false), .receive(seconds: 5),
            ]
        }
        var session: any PedometerSession = Script(actions: [.subscribe(address)] + days, readsOn: true)
        _ = try await driver.run(&session)
        return await history.batches.map { $0.samples.map(\.steps) }.filter { !$0.isEmpty }
    }

    @Test func `batches that follow each other quickly are stored together`() async throws {
        #expect(try await commits(pause: .milliseconds(1), Link(answers: [[9]])) == [[1, 2]])
    }

    @Test func `a batch is stored while the answer to the next request arrives slowly`() async throws {
        #expect(try await commits(pause: .milliseconds(100), Link(answers: [[9]])) == [[1], [2]])
    }

    @Test func `a batch is stored while the pedometer is silent`() async throws {
        #expect(try await commits(pause: .milliseconds(1), Link()) == [[1], [2]])
    }

    /// The request and the storing must not compete for one processor.
    @Test func `a batch is not stored before the next request was sent`() async throws {
        let hasWritten = Mutex(false)
        let link = Link(answers: [[9]]) { hasWritten.withLock { $0 = true } }
        let driver = SessionDriver(
            link: link, now: { Timestamp(1000) }, progress: { _ in },
            merge: { _ in
                let isAfterWrite = hasWritten.withLock(\.self)
                #expect(isAfterWrite)
            })
        var session: any PedometerSession = Script(
            actions: [
                .subscribe(address), .deliver(SampleBatch(), progress: .reading(done: 1, of: 1)),
                .write([1], to: address, response: false),
            ],
            readsOn: true)
        _ = try await driver.run(&session)
    }

    @Test func `a session that changes the pedometer waits for the batch`() async throws {
        #expect(try await order(readsOn: false) == ["commit", "write", "commit"])
    }

    @Test(arguments: [
        [SessionAction.receive(seconds: 5)], [.deliver(SampleBatch(), progress: .reading(done: 1, of: 1))],
        [.fail(.undecodable("x"))], [],
    ])
    func `a merge that fails during the reading ends it with the error of the merge`(actions: [SessionAction])
        async throws
    {
        let history = History()
        await history.fill()
        let deliver = SessionAction.deliver(SampleBatch(), progress: .reading(done: 1, of: 1))
        await #expect(throws: History.Full()) {
            try await run([.subscribe(address), deliver] + actions, Link(breaks: true), history, readsOn: true)
        }
    }

    /// A pedometer that never stops, and a session that keeps listening: the frames end at a limit, and are kept for
    /// diagnosis.
    @Test(.cpuBound, arguments: [20, 512]) func `too many frames end the reading`(size: Int) async throws {
        let history = History()
        let answers = [[UInt8]](repeating: [UInt8](repeating: 1, count: size), count: 20_000)
        let listening = [SessionAction](repeating: .receive(seconds: 5), count: answers.count)
        await #expect(throws: PedometerError.undecodable("too many packets")) {
            try await run(
                [.subscribe(address), .write([1], to: address, response: false)] + listening, Link(answers: answers),
                history)
        }
        let frames = await history.batches.flatMap(\.frames)
        #expect(frames.count == min(SessionDriver.maximumFrames, (SessionDriver.maximumBytes - 1) / size + 1))
        #expect(frames.reduce(0) { $0 + $1.bytes.count } <= SessionDriver.maximumBytes)
    }

    @Test func `an error of the session is passed on`() async {
        await #expect(throws: PedometerError.undecodable("x")) {
            try await run([.fail(.undecodable("x"))], Link(), History())
        }
    }

    @Test func `data that the session delivers when the link ends are merged before the error`() async throws {
        let history = History()
        let sample = StepSample(start: Timestamp(0), length: 60, steps: 10, utcOffset: 0)
        let actions: [SessionAction] = [
            .subscribe(address), .write([1], to: address, response: false), .receive(seconds: 5), .receive(seconds: 5),
        ]
        await #expect(throws: Link.Gone()) {
            try await run(actions, last: SampleBatch(samples: [sample]), Link(answers: [[8]], breaks: true), history)
        }
        let batches = await history.batches
        #expect(batches.map(\.samples) == [[sample]])
        #expect(batches.map { $0.frames.map(\.bytes) } == [[[1], [8]]])
    }

    @Test func `a cancelled reading delivers the data received before`() async throws {
        let history = History()
        let sample = StepSample(start: Timestamp(0), length: 60, steps: 10, utcOffset: 0)
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await run([.subscribe(address)], last: SampleBatch(samples: [sample]), Link(), history)
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(await history.batches.map(\.samples) == [[sample]])
    }

    @Test func `a value longer than Bluetooth allows is cut and reported, and the sync goes on`() async throws {
        let history = History()
        let outcome = try await run(
            [.read(address), .deliver(SampleBatch(), progress: .reading(done: 1, of: 1))],
            Link(value: Array(repeating: 7, count: 3000)), history
        )
        #expect(outcome.report.notices == [.oversized(values: 1)])
        #expect(await history.batches.map { $0.frames.map(\.bytes.count) } == [[512]])
    }
}
