import StepDomain
import StepServices
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5))) struct SynchronizationTests {
    private struct Broken: Error {}

    private func lab(_ destinations: any ShareDestination...) throws -> ServiceLab {
        var lab = ServiceLab()
        lab.destinations = destinations
        lab.reader = ScriptedReader([lab.outbox.ring.id: [.deliver(try batch(lab)), .finish(ReadReport())]])
        return lab
    }

    /// 4,000 steps on 20 April.
    private func batch(_ lab: ServiceLab) throws -> SampleBatch {
        let place = lab.outbox.place, start = place.moment(april20, seconds: 8 * 3600), span = place.span(of: april20)
        return SampleBatch(
            samples: [StepSample(start: start, length: 3600, steps: 4000, utcOffset: place.utcOffset(start))],
            coverage: [TimeSpan(span.start, span.end)])
    }

    @Test func `what is read is shared`() async throws {
        let garden = ScriptedDestination(terms: always)
        let lab = try lab(garden)
        let outcome = try await Synchronization(lab.context).run([lab.outbox.ring])
        #expect(outcome.reports.map(\.counts.steps) == [4000])
        #expect(outcome.failures.isEmpty)
        #expect(garden.steps(april20) == 4000)
        #expect(lab.lock.log == [.syncing, .sharing], "one after the other: sharing does not hold up another sync")
    }

    @Test func `nothing is read while another process syncs`() async throws {
        let lab = try lab()
        lab.lock.holdElsewhere(.syncing)
        await #expect(throws: ScriptedLock.Held.self) { try await Synchronization(lab.context).run([lab.outbox.ring]) }
        #expect(lab.reader.read.isEmpty)
    }

    @Test func `nothing is read into a damaged history`() async throws {
        let lab = try lab()
        lab.upkeep.damage()
        await #expect(throws: ScriptedUpkeep.Damaged.self) { try await Synchronization(lab.context).run([lab.outbox.ring]) }
        #expect(lab.reader.read.isEmpty)
    }

    @Test func `nothing is read by a clock that is not set`() async throws {
        let lab = ServiceLab(now: Timestamp(86_400))
        await #expect(throws: ServiceError.clockNotSet(Day("1970-01-02")!)) {
            try await Synchronization(lab.context).run([lab.outbox.ring])
        }
        #expect(lab.reader.read.isEmpty)
    }

    @Test func `another process that shares is no failure`() async throws {
        let garden = ScriptedDestination(terms: always)
        let lab = try lab(garden)
        lab.lock.holdElsewhere(.sharing)
        let outcome = try await Synchronization(lab.context).run([lab.outbox.ring])
        #expect(outcome.failures.isEmpty && outcome.shares == nil)
        #expect(garden.deliveries.isEmpty)
    }

    /// A second person was added after the destination was configured: the days of both would come into one account.
    @Test func `a destination for one person gets no days while the person is not set`() async throws {
        let diary = ScriptedDestination(
            "diary", ShareTraits(resending: .replaces, corrects: true, takesUnfinishedDays: true, isPersonal: true), terms: always)
        let garden = ScriptedDestination(terms: always)
        let lab = try lab(diary, garden)
        _ = lab.history.addUser(named: "ben")
        let outcome = try await Synchronization(lab.context).run([lab.outbox.ring])
        #expect(diary.deliveries.isEmpty)
        #expect(garden.steps(april20) == 4000, "others are shared with")
        #expect(outcome.sharingFailure as? ServiceError == .unclearRecipients(destination: "diary", .several(known: ["anna", "ben"])))
    }

    @Test func `upkeep runs where it is asked for, and what fails there is reported beside the steps`() async throws {
        let lab = try lab()
        lab.upkeep.fail(Broken())
        let without = try await Synchronization(lab.context).run([])
        #expect(lab.upkeep.runs == 0 && without.failures.isEmpty)
        let outcome = try await Synchronization(lab.context, .init(includesUpkeep: true)).run([lab.outbox.ring])
        #expect(lab.upkeep.runs == 1)
        #expect(outcome.reports.map(\.counts.steps) == [4000])
        #expect(outcome.failures.map(\.isShown) == [false] && outcome.upkeepFailure is Broken)
    }

    @Test func `a sync that is not to share shares nothing`() async throws {
        let garden = ScriptedDestination(terms: always)
        let lab = try lab(garden)
        let outcome = try await Synchronization(lab.context, .init(isShared: false)).run([lab.outbox.ring])
        #expect(outcome.shares == nil && garden.deliveries.isEmpty)
    }

    /// SQLite waits up to five seconds for another process: on one of Swift's few threads it would stop other tasks, time limits included.
    @Test func `no call to the history blocks Swift's threads`() async throws {
        let garden = ScriptedDestination(terms: always)
        let lab = try lab(garden)
        _ = try await Synchronization(lab.context).run([lab.outbox.ring])
        for call in [InMemoryHistory.Call.beginSync(lab.outbox.ring.id), .merge(1), .endSync(1, .complete), .stepData(april20), .record] {
            #expect(lab.history.calls.contains(call))
        }
        #expect(lab.history.callsInTasks == [])
    }
}
