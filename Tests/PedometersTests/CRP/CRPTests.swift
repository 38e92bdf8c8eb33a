import BlueZ
import DBus
import SimulatedBlueZ
import StepDomain
import TestSupport
import Testing

@testable import Pedometers

/// Rings with the CRP firmware, distinguished from Colmi rings of the same name by their services.
@Suite(.timeLimit(.minutes(5))) struct CRPTests {
    private let noon = Timestamp(Day("2026-05-20")!.daysSince1970 * 86_400 + 12 * 3_600)

    /// From the tests of PulseLoopAndroid: 1,000 steps, 500 m, 42 kcal.
    private let documented = hex("E8 03 00 F4 01 00 2A 00 00")

    private func play(_ notifications: [[UInt8]], cursor: PedometerCursor = PedometerCursor(), at now: Timestamp? = nil)
        -> SessionOutcome
    {
        play(
            notifications,
            CRP.session(SessionContext(pedometer: .sample(CRP.self, cursor: cursor), localTime: .fixed(0))), at: now)
    }

    private func play(
        _ notifications: [[UInt8]], _ started: any PedometerSession, at now: Timestamp? = nil, canBeSet: Bool = true
    ) -> SessionOutcome {
        var session = started
        var (event, outcome, left) = (SessionEvent.started, SessionOutcome(), notifications)
        for _ in 0..<100 {
            switch session.next(after: event, at: now ?? noon) {
            case .readIfPresent(let address):
                #expect(address == CRP.steps)
                event = .absent
            case .write: event = .done
            case .subscribeAll(let addresses):
                #expect(addresses == [CRP.answers])
                event = .done
            case .subscribe(let address):
                #expect(address == CRP.steps)
                event = .done
            case .receive: event = left.isEmpty ? .silence : .value(left.removeFirst())
            case .deliver(let batch, _):
                outcome.batch = batch
                event = .done
            case .writeIfPresent(_, to: CRP.requests) where !canBeSet: event = .absent
            case .writeIfPresent(let bytes, let address):
                #expect(address == CRP.requests)
                guard bytes[4] == 1 else {
                    event = .done
                    break
                }
                #expect(outcome.batch != nil, "the clock is set after the steps were stored")
                outcome.written.append(bytes)
                event = .done
            case .finish(let report):
                outcome.report = report
                return outcome
            case .fail(let error):
                outcome.error = error
                return outcome
            case let action:
                Issue.record("\(action)")
                return outcome
            }
        }
        Issue.record("no end")
        return outcome
    }

    private struct SessionOutcome {
        var batch: SampleBatch?
        var error: PedometerError?
        var written: [[UInt8]] = []
        var report: SessionReport?
    }

    @Test func `documented bytes are decoded`() {
        #expect(CRPSteps(documented)?.steps == 1000 && CRPSteps(documented)?.metres == 500)
        #expect(CRPSteps(hex("2A 00 00"))?.steps == 42)
    }

    @Test(arguments: [
        "", "E8 03", "E8 03 00 F4", "E8 03 00 F4 01 00 2A 00 00 00 00 00 00 00 00", "E8 03 00 00 00 01",
        "E8 03 00 01 00 00",
    ])
    func `a value with another layout or inconsistent metres gives no steps`(bytes: String) {
        #expect(CRPSteps(hex(bytes)) == nil)
        #expect(play([hex(bytes)]).batch == nil)
    }

    @Test func `steps count from midnight to midnight`() {
        let first = play([documented])
        #expect(first.batch?.samples.map(\.steps) == [1000])
        let second = play(
            [hex("DC 05 00 EE 02 00")], cursor: first.batch?.cursor ?? PedometerCursor(), at: noon + 7_200)
        #expect(second.batch?.samples.map(\.steps) == [500])
        let glitch = play([hex("FF FF FF")], cursor: first.batch?.cursor ?? PedometerCursor(), at: noon + 7_200)
        #expect(glitch.batch?.samples == [] && glitch.batch?.notices == [.implausible(samples: 1)])
    }

    // MARK: Its clock

    @Test func `the ring's clock is set to local time, written as the same digits in a zone of eight hours`() {
        let context = SessionContext(pedometer: .sample(CRP.self), localTime: .fixed(7_200))
        let outcome = play([documented], CRP.session(context))
        // 14:00 local, which is 06:00 UTC where it is 14:00 in a zone of eight hours: 1,779,256,800 is 6a 0d 4d e0.
        #expect(outcome.written == [hex("FD DA 10 0B 01 01 E0 4D 0D 6A 08")])
        #expect(outcome.report?.clockSet == ClockState.Setting(at: noon, utcOffset: 7_200))
    }

    @Test(arguments: [(23, 30), (23, 59), (0, 0), (0, 59)])
    func `near midnight the ring's clock is not set`(hour: Int, minute: Int) {
        let outcome = play([documented], at: noon - 12 * 3_600 + hour * 3_600 + minute * 60)
        #expect(outcome.batch != nil && outcome.written.isEmpty && outcome.report == SessionReport())
    }

    @Test func `the ring's clock is not set in an examination or if the ring sends no steps`() {
        let context = SessionContext(pedometer: .sample(CRP.self), localTime: .fixed(0))
        let outcome = play([documented], CRP.probe(context))
        #expect(outcome.batch != nil && outcome.written.isEmpty && outcome.report?.clockSet == nil)
        #expect(play([]).written.isEmpty)
    }

    @Test func `a ring whose clock cannot be set is read`() {
        let outcome = play(
            [documented], CRP.session(SessionContext(pedometer: .sample(CRP.self), localTime: .fixed(0))),
            canBeSet: false)
        #expect(
            outcome.error == nil && outcome.batch != nil && outcome.report != nil && outcome.report?.clockSet == nil)
    }

    @Test func `a ring that sends nothing, or something else, is an error`() {
        #expect(play([]).error?.category == .temporary)
        #expect(play(Array(repeating: [1, 2], count: 50)).error?.category == .data)
        // What is not steps may come before them.
        #expect(play([[1, 2], documented]).batch?.samples.map(\.steps) == [1000])
    }

    @Test func `the kind of an R11 is distinguished by its services`() async throws {
        let ring = SimulatedGeneric(
            address: "C0:DE:00:00:0B:11", name: "SMART_RING", advertisedServices: [],
            steps: CharacteristicID("fdda", "fdd1"),
            format: .init(width: 3), source: .manual(1_234))
        let stack = try await SimulatedBlueZ.start(peripherals: [ring], timing: .immediate)
        var limits = ConnectionLimits()
        limits.attempts = 1
        let access = BluetoothAccess(
            limits: limits, localTime: .fixed(0), now: { Timestamp(1_779_272_000) },
            central: { try await Central.open(.address(stack.address), clock: ScaledClock.slow) })
        do {
            let device = try #require(try await access.first(.init(), seconds: 20, passed: { _ in }) { $0.name != nil })
            #expect(device.kind?.key == Colmi.key && device.evidence == .name, "the name of both kinds")
            #expect(try await access.probe(ring.address).kinds.map(\.key) == [CRP.key])
            let pedometer = Pedometer(
                id: 1, user: 1, model: Colmi.key, address: ring.address, addressType: "random", name: "ring")
            let wrong = PedometerError.wrongDevice(
                model: Colmi.title, missing: Colmi.service.description, actual: CRP.title)
            await #expect(throws: wrong) { try await access.check(pedometer) }
            #expect("\(wrong)".contains("Its services are those of this model: CRP smart ring"))
        } catch {
            await stack.stop()
            throw error
        }
        await stack.stop()
    }
}
