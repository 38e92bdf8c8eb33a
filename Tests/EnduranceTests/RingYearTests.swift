import Foundation
import Pedometers
import SimulatedBlueZ
import StepDatabase
import StepDomain
import StepServices
import TestSupport
import Testing

/// Months with a ring, which stores today and seven days: its wearer travels, clocks are changed, and most possible
/// faults occur.
@Suite(.timeLimit(.minutes(15))) struct RingYearTests {
    private static let itinerary = Itinerary(
        ("2025-12-01", "Europe/Berlin"), ("2026-03-05", "America/New_York"), ("2026-03-20", "Europe/Berlin"),
        ("2026-09-10", "Asia/Kolkata"), ("2026-09-25", "Europe/Berlin"))

    @Test(arguments: 1...UInt64(Endurance.rounds(1, year: 2)))
    func `syncs every night store the steps that the ring counted`(_ seed: UInt64) async throws {
        let year = try await RingYear(Self.itinerary, from: SimulatedDays.first, seed: seed)
        var day = SimulatedDays.first
        while day <= SimulatedDays.last {
            day = day.advanced(by: 1)
            try await year.night(before: day)
        }
        // Days that the ring still stores are read in the new year, in a night without faults.
        try await year.quietNight(before: day.advanced(by: 1))
        await year.stop()

        let tally = year.tally, days = SimulatedDays.numbers.count
        #expect(tally.complete >= tally.quiet && tally.quiet > days / 4, "\(tally)")
        #expect(tally.failed > days / 6 && tally.unfinished > days / 36, "\(tally)")
        var lost = 0
        let history = try year.machine.history()
        let end = year.time.now
        let statistics = StepStatistics(history, localTime: year.home, now: { end })
        for number in SimulatedDays.numbers {
            let day = Day(daysSince1970: number)
            let summary = try statistics.summary(of: year.user, on: day)
            let expectedSteps = year.expectedSteps[day] ?? 0
            if summary.completeness == .complete || year.readCompletely.contains(day) {
                #expect(summary.steps == expectedSteps, "\(day): \(year.log(around: day))")
                #expect(summary.completeness == .complete, "\(day): \(year.log(around: day))")
            } else {
                lost += 1
                #expect(summary.steps ?? 0 <= expectedSteps, "\(day): \(year.log(around: day))")
            }
        }
        // There are absences longer than a ring's memory, but only a few. What a fault destroys varies by the machine's
        // load.
        #expect(year.certain.isSubset(of: year.readCompletely), "\(year.certain.subtracting(year.readCompletely))")
        let certain = SimulatedDays.numbers.count { year.certain.contains(Day(daysSince1970: $0)) }
        #expect(certain >= days * 2 / 3 && (lost > 0 || !Endurance.isYear), "\(certain) days, \(lost) lost")
    }
}

/// The course of the year.
private final class RingYear {
    struct Tally { var quiet = 0, complete = 0, failed = 0, unfinished = 0 }

    let time: TestTime
    let machine: Machine
    let user: User
    let home = LocalTime.zone(TimeZone(identifier: "Europe/Berlin")!)
    private(set) var expectedSteps: [Day: Int] = [:]
    /// Days that a complete sync found whole on the ring.
    private(set) var readCompletely: Set<Day> = []
    /// Days that must be among them: a night without a fault followed while the ring stored them.
    private(set) var certain: Set<Day> = []
    private(set) var tally = Tally()
    private let ring: SimulatedColmi
    private let walker: Walker
    private let itinerary: Itinerary
    private var nights: Nights
    private var events: [(day: Day, words: String)] = []
    private let folder: String

    init(_ itinerary: Itinerary, from first: Day, seed: UInt64) async throws {
        self.itinerary = itinerary
        time = TestTime(Timestamp(first.daysSince1970 * 86_400))
        walker = Walker(seed: seed, itinerary: itinerary)
        nights = Nights(seed: seed)
        ring = SimulatedColmi(seed: nil, clock: .local(itinerary.zone(at: time.now)), now: time.date)
        let stack = try await SimulatedBlueZ.start(peripherals: [ring], timing: .immediate)
        folder = NSTemporaryDirectory() + "istep-tests-" + UUID().uuidString
        machine = Machine(stack, time, itinerary, path: folder + "/history.sqlite")
        let history = try machine.history()
        user = try history.addUser(named: "anna")
        _ = try history.addPedometer(
            Pedometer(
                user: user.id, model: Colmi.key, address: ring.address, addressType: "random", name: "ring"))
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    func stop() async { await machine.stack.stop() }

    /// Walks on until the night before `day` is nearly over, and syncs then.
    func night(before day: Day) async throws {
        let today = day.advanced(by: -1)
        if itinerary.isJourney(today) {
            // After an arrival there is a sync before the first step there.
            return try await sync(at: Timestamp(day.daysSince1970 * 86_400 - 60), nil, day)
        }
        let fault = nights.next()
        let moment = itinerary.localTime(at: Timestamp(day.daysSince1970 * 86_400)).moment(
            day, seconds: 3 * 3600 + nights.roll(0...1800))
        if nights.roll(0...99) < 3, !itinerary.isJourney(day) {
            walk(until: itinerary.localTime(at: time.now).moment(today, seconds: 15 * 3600))
            ring.setClock(.utc)
            note(day, "another program set the ring to UTC")
        }
        try await sync(at: moment, fault, day)
    }

    func quietNight(before day: Day) async throws {
        try await sync(at: home.moment(day, seconds: 3 * 3600), nil, day)
    }

    private func sync(at moment: Timestamp, _ fault: NightFault?, _ day: Day) async throws {
        guard moment > time.now else { return }
        walk(until: moment)
        let ringDay = Day(daysSince1970: ring.clock.dayNumber)
        // The oldest day is complete only by the ring's clock, which may differ by an hour or more from that of the
        // place.
        let stored = (1...6).map { ringDay.advanced(by: -$0) }
        if fault == nil {
            tally.quiet += 1
            certain.formUnion(stored)
        }
        let report = try await machine.sync(ring.address, fault, roll: nights.roll(0...999))
        guard let report else {
            tally.unfinished += 1
            return note(day, "\(fault.map { "\($0)" } ?? "-"): unfinished")
        }
        let words = report.failureText ?? "complete"
        note(day, "\(fault.map { "\($0)" } ?? "-"): \(words) \(report.notices)")
        guard report.failure == nil else {
            tally.failed += 1
            return
        }
        tally.complete += 1
        // Days with gaps are asked for again, if the ring still has them then.
        if fault == .garbled { return }
        readCompletely.formUnion(stored)
    }

    private func walk(until moment: Timestamp) {
        var quarter = time.now.seconds / Walker.quarter * Walker.quarter
        if quarter < time.now.seconds { quarter += Walker.quarter }
        while quarter < moment.seconds {
            time.now = Timestamp(quarter)
            let steps = walker.steps(at: time.now)
            if steps > 0 {
                ring.addSteps(steps, at: ring.clock)
                expectedSteps[Day(of: time.now, utcOffset: itinerary.utcOffset(at: time.now)), default: 0] += steps
            }
            quarter += Walker.quarter
        }
        time.now = max(time.now, moment)
    }

    private func note(_ day: Day, _ words: String) { events.append((day, words)) }

    /// What happened in the nights before and after.
    func log(around day: Day) -> String {
        events.filter { (day.advanced(by: -2)...day.advanced(by: 9)).contains($0.day) }
            .map { "\($0.day) \($0.words)" }.joined(separator: "; ")
    }
}
