import StepDomain
import TestSupport
import Testing

@testable import StepServices

/// A watch without Bluetooth, systemd and a terminal: the test hears pedometers and moves the time.
@Suite(.timeLimit(.minutes(5))) struct WatchServiceTests {
    private struct Broken: ReportableError {
        var category = FailureCategory.data
        var description = "broken"
    }

    @Test func `a pedometer that is heard is read, and again when the interval has passed`() async throws {
        let fixture = WatchFixture()
        fixture.scriptReading()
        let start = fixture.services.outbox.now
        try await fixture.watching(WatchOptions(interval: 900)) {
            await fixture.output.until(.started(["ring"]))
            await fixture.output.until(.status(.searching(["ring"])))
            #expect(fixture.scanner.wanted == [fixture.ring.address])
            fixture.scanner.report(.discovered(address: fixture.ring.address))
            await fixture.output.until(.status(.reading("ring")))
            await fixture.output.until(.synced(steps: 0))
            await fixture.output.until(.status(.idle(next: start + 900)))
            // In range, and not due.
            fixture.scanner.report(.discovered(address: fixture.ring.address))
            fixture.scriptReading()
            for _ in 0..<15 {
                await fixture.clock.sleeping(for: .seconds(10))
                fixture.pass(60)
            }
            await fixture.output.until(.synced(steps: 0))
            #expect(fixture.services.reader.read.count == 2)
        }
        #expect(fixture.output.all.last == .ended)
        #expect(!fixture.scanner.isOpen)
    }

    /// A journey may have changed the time zone of the machine.
    @Test func `the time zone is read again each time that the history is`() async throws {
        let fixture = WatchFixture()
        let searching = RecordingWatchOutput.Event.status(.searching(["ring"]))
        try await fixture.watching {
            await fixture.output.until(searching)
            #expect(fixture.zoneReloads.count == 1)
            let handled = fixture.output.count(searching)
            await fixture.clock.sleeping(for: .seconds(10))
            fixture.pass(60)
            while fixture.output.count(searching) == handled { await fixture.output.until(searching) }
            #expect(fixture.zoneReloads.count == 2)
        }
    }

    @Test func `the watch waits a minute while another process syncs`() async throws {
        let fixture = WatchFixture()
        fixture.services.lock.holdElsewhere(.syncing)
        let start = fixture.services.outbox.now
        try await fixture.watching {
            await fixture.output.until(.status(.searching(["ring"])))
            fixture.scanner.report(.discovered(address: fixture.ring.address))
            await fixture.output.until(.problem("Held(work: StepDomain.HistoryWork.syncing)"))
            await fixture.output.until(.status(.idle(next: start + 60)))
            #expect(fixture.services.reader.read.isEmpty)
        }
    }

    @Test func `a problem is reported once until it is over`() async throws {
        let fixture = WatchFixture()
        let searching = RecordingWatchOutput.Event.status(.searching(["ring"]))
        try await fixture.watching {
            await fixture.output.until(searching)
            for event in [
                PresenceEvent.unavailable(Broken()), .unavailable(Broken()), .listening, .unavailable(Broken()),
            ] {
                // The watch has handled one event when it reports its status again.
                let handled = fixture.output.count(searching)
                fixture.scanner.report(event)
                while fixture.output.count(searching) == handled { await fixture.output.until(searching) }
            }
        }
        #expect(fixture.output.count(.problem("broken")) == 2)
    }

    @Test func `a history that cannot be read is reported again if it could be read meanwhile`() async throws {
        let fixture = WatchFixture()
        let searching = RecordingWatchOutput.Event.status(.searching(["ring"]))
        try await fixture.watching {
            await fixture.output.until(searching)
            for failure in [Broken(), Broken(), nil, nil, Broken()] {
                fixture.histories.fail(failure)
                // The history is read once a minute. After that, the watch reports its status again.
                let handled = fixture.output.count(searching)
                await fixture.clock.sleeping(for: .seconds(10))
                fixture.pass(60)
                while fixture.output.count(searching) == handled { await fixture.output.until(searching) }
            }
        }
        #expect(fixture.output.count(.problem("broken")) == 2)
    }

    // MARK: Beginning

    @Test func `the watch ends with an error without a pedometer`() async throws {
        let fixture = WatchFixture()
        fixture.services.history.forgetPedometer(fixture.ring.id)
        await #expect(throws: ServiceError.noPedometer(to: .watch)) { try await fixture.run() }
        await #expect(throws: ServiceError.unknownUser("ben", known: ["anna"])) {
            try await fixture.run(WatchOptions(user: "ben"))
        }
    }

    @Test func `without a history the watch ends with an error, and a service waits for one`() async throws {
        let fixture = WatchFixture()
        fixture.histories.fail(ScriptedHistories.Missing())
        await #expect(throws: ScriptedHistories.Missing.self) { try await fixture.run() }
        try await fixture.watching(WatchOptions(isUnattended: true)) {
            await fixture.output.until(.status(.noPedometer))
            await fixture.supervisor.until("ready: noPedometer")
            fixture.histories.fail(nil)
            for _ in 0..<6 {
                await fixture.clock.sleeping(for: .seconds(10))
                fixture.pass(10)
            }
            await fixture.output.until(.status(.searching(["ring"])))
        }
        #expect(!fixture.output.all.contains { if case .problem = $0 { true } else { false } }, "that is no fault")
    }

    @Test func `a service does not wait for a history that is damaged`() async throws {
        let fixture = WatchFixture()
        fixture.histories.fail(Broken())
        await #expect(throws: Broken.self) { try await fixture.run(WatchOptions(isUnattended: true)) }
    }

    @Test func `a service waits for a history that is locked`() async throws {
        let fixture = WatchFixture()
        fixture.histories.fail(Broken(category: .temporary, description: "locked"))
        try await fixture.watching(WatchOptions(isUnattended: true)) {
            await fixture.output.until(.problem("locked"))
            await fixture.output.until(.status(.noPedometer))
        }
    }

    // MARK: Unattended

    @Test func `a service reports to the log and to its service manager`() async throws {
        let fixture = WatchFixture()
        fixture.scriptReading()
        try await fixture.watching(WatchOptions(isUnattended: true)) {
            await fixture.supervisor.until("ready: searching([\"ring\"])")
            fixture.scanner.report(.discovered(address: fixture.ring.address))
            for await _ in fixture.log.results { break }
            #expect(fixture.services.maintenance.runs == 1)
            // A sign of life each ten seconds, though nothing happens.
            let alive = fixture.supervisor.all.count { $0 == "alive" }
            for number in 1...3 {
                // Another task may sleep for ten seconds, too, and the one that reports may not sleep yet when the time
                // passes.
                while fixture.supervisor.all.count(where: { $0 == "alive" }) < alive + number {
                    await fixture.clock.sleeping(for: .seconds(10))
                    fixture.pass(10)
                    await Task.yield()
                }
            }
        }
        #expect(fixture.supervisor.all.last == "stopping")
        #expect(!fixture.output.all.contains { if case .synced = $0 { true } else { false } })
        #expect(!fixture.output.all.contains(.started(["ring"])))
    }

    // MARK: Live

    @Test func `a pedometer that reports steps is followed, and disconnected when it is due`() async throws {
        let fixture = WatchFixture()
        fixture.scriptReading()
        fixture.services.reader.follow(fixture.ring.id)
        func figure(_ steps: Int?) -> RecordingWatchOutput.Event {
            .live([.init(name: "ring", steps: steps, goal: nil)])
        }
        try await fixture.watching(WatchOptions(isLive: true)) {
            await fixture.output.until(.status(.searching(["ring"])))
            fixture.scanner.report(.discovered(address: fixture.ring.address))
            await fixture.output.until(.synced(steps: 0))
            for await _ in fixture.services.reader.hanging { break }
            await fixture.output.until(figure(nil))
            for steps in [10, 12, 15] { fixture.services.reader.report(steps, of: fixture.ring.id) }
            // At most one figure a second: the last one is shown when a second has passed.
            await fixture.clock.sleeping(for: .seconds(1))
            fixture.pass(1)
            await fixture.output.until(figure(15))
            fixture.scriptReading()
            for _ in 0..<15 {
                await fixture.clock.sleeping(for: .seconds(10))
                fixture.pass(60)
            }
            await fixture.output.until(.synced(steps: 0))
        }
        #expect(fixture.output.count(figure(12)) == 0)
        #expect(fixture.services.reader.read.count == 2)
    }

    /// A restart sets the counter from 1,200 to 19. The last value is not stored when a sync follows, and stored when
    /// the watch ends.
    @Test(arguments: [(true, 1_200), (false, 1_219)])
    func `what a counter has shown before a restart is stored`(isRead: Bool, steps: Int) async throws {
        let fixture = WatchFixture()
        fixture.scriptReading()
        let (reader, history) = (fixture.services.reader, fixture.services.outbox.history)
        reader.follow(fixture.ring.id)
        try await fixture.watching(WatchOptions(isLive: true)) {
            await fixture.output.until(.status(.searching(["ring"])))
            fixture.scanner.report(.discovered(address: fixture.ring.address))
            await fixture.output.until(.synced(steps: 0))
            for await _ in reader.hanging { break }
            for (value, age) in [(1_100, 1_500), (1_200, 1_400), (19, 700)] {
                reader.keep(
                    CounterReading(at: fixture.services.outbox.now - age, value: value, utcOffset: 7_200),
                    of: fixture.ring.id)
            }
            guard isRead else { return }
            fixture.scriptReading()
            for _ in 0..<15 {
                await fixture.clock.sleeping(for: .seconds(10))
                fixture.pass(60)
            }
            await fixture.output.until(.synced(steps: 0))
        }
        #expect(history.pedometers().first { $0.id == fixture.ring.id }?.cursor.counter?.value == (isRead ? 1_200 : 19))
        let today = fixture.services.outbox.localTime.day(of: fixture.services.outbox.now)
        let days = try history.dayData(of: fixture.services.outbox.anna, on: today)
        #expect(days.tracks.flatMap(\.samples).reduce(0) { $0 + $1.steps } == steps)
    }

    @Test func `a live figure begins with the steps of its own pedometer`() async throws {
        let fixture = WatchFixture()
        let outbox = fixture.services.outbox
        let watch = outbox.history.addPedometer(
            Pedometer(
                user: outbox.anna.id, model: "infinitime", address: "C0:DE:00:00:00:02", addressType: "random",
                name: "watch"))
        for (pedometer, steps) in [(watch, 500), (outbox.ring, 20)] {
            let sync = try outbox.history.beginSync(of: pedometer.id, at: outbox.now)
            let sample = StepSample(
                start: outbox.now - 3600, length: 3600, steps: steps, utcOffset: outbox.localTime.utcOffset(outbox.now))
            _ = try outbox.history.merge(SampleBatch(samples: [sample]), sync: sync, localTime: outbox.localTime)
        }
        fixture.scriptReading()
        fixture.services.reader.follow(fixture.ring.id)
        try await fixture.watching(WatchOptions(pedometers: ["ring"], isLive: true)) {
            await fixture.output.until(.status(.searching(["ring"])))
            fixture.scanner.report(.discovered(address: fixture.ring.address))
            await fixture.output.until(.synced(steps: 0))
            for await _ in fixture.services.reader.hanging { break }
            await fixture.output.until(.live([.init(name: "ring", steps: 20, goal: nil)]))
        }
    }

    @Test func `the steps that a pedometer has counted today for its previous user are known when it is followed`()
        async throws
    {
        let fixture = WatchFixture()
        let outbox = fixture.services.outbox
        let bob = outbox.history.addUser(named: "bob")
        let before = outbox.history.addPedometer(
            Pedometer(
                user: bob.id, model: outbox.ring.model, address: outbox.ring.address, addressType: "random",
                name: "bob's ring"))
        for (pedometer, steps, age) in [(before.id, 2_565, 7_200), (outbox.ring.id, 757, 3_600)] {
            let sync = try outbox.history.beginSync(of: pedometer, at: outbox.now)
            let sample = StepSample(
                start: outbox.now - age, length: 3600, steps: steps, utcOffset: outbox.localTime.utcOffset(outbox.now))
            _ = try outbox.history.merge(SampleBatch(samples: [sample]), sync: sync, localTime: outbox.localTime)
        }
        outbox.history.forgetPedometer(before.id)
        fixture.scriptReading()
        fixture.services.reader.follow(fixture.ring.id)
        try await fixture.watching(WatchOptions(pedometers: ["ring"], isLive: true)) {
            await fixture.output.until(.status(.searching(["ring"])))
            fixture.scanner.report(.discovered(address: fixture.ring.address))
            await fixture.output.until(.synced(steps: 0))
            for await _ in fixture.services.reader.hanging { break }
            #expect(fixture.services.reader.known(of: fixture.ring.id) == KnownSteps(own: 757, others: 2_565))
        }
    }

    @Test func `the notices that the output shows are seen, but not those that a program reads`() async throws {
        for (marks, isNew) in [(true, false), (false, true)] {
            let fixture = WatchFixture()
            fixture.services.reader.script(fixture.ring.id, .finish(ReadReport(battery: 5)))
            try await fixture.watching(WatchOptions(marksNotices: marks)) {
                await fixture.output.until(.status(.searching(["ring"])))
                fixture.scanner.report(.discovered(address: fixture.ring.address))
                await fixture.output.until(.synced(steps: 0))
                await fixture.output.until(.status(.idle(next: fixture.services.outbox.now + 900)))
            }
            #expect(fixture.services.history.standingNotices().map(\.isNew) == [isNew])
        }
    }
}
