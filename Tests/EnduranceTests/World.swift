import Foundation
import StepDomain
import Synchronization

/// The simulated days: ten weeks with a journey and three changes of clocks; with `ISTEP_ENDURANCE=year`, as in `.ci/full`, a year.
enum SimulatedDays {
    static let isYear = ProcessInfo.processInfo.environment["ISTEP_ENDURANCE"] == "year"
    static let first = isYear ? Day("2026-01-01")! : Day("2026-02-15")!
    static let last = isYear ? Day("2026-12-31")! : Day("2026-04-25")!
    static let numbers = first.daysSince1970...last.daysSince1970
}

/// The time that pedometers, people and the machine share in a simulated year.
final class World: Sendable {
    private let state: Mutex<Timestamp>

    init(_ start: Timestamp) { state = Mutex(start) }

    var now: Timestamp {
        get { state.withLock { $0 } }
        set { state.withLock { $0 = newValue } }
    }

    /// The time in the form that simulated pedometers ask for.
    var date: @Sendable () -> Date { { Date(timeIntervalSince1970: TimeInterval(self.now.seconds)) } }
}

/// Where a person is on which days.
struct Itinerary: Sendable {
    struct Stay: Sendable {
        var from: Day
        var zone: TimeZone
    }

    /// Sorted; the first one also applies to all time before it.
    var stays: [Stay]

    init(_ stays: (String, String)...) {
        self.stays = stays.map { Stay(from: Day($0.0)!, zone: TimeZone(identifier: $0.1)!) }
    }

    /// By days of Greenwich: journeys are made at a time when nobody walks.
    func zone(at moment: Timestamp) -> TimeZone {
        let day = Day(of: moment, utcOffset: 0)
        return (stays.last { $0.from <= day } ?? stays[0]).zone
    }

    func place(at moment: Timestamp) -> LocalTime { .zone(zone(at: moment)) }

    func utcOffset(at moment: Timestamp) -> Int { place(at: moment).utcOffset(moment) }

    /// Whether the person departs or arrives on the day.
    func isJourney(_ day: Day) -> Bool { stays.dropFirst().contains { $0.from == day } }
}

/// A clock that runs faster than the machine's: waits for an answer that never comes are shorter.
struct HurriedClock: Clock {
    private let pace: Int
    private let base = ContinuousClock()
    private let start = ContinuousClock.now

    /// - Parameter pace: how many times as fast. If the awaited answer does come, a loaded machine must have the time for it.
    init(pace: Int) { self.pace = pace }

    struct Instant: InstantProtocol {
        var offset: Duration
        func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
        func duration(to other: Instant) -> Duration { other.offset - offset }
        static func < (a: Instant, b: Instant) -> Bool { a.offset < b.offset }
    }

    var now: Instant { Instant(offset: start.duration(to: base.now) * pace) }
    var minimumResolution: Duration { .milliseconds(1) }

    func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        try await base.sleep(until: start.advanced(by: deadline.offset / pace), tolerance: nil)
    }
}
