import DBus
import PrivateBus
import SystemdTestSupport
import TestSupport
import Testing

@testable import Systemd

@Suite(.timeLimit(.minutes(5))) struct ServiceManagerTests {
    private static let names = ["a.timer", "a.service"]

    private func withManager(
        _ units: [String: FakeSystemd.Unit] = FakeSystemd.installed(names),
        clock: any Clock<Duration> = ContinuousClock(),
        _ body: (ServiceManager, FakeSystemd) async throws -> Void
    ) async throws {
        let bus = try await PrivateBus.start()
        defer { bus.stop() }
        let fake = try await FakeSystemd.start(bus.address, units: units)
        let manager = try await ServiceManager.open(.user, on: .address(bus.address), clock: clock)
        try await body(manager, fake)
        await manager.close()
        await fake.close()
    }

    private func failure(_ body: () async throws(SystemdError) -> Void) async -> SystemdError? {
        do throws(SystemdError) {
            try await body()
            return nil
        } catch {
            return error
        }
    }

    @Test func `a timer is reported with its last and next runs`() async throws {
        var timer = FakeSystemd.Unit()
        timer.fileState = "enabled"
        timer.activeState = "active"
        timer.own = [
            "LastTriggerUSec": .uint64(1_397_980_800_999_999), "NextElapseUSecRealtime": .uint64(1_398_067_200_000_000),
        ]
        try await withManager(["a.timer": timer]) { manager, _ in
            let state = try await manager.state(of: "a.timer")
            #expect(
                state
                    == UnitState(
                        name: "a.timer", isInstalled: true, isEnabled: true, isActive: true, lastTrigger: 1_397_980_800,
                        nextElapse: 1_398_067_200))
        }
    }

    @Test(arguments: [0, UInt64.max]) func `a timer without a trigger has no times`(_ never: UInt64) async throws {
        var timer = FakeSystemd.Unit()
        timer.own = ["LastTriggerUSec": .uint64(never), "NextElapseUSecRealtime": .uint64(never)]
        try await withManager(["a.timer": timer]) { manager, _ in
            let state = try await manager.state(of: "a.timer")
            #expect(state == UnitState(name: "a.timer", isInstalled: true))
        }
    }

    @Test func `a service is reported with the result of its last run`() async throws {
        var service = FakeSystemd.Unit()
        service.own = [
            "Result": .string("success"), "ExecMainCode": .int32(1), "ExecMainStatus": .int32(75),
            "ExecMainExitTimestamp": .uint64(1_397_980_800_000_000),
        ]
        try await withManager(["a.service": service]) { manager, fake in
            var state = try await manager.state(of: "a.service")
            #expect(state.lastResult == "success" && state.exitStatus == 75 && state.lastExit == 1_397_980_800)
            // Ended by a signal: 15 is not an exit code of the program.
            await fake.set("a.service") { unit in
                unit.own["Result"] = .string("timeout")
                unit.own["ExecMainCode"] = .int32(2)
                unit.own["ExecMainStatus"] = .int32(15)
            }
            state = try await manager.state(of: "a.service")
            #expect(state.lastResult == "timeout" && state.exitStatus == nil)
        }
    }

    @Test func `a missing unit is reported as not installed`() async throws {
        try await withManager { manager, _ in
            let state = try await manager.state(of: "b.timer")
            #expect(state == UnitState(name: "b.timer"))
            let error = await failure { () throws(SystemdError) in
                try await manager.enable(["a.timer", "b.timer"], starting: [])
            }
            #expect(error == .notInstalled(unit: "b.timer", .user))
        }
    }

    @Test func `enabling starts units and disabling stops them`() async throws {
        try await withManager { manager, fake in
            try await manager.enable(Self.names, starting: ["a.timer"])
            var timer = try await manager.state(of: "a.timer")
            var service = try await manager.state(of: "a.service")
            #expect(timer.isEnabled && timer.isActive && service.isEnabled && !service.isActive)
            try await manager.disable(Self.names + ["unknown.service"], stopping: ["a.timer", "unknown.service"])
            timer = try await manager.state(of: "a.timer")
            service = try await manager.state(of: "a.service")
            #expect(!timer.isEnabled && !timer.isActive && !service.isEnabled)
            #expect(await fake.calls.filter { $0 == "Reload" }.count == 2)
        }
    }

    @Test func `a failed job is reported with its result`() async throws {
        try await withManager { manager, fake in
            await fake.set("a.timer") { $0.jobResult = "dependency" }
            let error = await failure { () throws(SystemdError) in
                try await manager.enable(["a.timer"], starting: ["a.timer"])
            }
            #expect(error == .jobFailed(unit: "a.timer", result: "dependency"))
            #expect(error?.advice?.contains("journalctl --user-unit a.timer`; ") == true)
        }
    }

    @Test func `a job that does not end within the limit is reported`() async throws {
        let clock = ManualClock()
        try await withManager(clock: clock) { manager, fake in
            await fake.set("a.timer") { $0.jobResult = nil }
            async let passing: Void = clock.pass(.seconds(25))
            let error = await failure { () throws(SystemdError) in
                try await manager.enable(["a.timer"], starting: ["a.timer"])
            }
            #expect(error == .jobFailed(unit: "a.timer", result: "no result in time"))
            await passing
        }
    }

    @Test func `a manager that ends before its answer is reported as no manager`() {
        let error = SystemdError(
            .remote(name: "org.freedesktop.DBus.Error.NoReply", message: "gone"), doing: "reading a.timer", .user)
        #expect(error == .noManager(.user, reason: "gone"))
    }

    @Test(arguments: [
        "org.freedesktop.DBus.Error.AccessDenied", "org.freedesktop.DBus.Error.InteractiveAuthorizationRequired",
    ])
    func `a request without permission is reported as refused`(_ name: String) async throws {
        try await withManager { manager, fake in
            await fake.refuse(with: name)
            let error = await failure { () throws(SystemdError) in try await manager.enable(["a.timer"], starting: []) }
            #expect(error == .refused(doing: "enabling a.timer", .user))
        }
    }

    @Test func `a bus without systemd is reported as no manager`() async throws {
        let bus = try await PrivateBus.start()
        defer { bus.stop() }
        let manager = try await ServiceManager.open(.system, on: .address(bus.address))
        let error = await failure { () throws(SystemdError) in _ = try await manager.state(of: "a.timer") }
        guard case .noManager(.system, _) = error else {
            Issue.record("\(error.map(\.description) ?? "no error")")
            return
        }
        await manager.close()
    }

    @Test func `an unreachable bus is reported as no manager`() async {
        let error = await failure { () throws(SystemdError) in
            _ = try await ServiceManager.open(.user, on: .address("unix:path=/nonexistent/bus"))
        }
        guard case .noManager(.user, _) = error else {
            Issue.record("\(error.map(\.description) ?? "no error")")
            return
        }
    }

    @Test(arguments: [true, false, nil]) func `lingering is reported for a user`(_ linger: Bool?) async throws {
        let bus = try await PrivateBus.start()
        defer { bus.stop() }
        let fake = try await FakeSystemd.start(bus.address, units: [:], linger: linger)
        // logind knows users who are logged in or linger: an unknown user does neither.
        #expect(await Lingering.isOn(user: 1000, bus: .address(bus.address)) == (linger ?? false))
        await fake.close()
        #expect(await Lingering.isOn(user: 1000, bus: .address(bus.address)) == nil)
    }
}
