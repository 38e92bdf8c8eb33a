import StepDomain
import StepServices
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5))) struct SyncServiceTests {
    private struct Broken: Error {}

    private func fixture(_ destinations: any ShareDestination...) throws -> ServiceFixture {
        var fixture = ServiceFixture()
        fixture.destinations = destinations
        fixture.reader = ScriptedReader([fixture.outbox.ring.id: [.deliver(try batch(fixture)), .finish(ReadReport())]])
        return fixture
    }

    /// 4,000 steps on 20 April.
    private func batch(_ fixture: ServiceFixture) throws -> SampleBatch {
        let localTime = fixture.outbox.localTime, start = localTime.moment(april20, seconds: 8 * 3600),
            span = localTime.span(of: april20)
        return SampleBatch(
            samples: [StepSample(start: start, length: 3600, steps: 4000, utcOffset: localTime.utcOffset(start))],
            coverage: [TimeSpan(span.start, span.end)])
    }

    @Test func `days that were read are shared`() async throws {
        let garden = ScriptedDestination(terms: always)
        let fixture = try fixture(garden)
        let outcome = try await SyncService(fixture.context).run([fixture.outbox.ring])
        #expect(outcome.reports.map(\.counts.steps) == [4000])
        #expect(outcome.worst == nil)
        #expect(garden.steps(april20) == 4000)
        #expect(fixture.lock.log == [.syncing, .sharing], "one after the other: sharing does not hold up another sync")
    }

    @Test func `nothing is read while another process syncs`() async throws {
        let fixture = try fixture()
        fixture.lock.holdElsewhere(.syncing)
        await #expect(throws: ScriptedLock.Held.self) {
            try await SyncService(fixture.context).run([fixture.outbox.ring])
        }
        #expect(fixture.reader.read.isEmpty)
    }

    @Test func `nothing is read into a damaged history`() async throws {
        let fixture = try fixture()
        fixture.maintenance.damage()
        await #expect(throws: ScriptedMaintenance.Damaged.self) {
            try await SyncService(fixture.context).run([fixture.outbox.ring])
        }
        #expect(fixture.reader.read.isEmpty)
    }

    @Test func `no pedometer is read while the clock of the machine is not set`() async throws {
        let fixture = ServiceFixture(now: Timestamp(86_400))
        await #expect(throws: ServiceError.clockNotSet(Day("1970-01-02")!)) {
            try await SyncService(fixture.context).run([fixture.outbox.ring])
        }
        #expect(fixture.reader.read.isEmpty)
    }

    /// With an unknown TZ the C library takes UTC: the slots of a ring would be stored at wrong times, and its clock
    /// set to UTC.
    @Test func `no pedometer is read while the time zone is not known`() async throws {
        let fixture = try fixture()
        var context = fixture.context
        context.unknownZone = "Europe/Berln"
        let service = SyncService(context)
        await #expect(throws: ServiceError.unknownZone("Europe/Berln")) { try await service.run([fixture.outbox.ring]) }
        #expect(fixture.reader.read.isEmpty)
    }

    /// A watch reads the pedometers once a minute. A sync that a user runs meanwhile moves the cursor and may set the
    /// clock.
    @Test func `a pedometer is read with the cursor and the clock that the history has by then`() async throws {
        var fixture = ServiceFixture()
        let outbox = fixture.outbox, stale = outbox.ring, reached = PedometerCursor(readThrough: outbox.now - 900)
        let earlier = ClockState.Setting(at: outbox.now - 600, utcOffset: 7200),
            later = ClockState.Setting(at: outbox.now, utcOffset: 3600)
        let sync = try fixture.history.beginSync(of: stale.id, at: outbox.now - 900)
        _ = try fixture.history.merge(SampleBatch(cursor: reached), sync: sync, localTime: outbox.localTime)
        try fixture.history.setClock(ClockState(settings: [earlier]), of: stale.id)
        try fixture.history.endSync(
            sync, at: outbox.now - 600, outcome: .complete, battery: nil, failure: nil, cause: nil)

        fixture.reader = ScriptedReader([stale.id: [.finish(ReadReport(clockSet: later))]])
        _ = try await SyncService(fixture.context).run([stale])
        #expect(fixture.reader.read.map(\.cursor) == [reached])
        #expect(fixture.reader.read.map(\.clock.settings) == [[earlier]])
        #expect(fixture.history.pedometer(stale.id)?.clock.settings == [earlier, later])
    }

    @Test func `a pedometer that was forgotten meanwhile is not read`() async throws {
        let fixture = try fixture()
        fixture.history.forgetPedometer(fixture.outbox.ring.id)
        let outcome = try await SyncService(fixture.context).run([fixture.outbox.ring])
        #expect(outcome.reports.isEmpty && outcome.worst == nil)
        #expect(fixture.reader.read.isEmpty)
    }

    @Test func `another process that shares is no failure`() async throws {
        let garden = ScriptedDestination(terms: always)
        let fixture = try fixture(garden)
        fixture.lock.holdElsewhere(.sharing)
        let outcome = try await SyncService(fixture.context).run([fixture.outbox.ring])
        #expect(outcome.worst == nil && outcome.shares == nil)
        #expect(garden.deliveries.isEmpty)
    }

    /// A second person was added after the destination was configured: the days of both would come into one account.
    @Test func `a destination for one person gets no days while the person is not set`() async throws {
        let diary = ScriptedDestination(
            "diary", ShareTraits(resending: .replaces, corrects: true, acceptsUnfinishedDays: true, isPersonal: true),
            terms: always)
        let garden = ScriptedDestination(terms: always)
        let fixture = try fixture(diary, garden)
        _ = fixture.history.addUser(named: "ben")
        let outcome = try await SyncService(fixture.context).run([fixture.outbox.ring])
        #expect(diary.deliveries.isEmpty)
        #expect(garden.steps(april20) == 4000, "others are shared with")
        #expect(
            outcome.sharingFailure as? ServiceError
                == .unclearRecipients(destination: "diary", .several(known: ["anna", "ben"])))
    }

    @Test func `maintenance runs where it is asked for, and what fails there is reported beside the steps`()
        async throws
    {
        let fixture = try fixture()
        fixture.maintenance.fail(Broken())
        let without = try await SyncService(fixture.context).run([])
        #expect(fixture.maintenance.runs == 0 && without.worst == nil)
        let outcome = try await SyncService(fixture.context, .init(includesMaintenance: true)).run([fixture.outbox.ring]
        )
        #expect(fixture.maintenance.runs == 1)
        #expect(outcome.reports.map(\.counts.steps) == [4000])
        #expect(outcome.otherFailures.count == 1 && outcome.maintenanceFailure is Broken)
    }

    @Test func `a sync that is not to share shares nothing`() async throws {
        let garden = ScriptedDestination(terms: always)
        let fixture = try fixture(garden)
        let outcome = try await SyncService(fixture.context, .init(isShared: false)).run([fixture.outbox.ring])
        #expect(outcome.shares == nil && garden.deliveries.isEmpty)
    }

    /// SQLite waits up to five seconds for another process: on one of Swift's few threads it would stop other tasks,
    /// time limits included.
    @Test func `no call to the history blocks Swift's threads`() async throws {
        let garden = ScriptedDestination(terms: always)
        let fixture = try fixture(garden)
        _ = try await SyncService(fixture.context).run([fixture.outbox.ring])
        for call in [
            InMemoryHistory.Call.beginSync(fixture.outbox.ring.id), .merge(1), .endSync(1, .complete),
            .dayData(april20), .record,
        ] {
            #expect(fixture.history.calls.contains(call))
        }
        #expect(fixture.history.callsInTasks == [])
    }
}
