import DBus
import PrivateBus
import StepDomain
import Systemd
import SystemdTestSupport
import Testing

/// Automatic sync on a systemd that the test controls.
@Suite(.timeLimit(.minutes(5))) struct AutomaticSyncTests {
    private static let units = [
        SyncUnitName.nightTimer, SyncUnitName.midnightTimer, SyncUnitName.service, SyncUnitName.midnightService,
        SyncUnitName.watch,
    ]

    private func withSync(
        _ units: [String: FakeSystemd.Unit] = FakeSystemd.installed(units), rules: [String] = ["/"],
        linger: Bool? = nil,
        _ body: (AutomaticSync, FakeSystemd) async throws -> Void
    ) async throws {
        let bus = try await PrivateBus.start()
        defer { bus.stop() }
        let fake = try await FakeSystemd.start(bus.address, units: units, linger: linger)
        let manager = try await ServiceManager.open(.user, on: .address(bus.address))
        try await body(AutomaticSync(manager, environment: [:], systemBus: .address(bus.address), rules: rules), fake)
        await manager.close()
        await fake.close()
    }

    private func enabled(_ fake: FakeSystemd) async -> Set<String> {
        Set(await fake.units.filter { $0.value.fileState == "enabled" }.keys)
    }

    @Test func `without a watch the timers are enabled, and a watch from before is disabled`() async throws {
        try await withSync { sync, fake in
            try await sync.enable(watching: true)
            #expect(
                await enabled(fake) == [
                    SyncUnitName.nightTimer, SyncUnitName.midnightTimer, SyncUnitName.service, SyncUnitName.watch,
                ])
            #expect(try await sync.schedule().watch.isEnabled)
            #expect(try await !sync.enable(watching: false).watch.isEnabled)
            #expect(
                await enabled(fake) == [SyncUnitName.nightTimer, SyncUnitName.midnightTimer, SyncUnitName.service])
            #expect(await fake.units[SyncUnitName.watch]?.activeState == "inactive")
            #expect(try await !sync.disable().night.isEnabled)
            #expect(await enabled(fake) == [])
        }
    }

    @Test(arguments: [true, false]) func `an adapter starts a sync only with udev's rule`(isInstalled: Bool)
        async throws
    {
        try await withSync(rules: [isInstalled ? "/" : "/nonexistent"], linger: true) { sync, _ in
            try await sync.enable(watching: false)
            let schedule = try await sync.schedule()
            #expect(schedule.adapter.isEnabled == isInstalled)
            guard case .user(_, lingers: true) = schedule.owner else {
                Issue.record("\(schedule.owner)")
                return
            }
        }
    }

    @Test func `the end of the last sync is that of its service`() async throws {
        var units = FakeSystemd.installed(Self.units)
        units[SyncUnitName.service]?.own = [
            "Result": .string("exit-code"), "ExecMainCode": .int32(1), "ExecMainStatus": .int32(75),
            "ExecMainExitTimestamp": .uint64(1_397_980_800_000_000),
        ]
        try await withSync(units) { sync, _ in
            let run = try await sync.schedule().lastRun
            #expect(run == SyncSchedule.Run(end: Timestamp(1_397_980_800), exitCode: 75, result: "exit-code"))
        }
    }

    @Test func `automatic sync without its units is reported as not installed`() async throws {
        var units = FakeSystemd.installed(Self.units)
        units[SyncUnitName.nightTimer]?.isInstalled = false
        try await withSync(units) { sync, _ in
            await #expect(throws: SystemdError.notInstalled(unit: SyncUnitName.nightTimer, .user)) {
                _ = try await sync.schedule()
            }
        }
    }
}
