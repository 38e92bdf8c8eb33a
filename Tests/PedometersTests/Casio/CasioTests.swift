import BlueZ
import Foundation
import SimulatedBlueZ
import StepDomain
import Synchronization
import Testing

@testable import Pedometers

@Suite(.timeLimit(.minutes(5))) struct CasioTests {
    private static let midnight = LocalTime.zone(BandFixture.zone).span(of: BandFixture.today).start

    /// The life log of a watch whose hours and days are empty, as two captures have it.
    private func log(_ time: String, _ end: String) -> [UInt8] {
        bytes(time) + Array(repeating: bytes("feff"), count: 144).flatMap(\.self) + Array(repeating: 0, count: 24)
            + Array(repeating: bytes("feffffff"), count: 14).flatMap(\.self) + bytes(end)
    }

    /// gshock_api, `test_data/btsnoop_hci_ABL.log` and `failed_step_payload_20260902_125923.hex`; the end of the third
    /// is in casio-abl100, `PROTOCOL.md`.
    @Test(arguments: [
        (
            "260701184001", "711a0000 b5090000 6b01110000000000 0000 8e000000 69670000", 6_769, "2026-07-01",
            18 * 3_600 + 40 * 60 + 1
        ),
        (
            "260902125901", "e6120000 0e060000 0000000000000000 0000 00000000 38480000", 4_838, "2026-09-02",
            12 * 3_600 + 59 * 60 + 1
        ),
        ("260929150000", "39000000 1d000000 0500130021000000 0000 1d000000 57000000", 57, "2026-09-29", 15 * 3_600),
    ])
    func `a captured life log has today's steps twice, and the time`(
        time: String, end: String, steps: Int, day: String, second: Int
    ) throws {
        let log = try #require(CasioLog(log(time, end)))
        #expect(log.steps == steps && log.contradiction == nil)
        #expect(log.clock.wall == Day(day)!.daysSince1970 * 86_400 + second)
    }

    /// 26EB0023 once more in the capture of a new watch, `test_data/btsnoop_hci_ABL_2.log`.
    @Test func `a watch without steps has zero steps, and a reading of none is not counted`() throws {
        #expect(CasioLog(log("260814081201", "00000000 00000000 00000000000000000000 00000000 00000000"))?.steps == 0)
        #expect(CasioLog(log("260814081201", "feffffff 00000000 00000000000000000000 00000000 00000000"))?.steps == nil)
    }

    @Test(arguments: [
        // The second total; the present hour; the hour before it.
        ("260701124001", "711a0000 b5090000 6b011100000000000000 8e000000 68670000", 6_768),
        ("260701184001", "10000000 b5090000 6b011100000000000000 8e000000 16000000", 380),
        ("26070112400164000000000000000000", "78000000 b5090000 15000000000000000000 8e000000 20010000", 121),
    ])
    func `totals that contradict each other are found`(head: String, end: String, other: Int) throws {
        let all = Array((bytes(head) + log("260701124001", end).dropFirst(bytes(head).count)))
        let log = try #require(CasioLog(all))
        #expect(log.contradiction == other)
    }

    @Test(arguments: ["261301184001", "26070118400a", "260701254001", "ffffffffffff"])
    func `a life log without a time is none`(time: String) {
        #expect(CasioLog(log(time, "711a0000 b5090000 6b011100000000000000 8e000000 69670000")) == nil)
        #expect(CasioLog(log("260701184001", "711a0000 b5090000 6b011100000000000000 8e000000 696700")) == nil)
    }

    @Test(arguments: [20, 182, 400], [false, true])
    func `today's steps are read in any pieces, and the watch keeps its hours`(pieces: Int, isAcknowledged: Bool) throws
    {
        let memory = BandFixture.memory(days: 3)
        let watch = SimulatedSerialBand.casio(memory, isAcknowledged: isAcknowledged, pieces: pieces)
        let outcome = try BandFixture.play(Casio.self, watch)
        #expect(
            outcome.steps == memory.stepsToday && memory.stepsToday > 0 && outcome.error == nil
                && outcome.notices.isEmpty)
        #expect(outcome.samples.allSatisfy { $0.start >= Self.midnight })
        #expect(outcome.coverage == [TimeSpan(Self.midnight, BandFixture.now)])
        #expect(outcome.cursor?.counter?.value == memory.stepsToday)
        // `04 11` would delete them.
        #expect(watch.written == [[0, 0x11, 0, 0, 0]])
    }

    @Test func `the next reading counts what was walked since, and one of the next day begins at zero`() throws {
        let memory = BandFixture.memory(days: 3)
        let watch = SimulatedSerialBand.casio(memory)
        let first = try BandFixture.play(Casio.self, watch)
        memory.walk(27)
        let second = try BandFixture.play(
            Casio.self, watch, cursor: try #require(first.cursor), at: BandFixture.now + 60)
        #expect(second.steps == 27)
        let later = BandFixture.now + 86_400
        let tomorrow = BandFixture.memory(days: 3, at: later)
        let third = try BandFixture.play(Casio.self, .casio(tomorrow), cursor: try #require(second.cursor), at: later)
        #expect(third.steps == tomorrow.stepsToday && third.notices == [.dayNotClosed(BandFixture.today)])
    }

    @Test func `if the two totals differ, only the frames are stored`() throws {
        let memory = BandFixture.memory(days: 2)
        let outcome = try BandFixture.play(Casio.self, .casio(memory, pieces: 400)) { bytes in
            bytes.count == 400 ? Array(bytes.prefix(396)) + [1, 0, 0, 0] : bytes
        }
        #expect(outcome.doubts == [.totals(memory.stepsToday, 1)])
        #expect(outcome.samples.isEmpty && outcome.coverage.isEmpty && outcome.cursor == nil && outcome.error == nil)
    }

    /// The end of what a GG-B100 sends (CasioGShockSmartSync issue 79): another layout.
    @Test func `a life log of another layout is not counted`() throws {
        let ending = bytes("49200000 6a0f0000") + Array(repeating: bytes("feffffff"), count: 14).flatMap(\.self)
        let outcome = try BandFixture.play(Casio.self, .casio(BandFixture.memory(days: 2), pieces: 400)) { bytes in
            bytes.count == 400 ? Array(bytes.prefix(400 - ending.count)) + ending : bytes
        }
        #expect(outcome.samples.isEmpty && outcome.cursor == nil && outcome.doubts == [.unchecked])
    }

    @Test func `a life log of another length is refused`() throws {
        let outcome = try BandFixture.play(Casio.self, .casio(BandFixture.memory(days: 2))) { bytes in
            bytes.count == 7 ? [0, 0x11, 0x36, 0, 0, 0, 0] : bytes
        }
        #expect(
            outcome.error == .undecodable("a life log of 54 bytes where 400 were expected") && outcome.samples.isEmpty)
    }

    @Test func `a notification that is not part of the life log has it requested again`() throws {
        let memory = BandFixture.memory(days: 2)
        let watch = SimulatedSerialBand.casio(memory, pieces: 200)
        let stray = bytes("10 34d816d96bda 7f 01 03 0f ffffffff 18000000")
        let isFirst = Mutex(true)
        let outcome = try BandFixture.play(Casio.self, watch) { bytes in
            guard bytes.count == 200 else { return bytes }
            return isFirst.withLock { isFirst in
                defer { isFirst = false }
                return isFirst ? stray + bytes : bytes
            }
        }
        #expect(outcome.steps == memory.stepsToday && watch.written.count == 2)
    }

    @Test func `a watch that does not answer, or stops within its answer, is an error`() throws {
        let watch = SimulatedSerialBand.casio(BandFixture.memory(days: 2))
        let silent = try BandFixture.play(Casio.self, watch) { _ in nil }
        #expect(silent.error == .noAnswer(to: "its life log", attempts: 3, seconds: 15))
        let short = try BandFixture.play(Casio.self, watch) { $0.count == 36 ? nil : $0 }
        guard case .undecodable = short.error else {
            Issue.record("\(short.error as Any)")
            return
        }
        #expect(short.samples.isEmpty)
        #expect(try BandFixture.play(Casio.self, watch, linkEndsAfter: 2).samples.isEmpty)
    }

    @Test(arguments: [2 * 3_600, -4 * 3_600]) func `a clock that is off is reported`(clockOffset: Int) throws {
        let memory = BandFixture.memory(days: 2, at: BandFixture.now + clockOffset)
        let outcome = try BandFixture.play(Casio.self, .casio(memory))
        #expect(outcome.steps == memory.stepsToday && outcome.notices == [.clockWasOff(seconds: clockOffset)])
    }

    @Test func `only watches with a step counter are recognised, by their names`() {
        func evidence(_ name: String) -> KindEvidence? {
            Casio.evidence(in: Discovery(address: DeviceAddress("C0:DE:00:00:00:07")!, name: name, services: ["1804"]))
        }
        #expect(evidence("CASIO ABL-100WE") == .name && evidence("CASIO GG-B100") == .name)
        #expect(evidence("CASIO GW-B5600") == nil && evidence("CASIO") == nil)
        #expect(PedometerRegistry.models(withServices: [Casio.service]).isEmpty)
    }
}
