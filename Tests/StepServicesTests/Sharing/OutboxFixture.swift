import StepDomain
import StepServices
import TestSupport

/// A user, a ring, a clock that the test sets, and the service on top.
final class OutboxFixture: Sendable {
    let history = InMemoryHistory()
    let anna: User
    let ring: Pedometer
    let localTime = LocalTime.berlin
    let time: TestTime

    init(now: Timestamp = LocalTime.berlin.at("2014-04-22", 3)) {
        time = TestTime(now)
        anna = history.addUser(named: "anna")
        ring = history.addPedometer(
            Pedometer(
                user: anna.id, model: "colmi", address: "C0:DE:00:00:00:01", addressType: "public", name: "ring")
        )
    }

    var now: Timestamp { time.now }
    func set(_ moment: Timestamp) { time.now = moment }
    func pass(_ seconds: Int) { time.pass(seconds) }

    /// Steps of a day, made at eight in the morning; covered up to `until` (by default the whole day).
    func walk(_ steps: Int, on day: Day, until: Timestamp? = nil) throws {
        let sync = try history.beginSync(of: ring.id, at: now)
        let start = localTime.moment(day, seconds: 8 * 3600)
        let span = localTime.span(of: day)
        _ = try history.merge(
            SampleBatch(
                samples: [StepSample(start: start, length: 3600, steps: steps, utcOffset: localTime.utcOffset(start))],
                coverage: [TimeSpan(span.start, until ?? span.end)]),
            sync: sync, localTime: localTime)
        try history.endSync(sync, at: now, outcome: .complete, battery: nil, failure: nil, cause: nil)
    }

    var service: Outbox {
        Outbox(history: history, ledger: history, localTime: localTime, now: { self.now })
    }

    var statistics: StepStatistics { StepStatistics(history, localTime: localTime, now: { self.now }) }

    @discardableResult
    func share(
        _ order: ShareOrder = .due, to destinations: any ShareDestination..., deadline: Timestamp? = nil
    ) async throws -> [ShareReport] {
        try await service.share(order, to: destinations, users: history.users(), deadline: deadline)
    }

    func entry(_ day: Day, _ destination: any ShareDestination) -> ShareEntry? {
        history.entry(anna.id, day, destination.name)
    }
}

extension ShareReport {
    var outcomes: [Event.Outcome] { events.map(\.outcome) }
}

/// From the first day on, so that nothing depends on when a destination was first used.
let always = ShareTerms(since: Day(daysSince1970: 0))

let april20 = Day(daysSince1970: 16_180)
let april21 = april20.advanced(by: 1)
