import SimulatedBlueZ
import StepDomain
import Testing

@testable import Pedometers

/// A watch over days: what its totals of past days add to what its counter was read to have.
@Suite(.timeLimit(.minutes(5))) struct MoYoungPastTests {
    private func worn(isReversed: Bool = false, sendsPast: Bool = true, seed: UInt64 = 5) -> WornBand {
        WornBand(MoYoung.self, seed: seed) { .moYoung($0, .stepsFirst, isReversed: isReversed, sendsPast: sendsPast) }
    }

    @Test(arguments: [false, true], [UInt64(5), 6, 7])
    func `a day that was partly read is completed by its total, whatever the order of the requests`(
        isReversed: Bool, seed: UInt64
    ) throws {
        let watch = worn(isReversed: isReversed, seed: seed)
        // In the afternoons and mornings: steps of each day are missing after its last reading.
        for day in 0...4 {
            try watch.sync(day, 9)
            try watch.sync(day, 16, 10)
        }
        let last = try watch.sync(5, 9)
        // What the first days show of the order is enough from the third on.
        for day in 2...4 {
            #expect(watch.steps(day) == watch.truth(day), "day \(day)")
            #expect(watch.isComplete(day), "day \(day)")
        }
        #expect(watch.steps(5) == watch.memory.stepsToday)
        #expect(last.notices.isEmpty && watch.cursor.pastDays?.isReversed == isReversed)
        for day in 0...5 { #expect((watch.steps(day) ?? .max) <= watch.truth(day)) }
        // A second reading of the same day asks for nothing and adds nothing.
        let asked = watch.band.written.count
        try watch.sync(5, 9, 30)
        #expect(watch.steps(5) == watch.memory.stepsToday)
        #expect(watch.band.written[asked...].allSatisfy { $0[4] == 0x31 })
    }

    /// A phone has set the watch to UTC, at a place eight hours east of that: in the night its day is still the one
    /// before, and its totals are those of earlier days.
    @Test func `no day is completed in the night by a counter that has not fallen`() throws {
        let zone = LocalTime.fixed(8 * 3_600), today = BandFixture.today
        let evening = zone.moment(today.advanced(by: -1), seconds: 22 * 3_600)
        let last = CounterReading(at: evening, value: 6_000, utcOffset: 8 * 3_600)
        let player = SessionPlayer(
            read: { $0 == MoYoung.today ? .little(6_800, 3) + .little(5_000, 3) + .little(300, 3) : nil },
            write: { request, _ in
                guard request[4] == 0x33 else { return [] }
                let total = .little(request[5] == 1 ? 6_500 : 5_900, 3) + [UInt8](repeating: 0, count: 6)
                return [MoYoungFrames.request(0x33, [request[5]] + total, isSecond: false)]
            })
        let cursor = PedometerCursor(readThrough: evening, counter: last)
        let context = SessionContext(pedometer: .sample(MoYoung.self, cursor: cursor), localTime: zone)
        let night = player.play(ExchangeSession(MoYoungReading(context)), at: zone.moment(today, seconds: 3 * 3_600))
        #expect(!night.written.contains { $0[4] == 0x33 })
        #expect(night.steps == 0 && night.coverage.isEmpty && night.notices == [.undecided(steps: 6_800)])
        // Later in the day they are requested.
        let day = player.play(ExchangeSession(MoYoungReading(context)), at: zone.moment(today, seconds: 9 * 3_600))
        #expect(day.written.contains { $0[4] == 0x33 })
    }

    @Test func `a day that was never read is stored once the order is known`() throws {
        let watch = worn()
        for day in 0...2 {
            try watch.sync(day, 9)
            try watch.sync(day, 22, 50)
        }
        // The fourth day is not read at all, the third not after 22:50.
        try watch.sync(4, 10)
        #expect(watch.steps(3) == watch.truth(3) && watch.isComplete(3) && watch.truth(3) > 0)
        #expect(watch.steps(2) == watch.truth(2) && watch.isComplete(2))
        #expect(watch.steps(4) == watch.memory.stepsToday)
    }

    @Test func `on the first reading nothing shows which total is which, and none is counted`() throws {
        let watch = worn()
        let outcome = try watch.sync(0, 15)
        #expect(outcome.steps == watch.memory.stepsToday && watch.steps(-1) == 0 && watch.steps(-2) == 0)
        #expect(watch.truth(-1) > 0 && watch.cursor.pastDays?.isReversed == nil && outcome.notices.isEmpty)
    }

    @Test func `a total below what was counted is in doubt, and not stored`() throws {
        let watch = worn()
        try watch.sync(0, 20)
        let counted = try #require(watch.steps(0))
        let outcome = try watch.sync(1, 10) { frame in
            guard frame.count > 6, frame[4] == 0x33 else { return frame }
            return Array(frame[..<6]) + [UInt8].little(counted - 1, 3) + Array(frame[9...])
        }
        #expect(watch.steps(0) == counted && outcome.doubts == [.totals(counted, counted - 1)])
        #expect(outcome.notices.contains(.dayNotClosed(BandFixture.today)) && !watch.isComplete(0))
    }

    @Test func `a watch that does not answer is read as before, and asked once a day`() throws {
        let watch = worn(sendsPast: false)
        try watch.sync(0, 20)
        let outcome = try watch.sync(1, 10)
        #expect(outcome.notices == [.dayNotClosed(BandFixture.today)])
        try watch.sync(1, 11)
        #expect(watch.band.written.count { $0[4] == 0x33 } == 2)
        #expect(watch.steps(1) == watch.memory.stepsToday)
    }

    @Test(arguments: [(0, 30), (23, 59)]) func `around midnight no past day is requested`(hour: Int, minute: Int) throws
    {
        let watch = worn()
        try watch.sync(0, 9)
        try watch.sync(1, hour, minute)
        #expect(watch.band.written.count { $0[4] == 0x33 } == 2)
    }

    /// Read at 20:00, then at 15:00 with more steps than then: without the total it is not known whether the counter
    /// was reset.
    @Test func `the total of yesterday shows that today's counter was reset`() throws {
        let watch = worn()
        for day in 0...2 { try watch.sync(day, 22) }
        watch.cursor.counter?.value = 40
        let last = try #require(watch.cursor.pastDays?.counted.indices.last)
        watch.cursor.pastDays?.counted[last].steps = 40
        let outcome = try watch.sync(3, 15)
        #expect(!outcome.notices.contains { if case .undecided = $0 { true } else { false } })
        #expect(watch.steps(3) == watch.memory.stepsToday && watch.memory.stepsToday > 40)
    }

    @Test func `a day on which its clock showed another zone is not completed`() throws {
        let watch = worn()
        for day in 0...2 { try watch.sync(day, 20) }
        watch.clock.record(
            ClockState.Setting(
                at: LocalTime.zone(BandFixture.zone).moment(BandFixture.today, seconds: 2 * 86_400 + 75_000),
                utcOffset: 0),
            memory: 40 * 86_400)
        let before = watch.steps(2)
        try watch.sync(3, 10)
        #expect(watch.steps(2) == before && before != watch.truth(2))
    }

    /// A history of an earlier version has the last reading only.
    @Test func `a cursor without past days knows the day of its last reading, and leaves earlier ones`() throws {
        let watch = worn()
        try watch.sync(0, 20)
        let stored = try #require(watch.steps(0))
        watch.cursor.pastDays = nil
        watch.cursor.counter.map { watch.cursor = PedometerCursor(readThrough: $0.at, counter: $0) }
        // The other order is excluded: the total of the day before is lower than what was counted.
        let outcome = try watch.sync(1, 10) { frame in
            guard frame.count > 6, frame[4] == 0x33, frame[5] == 2 else { return frame }
            return Array(frame[..<6]) + [UInt8].little(stored - 1, 3) + Array(frame[9...])
        }
        #expect(watch.steps(0) == watch.truth(0) && watch.isComplete(0) && outcome.notices.isEmpty)
        #expect(watch.steps(-1) == 0 && watch.steps(1) == watch.memory.stepsToday)
    }
}
