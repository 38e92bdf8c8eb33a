import Foundation
import Pedometers
import SimulatedBlueZ
import StepDatabase
import StepDomain
import StepServices
import TestSupport
import Testing

/// Months with a watch that stores only today's count and restarts now and then.
@Suite(.timeLimit(.minutes(15))) struct WatchYearTests {

    @Test func `readings every day store the steps read from the watch`() async throws {
        let year = try await WatchYear(from: SimulatedDays.first, seed: 3)
        var day = SimulatedDays.first
        while day <= SimulatedDays.last {
            try await year.live(through: day)
            day = day.advanced(by: 1)
        }
        try await year.read(at: 3.5, of: day, nil)
        try await year.read(at: 3.6, of: day, nil)
        await year.stop()

        let end = year.time.now
        let statistics = StepStatistics(try year.machine.history(), localTime: year.home, now: { end })
        var unread = 0
        for number in SimulatedDays.numbers {
            let day = Day(daysSince1970: number)
            let summary = try statistics.summary(of: year.user, on: day)
            let (steps, expectedSteps) = (summary.steps ?? 0, year.expectedSteps[day] ?? 0)
            #expect(steps <= expectedSteps, "\(day): \(year.log(around: day))")
            if !year.doubtful.contains(day) {
                #expect(steps == year.credit[day] ?? 0, "\(day): \(year.log(around: day))")
            }
            // Missing steps are marked, except those that no reading can reveal: a restart before the first reading of
            // a day.
            if steps < expectedSteps {
                unread += 1
                if !year.hidden.contains(day) {
                    #expect(summary.completeness != .complete, "\(day): \(year.log(around: day))")
                }
            }
        }
        let days = SimulatedDays.numbers.count
        #expect((days / 36...days * 2 / 3).contains(unread), "\(unread)")
        // A restart that a reading has revealed lost steps: the time around it is not covered.
        #expect(year.shownRestarts.count > days / 150)
        let history = try year.machine.history()
        for moment in year.shownRestarts {
            let day = year.home.day(of: moment)
            let coverage = try history.dayData(of: year.user, on: day).tracks.flatMap(\.coverage)
            #expect(!coverage.contains { $0.span.contains(moment) }, "\(day): \(year.log(around: day))")
        }
        #expect(year.restarts > days / 36 && year.failures > days / 4, "\(year.restarts) \(year.failures)")
    }
}

private final class WatchYear {
    let time: TestTime
    let machine: Machine
    let user: User
    let home = LocalTime.zone(TimeZone(identifier: "Europe/Berlin")!)
    private(set) var expectedSteps: [Day: Int] = [:]
    /// The steps of each day according to the readings: the growth of the count, or the whole count if it has fallen.
    private(set) var credit: [Day: Int] = [:]
    /// Days that were read while the machine's clock was wrong.
    private(set) var doubtful: Set<Day> = []
    /// Days on which a restart lost steps that no reading had seen or could see.
    private(set) var hidden: Set<Day> = []
    private(set) var restarts = 0
    /// Restarts after which a reading of the same day, with the machine's clock right, found less than the one before.
    private(set) var shownRestarts: [Timestamp] = []
    private var lastRestart: Timestamp?
    private(set) var failures = 0
    private let watch: SimulatedGeneric
    private let walker: Walker
    private var nights: Nights
    /// The count that the watch shows.
    private var count = 0
    private var lastRead = 0
    private var events: [(day: Day, words: String)] = []
    private let folder: String

    init(from first: Day, seed: UInt64) async throws {
        let itinerary = Itinerary(("2025-12-01", "Europe/Berlin"))
        time = TestTime(home.moment(first))
        walker = Walker(seed: seed, itinerary: itinerary)
        nights = Nights(seed: seed)
        let value = CharacteristicID("00030000-78fc-48fe-8e23-433b3a1942d0", "00030001-78fc-48fe-8e23-433b3a1942d0")
        watch = SimulatedGeneric(
            address: "C0:DE:1F:71:00:01", name: "InfiniTime", advertisedServices: ["180d"], steps: value,
            source: .manual(0))
        let stack = try await SimulatedBlueZ.start(peripherals: [watch], timing: .immediate)
        folder = NSTemporaryDirectory() + "istep-tests-" + UUID().uuidString
        machine = Machine(stack, time, itinerary, path: folder + "/history.sqlite")
        let history = try machine.history()
        user = try history.addUser(named: "ben")
        _ = try history.addPedometer(
            Pedometer(
                user: user.id, model: Generic.key, address: watch.address, addressType: "random", name: "watch",
                options: [
                    "service": value.service.text, "characteristic": value.characteristic.text, "counts": "today",
                ]))
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    func stop() async { await machine.stack.stop() }

    /// A day from midnight to midnight: the night's reading, sometimes one at noon, the one before midnight.
    func live(through day: Day) async throws {
        try await read(at: 3.25 + Double(nights.roll(0...1000)) / 2000, of: day, nights.next())
        if nights.roll(0...2) == 0 { try await read(at: 12.6, of: day, nights.next()) }
        if nights.roll(0...19) == 0 {
            walk(until: home.moment(day, seconds: nights.roll(14...23) * 3600))
            restarts += 1
            if count > lastRead { hidden.insert(day) }
            count = 0
            watch.set(0)
            lastRestart = time.now
            note(day, "restart")
        }
        try await read(at: 23.75, of: day, nights.next())
        walk(until: home.moment(day.advanced(by: 1)))
        (count, lastRead, lastRestart) = (0, 0, nil)
        watch.set(0)
    }

    func read(at hour: Double, of day: Day, _ fault: NightFault?) async throws {
        walk(until: home.moment(day, seconds: Int(hour * 3600)))
        if fault == .machineClock { doubtful.formUnion([day, day.advanced(by: 1)]) }
        let report = try await machine.sync(watch.address, fault, roll: nights.roll(0...999))
        note(
            day,
            "\(hour) \(fault.map { "\($0)" } ?? "-") \(count): \(report?.failureText ?? (report == nil ? "unfinished" : "complete"))"
        )
        guard let report, report.failure == nil else {
            failures += 1
            return
        }
        if count < lastRead, let lastRestart, !doubtful.contains(day) { shownRestarts.append(lastRestart) }
        credit[day, default: 0] += count >= lastRead ? count - lastRead : count
        lastRead = count
    }

    private func walk(until moment: Timestamp) {
        var quarter = (time.now.seconds + Walker.quarter - 1) / Walker.quarter * Walker.quarter
        while quarter < moment.seconds {
            time.now = Timestamp(quarter)
            let steps = walker.steps(at: time.now)
            count += steps
            expectedSteps[home.day(of: time.now), default: 0] += steps
            quarter += Walker.quarter
        }
        watch.set(count)
        time.now = max(time.now, moment)
    }

    private func note(_ day: Day, _ words: String) { events.append((day, words)) }

    func log(around day: Day) -> String {
        events.filter { (day.advanced(by: -1)...day.advanced(by: 1)).contains($0.day) }
            .map { "\($0.day) \($0.words)" }.joined(separator: "; ")
    }
}
