import StepDomain
import StepServices
import TestSupport
import Testing

/// What destinations get of days that were deleted.
@Suite(.timeLimit(.minutes(5))) struct DeletedDayTests {
    private let outbox = OutboxFixture()

    private func delete(_ day: Day) { outbox.history.delete(day, of: outbox.anna.id) }

    @Test func `a destination that replaces days gets 0 steps, once`() async throws {
        let garden = ScriptedDestination("garden", terms: always)
        try outbox.walk(4000, on: april20)
        try outbox.walk(5000, on: april21)
        try await outbox.share(to: garden)
        #expect(garden.payloads.map(\.day.day) == [april20, april21])
        delete(april20)
        let report = try #require(try await outbox.share(to: garden).first)
        #expect(report.outcomes == [.corrected])
        let last = try #require(garden.payloads.last)
        #expect(last.day.day == april20)
        #expect(last.day.steps == 0 && last.day.isDeletion && last.day.tracks.isEmpty)
        #expect(last.day.summary.completeness == .unknown && last.day.metres == nil)
        #expect(try await outbox.share(to: garden).first?.outcomes.isEmpty == true)
        #expect(outbox.entry(april20, garden)?.state == .sent)
        // The day is known again: it is sent like any other.
        try outbox.walk(4100, on: april20)
        #expect(try await outbox.share(to: garden).first?.outcomes == [.corrected])
        #expect(garden.payloads.last?.day.steps == 4100)
    }

    /// The steps had arrived, and stayed there.
    @Test(arguments: [ShareFailure.Kind.rejected, .busy]) func `a day that arrived in part is deleted there`(
        kind: ShareFailure.Kind
    ) async throws {
        let garden = ScriptedDestination("garden", terms: always)
        try outbox.walk(4000, on: april20)
        garden.script(.acceptPartly(kind))
        try await outbox.share(to: garden)
        delete(april20)
        outbox.pass(7 * 86_400)
        try await outbox.share(to: garden)
        #expect(garden.payloads.last?.day.isDeletion == true && garden.payloads.count == 2)
    }

    /// The first attempt had arrived.
    @Test func `a day that is rejected after a lost answer is deleted there`() async throws {
        let garden = ScriptedDestination("garden", terms: always)
        try outbox.walk(4000, on: april20)
        garden.script(.acceptSilently, .fail(ShareFailure(.rejected, "too many")))
        try await outbox.share(to: garden)
        outbox.pass(7 * 86_400)
        try outbox.walk(4100, on: april20)
        try await outbox.share(to: garden)
        delete(april20)
        outbox.pass(7 * 86_400)
        try await outbox.share(to: garden)
        #expect(garden.payloads.last?.day.isDeletion == true && garden.payloads.count == 3)
    }

    @Test func `a day that was never sent is not sent as 0`() async throws {
        let garden = ScriptedDestination("garden", terms: always)
        try outbox.walk(4000, on: april20)
        delete(april20)
        try await outbox.share(to: garden)
        #expect(garden.payloads.isEmpty)
        try await outbox.share(.days([april20], of: outbox.anna, again: false), to: garden)
        #expect(garden.payloads.isEmpty)
        let preview = try outbox.service.preview(of: outbox.anna, on: april20, to: garden)
        #expect(preview == .nothingKnown)
    }

    @Test func `a range has the deleted days that a destination has`() async throws {
        let garden = ScriptedDestination("garden", terms: always)
        for day in [april20, april21] { try outbox.walk(4000, on: day) }
        try await outbox.share(to: garden)
        delete(april20)
        func range() throws -> [Day] {
            try ShareDays(.range(from: april20, through: april21), today: april21.advanced(by: 1)).days(
                of: outbox.anna, in: outbox.history)
        }
        #expect(try range() == [april20, april21])
        try await outbox.share(.days(range(), of: outbox.anna), to: garden)
        #expect(garden.payloads.last?.day.day == april20 && garden.payloads.last?.day.isDeletion == true)
        // It is told again where the user asks for it.
        let count = garden.payloads.count
        try await outbox.share(.days(range(), of: outbox.anna), to: garden)
        #expect(garden.payloads.count == count)
        try await outbox.share(.days(range(), of: outbox.anna, again: true), to: garden)
        #expect(garden.payloads.dropFirst(count).map(\.day.isDeletion) == [true, false])
    }

    @Test func `a range leaves out deleted days that no destination has`() throws {
        try outbox.walk(4000, on: april20)
        try outbox.walk(4000, on: april21)
        delete(april20)
        let days = try ShareDays(.range(from: april20, through: april21), today: april21.advanced(by: 1)).days(
            of: outbox.anna, in: outbox.history)
        #expect(days == [april21])
    }

    @Test func `a destination that keeps its days gets nothing more`() async throws {
        let traits = ShareTraits(resending: .repeats, corrects: false, acceptsUnfinishedDays: false)
        let diary = ScriptedDestination("diary", traits, terms: always)
        try outbox.walk(4000, on: april20)
        try await outbox.share(to: diary)
        delete(april20)
        let report = try #require(try await outbox.share(to: diary).first)
        #expect(report.outcomes == [.nothingKnown] && diary.payloads.count == 1)
        #expect(outbox.entry(april20, diary)?.state == .sent)
    }

    @Test func `a day that may have arrived is replaced by 0 steps`() async throws {
        let garden = ScriptedDestination("garden", terms: always)
        try outbox.walk(4000, on: april20)
        garden.script(.acceptSilently)
        try await outbox.share(to: garden)
        delete(april20)
        outbox.pass(3600)
        try await outbox.share(to: garden)
        #expect(garden.payloads.last?.day.isDeletion == true)
    }
}
