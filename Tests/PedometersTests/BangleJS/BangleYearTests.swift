import Foundation
import SimulatedBlueZ
import StepDomain
import TestSupport
import Testing

@testable import Pedometers

/// A year with a watch, read every night and around changes of clocks every hour: each day is compared with the steps
/// that were made.
///
/// The truth of a day is what the watch has stored of it, by the time at which the steps were made: it does not store
/// the hour that its clock shows twice. A day that may be wrong must not be complete.
@Suite(.timeLimit(.minutes(10)), .cpuBound) struct BangleYearTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var place: String
        var zone: SimulatedBangle.Zone
        /// Hours by which a phone sets the watch's zone too late.
        var delay = 0
        var isConsoleOff = false
        /// Days of the year that may be partial, at most: the first and the last one, and those of a change.
        var partial: Int
        var testDescription: String { "\(place) \(zone) \(delay) \(isConsoleOff)" }
    }

    private static func zone(_ name: String) -> TimeZone { TimeZone(identifier: name)! }

    /// The weeks around the changes of clocks, with the watch off in between; with `ISTEP_ENDURANCE=year`, as in
    /// `.ci/full`, the whole year.
    private static let spans =
        Endurance.isYear
        ? [(Day("2026-01-10")!, Day("2026-12-20")!)]
        : [("2026-03-04", "2026-04-09"), ("2026-10-01", "2026-11-06")].map { (Day($0)!, Day($1)!) }

    static let cases = [
        Case(place: "America/Los_Angeles", zone: .follows(zone("America/Los_Angeles")), partial: 4),
        Case(place: "America/Los_Angeles", zone: .rule(zone("America/Los_Angeles")), partial: 3),
        Case(place: "Asia/Kathmandu", zone: .follows(zone("Asia/Kathmandu")), partial: 2),
        Case(place: "Asia/Kathmandu", zone: .fixed(0), partial: 2),
        Case(place: "Europe/Berlin", zone: .follows(zone("Europe/Berlin")), partial: 4),
        Case(place: "Europe/Berlin", zone: .follows(zone("Europe/Berlin")), delay: 31, partial: 6),
        Case(place: "Europe/Berlin", zone: .rule(zone("Europe/Berlin")), partial: 3),
        Case(place: "Europe/Berlin", zone: .fixed(3_600), partial: 2),
        Case(place: "Europe/Berlin", zone: .fixed(7_200), partial: 2),
        Case(place: "Europe/Berlin", zone: .fixed(-28_800), partial: 2),
        Case(place: "Europe/Berlin", zone: .follows(zone("Europe/Berlin")), isConsoleOff: true, partial: 6),
        Case(place: "Europe/Berlin", zone: .fixed(3_600), isConsoleOff: true, partial: 6),
        Case(place: "America/Los_Angeles", zone: .follows(zone("America/Los_Angeles")), isConsoleOff: true, partial: 6),
        Case(place: "Australia/Lord_Howe", zone: .follows(zone("Australia/Lord_Howe")), partial: 4),
    ]

    @Test(arguments: cases) func `no day is complete and wrong, and no steps are lost or counted twice`(setting: Case) {
        var year = BangleYear(setting)
        for (first, last) in Self.spans { year.live(from: first, through: last) }
        let (steps, partial) = (year.steps, year.days.filter { !year.isComplete($0) })
        let wrong = Set(year.days).subtracting(partial).filter {
            steps[$0, default: 0] != year.expectedSteps[$0, default: 0]
        }
        #expect(
            wrong.isEmpty,
            "\(wrong.map { "\($0): \(steps[$0, default: 0]), not \(year.expectedSteps[$0, default: 0])" })")
        #expect(partial.count <= setting.partial, "\(partial)")
        let (sum, expected) = (steps.values.reduce(0, +), year.expectedSteps.values.reduce(0, +))
        #expect(sum <= expected, "counted twice")
        // Without an answer about the clock, records around a change of clocks may have been read before: those are not
        // counted.
        #expect(sum >= expected - (setting.isConsoleOff ? 2_500 : 0), "lost: \(expected - sum) of \(expected)")
        #expect(year.failures.isEmpty, "\(year.failures)")
    }
}

