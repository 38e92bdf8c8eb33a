import StepDomain
import StepServices
import TestSupport
import Testing

/// Which days `istep share` sends, and the error where there are none.
@Suite(.timeLimit(.minutes(5))) struct ShareDaysTests {
    private let outbox = OutboxFixture(now: LocalTime.berlin.at("2014-04-22", 12))
    private var today: Day { april21.advanced(by: 1) }
    private var tomorrow: Day { today.advanced(by: 1) }

    private func days(_ choice: ShareDays.Choice) throws -> [Day] {
        try ShareDays(choice, today: today).days(of: outbox.anna, in: outbox.history)
    }

    @Test func `a single requested day is shared, even if it is incomplete or unknown`() throws {
        #expect(try days(.day(april20)) == [april20])
        #expect(try days(.day(today)) == [today])
        #expect(throws: ServiceError.dayNotBegun(tomorrow, today: today)) { try days(.day(tomorrow)) }
    }

    @Test func `the known days of a range are shared, by default up to yesterday`() throws {
        try outbox.walk(4000, on: april20)
        try outbox.walk(100, on: today, until: outbox.now)
        #expect(try days(.range(from: april20.advanced(by: -30), through: nil)) == [april20])
        #expect(try days(.range(from: april20, through: tomorrow)) == [april20, today])
        #expect(try days(.range(from: april20, through: april20)) == [april20])
        #expect(try days(.range(from: today, through: today)) == [today])
    }

    @Test func `a range without days is an error with its days`() throws {
        try outbox.walk(4000, on: april20)
        #expect(throws: ServiceError.dayNotBegun(tomorrow, today: today)) {
            try days(.range(from: tomorrow, through: nil))
        }
        #expect(throws: ServiceError.rangeEndsYesterday(april21)) { try days(.range(from: today, through: nil)) }
        #expect(throws: ServiceError.rangeReversed(april21, april20)) {
            try days(.range(from: april21, through: april20))
        }
        #expect(throws: ServiceError.nothingKnown(april21, today)) { try days(.range(from: april21, through: today)) }
        #expect(
            ServiceError.rangeEndsYesterday(april21).category == .usage
                && ServiceError.nothingKnown(april21, today).category == .usage)
    }

    @Test func `sharing needs a destination`() throws {
        let sharing = try ShareService(ServiceFixture().context)
        #expect(throws: ServiceError.noDestination) { try sharing.requireDestination() }
        #expect(ServiceError.noDestination.category == .configuration)
        var fixture = ServiceFixture()
        fixture.destinations = [ScriptedDestination("diary")]
        try ShareService(fixture.context).requireDestination()
    }
}
