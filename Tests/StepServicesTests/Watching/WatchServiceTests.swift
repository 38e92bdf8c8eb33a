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
        let lab = WatchLab()
        lab.scriptReading()
        let start = lab.services.outbox.now
        try await lab.watching(WatchOptions(interval: 900)) {
            await lab.output.until(.started(["ring"]))
            await lab.output.until(.status(.searching(["ring"])))
            #expect(lab.scanner.wanted == [lab.ring.address])
            lab.scanner.report(.heard(address: lab.ring.address))
            await lab.output.until(.status(.reading("ring")))
            await lab.output.until(.synced(steps: 0))
            await lab.output.until(.status(.idle(next: start + 900)))
            // In range, and not due.
            lab.scanner.report(.heard(address: lab.ring.address))
            lab.scriptReading()
            for _ in 0..<15 {
                await lab.clock.sleeping(for: .seconds(10))
                lab.pass(60)
            }
            await lab.output.until(.synced(steps: 0))
            #expect(lab.services.reader.read.count == 2)
        }
        #expect(lab.output.all.last == .ended)
        #expect(!lab.scanner.isOpen)
    }

    @Test func `while another process syncs it waits a minute`() async throws {
        let lab = WatchLab()
        lab.services.lock.holdElsewhere(.syncing)
        let start = lab.services.outbox.now
        try await lab.watching {
            await lab.output.until(.status(.searching(["ring"])))
            lab.scanner.report(.heard(address: lab.ring.address))
            await lab.output.until(.problem("Held(work: StepDomain.HistoryWork.syncing)"))
            await lab.output.until(.status(.idle(next: start + 60)))
            #expect(lab.services.reader.read.isEmpty)
        }
    }

    @Test func `a problem is reported once until it is over`() async throws {
        let lab = WatchLab()
        let searching = RecordingWatchOutput.Event.status(.searching(["ring"]))
        try await lab.watching {
            await lab.output.until(searching)
            for event in [PresenceEvent.unavailable(Broken()), .unavailable(Broken()), .listening, .unavailable(Broken())] {
                // The watch has handled one event when it reports its status again.
                let handled = lab.output.count(searching)
                lab.scanner.report(event)
                while lab.output.count(searching) == handled { await lab.output.until(searching) }
            }
        }
        #expect(lab.output.count(.problem("broken")) == 2)
    }

    // MARK: Beginning

    @Test func `without a pedometer it ends with an error`() async throws {
        let lab = WatchLab()
        lab.services.history.forgetPedometer(lab.ring.id)
        await #expect(throws: ServiceError.noPedometer(to: .watch)) { try await lab.run() }
        await #expect(throws: ServiceError.unknownUser("ben", known: ["anna"])) { try await lab.run(WatchOptions(user: "ben")) }
    }

    @Test func `without a history it ends with an error, and a service waits for one`() async throws {
        let lab = WatchLab()
        lab.histories.fail(ScriptedHistories.Missing())
        await #expect(throws: ScriptedHistories.Missing.self) { try await lab.run() }
        try await lab.watching(WatchOptions(isUnattended: true)) {
            await lab.output.until(.status(.noPedometer))
            await lab.supervisor.until("ready: noPedometer")
            lab.histories.fail(nil)
            for _ in 0..<6 {
                await lab.clock.sleeping(for: .seconds(10))
                lab.pass(10)
            }
            await lab.output.until(.status(.searching(["ring"])))
        }
        #expect(!lab.output.all.contains { if case .problem = $0 { true } else { false } }, "that is no fault")
    }

    @Test func `a service does not wait for a history that is damaged`() async throws {
        let lab = WatchLab()
        lab.histories.fail(Broken())
        await #expect(throws: Broken.self) { try await lab.run(WatchOptions(isUnattended: true)) }
    }

    @Test func `a service waits for a history that is locked`() async throws {
        let lab = WatchLab()
        lab.histories.fail(Broken(category: .temporary, description: "locked"))
        try await lab.watching(WatchOptions(isUnattended: true)) {
            await lab.output.until(.problem("locked"))
            await lab.output.until(.status(.noPedometer))
        }
    }

    // MARK: Unattended

    @Test func `a service reports to the log and to its service manager`() async throws {
        let lab = WatchLab()
        lab.scriptReading()
        try await lab.watching(WatchOptions(isUnattended: true)) {
            await lab.supervisor.until("ready: searching([\"ring\"])")
            lab.scanner.report(.heard(address: lab.ring.address))
            for await _ in lab.log.results { break }
            #expect(lab.services.upkeep.runs == 1)
            // A sign of life each ten seconds, though nothing happens.
            let alive = lab.supervisor.all.count { $0 == "alive" }
            for number in 1...3 {
                // Another task may sleep for ten seconds, too, and the one that reports may not sleep yet when the time passes.
                while lab.supervisor.all.count(where: { $0 == "alive" }) < alive + number {
                    await lab.clock.sleeping(for: .seconds(10))
                    lab.pass(10)
                    await Task.yield()
                }
            }
        }
        #expect(lab.supervisor.all.last == "stopping")
        #expect(!lab.output.all.contains { if case .synced = $0 { true } else { false } })
        #expect(!lab.output.all.contains(.started(["ring"])))
    }

    // MARK: Live

    @Test func `a pedometer that reports steps is followed, and disconnected when it is due`() async throws {
        let lab = WatchLab()
        lab.scriptReading()
        lab.services.reader.follow(lab.ring.id)
        func figure(_ steps: Int?) -> RecordingWatchOutput.Event { .live([.init(name: "ring", steps: steps, goal: nil)]) }
        try await lab.watching(WatchOptions(isLive: true)) {
            await lab.output.until(.status(.searching(["ring"])))
            lab.scanner.report(.heard(address: lab.ring.address))
            await lab.output.until(.synced(steps: 0))
            for await _ in lab.services.reader.hanging { break }
            await lab.output.until(figure(nil))
            for steps in [10, 12, 15] { lab.services.reader.report(steps, of: lab.ring.id) }
            // At most one figure a second: the last one is shown when a second has passed.
            await lab.clock.sleeping(for: .seconds(1))
            lab.pass(1)
            await lab.output.until(figure(15))
            lab.scriptReading()
            for _ in 0..<15 {
                await lab.clock.sleeping(for: .seconds(10))
                lab.pass(60)
            }
            await lab.output.until(.synced(steps: 0))
        }
        #expect(lab.output.count(figure(12)) == 0)
        #expect(lab.services.reader.read.count == 2)
    }

    @Test func `a live figure begins with the steps of its own pedometer`() async throws {
        let lab = WatchLab()
        let outbox = lab.services.outbox
        let watch = outbox.history.addPedometer(
            Pedometer(id: 0, user: outbox.anna.id, model: "infinitime", address: "C0:DE:00:00:00:02", addressType: "random", name: "watch"))
        for (pedometer, steps) in [(watch, 500), (outbox.ring, 20)] {
            let sync = try outbox.history.beginSync(of: pedometer.id, at: outbox.now)
            let sample = StepSample(start: outbox.now - 3600, length: 3600, steps: steps, utcOffset: outbox.place.utcOffset(outbox.now))
            _ = try outbox.history.merge(SampleBatch(samples: [sample]), sync: sync, place: outbox.place)
        }
        lab.scriptReading()
        lab.services.reader.follow(lab.ring.id)
        try await lab.watching(WatchOptions(pedometers: ["ring"], isLive: true)) {
            await lab.output.until(.status(.searching(["ring"])))
            lab.scanner.report(.heard(address: lab.ring.address))
            await lab.output.until(.synced(steps: 0))
            for await _ in lab.services.reader.hanging { break }
            await lab.output.until(.live([.init(name: "ring", steps: 20, goal: nil)]))
        }
    }

    @Test func `the notices that the output shows are seen, but not those that a program reads`() async throws {
        for (marks, isNew) in [(true, false), (false, true)] {
            let lab = WatchLab()
            lab.services.reader.script(lab.ring.id, .finish(ReadReport(battery: 5)))
            try await lab.watching(WatchOptions(marksNotices: marks)) {
                await lab.output.until(.status(.searching(["ring"])))
                lab.scanner.report(.heard(address: lab.ring.address))
                await lab.output.until(.synced(steps: 0))
                await lab.output.until(.status(.idle(next: lab.services.outbox.now + 900)))
            }
            #expect(lab.services.history.standingNotices().map(\.isNew) == [isNew])
        }
    }
}
