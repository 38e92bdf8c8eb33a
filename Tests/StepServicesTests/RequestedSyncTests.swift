import StepDomain
import StepServices
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5))) struct RequestedSyncTests {
    private func requested(_ request: SyncRequest, _ lab: ServiceLab, _ failure: (any Error)? = nil) async throws -> RequestedSync? {
        let histories = ScriptedHistories(lab.history)
        histories.fail(failure)
        return try await RequestedSync(request, in: histories, services: { _ in lab.context })
    }

    private func watch(_ lab: ServiceLab) -> Pedometer {
        lab.history.addPedometer(
            Pedometer(
                id: 0, user: lab.outbox.anna.id, model: "generic", address: "C0:DE:00:00:00:02", addressType: "random", name: "watch"))
    }

    @Test func `a timer that was set up before the first pedometer has nothing to sync`() async throws {
        let lab = ServiceLab(), missing = ScriptedHistories.Missing()
        #expect(try await requested(SyncRequest(isUnattended: true), lab, missing) == nil)
        #expect(try await requested(SyncRequest(readsOnlyCounters: true), lab, missing) == nil)
        await #expect(throws: ScriptedHistories.Missing.self) { _ = try await requested(SyncRequest(), lab, missing) }
    }

    @Test func `before midnight only pedometers that keep only today's count are read`() async throws {
        var lab = ServiceLab()
        let watch = watch(lab)
        #expect(try await requested(SyncRequest(readsOnlyCounters: true), lab) == nil)
        lab.reader = ScriptedReader([watch.id: [.finish(ReadReport())]], todayOnly: [watch.id])
        let sync = try #require(try await requested(SyncRequest(readsOnlyCounters: true), lab))
        #expect(try await sync.run().reports.map(\.pedometer.id) == [watch.id])
        #expect(lab.reader.read.map(\.id) == [watch.id])
    }

    @Test func `only those that are named are read`() async throws {
        var lab = ServiceLab()
        let watch = watch(lab)
        lab.reader = ScriptedReader([watch.id: [.finish(ReadReport())]])
        let sync = try #require(try await requested(SyncRequest(pedometers: ["WATCH", watch.address]), lab))
        #expect(try await sync.run().reports.map(\.pedometer.id) == [watch.id])
        await #expect(throws: ServiceError.unknownPedometer("band", known: ["ring", "watch"])) {
            _ = try await requested(SyncRequest(pedometers: ["band"]), lab)
        }
    }

    @Test func `a user's pedometers are read`() async throws {
        let lab = ServiceLab()
        _ = lab.history.addUser(named: "ben")
        #expect(try await requested(SyncRequest(user: "ben"), lab) == nil)
        #expect(try await requested(SyncRequest(user: "Anna"), lab) != nil)
        await #expect(throws: ServiceError.unknownUser("eve", known: ["anna", "ben"])) {
            _ = try await requested(SyncRequest(user: "eve"), lab)
        }
    }

    @Test func `upkeep is done by an unattended sync`() async throws {
        for (isUnattended, runs) in [(false, 0), (true, 1)] {
            var lab = ServiceLab()
            lab.reader = ScriptedReader([lab.outbox.ring.id: [.finish(ReadReport())]])
            _ = try await requested(SyncRequest(isUnattended: isUnattended), lab)?.run()
            #expect(lab.upkeep.runs == runs)
        }
    }
}
