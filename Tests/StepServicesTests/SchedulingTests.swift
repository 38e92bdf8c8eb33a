import StepDomain
import StepServices
import Synchronization
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5))) struct SchedulingTests {
    @Test(arguments: [false, true]) func `the state after enabling and disabling is returned`(_ watching: Bool) async throws {
        let scheduler = ScriptedScheduler()
        let scheduling = Scheduling(scheduler)
        #expect(try await !scheduling.schedule().night.isEnabled)
        let on = try await scheduling.enable(watching: watching)
        #expect(on.night.isEnabled && on.watch.isEnabled == watching)
        let off = try await scheduling.disable()
        #expect(!off.night.isEnabled && !off.watch.isEnabled)
        #expect(scheduler.log == ["on, watching \(watching)", "off"])
    }

    @Test func `a failure to enable or disable returns no state`() async throws {
        let scheduler = ScriptedScheduler(isFailing: true)
        await #expect(throws: ScriptedScheduler.Failure.self) { try await Scheduling(scheduler).enable(watching: false) }
        await #expect(throws: ScriptedScheduler.Failure.self) { try await Scheduling(scheduler).disable() }
    }

    @Test func `the user is reminded of what a scheduled sync does not use, and of a missing pedometer`() {
        let ring = OutboxFixture().ring
        #expect(Scheduling.reminders(environment: ["ISTEP_DB": "/h", "ISTEP_CONFIG": ""], pedometers: [ring]) == [.ignoredVariable("ISTEP_DB")])
        #expect(
            Scheduling.reminders(environment: ["ISTEP_CONFIG": "/c", "HOME": "/"], pedometers: [])
                == [.ignoredVariable("ISTEP_CONFIG"), .noPedometer])
        #expect(Scheduling.reminders(environment: [:], pedometers: [ring]).isEmpty)
    }
}

private final class ScriptedScheduler: Scheduler {
    struct Failure: Error {}

    private let isFailing: Bool
    private let state = Mutex<(log: [String], isOn: Bool, isWatching: Bool)>(([], false, false))

    init(isFailing: Bool = false) { self.isFailing = isFailing }

    var log: [String] { state.withLock(\.log) }

    func enable(watching: Bool) throws {
        if isFailing { throw Failure() }
        state.withLock { $0 = ($0.log + ["on, watching \(watching)"], true, watching) }
    }

    func disable() throws {
        if isFailing { throw Failure() }
        state.withLock { $0 = ($0.log + ["off"], false, false) }
    }

    func schedule() -> SyncSchedule {
        func trigger(_ isOn: Bool) -> SyncSchedule.Trigger { SyncSchedule.Trigger(isEnabled: isOn, isActive: isOn) }
        let (isOn, isWatching) = state.withLock { ($0.isOn, $0.isWatching) }
        return SyncSchedule(
            owner: .machine, night: trigger(isOn), midnight: trigger(isOn), adapter: trigger(isOn), watch: trigger(isWatching))
    }
}
