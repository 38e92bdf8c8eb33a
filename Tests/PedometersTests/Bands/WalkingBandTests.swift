import Foundation
import SimulatedBlueZ
import StepDomain
import Synchronization
import Testing

@testable import Pedometers

/// The simulated bands of a demo, whose wearers make steps.
@Suite(.timeLimit(.minutes(5))) struct WalkingBandTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let model: any LinkedPedometerModel.Type
        let band: @Sendable (BandMemory) -> SimulatedSerialBand
        var testDescription: String { model.key }
    }

    private static let cases = [
        Case(model: Jring.self) { .jring($0, days: 3) }, Case(model: YCBT.self) { .ycbt($0) },
        Case(model: Lefun.self) { .lefun($0) },
        Case(model: MoYoung.self) { .moYoung($0, .stepsFirst) }, Case(model: No1F1.self) { .no1f1($0) },
        Case(model: ID115.self) { .id115($0) },
    ]

    @Test(arguments: cases) func `the next reading has the steps that were made since the last one`(_ test: Case) throws
    {
        let memory = BandFixture.memory(days: 3)
        let band = test.band(memory)
        let first = try BandFixture.play(test.model, band)
        memory.walk(7)
        memory.walk(20)
        let second = try BandFixture.play(
            test.model, band, cursor: first.cursor ?? PedometerCursor(), at: BandFixture.now + 60)
        let all = first.slots.merging(second.slots, uniquingKeysWith: max)
        #expect(first.steps > 0 && all.values.reduce(0, +) == first.slots.values.reduce(0, +) + 27)
        #expect(second.notices.isEmpty && second.error == nil)
    }

    @Test func `a quarter of an hour keeps the steps when it has ended, and its own are added`() {
        let now = Mutex(BandFixture.now)
        let memory = BandMemory(days: 2, zone: BandFixture.zone) {
            Date(timeIntervalSince1970: TimeInterval(now.withLock { $0.seconds }))
        }
        let usual = BandMemory(days: 2, zone: BandFixture.zone) {
            Date(timeIntervalSince1970: TimeInterval(now.withLock { $0.seconds }))
        }
        memory.walk(10)
        #expect(memory.steps == usual.steps + 10)
        now.withLock { $0 = $0 + 900 }
        #expect(memory.steps == usual.steps + 10)
        // It keeps two days.
        now.withLock { $0 = $0 + 2 * 86_400 }
        #expect(memory.steps == usual.steps)
    }

    @Test func `bands that send steps by themselves send those that were just made`() throws {
        let memory = BandFixture.memory(days: 1)
        let received = Mutex<[[UInt8]]>([])
        var (ring, other) = (JringLive(), CRPLive())
        for band in [SimulatedSerialBand.jring(memory, days: 1), .crp(memory), .lefun(memory)] {
            band.linkOpened(PeripheralLink { _, bytes in received.withLock { $0.append(bytes) } })
            memory.walk(3)
            band.announce()
        }
        let sent = received.withLock { $0 }
        try #require(sent.count == 2)
        #expect(
            ring.steps(after: sent[0]) == memory.stepsToday - 6 && other.steps(after: sent[1]) == memory.stepsToday - 3)
    }
}
