import SimulatedBlueZ
import StepDomain
import Testing

@testable import Pedometers

@Suite struct JringTests {
    @Test func `minutes of all days are read, today first`() throws {
        let memory = BandLab.memory(days: 4)
        let ring = SimulatedSerialBand.jring(memory, days: 4)
        let outcome = try BandLab.play(Jring.self, ring)
        #expect(outcome.steps == memory.steps && memory.steps > 0)
        #expect(outcome.samples.allSatisfy { $0.length == 60 && $0.steps <= 255 })
        // After three silent days no older one is requested.
        #expect(ring.written.filter { $0[0] == 0x10 }.map { Int($0[1]) } == [0, 1, 2, 3, 4, 5, 6])
        #expect(outcome.covers(LocalTime.zone(BandLab.zone).span(of: BandLab.today.advanced(by: -1))))
        #expect(ring.written.last == Jring.packet(0x01, .little(BandLab.now.seconds + 9 + 7_200, 4)))
        #expect(outcome.cursor?.readThrough == BandLab.now && outcome.doubts.isEmpty)
        // The next sync requests today only.
        let again = SimulatedSerialBand.jring(memory, days: 4)
        _ = try BandLab.play(Jring.self, again, cursor: outcome.cursor ?? PedometerCursor(), at: BandLab.now + 60)
        #expect(again.written.filter { $0[0] == 0x10 }.map { Int($0[1]) } == [0])
    }

    @Test func `a ring that counts days is read by their number`() throws {
        let memory = BandLab.memory(days: 4)
        let ring = SimulatedSerialBand.jring(memory, .count, days: 4)
        let outcome = try BandLab.play(Jring.self, ring)
        #expect(outcome.steps == memory.steps)
        #expect(ring.written.filter { $0[0] == 0x10 }.map { Int($0[1]) } == [0, 0, 27])
    }

    @Test func `a ring that answers no stranger is told a name`() throws {
        let memory = BandLab.memory(days: 1)
        let ring = SimulatedSerialBand.jring(memory, days: 1, isMute: true)
        let outcome = try BandLab.play(Jring.self, ring)
        #expect(outcome.steps == memory.steps && ring.written.contains(Jring.packet(0x48, Array("istep".utf8))))
        // One that answers is not.
        let open = SimulatedSerialBand.jring(memory, days: 1)
        _ = try BandLab.play(Jring.self, open)
        #expect(!open.written.contains { $0[0] == 0x48 })
    }

    @Test(arguments: [2, 50]) func `minutes that do not agree with the total are in doubt`(factor: Int) throws {
        let memory = BandLab.memory(days: 3)
        let total = factor == 2 ? memory.stepsToday / 2 : memory.stepsToday + 50_000
        let ring = SimulatedSerialBand.jring(memory, days: 3, total: total)
        let outcome = try BandLab.play(Jring.self, ring)
        #expect(outcome.samples.isEmpty && outcome.coverage.isEmpty && outcome.cursor == nil && outcome.error == nil)
        #expect(outcome.doubts == [.totals(memory.stepsToday, total)])
        #expect(ring.written.filter { $0[0] == 0x10 }.count == 1)
    }

    @Test func `without a total nothing is counted`() throws {
        let outcome = try BandLab.play(Jring.self, .jring(BandLab.memory(days: 2), days: 2)) { $0[0] == 0x03 ? nil : $0 }
        #expect(outcome.samples.isEmpty && outcome.doubts == [.unchecked])
    }

    @Test func `a clock that is off is reported`() throws {
        let outcome = try BandLab.play(Jring.self, .jring(BandLab.memory(days: 1, at: BandLab.now - 7_200), days: 1))
        #expect(outcome.notices.contains(.clockWasOff(seconds: -7_200)))
    }

    @Test func `a packet that is lost makes its day partial, and the next sync requests it again`() throws {
        let memory = BandLab.memory(days: 2)
        let lost = (BandLab.today.daysSince1970 - 1) * 86_400 + 12 * 3_600
        let outcome = try BandLab.play(Jring.self, .jring(memory, days: 2)) { $0[0] == 0x10 && $0.little(1, 4) == lost ? nil : $0 }
        #expect(!outcome.covers(LocalTime.zone(BandLab.zone).span(of: BandLab.today.advanced(by: -1))))
        #expect(outcome.cursor == nil && outcome.steps == memory.steps - (memory.quarters[lost] ?? 0))
    }

    @Test func `a ring that refuses today although it has counted is in doubt`() throws {
        let memory = BandLab.memory(days: 2)
        let outcome = try BandLab.play(Jring.self, .jring(memory, days: 2)) { $0[0] == 0x10 ? Jring.packet(0x90) : $0 }
        #expect(outcome.samples.isEmpty && outcome.cursor == nil && outcome.doubts == [.totals(0, memory.stepsToday)])
    }

    @Test func `a ring whose clock was never set gives no steps, and its clock is set`() throws {
        let memory = BandMemory(quarters: [946_684_800 + 3_600: 300]) { WallClock(year: 2000, month: 1, day: 1, hour: 2) }
        let outcome = try BandLab.play(Jring.self, .jring(memory, days: 1))
        #expect(outcome.samples.isEmpty && outcome.doubts == [.unchecked] && outcome.report?.clockSet != nil)
        #expect(outcome.notices.contains { if case .clockWasOff(let seconds?) = $0 { seconds < -86_400 } else { false } })
    }

    @Test func `it reports steps live`() {
        var live = JringLive()
        #expect(live.steps(after: Jring.packet(0x03, .little(1_779_282_000, 4) + .little(1_000, 4))) == 1_000)
        #expect(live.steps(after: Jring.packet(0x03, .little(0, 4) + .little(900_000, 4))) == nil)
        #expect(live.steps(after: [0x03, 1]) == nil && live.steps(after: Jring.packet(0x0b, [80])) == nil)
    }
}
