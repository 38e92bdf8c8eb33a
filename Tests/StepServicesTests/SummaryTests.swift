import StepDomain
import StepServices
import Testing
import TestSupport

@Suite(.timeLimit(.minutes(5))) struct SummaryTests {
    private let localTime = LocalTime.berlin
    private let history = InMemoryHistory()

    private func statistics(now: Timestamp) -> StepStatistics {
        StepStatistics(history, localTime: localTime, now: { now })
    }

    @Test func `a day is summed up from the history`() throws {
        let anna = history.addUser(named: "anna")
        let ring = history.addPedometer(
            Pedometer(
                user: anna.id, model: "colmi", address: "C0:DE:00:00:00:01", addressType: "public", name: "ring")
        )
        let day = try #require(Day("2014-04-20"))
        history.setProfile(Profile(validFrom: Day(daysSince1970: 0), stepLength: 0.75), of: anna.id)
        history.setPlan(SportPlan(validFrom: day, everyDay: 2000), of: anna.id)
        let sync = try history.beginSync(of: ring.id, at: localTime.at("2014-04-21", 6))
        _ = try history.merge(
            SampleBatch(
                samples: [StepSample(start: localTime.at("2014-04-20", 7), length: 900, steps: 1000, utcOffset: 7200)],
                coverage: [localTime.span(of: day)]), sync: sync, localTime: localTime)
        try history.endSync(
            sync, at: localTime.at("2014-04-21", 6, 1), outcome: .complete, battery: nil, failure: nil, cause: nil)

        let summary = try statistics(now: localTime.at("2014-04-21", 7)).summary(of: anna, on: day)
        #expect(summary.steps == 1000)
        #expect(summary.distance == 750)
        #expect(summary.percentage == 50)
        #expect(summary.completeness == .complete)
        #expect(summary.lastSync == localTime.at("2014-04-21", 6, 1))
        #expect(try statistics(now: localTime.at("2014-04-20", 8)).summary(of: anna, on: day).isInProgress)
    }

    @Test func `the goal is that of the plan in force on the day`() throws {
        let anna = history.addUser(named: "anna")
        let day = try #require(Day("2014-04-20"))
        history.setPlan(SportPlan(validFrom: day, everyDay: 5000), of: anna.id)
        history.setPlan(SportPlan(validFrom: day.advanced(by: 7), everyDay: 6000), of: anna.id)
        let statistics = statistics(now: localTime.at("2014-04-21", 7))
        #expect(try statistics.summary(of: anna, on: day.advanced(by: -1)).goal == nil)
        #expect(try statistics.summary(of: anna, on: day.advanced(by: 6)).goal == 5000)
        #expect(try statistics.summary(of: anna, on: day.advanced(by: 7)).goal == 6000)
    }

    @Test func `errors of the history are passed on`() throws {
        let anna = history.addUser(named: "anna")
        let day = try #require(Day("2014-04-20"))
        history.refuse(.dayData(day), with: Refusal())
        #expect(throws: Refusal.self) { try statistics(now: Timestamp(0)).summary(of: anna, on: day) }
    }
}

struct Refusal: Error, Equatable, CustomStringConvertible { var description: String { "the history is locked" } }
