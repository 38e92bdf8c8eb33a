import StepDomain
import Testing

@testable import Pedometers

/// The ring's own total of today: a check of the slots that is never counted.
@Suite(.timeLimit(.minutes(5))) struct ColmiTotalTests {
    private let offset = 2 * 3600
    private let today = Day("2026-05-20")!.daysSince1970
    /// 2026-05-20 12:30, local time.
    private var now: Timestamp { Timestamp(today * 86_400 + 12 * 3600 + 1800 - offset) }

    /// Today has 350 steps.
    private func ring(_ answer: [[UInt8]]? = nil) -> RingScript {
        var ring = RingScript(today: today)
        for day in 0...7 { ring.history[today - day] = [(33, 100), (34, 200), (48, 50)] }
        if let answer { ring.mangle = { request, _, usual in request[0] == 0x48 ? answer : usual } }
        return ring
    }

    private func total(_ steps: Int) -> [UInt8] {
        ColmiPacket(
            0x48, [UInt8(steps >> 16), UInt8(steps >> 8 & 0xff), UInt8(steps & 0xff), 0, 0, 9, 0, 0, 9, 0, 0, 9]
        ).bytes
    }

    /// - Parameter cursor: by default that of a sync of the day before.
    private func play(
        _ ring: RingScript, _ cursor: PedometerCursor? = nil, at moment: Timestamp? = nil, offset shown: Int? = nil,
        linkEndsAfter: Int = .max
    ) -> RingScript.Outcome {
        let pedometer = Pedometer(
            id: 1, user: 1, model: "colmi", address: "C0:DE:00:00:00:01", addressType: "random", name: "ring",
            cursor: cursor ?? PedometerCursor(readThrough: now - 86_400))
        return ring.play(
            SessionContext(pedometer: pedometer, localTime: .fixed(shown ?? offset)), at: moment ?? now,
            linkEndsAfter: linkEndsAfter)
    }

    private func asked(_ outcome: RingScript.Outcome) -> Int { outcome.requests.count { $0[0] == 0x48 } }
    private func totals(_ outcome: RingScript.Outcome) -> [DeviceTotal] { outcome.batches.compactMap(\.deviceTotal) }

    @Test func `the total is read once, after the slots of today`() {
        let outcome = play(ring())
        #expect(outcome.requests.map { $0[0] } == [0x03, 0x43, 0x48, 0x43, 0x01])
        #expect(totals(outcome) == [DeviceTotal(day: Day(daysSince1970: today), at: now, total: 350, slots: 350)])
        #expect(outcome.batches.first?.deviceTotal != nil, "with the batch of today")
        #expect(totals(outcome).first?.differs == false)
        #expect(outcome.cursor?.lacksTotalSince == nil)
    }

    @Test func `a total that differs is reported, and the steps are those of the slots`() {
        let plain = play(ring())
        for steps in [470, 349, 0, 200_001, 0xff_ffff] {
            let outcome = play(ring([total(steps)]))
            #expect(outcome.samples == plain.samples, "\(steps)")
            #expect(outcome.coverage == plain.coverage, "\(steps)")
            let total = totals(outcome).first
            #expect(total?.total == steps && total?.slots == 350 && total?.difference == steps - 350)
            #expect(total?.differs == true)
            #expect(total?.isPossible == (steps <= 200_000))
        }
    }

    @Test func `steps made between the two answers are not a difference`() {
        #expect(totals(play(ring([total(360)]))).first?.differs == false)
        #expect(totals(play(ring([total(361)]))).first?.differs == true)
    }

    /// The answer of the command that another client calls "bind".
    @Test func `an answer with another content is not used as the total`() {
        let outcome = play(ring([ColmiPacket(0x48, [0x00, 0x01]).bytes]))
        #expect(totals(outcome).isEmpty && outcome.cursor?.lacksTotalSince == now)
        // Shorter than a packet: ignored.
        #expect(totals(play(ring([hex("48 00 01")]))).isEmpty)
        #expect(
            outcome.samples.filter { $0.start >= Timestamp(today * 86_400 - offset) }.reduce(0) { $0 + $1.steps } == 350
        )
    }

    @Test func `a reading of all eight days does not request the total`() {
        #expect(asked(play(ring(), PedometerCursor())) == 0)
        #expect(asked(play(ring(), PedometerCursor(readThrough: now - 6 * 86_400))) == 1)
    }

    @Test func `without new steps of today the ring is not asked again`() {
        let first = play(ring())
        let again = play(ring(), first.cursor, at: now + 600)
        #expect(asked(again) == 0)
        var walked = ring()
        walked.history[today]?.append((49, 12))
        #expect(asked(play(walked, again.cursor, at: now + 900)) == 1)
    }

    @Test(arguments: [[], [ColmiPacket(0xc8, [0xee]).bytes]] as [[[UInt8]]])
    func `a ring without the total command delays a sync by two seconds, and is asked again after a month`(
        answer: [[UInt8]]
    ) throws {
        let ring = ring(answer)
        let first = play(ring)
        #expect(first.error == nil && first.report?.clockSet != nil)
        #expect(asked(first) == 1 && first.waited <= 2)
        #expect(totals(first) == [])
        #expect(first.samples.count == 6)
        var cursor = try #require(first.cursor)
        #expect(cursor.lacksTotalSince == now)
        cursor.tail = nil
        #expect(asked(play(ring, cursor, at: now + 3_600)) == 0)
        cursor.lacksTotalSince = now - 31 * 86_400
        #expect(asked(play(ring, cursor, at: now + 3_600)) == 1)
        let known = play(self.ring(), cursor, at: now + 3_600)
        #expect(known.cursor?.lacksTotalSince == nil)
        // Written by a machine whose clock was ahead.
        cursor.lacksTotalSince = now + 400 * 86_400
        #expect(asked(play(ring, cursor, at: now + 3_600)) == 1)
    }

    @Test func `live packets before the answer are ignored`() {
        let live = ColmiPacket(0x73, [0x12, 0, 0xff, 0xff]).bytes
        #expect(totals(play(ring([live, live, hex("48 00"), total(350)]))).first?.total == 350)
    }

    @Test func `packets without end in place of the total do not lose today`() {
        let outcome = play(ring(Array(repeating: ColmiPacket(0x73, [0x12]).bytes, count: 1_000)))
        #expect(outcome.samples.count == 3)
        #expect(outcome.error != nil)
    }

    /// Battery, header, three records; then the link ends.
    @Test func `a link that ends before the total keeps today complete`() {
        let outcome = play(ring(), linkEndsAfter: 5)
        #expect(outcome.wasCut)
        #expect(outcome.samples.count == 3 && outcome.coverage.count == 1)
        #expect(outcome.cursor?.missing == nil)
        #expect(outcome.cursor?.lacksTotalSince == nil)
    }

    /// The ring shows the time of another zone: its today is not ours.
    @Test func `the total of a ring whose clock is off is not stored`() {
        var ring = ring()
        ring.history[today]?.append((60, 40))  // 15:00, in two hours and a half
        let outcome = play(ring)
        #expect(outcome.notices.contains { if case .clockWasOff = $0 { true } else { false } })
        #expect(totals(outcome) == [])
    }

    @Test func `an examination does not request the total`() {
        var session: any PedometerSession = Colmi.probe(
            SessionContext(
                pedometer: .sample(Colmi.self, cursor: PedometerCursor(readThrough: now - 86_400)),
                localTime: .fixed(offset)))
        var (event, requests, ring) = (SessionEvent.started, [[UInt8]](), [[UInt8]]())
        loop: for _ in 0..<100 {
            switch session.next(after: event, at: now) {
            case .write(let bytes, _, _):
                requests.append(bytes)
                ring += self.ring().answer(bytes)
                event = .done
            case .receive: event = ring.isEmpty ? .silence : .value(ring.removeFirst())
            case .finish, .fail: break loop
            default: event = .done
            }
        }
        #expect(requests.map { $0[0] } == [0x03, 0x43])
    }
}