/// What a watch stored, and what the history would have of it.
private struct BangleYear {
    private let setting: BangleYearTests.Case
    private let place: TimeZone
    private let localTime: LocalTime
    private let watch: SimulatedBangle
    private let time: TestTime
    private var cursor = PedometerCursor()

    private(set) var days: [Day] = []
    /// By the day on which they were made.
    private(set) var expectedSteps: [Day: Int] = [:]
    /// By their start, as the history stores them.
    private(set) var samples: [Timestamp: StepSample] = [:]
    private(set) var coverage: Set<Timestamp> = []
    private(set) var failures: [String] = []

    init(_ setting: BangleYearTests.Case) {
        self.setting = setting
        place = TimeZone(identifier: setting.place)!
        localTime = .zone(place)
        let time = TestTime(Timestamp(0))
        self.time = time
        watch = SimulatedBangle(
            zone: place, days: 0, now: { Date(timeIntervalSince1970: TimeInterval(time.now.seconds)) })
        watch.zone = setting.zone
        watch.behaviour.isConsoleOff = setting.isConsoleOff
    }

    mutating func live(from first: Day, through last: Day) {
        var dice = SeededGenerator(seed: 26)
        let end = localTime.moment(last.advanced(by: 1))
        days += (first.daysSince1970...last.daysSince1970).map { Day(daysSince1970: $0) }
        time.now = max(time.now, grid(localTime.moment(first)))
        while time.now < end {
            let start = time.now
            time.now = start + 600
            setZone()
            // Steps at all hours, so that none can be on a wrong day without being noticed.
            let steps = Int.random(in: 0...9, using: &dice) < 6 ? Int.random(in: 1...200, using: &dice) : 0
            if watch.endSlot(steps: steps) { expectedSteps[localTime.day(of: start), default: 0] += steps }
            let second = (time.now.seconds + localTime.utcOffset(time.now)) / 600 * 600
            let isHourly = isNear(time.now) && second % 3_600 == 2_400
            if isHourly || second % 86_400 == (second / 86_400 % 2 == 0 ? 3 * 3_600 + 1_200 : 19 * 3_600) { read() }
        }
        time.now = end + 7_200
        setZone()
        read()
    }

    /// The records of a watch begin at full ten minutes of its own clock.
    private func grid(_ moment: Timestamp) -> Timestamp {
        guard case .fixed(let offset) = setting.zone else { return moment }
        return moment + (600 - (moment.seconds + offset) % 600) % 600
    }

    /// A phone sets the zone late.
    private func setZone() {
        guard setting.delay > 0, case .follows(let zone) = setting.zone else { return }
        watch.zone = .fixed(
            zone.secondsFromGMT(
                for: Date(timeIntervalSince1970: TimeInterval(time.now.seconds - setting.delay * 3_600))))
    }

    /// Whether clocks change within a day.
    private func isNear(_ moment: Timestamp) -> Bool {
        localTime.utcOffset(moment - 86_400) != localTime.utcOffset(moment + 86_400)
    }

    private mutating func read() {
        let context = SessionContext(pedometer: .sample(BangleJS.self, cursor: cursor), localTime: localTime)
        let player = SessionPlayer(write: { [watch] bytes, _ in BangleSessionTests.answer(of: watch, to: bytes) })
        let outcome = player.play(BangleSession(context), at: time.now)
        if let error = outcome.error { failures.append("\(time.now): \(error)") }
        for sample in outcome.samples {
            let known = samples[sample.start]
            // A later reading of a slot replaces it, and never loses steps.
            samples[sample.start] = known.map { $0.steps > sample.steps ? $0 : sample } ?? sample
        }
        for span in outcome.coverage {
            for start in stride(from: span.start.seconds, to: span.end.seconds, by: 300) {
                coverage.insert(Timestamp(start))
            }
        }
        cursor = outcome.cursor ?? cursor
    }

    /// The steps of the samples, by day.
    var steps: [Day: Int] { samples.values.reduce(into: [:]) { $0[$1.day, default: 0] += $1.steps } }

    func isComplete(_ day: Day) -> Bool {
        let span = localTime.span(of: day)
        return stride(from: span.start.seconds, to: span.end.seconds, by: 300).allSatisfy {
            coverage.contains(Timestamp($0))
        }
    }
}
