import BlueZ
import SimulatedBlueZ
import StepDomain
import Synchronization
import Testing

@testable import Pedometers

@Suite(.timeLimit(.minutes(5))) struct GarminTests {
    private static let client = "0200000000000000"

    @Test(arguments: 0..<5) func `today's steps are read over each pair of characteristics`(pair: Int) throws {
        let memory = BandFixture.memory(days: 2)
        let watch = SimulatedSerialBand.garmin(memory, pair: pair)
        let outcome = try BandFixture.play(Garmin.self, watch)
        #expect(
            outcome.steps == memory.stepsToday && memory.stepsToday > 0 && outcome.error == nil
                && outcome.notices.isEmpty)
        #expect(outcome.cursor?.counter?.value == memory.stepsToday)
        let requests = ["00 05 \(Self.client) 0000 00", "00 00 \(Self.client) 0700 00", "00 02 \(Self.client) 0700 05"]
        #expect(watch.written == requests.map(bytes))
        memory.walk(27)
        let second = try BandFixture.play(
            Garmin.self, watch, cursor: try #require(outcome.cursor), at: BandFixture.now + 60)
        #expect(second.steps == 27)
    }

    @Test func `messages are decoded, and others are none`() {
        #expect(GarminMessage(bytes("00 01 \(Self.client) 0700 00 05 00")) == .registered(5))
        // Refused; without a handle; over another protocol; cut.
        for text in ["01 05 00", "00 00 00", "00 05 02", "00"] {
            #expect(GarminMessage(bytes("00 01 \(Self.client) 0700 \(text)")) == .registered(nil))
        }
        #expect(GarminMessage(bytes("00 01 0300000000000000 0700 00 05 00")) == nil)
        #expect(GarminMessage(bytes("00 01 \(Self.client) 0600 00 05 00")) == nil)
        #expect(GarminMessage(bytes("05 e1100000 10270000")) == .steps(4_321, handle: 5))
        #expect(GarminMessage(bytes("05 e1100000")) == nil && GarminMessage([]) == nil && GarminMessage([0]) == nil)
    }

    @Test func `a watch that refuses, sends nothing, or takes no requests is an error`() throws {
        let memory = BandFixture.memory(days: 1)
        #expect(
            try BandFixture.play(Garmin.self, .garmin(memory, status: 1)).error == .refused("the request for its steps")
        )
        #expect(
            try BandFixture.play(Garmin.self, .garmin(memory, sendsAtOnce: false)).error == .sentNoSteps(seconds: 20))
        let locked = try BandFixture.play(Garmin.self, .garmin(memory, isEncrypted: true))
        #expect(locked.error == .refused("every request; it may have to be paired first") && locked.written.isEmpty)
        let silent = try BandFixture.play(Garmin.self, .garmin(memory)) { _ in nil }
        #expect(silent.error == .noAnswer(to: "the request for its steps", attempts: 1, seconds: 5))
    }

    @Test func `values of another handle are not steps, and an impossible count is not counted`() throws {
        let memory = BandFixture.memory(days: 1)
        let other = try BandFixture.play(Garmin.self, .garmin(memory)) { $0.count == 9 ? [6] + $0.dropFirst() : $0 }
        #expect(other.samples.isEmpty && other.error == .sentNoSteps(seconds: 20))
        let high = try BandFixture.play(Garmin.self, .garmin(memory)) {
            $0.count == 9 ? [5, 0xff, 0xff, 0xff, 0x7f, 0, 0, 0, 0] : $0
        }
        #expect(high.samples.isEmpty && high.notices == [.implausible(samples: 1)])
    }

    @Test func `live steps are registered for, and read from their handle`() throws {
        let memory = BandFixture.memory(days: 1)
        let watch = SimulatedSerialBand.garmin(memory, pair: 3, sendsAtOnce: false)
        var live = GarminLive()
        let requests = live.begin { $0 == Garmin.pairs[3].answers || $0 == Garmin.pairs[3].requests }
        #expect(
            live.address == Garmin.pairs[3].answers
                && requests.map(\.to) == [Garmin.pairs[3].requests, Garmin.pairs[3].requests])
        let sent = Mutex<[[UInt8]]>([])
        watch.linkOpened(PeripheralLink { _, bytes in sent.withLock { $0.append(bytes) } })
        #expect(live.steps(after: bytes("05 e1100000 10270000")) == nil)
        let id = CharacteristicID(
            AttributeUUID("\(Garmin.service)")!, AttributeUUID("\(Garmin.pairs[3].requests.characteristic)")!)
        for (request, _) in requests { try watch.write(request, to: id) }
        memory.walk(7)
        watch.announce()
        #expect(sent.withLock { $0 }.compactMap { live.steps(after: $0) } == [memory.stepsToday])
        #expect(live.steps(after: bytes("05 ffffff7f 10270000")) == nil)
    }
}
