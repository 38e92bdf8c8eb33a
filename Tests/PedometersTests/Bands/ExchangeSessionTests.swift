import BlueZ
import StepDomain
import Testing

@testable import Pedometers

@Suite(.timeLimit(.minutes(5))) struct ExchangeSessionTests {
    private static let address = GATTAddress("fff0", "fff1")

    /// One request after the other; an answer is `01`, the end `02`, a wrong one `03`, and `04` is undecodable.
    private struct Script: ExchangeProtocol {
        var exchanges: [ProtocolExchange]
        var ends: [ExchangeEnd] = []
        var begun = 0
        let notifying = [ExchangeSessionTests.address]
        var report: SessionReport { SessionReport(notices: [.implausible(samples: ends.count)]) }

        mutating func next(at now: Timestamp) -> ProtocolExchange? { exchanges.isEmpty ? nil : exchanges.removeFirst() }
        mutating func begin(at now: Timestamp) { begun += 1 }
        mutating func receive(_ bytes: [UInt8], at now: Timestamp) -> ExchangeProgress {
            switch bytes.first {
            case 1: .more
            case 2: .done
            case 3: .again
            case 4: .undecodable
            default: .other
            }
        }
        mutating func end(_ end: ExchangeEnd, at now: Timestamp) -> SampleBatch? {
            ends.append(end)
            return SampleBatch()
        }
        mutating func linkLost(at now: Timestamp) -> SampleBatch? { SampleBatch(notices: [.undecided(steps: 1)]) }
    }

    private func exchange(_ answer: ProtocolExchange.Answer, attempts: Int = 3) -> ProtocolExchange {
        ProtocolExchange(
            request: .write([9], to: Self.address), name: "a test", answer: answer, timeout: 5, attempts: attempts)
    }

    private func play(
        _ exchanges: [ProtocolExchange], linkEndsAfter: Int = .max, secondsPerValue: Int = 0,
        _ answers: @escaping (Int) -> [[UInt8]]
    ) -> SessionPlayer.Outcome {
        var writes = 0
        var player = SessionPlayer(
            read: { _ in nil },
            write: { _, _ in
                writes += 1
                return answers(writes)
            })
        player.linkEndsAfter = linkEndsAfter
        player.secondsPerValue = secondsPerValue
        return player.play(ExchangeSession(Script(exchanges: exchanges)), at: Timestamp(1_000))
    }

    @Test func `a required answer that never comes is an error, an optional one is left out`() {
        let optional = play([exchange(.optional), exchange(.required)]) { $0 <= 3 ? [] : [[1], [2]] }
        #expect(
            optional.error == nil && optional.written.count == 4 && optional.waited == 15 && optional.batches.count == 2
        )
        let required = play([exchange(.required), exchange(.required)]) { _ in [] }
        #expect(required.error == .noAnswer(to: "a test", attempts: 3, seconds: 15) && required.written.count == 3)
    }

    @Test func `no answer is awaited after a request that has none`() {
        let outcome = play([exchange(.none), exchange(.required)]) { $0 == 1 ? [] : [[2]] }
        #expect(outcome.error == nil && outcome.waited == 0)
    }

    @Test func `the rest of a wrong answer is not taken for the next`() {
        let outcome = play([exchange(.required)]) { $0 == 1 ? [[1], [3], [1], [2], [3]] : [[1], [2]] }
        #expect(outcome.error == nil && outcome.written.count == 2 && outcome.waited == 1)
        let never = play([exchange(.required)]) { _ in [[3]] }
        #expect(never.written.count == 3 && never.batches.count == 1)
        guard case .undecodable = never.error else {
            Issue.record("\(never.error as Any)")
            return
        }
    }

    @Test func `packets that are no answer do not extend the wait, and have an end`() {
        let chatter = play([exchange(.optional, attempts: 1)], secondsPerValue: 1) { _ in
            Array(repeating: [7], count: 1_000)
        }
        #expect(chatter.error == nil && chatter.report != nil)
        let endless = play([exchange(.required)]) { _ in Array(repeating: [1], count: 20_000) }
        #expect(endless.error == .undecodable("too many packets"))
    }

    @Test func `an answer without an end is complete after silence, and nothing is requested again`() {
        var quiet = exchange(.required)
        quiet.quiet = 2
        let outcome = play([quiet]) { $0 == 1 ? [[1], [1]] : [] }
        #expect(outcome.error == nil && outcome.written.count == 1 && outcome.waited == 2 && outcome.batches.count == 1)
        // Before its first packet, the wait is that of any other.
        let silent = play([quiet]) { $0 < 3 ? [] : [[1]] }
        #expect(silent.error == nil && silent.written.count == 3 && silent.waited == 12)
    }

    @Test func `a wrong answer is rejected before it is requested again`() {
        var rejected = exchange(.optional, attempts: 2)
        rejected.rejection = [8]
        let once = play([rejected]) { $0 == 1 ? [[1], [3]] : $0 == 2 ? [] : [[2]] }
        #expect(once.written == [[9], [8], [9]] && once.waited == 1)
        let always = play([rejected]) { $0 % 2 == 1 ? [[3]] : [] }
        #expect(always.written == [[9], [8], [9], [8]] && always.batches.count == 1)
    }

    @Test func `an endless slow answer is an error`() {
        let outcome = play([exchange(.required)], secondsPerValue: 4) { _ in Array(repeating: [1], count: 5_000) }
        guard case .undecodable = outcome.error else {
            Issue.record("\(outcome.error as Any)")
            return
        }
        #expect(outcome.received * 4 <= 610)
    }

    @Test func `a clock of the machine that is put forward does not end a wait or an answer`() {
        var session = ExchangeSession(Script(exchanges: [exchange(.required)]))
        let now = Timestamp(1_000)
        for event in [SessionEvent.started, .done] { _ = session.next(after: event, at: now, uptime: .zero) }
        let waits = SessionAction.receive(seconds: 5)
        #expect(session.next(after: .done, at: now, uptime: .zero) == waits)
        #expect(session.next(after: .value([1]), at: now + 3_600, uptime: .seconds(1)) == waits)
        // What is none of the answer leaves the rest of the wait.
        let rest = SessionAction.receive(seconds: 4)
        #expect(session.next(after: .value([7]), at: now + 7_200, uptime: .seconds(2)) == rest)
    }

    @Test func `packets that cannot be decoded are reported`() {
        let outcome = play([exchange(.required)]) { _ in [[4], [4], [2]] }
        #expect(outcome.report?.notices == [.implausible(samples: 1), .undecodable(frames: 2)])
    }

    @Test func `records received before the link ended are delivered`() {
        let outcome = play([exchange(.required)], linkEndsAfter: 1) { _ in [[1], [1], [2]] }
        #expect(outcome.wasCut && outcome.notices == [.undecided(steps: 1)])
        // The answer was wrong, and is to be requested again.
        let wrong = play([exchange(.required)], linkEndsAfter: 2) { _ in [[1], [3], [1]] }
        #expect(wrong.wasCut && wrong.batches.isEmpty)
    }
}
