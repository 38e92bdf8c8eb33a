import DBus
import PrivateBus
import StepDomain
import Systemd
import SystemdTestSupport
import Testing

/// What a checkup examines and what the user is shown come from the same readings of the units.
@Suite(.timeLimit(.minutes(5))) struct SystemdProbeTests {
    private static let names = [
        SyncUnitName.nightTimer, SyncUnitName.midnightTimer, SyncUnitName.service, SyncUnitName.midnightService,
        SyncUnitName.watch,
    ]

    /// Enabled timers; the night's service ended with 69, the one before midnight by its time limit, and the watch is
    /// enabled only.
    private static var units: [String: FakeSystemd.Unit] {
        var units = FakeSystemd.installed(names)
        for name in [SyncUnitName.nightTimer, SyncUnitName.midnightTimer] {
            units[name]?.fileState = "enabled"
            units[name]?.activeState = "active"
        }
        units[SyncUnitName.nightTimer]?.own = [
            "LastTriggerUSec": .uint64(1_397_980_800_000_000), "NextElapseUSecRealtime": .uint64(1_398_067_200_000_000),
        ]
        units[SyncUnitName.service]?.own = [
            "Result": .string("exit-code"), "ExecMainCode": .int32(1), "ExecMainStatus": .int32(69),
            "ExecMainExitTimestamp": .uint64(1_397_980_860_000_000),
        ]
        units[SyncUnitName.midnightService]?.own = [
            "Result": .string("timeout"), "ExecMainCode": .int32(2), "ExecMainStatus": .int32(15),
            "ExecMainExitTimestamp": .uint64(1_397_980_000_000_000),
        ]
        units[SyncUnitName.watch]?.fileState = "enabled"
        return units
    }

    @Test func `the user's timers are examined`() async throws {
        let bus = try await PrivateBus.start()
        defer { bus.stop() }
        let fake = try await FakeSystemd.start(bus.address, units: Self.units)
        // The machine has no manager and no logind.
        let probe = SystemdProbe(
            environment: [:], systemBus: .address("unix:path=/nonexistent/bus"), sessionBus: .address(bus.address),
            now: { Timestamp(1_398_000_000) }, file: { _ in nil })
        let timers = try await probe.timers()
        #expect(
            timers == [
                TimerFacts(
                    unit: SyncUnitName.nightTimer, isInstalled: true, isEnabled: true, isActive: true,
                    lastRun: Timestamp(1_397_980_800),
                    nextRun: Timestamp(1_398_067_200), lastResult: "exit-code 69", isWatchEnabled: true,
                    isMidnightEnabled: true,
                    isMidnightActive: true, midnightResult: "timeout")
            ])
        #expect(await fake.calls.count { $0 == "LoadUnit" } == Self.names.count, "each unit is read once")
        await fake.close()
    }

    @Test func `the schedule shows the state of each unit and reads each unit once`() async throws {
        let bus = try await PrivateBus.start()
        defer { bus.stop() }
        let fake = try await FakeSystemd.start(bus.address, units: Self.units, linger: true)
        let address = DBusAddress.address(bus.address)
        let schedule = try await AutomaticSync.with(.user, on: address, environment: [:], systemBus: address) {
            try await $0.schedule()
        }
        #expect(
            schedule.night
                == SyncSchedule.Trigger(
                    isEnabled: true, isActive: true, last: Timestamp(1_397_980_800), next: Timestamp(1_398_067_200)))
        #expect(schedule.midnight == SyncSchedule.Trigger(isEnabled: true, isActive: true))
        #expect(schedule.watch == SyncSchedule.Trigger(isEnabled: true, isActive: false))
        #expect(schedule.lastRun == SyncSchedule.Run(end: Timestamp(1_397_980_860), exitCode: 69, result: "exit-code"))
        #expect(await fake.calls.count { $0 == "LoadUnit" } == Self.names.count, "each unit is read once")
        await fake.close()
    }

    @Test func `without a manager there are no timers`() async throws {
        let nowhere = DBusAddress.address("unix:path=/nonexistent/bus")
        let probe = SystemdProbe(
            environment: [:], systemBus: nowhere, sessionBus: nowhere, now: { Timestamp(0) }, file: { _ in nil })
        #expect(try await probe.timers() == nil)
    }
}
