import StepDomain
import StepServices
import Synchronization
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5))) struct FrameCaptureTests {
    private let pedometer = Pedometer(
        id: 1, user: 1, model: "ring", address: "C0:DE:52:02:A1:B2", addressType: "random", name: "R02_A1B2")

    private func frame(_ direction: RawFrame.Direction, _ bytes: [UInt8]) -> RawFrame {
        RawFrame(direction, at: Timestamp(1_779_284_400), bytes: bytes)
    }

    @Test func `the text of a capture has the model, the time, the options and the frames`() {
        let capture = FrameCapture(
            model: "ring", options: ["format": "u32le", "counts": "today"], time: Timestamp(1_779_284_400),
            utcOffset: 7_200,
            frames: [frame(.sent, [3, 0xff]), frame(.received, []), frame(.received, [0x80])])
        #expect(
            capture.text == """
                pedometer capture 1
                model: ring
                time: 1779284400
                offset: 7200
                option.counts: today
                option.format: u32le
                > 03 ff
                <
                < 80

                """)
    }

    @Test func `the address and the name of the pedometer are masked`() {
        let address: [UInt8] = [0xc0, 0xde, 0x52, 0x02, 0xa1, 0xb2]
        let secrets: [[UInt8]] = [
            address, address.reversed(), Array("C0:DE:52:02:A1:B2".utf8), Array("c0:de:52:02:a1:b2".utf8),
            Array("R02_A1B2".utf8),
        ]
        for secret in secrets {
            let capture = FrameCapture(
                model: "ring", time: Timestamp(0), utcOffset: 0, frames: [frame(.received, [7] + secret + [9])])
            #expect(capture.masked(pedometer).frames[0].bytes == [7] + [UInt8](repeating: 0, count: secret.count) + [9])
        }
        let other = FrameCapture(
            model: "ring", time: Timestamp(0), utcOffset: 0, frames: [frame(.received, Array(1...40))])
        #expect(other.masked(pedometer) == other)
    }

    /// What the ring sends begins with its address.
    private func capturing(_ fixture: inout ServiceFixture, _ end: ScriptedReader.Step) throws -> SampleBatch {
        let localTime = fixture.outbox.localTime, start = fixture.outbox.now - 3600
        let batch = SampleBatch(
            samples: [StepSample(start: start, length: 900, steps: 700, utcOffset: localTime.utcOffset(start))],
            frames: [
                RawFrame(.sent, at: fixture.outbox.now - 9, bytes: [3, 0xff]),
                RawFrame(.received, at: fixture.outbox.now - 8, bytes: [0xc0, 0xde, 0, 0, 0, 1, 42]),
            ])
        let second = SampleBatch(frames: [RawFrame(.received, at: fixture.outbox.now - 7, bytes: [7])])
        fixture.reader = ScriptedReader([fixture.outbox.ring.id: [.deliver(batch), .deliver(second), end]])
        return batch
    }

    @Test func `a captured sync stores the steps, shares nothing, and returns the frames without the address`()
        async throws
    {
        let garden = ScriptedDestination(terms: always)
        var fixture = ServiceFixture()
        fixture.destinations = [garden]
        let batch = try capturing(&fixture, .finish(ReadReport()))
        let (outcome, capture) = try await CapturedSync(fixture.context).run("RING")
        #expect(outcome.reports.map(\.counts.steps) == [700] && outcome.worst == nil)
        #expect(outcome.shares == nil && garden.deliveries.isEmpty)
        #expect(capture.model == fixture.outbox.ring.model && capture.options.isEmpty)
        #expect(capture.time == batch.frames[0].at && capture.utcOffset == 7200)
        #expect(capture.frames.map(\.bytes) == [[3, 0xff], [0, 0, 0, 0, 0, 0, 42], [7]])
        #expect(capture.frames.map(\.direction) == [.sent, .received, .received])
    }

    @Test func `the frames of a sync that failed are returned`() async throws {
        var fixture = ServiceFixture()
        _ = try capturing(&fixture, .fail(Refusal()))
        let (outcome, capture) = try await CapturedSync(fixture.context).run(fixture.outbox.ring.address)
        #expect(outcome.reports.first?.failure is Refusal)
        #expect(capture.frames.count == 3)
    }

    @Test func `a capture without frames has the time of the sync`() async throws {
        var fixture = ServiceFixture()
        fixture.reader = ScriptedReader([fixture.outbox.ring.id: [.fail(Refusal())]])
        let capture = try await CapturedSync(fixture.context).run("ring").capture
        #expect(capture.frames.isEmpty && capture.time == fixture.outbox.now)
    }

    @Test func `a captured sync requests the given days of a registered pedometer`() async throws {
        let fixture = ServiceFixture(), days = Mutex<[Int?]>([])
        var context = fixture.context
        context.reader = { [reader = fixture.reader] wanted, _ in
            days.withLock { $0.append(wanted) }
            return reader
        }
        let sync = CapturedSync(context)
        await #expect(throws: ServiceError.unknownPedometer("watch", known: ["ring"])) {
            _ = try await sync.run("watch")
        }
        #expect(fixture.reader.read.isEmpty)
        for wanted in [3, nil] {
            fixture.reader.script(fixture.outbox.ring.id, .finish(ReadReport()))
            _ = try await sync.run("ring", days: wanted)
        }
        #expect(days.withLock { $0 } == [3, nil])
    }

    @Test(
        arguments: [
            ("hex", "01 fF", [1, 255]), ("hex", "0x01ff", [1, 255]), ("text", "hi", [0x68, 0x69]), ("u8", "255", [255]),
            ("u16le", "258", [2, 1]),
            ("u16be", "258", [1, 2]), ("u24be", "65536", [1, 0, 0]), ("u32le", "4294967295", [255, 255, 255, 255]),
        ] as [(String, String, [UInt8])])
    func `a value in any notation is converted to bytes`(format: String, text: String, bytes: [UInt8]) throws {
        #expect(try #require(ValueNotation(format)).bytes(of: text) == bytes)
    }

    @Test(arguments: [
        ("hex", "0"), ("hex", "zz"), ("hex", ""), ("u8", "256"), ("u8", "-1"), ("u16le", "65536"),
        ("u32be", "4294967296"), ("u8", "x"),
    ])
    func `invalid values of a notation are rejected`(format: String, text: String) throws {
        #expect(try #require(ValueNotation(format)).bytes(of: text) == nil)
    }

    @Test func `bytes are shown as text in a notation, and an unknown notation is rejected`() throws {
        #expect(try #require(ValueNotation("u16le")).text(of: [2, 1, 9]) == "258")
        #expect(try #require(ValueNotation("u16le")).text(of: [2]) == nil)
        #expect(ValueNotation.hexadecimal.text(of: [1, 255]) == "01 ff")
        for name in ["u7", "u16", "i16le", "", "u64le", "u24"] { #expect(ValueNotation(name) == nil) }
    }
}
