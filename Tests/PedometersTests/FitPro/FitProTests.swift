import BlueZ
import SimulatedBlueZ
import StepDomain
import Testing

@testable import Pedometers

@Suite(.timeLimit(.minutes(5))) struct FitProTests {
    /// Gadgetbridge, `FitProTests.testStepPacket`.
    private static let captured = bytes(
        """
        cd003115010200 2c 2b34 0005 8045071a09c8bb06 7955062609e8b0e4 7115059b0a08a4dc 7b8506670a28b416 763506160a48ac57
        """)
    /// 2021-09-20 20:40 in the zone of the tests.
    private static let then = Timestamp(Day("2021-09-20")!.daysSince1970 * 86_400 + 18 * 3_600 + 2_400)

    private func play(
        _ answer: [[UInt8]], at now: Timestamp = then, isSilent: Bool = false
    ) -> SessionPlayer.Outcome {
        let player = SessionPlayer(write: { request, _ in
            if request == bytes("cd 0006 15 01 06 0001 01") { return answer }
            return request[0] == 0xcd && !isSilent ? [request] : []
        })
        let context = SessionContext(pedometer: .sample(FitPro.self), localTime: .zone(BandFixture.zone))
        return player.play(ExchangeSession(FitProReading(context)), at: now)
    }

    @Test(arguments: [20, 52, 1]) func `a captured frame is decoded in any pieces`(size: Int) {
        let outcome = play(stride(from: 0, to: 52, by: size).map { Array(Self.captured[$0..<min($0 + size, 52)]) })
        // The first one has its highest bit set: it has no sign.
        #expect(outcome.samples.map(\.steps) == [2_052, 1_941, 1_809, 1_976, 1_891])
        #expect(outcome.samples.map(\.distance) == [1_818, 1_574, 1_435, 1_639, 1_558])
        let first = Timestamp(Day("2021-09-20")!.daysSince1970 * 86_400 + 17 * 3_600 + 1_800)
        #expect(outcome.samples.map(\.start) == (0..<5).map { first + $0 * 900 })
        #expect(outcome.samples.allSatisfy { $0.length == 900 && $0.utcOffset == 7_200 && $0.energy == nil })
        // It accounts for its own quarters, and so for the present one until now.
        #expect(
            outcome.covers(TimeSpan(first, Self.then))
                && outcome.coverage.allSatisfy { $0.start >= first && $0.end <= Self.then + 2 })
        #expect(outcome.cursor?.readThrough == Self.then + 2 && outcome.error == nil && outcome.notices.isEmpty)
        // Acknowledged after it was stored: 52 bytes.
        #expect(outcome.written.contains(bytes("dc 0005 15 01 0034 01")))
    }

    @Test func `the requests are those of Gadgetbridge, and the clock is set at the end`() throws {
        let memory = BandFixture.memory(days: 1)
        let band = SimulatedSerialBand.fitPro(memory)
        let outcome = try BandFixture.play(FitPro.self, band)
        #expect(band.written.first == bytes("cd 0006 12 01 0a 0001 02"))
        #expect(
            band.written.contains(bytes("cd 0005 1a 01 10 0000"))
                && band.written.contains(bytes("cd 0005 20 01 02 0000")))
        // 2026-05-20 15:40:02, after two seconds without another frame.
        #expect(band.written.last == bytes("cd 0009 12 01 01 0004 6968fa02"))
        #expect(outcome.report?.clockSet == ClockState.Setting(at: BandFixture.now + 2, utcOffset: 7_200))
    }

    @Test(arguments: [true, false])
    func `all days are read, and an answer that agrees with the band's total is complete`(hasTotal: Bool) throws {
        let memory = BandFixture.memory(days: 4)
        let outcome = try BandFixture.play(FitPro.self, .fitPro(memory, hasTotal: hasTotal))
        #expect(outcome.steps == memory.steps && memory.steps > memory.stepsToday && outcome.notices.isEmpty)
        let local = LocalTime.zone(BandFixture.zone)
        let (yesterday, today) = (
            local.span(of: BandFixture.today.advanced(by: -1)), local.span(of: BandFixture.today).start
        )
        #expect(outcome.covers(yesterday) == hasTotal && outcome.covers(TimeSpan(today, BandFixture.now)) == hasTotal)
        #expect(outcome.coverage.allSatisfy { $0.end <= BandFixture.now + 2 })
        let quarter = try #require(outcome.samples.first)
        #expect(outcome.covers(TimeSpan(quarter.start, quarter.start + 900)))
    }

    @Test func `a band that deletes what was acknowledged is read, and the day is partial then`() throws {
        let memory = BandFixture.memory(days: 2)
        let band = SimulatedSerialBand.fitPro(memory, deletes: true)
        let first = try BandFixture.play(FitPro.self, band)
        #expect(first.steps == memory.steps)
        memory.walk(27)
        let second = try BandFixture.play(
            FitPro.self, band, cursor: try #require(first.cursor), at: BandFixture.now + 60)
        let all = first.slots.merging(second.slots, uniquingKeysWith: max)
        #expect(all.values.reduce(0, +) == memory.steps && second.samples.count == 1)
        let today = LocalTime.zone(BandFixture.zone).span(of: BandFixture.today).start
        #expect(!second.covers(TimeSpan(today, BandFixture.now)) && second.notices.isEmpty)
    }

    /// Also one that the band sends before its steps were requested: it may delete what was acknowledged.
    @Test(arguments: [5.0, 1.0]) func `a frame is acknowledged only after its steps are stored`(wait: Double) throws {
        let context = SessionContext(pedometer: .sample(FitPro.self), localTime: .zone(BandFixture.zone))
        var (session, event, isStored) = (ExchangeSession(FitProReading(context)), SessionEvent.started, false)
        for _ in 0..<60 {
            switch session.next(after: event, at: Self.then) {
            case .write(let request, _, _):
                if request.first == 0xdc, request[3] == 0x15 {
                    #expect(isStored)
                    return
                }
                event = .done
            case .receive(let seconds): event = seconds == wait ? .value(Self.captured) : .silence
            case .subscribeAll: event = .done
            case .deliver(let batch, _):
                isStored = batch.samples.count == 5
                event = .done
            default: event = .done
            }
        }
        Issue.record("no acknowledgement")
    }

    @Test(arguments: [
        // Another number of records; a quarter that does not exist; a day that does not exist.
        "cd000d15010200 08 2b34 0001 8045071a", "cd0011150102000c 2b34 0001 8045071a 0c08bb06",
        "cd0011150102000c 2a00 0001 8045071a 09c8bb06",
    ]) func `a frame that cannot be decoded is reported and not acknowledged`(frame: String) {
        let outcome = play([bytes(frame)])
        #expect(outcome.samples.isEmpty && outcome.notices.contains(.undecodable(frames: 1)))
        #expect(!outcome.written.contains { $0.first == 0xdc && $0[3] == 0x15 })
    }

    @Test func `a frame whose lengths contradict each other is dropped, and the next one is read`() {
        let outcome = play([bytes("cd0011150102000d 2b34 0001 8045071a 09c8bb06"), Self.captured])
        #expect(outcome.samples.count == 5)
        #expect(play([bytes("cd ffff 15 01 02"), Self.captured]).samples.count == 5)
    }

    @Test func `steps of the future, and those older than a month, are not counted`() {
        let early = play([Self.captured], at: Self.then - 86_400)
        #expect(early.notices == [.clockWasOff(seconds: 86_400 - 600), .implausible(samples: 5)])
        #expect(early.cursor?.readThrough == nil && early.samples.isEmpty && early.coverage.isEmpty)
        let late = play([Self.captured], at: Self.then + 40 * 86_400)
        #expect(late.samples.isEmpty && late.notices == [.implausible(samples: 5)] && late.coverage.isEmpty)
    }

    @Test func `a device that does not answer is an error, and one that has nothing new is none`() throws {
        #expect(play([], isSilent: true).error == .noAnswer(to: "its steps", attempts: 3, seconds: 15))
        let band = SimulatedSerialBand.fitPro(
            BandMemory(quarters: [:]) { WallClock(seconds: BandFixture.now.seconds) }, hasTotal: false)
        let outcome = try BandFixture.play(FitPro.self, band)
        #expect(
            outcome.error == nil && outcome.samples.isEmpty && outcome.coverage.isEmpty
                && outcome.report?.clockSet != nil)
    }

    @Test func `a transfer without an end is ended`() {
        var player = SessionPlayer(write: { request, _ in request[3] == 0x15 ? [Self.captured] : [] })
        player.limit = 20_000
        let context = SessionContext(pedometer: .sample(FitPro.self), localTime: .zone(BandFixture.zone))
        let outcome = player.play(ExchangeSession(FitProReading(context)), at: Self.then)
        #expect(!outcome.isEndless && outcome.error == .undecodable("too many packets") && outcome.samples.count == 5)
    }

    @Test func `what came in before the link was lost is stored`() throws {
        let memory = BandFixture.memory(days: 3)
        let outcome = try BandFixture.play(FitPro.self, .fitPro(memory), linkEndsAfter: 40)
        #expect(outcome.wasCut && outcome.cursor == nil && outcome.coverage.isEmpty)
        #expect(outcome.steps > 0 && outcome.steps < memory.steps)
    }

    @Test func `an examination requests no steps and sets no clock`() throws {
        let band = SimulatedSerialBand.fitPro(BandFixture.memory(days: 2))
        let outcome = try BandFixture.play(FitPro.self, band, isProbe: true)
        #expect(outcome.batches.isEmpty && outcome.error == nil)
        #expect(band.written == [bytes("cd 0005 20 01 02 0000"), bytes("dc 0005 20 01 0019 01")])
    }

    @Test func `the service alone identifies no band, and a name only if it is exact`() {
        func evidence(_ name: String) -> KindEvidence? {
            FitPro.evidence(
                in: Discovery(address: DeviceAddress("C0:DE:00:00:00:07")!, name: name, services: [FitPro.service]))
        }
        #expect(evidence("LH716") == .name && evidence("M6") == .name)
        #expect(evidence("M6-Speaker") == nil && evidence("UART") == nil)
        #expect(PedometerRegistry.models(withServices: [FitPro.service]).isEmpty)
    }
}
