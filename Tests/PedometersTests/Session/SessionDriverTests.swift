import BlueZ
import StepDomain
import Synchronization
import Testing

@testable import Pedometers

@Suite(.timeLimit(.minutes(5))) struct SessionDriverTests {
    private let address = GATTAddress("fff0", "fff1")

    /// Does the given actions in order, then finishes.
    private struct Script: PedometerSession {
        var actions: [SessionAction]
        var events: [SessionEvent] = []

        mutating func next(after event: SessionEvent, at now: Timestamp) -> SessionAction {
            events.append(event)
            return actions.isEmpty ? .finish(SessionReport(battery: 50)) : actions.removeFirst()
        }
    }

    /// Answers a write with notifications; anything that it was not told fails.
    private final class Link: SessionLink {
        struct Unexpected: Error {}
        struct Gone: Error, Equatable {}
        let answers: [[UInt8]]
        let breaks: Bool
        private let inbox = Mutex<Inbox?>(nil)

        init(answers: [[UInt8]] = [], breaks: Bool = false) {
            self.answers = answers
            self.breaks = breaks
        }

        func subscribe(_ address: GATTAddress, into inbox: Inbox) { self.inbox.withLock { $0 = inbox } }

        func write(_ bytes: [UInt8], to address: GATTAddress, response: Bool) async throws {
            guard let inbox = inbox.withLock({ $0 }) else { throw Unexpected() }
            for answer in answers { await inbox.put(answer) }
            if breaks { await inbox.close(Gone()) }
        }

        func read(_ address: GATTAddress) throws -> [UInt8] { throw Unexpected() }
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

    private func run(_ actions: [SessionAction], _ link: Link, _ history: History) async throws -> SessionDriver.Outcome {
        let driver = SessionDriver(
            link: link, inbox: Inbox(), now: { Timestamp(1000) }, progress: { _ in }, merge: { try await history.merge($0) })
        var session: any PedometerSession = Script(actions: actions)
        return try await driver.run(&session)
    }

    @Test func framesGoWithTheBatchThatFollowsThem() async throws {
        let history = History()
        let sample = StepSample(start: Timestamp(0), length: 60, steps: 10, utcOffset: 0)
        let outcome = try await run(
            [
                .subscribe(address), .write([1], to: address, response: false), .receive(seconds: 5),
                .deliver(SampleBatch(samples: [sample]), progress: .settingClock),
                .write([2], to: address, response: false), .receive(seconds: 5),
            ], Link(answers: [[9, 9]]), history)
        let batches = await history.batches
        #expect(batches.map(\.samples) == [[sample]])
        #expect(batches[0].frames.map(\.bytes) == [[1], [9, 9]])
        #expect(outcome.rest?.frames.map(\.bytes) == [[2], [9, 9]])
        #expect(batches[0].frames.map(\.direction) == [.sent, .received])
        #expect((outcome.report.bytesReceived, outcome.report.bytesSent) == (4, 2))
        #expect(outcome.report.battery == 50)
    }

    @Test func aLostLinkLeavesTheFramesBehindThatLedToIt() async throws {
        let history = History()
        let actions: [SessionAction] = [
            .subscribe(address), .write([1], to: address, response: false), .receive(seconds: 5), .receive(seconds: 5),
        ]
        await #expect(throws: Link.Gone()) { try await run(actions, Link(answers: [[8]], breaks: true), history) }
        #expect(await history.batches.map { $0.frames.map(\.bytes) } == [[[1], [8]]])
    }

    @Test func aRefusedMergeEndsTheReadingWithTheHistorysError() async throws {
        let history = History()
        await history.fill()
        let actions: [SessionAction] = [.deliver(SampleBatch(), progress: .settingClock), .subscribe(address)]
        await #expect(throws: History.Full()) { try await run(actions, Link(), history) }
    }

    @Test func theSessionsOwnErrorComesThrough() async {
        await #expect(throws: PedometerError.undecodable("x")) { try await run([.fail(.undecodable("x"))], Link(), History()) }
    }
}
