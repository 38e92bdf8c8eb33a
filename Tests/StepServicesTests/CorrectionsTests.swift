import StepDomain
import StepServices
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5))) struct CorrectionsTests {
    private let outbox = OutboxFixture(now: LocalTime.berlin.at("2014-04-22", 3))

    private var corrections: Corrections {
        Corrections(outbox.history, localTime: outbox.localTime, now: { outbox.now })
    }

    private func summary(on day: Day) throws -> DaySummary { try outbox.statistics.summary(of: outbox.anna, on: day) }

    @Test func `a correction replaces the counted steps in the figures and does not change the samples`() throws {
        try outbox.walk(4000, on: april20)
        try corrections.set(StepCorrection(steps: 9000, reason: "left the ring at home"), on: april20, of: outbox.anna)
        let day = try summary(on: april20)
        #expect(
            day.steps == 9000 && day.isCorrected && day.countedSteps == 4000
                && day.correctionReason == "left the ring at home")
        #expect(day.completeness == .complete)
    }

    @Test func `a correction stays after later syncs, and its removal shows what they counted`() throws {
        try outbox.walk(4000, on: april20)
        try corrections.set(9000, on: april20, of: outbox.anna)
        try outbox.walk(4500, on: april20)
        #expect(try summary(on: april20).steps == 9000 && summary(on: april20).countedSteps == 4500)
        try corrections.remove(on: april20, of: outbox.anna)
        #expect(try summary(on: april20).steps == 4500 && !summary(on: april20).isCorrected)
    }

    @Test func `a day without a pedometer can be entered, and a second figure replaces the first`() throws {
        try corrections.set(5000, on: april20, of: outbox.anna)
        try corrections.set(0, on: april20, of: outbox.anna)
        let day = try summary(on: april20)
        #expect(day.steps == 0 && day.countedSteps == nil && day.isCorrected)
    }

    @Test func `days to come, days before 1970 and implausible figures are refused, and nothing is stored`() throws {
        let today = Day("2014-04-22") ?? april21
        try corrections.set(1, on: today, of: outbox.anna)
        for steps in [-1, 200_001, .max] {
            #expect(throws: ServiceError.implausibleSteps(steps)) {
                try corrections.set(.init(steps: steps), on: april20, of: outbox.anna)
            }
        }
        #expect(throws: ServiceError.dayNotBegun(today.advanced(by: 1), today: today)) {
            try corrections.set(1, on: today.advanced(by: 1), of: outbox.anna)
        }
        let mistyped = try #require(Day("1026-11-24"))
        for early in [mistyped, Validity.beginning.advanced(by: -1)] {
            #expect(throws: ServiceError.dayTooEarly(early)) { try corrections.set(1, on: early, of: outbox.anna) }
        }
        try corrections.set(1, on: Validity.beginning, of: outbox.anna)
        for reason in ["", "  ", "a\u{1b}[31mb", "a\nb", "\u{fffd}", String(repeating: "x", count: 201)] {
            #expect(throws: ServiceError.unusableReason) {
                try corrections.set(.init(steps: 1, reason: reason), on: april20, of: outbox.anna)
            }
        }
        #expect(try summary(on: april20).steps == nil)
        try corrections.set(
            .init(steps: 200_000, reason: String(repeating: "ä", count: 200)), on: april20, of: outbox.anna)
    }

    @Test func `only a corrected day has a correction to remove`() throws {
        try outbox.walk(4000, on: april20)
        #expect(throws: ServiceError.notCorrected(april20)) { try corrections.remove(on: april20, of: outbox.anna) }
        #expect(try summary(on: april20).steps == 4000)
    }

    @Test func `a shared day is shared again with the corrected figure, not for another reason`() async throws {
        let garden = ScriptedDestination("garden", terms: always)
        try outbox.walk(4000, on: april20)
        try await outbox.share(to: garden)
        #expect(garden.steps(april20) == 4000)
        try corrections.set(9000, on: april20, of: outbox.anna)
        try await outbox.share(to: garden)
        #expect(garden.steps(april20) == 9000)
        let count = garden.times(april20)
        try corrections.set(.init(steps: 9000, reason: "left the ring at home"), on: april20, of: outbox.anna)
        try await outbox.share(to: garden)
        #expect(garden.times(april20) == count)
    }
}
