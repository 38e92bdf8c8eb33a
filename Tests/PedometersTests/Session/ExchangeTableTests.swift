import BlueZ
import StepDomain
import Testing

@testable import Pedometers

@Suite(.timeLimit(.minutes(5))) struct ExchangeTableTests {
    private static let address = GATTAddress("fff0", "fff1")

    /// `01` begins a reading; then `02` for each of its days, with `03` after each but the first; `04` sets the clock.
    private struct Script: TableReading {
        var table: ExchangeTable<Self>
        var days = 3
        let notifying = [ExchangeTableTests.address]

        init(_ context: SessionContext, isProbe: Bool, confirmsClock: Bool) {
            table = ExchangeTable(
                context, isProbe: isProbe, [Self.first], [Self.never, Self.day, Self.clock(confirmsClock)])
        }

        private static let first = Step(request(1)) { reading, bytes, _ in
            guard bytes == [1] else { return .other }
            reading.report.battery = 50
            return .done
        }
        private static let never = Step { _, _ in nil }
        private static let day = Step { reading, _ in
            reading.days -= 1
            return reading.days < 0 ? nil : request(2)
        } decode: { _, _, _ in
            .done
        } end: { _, _, _ in
            SampleBatch()
        } linkLost: { _, _ in
            SampleBatch(notices: [.counterRestarted])
        }.repeated(followedBy: [Step { reading, _ in reading.days < 2 ? request(3, .none) : nil }])

        private static func clock(_ confirms: Bool) -> Step {
            confirms
                ? .clock(
                    { _, _ in request(4) },
                    decode: { reading, bytes, _ in
                        if bytes == [1] { reading.confirmClock() }
                        return .done
                    })
                : .clock(nearMidnight: false) { _, _ in request(4, .none) }
        }

        private static func request(_ byte: UInt8, _ answer: ProtocolExchange.Answer = .optional) -> ProtocolExchange {
            ProtocolExchange(writing: [byte], to: ExchangeTableTests.address, name: "a test", answer: answer)
        }
    }

    /// - Parameter now: seconds of the day.
    private func play(
        isProbe: Bool = false, confirmsClock: Bool = true, setsClock: Bool = true, at now: Int = 43_200,
        linkEndsAfter: Int = .max, answer: UInt8 = 1
    ) -> SessionPlayer.Outcome {
        var context = SessionContext(pedometer: .sample(Lefun.self), localTime: .fixed(0))
        context.setsClock = setsClock
        var player = SessionPlayer(read: { _ in nil }, write: { bytes, _ in bytes == [3] ? [] : [[answer]] })
        player.linkEndsAfter = linkEndsAfter
        let session = ExchangeSession(Script(context, isProbe: isProbe, confirmsClock: confirmsClock))
        return player.play(session, at: Timestamp(now))
    }

    @Test func `the steps are taken in their order, a repeated one until it has no request`() {
        let outcome = play()
        #expect(outcome.error == nil && outcome.written == [[1], [2], [2], [3], [2], [3], [4]])
        #expect(outcome.batches.count == 3 && outcome.report?.battery == 50)
        #expect(outcome.report?.clockSet == ClockState.Setting(at: Timestamp(43_200), utcOffset: 0))
    }

    @Test func `a probe takes the first steps only`() {
        let outcome = play(isProbe: true)
        #expect(outcome.written == [[1]] && outcome.report?.battery == 50 && outcome.batches.isEmpty)
    }

    @Test func `the clock counts as set when that is confirmed, or if it never is`() {
        #expect(play(answer: 9).report?.clockSet == nil)
        #expect(play(confirmsClock: false).report?.clockSet != nil)
        #expect(!play(setsClock: false).written.contains([4]), "this machine's clock is in doubt")
        #expect(!play(confirmsClock: false, at: 100).written.contains([4]), "near midnight")
        #expect(play(at: 100).written.contains([4]))
    }

    @Test func `what was received before the link ended is that of the present step`() {
        let outcome = play(linkEndsAfter: 1)
        #expect(outcome.wasCut && outcome.notices == [.counterRestarted])
    }
}
