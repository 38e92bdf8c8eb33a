import StepDomain
import StepServices
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5))) struct RequestedSyncTests {
    private func requested(_ request: SyncRequest, _ fixture: ServiceFixture, _ failure: (any Error)? = nil)
        async throws -> RequestedSync?
    {
        let histories = ScriptedHistories(fixture.history)
        histories.fail(failure)
        return try await RequestedSync(request, in: histories, services: { _ in fixture.context })
    }

    private func watch(_ fixture: ServiceFixture) -> Pedometer {
        fixture.history.addPedometer(
            Pedometer(
                user: fixture.outbox.anna.id, model: "generic", address: "C0:DE:00:00:00:02",
                addressType: "random", name: "watch"))
    }

    @Test func `a timer that was set up before the first pedometer has nothing to sync`() async throws {
        let fixture = ServiceFixture(), missing = ScriptedHistories.Missing()
        #expect(try await requested(SyncRequest(isUnattended: true), fixture, missing) == nil)
        #expect(try await requested(SyncRequest(readsOnlyCounters: true), fixture, missing) == nil)
        await #expect(throws: ScriptedHistories.Missing.self) {
            _ = try await requested(SyncRequest(), fixture, missing)
        }
    }

    @Test func `before midnight only pedometers that keep only today's count are read`() async throws {
        var fixture = ServiceFixture()
        let watch = watch(fixture)
        #expect(try await requested(SyncRequest(readsOnlyCounters: true), fixture) == nil)
        fixture.reader = ScriptedReader([watch.id: [.finish(ReadReport())]], todayOnly: [watch.id])
        let sync = try #require(try await requested(SyncRequest(readsOnlyCounters: true), fixture))
        #expect(try await sync.run().reports.map(\.pedometer.id) == [watch.id])
        #expect(fixture.reader.read.map(\.id) == [watch.id])
    }

    @Test func `only the named pedometers are read`() async throws {
        var fixture = ServiceFixture()
        let watch = watch(fixture)
        fixture.reader = ScriptedReader([watch.id: [.finish(ReadReport())]])
        let sync = try #require(try await requested(SyncRequest(pedometers: ["WATCH", watch.address]), fixture))
        #expect(try await sync.run().reports.map(\.pedometer.id) == [watch.id])
        await #expect(throws: ServiceError.unknownPedometer("band", known: ["ring", "watch"])) {
            _ = try await requested(SyncRequest(pedometers: ["band"]), fixture)
        }
    }

    @Test func `a user's pedometers are read`() async throws {
        let fixture = ServiceFixture()
        _ = fixture.history.addUser(named: "ben")
        #expect(try await requested(SyncRequest(user: "ben"), fixture) == nil)
        #expect(try await requested(SyncRequest(user: "Anna"), fixture) != nil)
        await #expect(throws: ServiceError.unknownUser("eve", known: ["anna", "ben"])) {
            _ = try await requested(SyncRequest(user: "eve"), fixture)
        }
    }

    @Test func `a history without pedometers is shared and maintained`() async throws {
        var fixture = ServiceFixture()
        try fixture.outbox.walk(6000, on: april20)
        fixture.history.forgetPedometer(fixture.outbox.ring.id)
        #expect(try await requested(SyncRequest(), fixture) == nil)
        fixture.destinations = [ScriptedDestination("diary", terms: always)]
        #expect(try await requested(SyncRequest(isShared: false), fixture) == nil)
        #expect(try await requested(SyncRequest(readsOnlyCounters: true), fixture) == nil)
        let sync = try #require(try await requested(SyncRequest(), fixture))
        #expect(try await sync.run().shares?.first?.events.map(\.day) == [april20])
        fixture.destinations = []
        let nightly = try #require(try await requested(SyncRequest(isUnattended: true), fixture))
        #expect(try await nightly.run().worst == nil)
        #expect(fixture.maintenance.runs == 1)
    }

    @Test func `maintenance is done by an unattended sync`() async throws {
        for (isUnattended, runs) in [(false, 0), (true, 1)] {
            var fixture = ServiceFixture()
            fixture.reader = ScriptedReader([fixture.outbox.ring.id: [.finish(ReadReport())]])
            _ = try await requested(SyncRequest(isUnattended: isUnattended), fixture)?.run()
            #expect(fixture.maintenance.runs == runs)
        }
    }
}
