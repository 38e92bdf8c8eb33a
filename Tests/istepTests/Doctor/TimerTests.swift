import DBus
import Foundation
import PrivateBus
import StepDatabase
import StepDomain
import SystemdTestSupport
import Testing

/// What `istep doctor` reports about the timer, with a simulated systemd.
@Suite(.timeLimit(.minutes(5))) struct TimerTests {
    private static let names = ["istep-sync.timer", "istep-sync.service"]

    /// - Parameter units: by default as they are after an installation.
    private func doctor(
        _ units: [String: FakeSystemd.Unit] = FakeSystemd.installed(names), linger: Bool? = true,
        isSystemWide: Bool = false,
        counts: String? = nil
    ) async throws -> [Report.Entry] {
        let bus = try await PrivateBus.start()
        let folder = try Folder()
        if let counts { try add(counting: counts, folder) }
        let systemd = try await FakeSystemd.start(bus.address, units: units, linger: linger)
        var istep = Command(folder: folder, bus: bus.address)
        istep.environment["DBUS_SESSION_BUS_ADDRESS"] = isSystemWide ? nil : bus.address
        let report = Report(try await istep("doctor", "--json", "--no-radio"))
        await systemd.close()
        bus.stop()
        return report.entries.filter { $0.check == "timer" }
    }

    private func add(counting counts: String, _ folder: Folder) throws {
        let history = try StepDatabase(path: folder.path + "/data/istep/history.sqlite")
        let user = try history.addUser(named: "anna")
        _ = try history.addPedometer(
            Pedometer(
                user: user.id, model: "generic", address: "C0:DE:00:00:00:02", addressType: "random",
                name: "watch",
                options: ["service": "fff0", "characteristic": "fff1", "counts": counts]))
        try history.close()
    }

    private func units(_ result: String = "success", status: Int32 = 0, active: String = "active") -> [String:
        FakeSystemd.Unit]
    {
        var units = FakeSystemd.installed(Self.names)
        // The program compares these times with the machine's clock: it has no setting for the time.
        let now = UInt64(Date().timeIntervalSince1970)
        units["istep-sync.timer"]?.fileState = "enabled"
        units["istep-sync.timer"]?.activeState = active
        units["istep-sync.timer"]?.own = [
            "LastTriggerUSec": .uint64((now - 3600) * 1_000_000),
            "NextElapseUSecRealtime": .uint64((now + 3600) * 1_000_000),
        ]
        units["istep-sync.service"]?.own = [
            "ExecMainExitTimestamp": .uint64((now - 3600) * 1_000_000), "Result": .string(result),
            "ExecMainCode": .int32(1),
            "ExecMainStatus": .int32(status),
        ]
        return units
    }

    @Test func `a missing systemd is a note`() async throws {
        let report = Report(try await Command(folder: try Folder())("doctor", "--json", "--no-radio"))
        #expect(report["timer"]?.message.contains("systemd is not running") == true)
        #expect(report.severities("timer") == ["note"])
    }

    @Test func `missing units are a note`() async throws {
        let entries = try await doctor([:])
        #expect(entries.map(\.severity) == ["note"])
        #expect(entries.first?.message.contains("there is no istep-sync.timer") == true, "\(entries)")
    }

    @Test func `a disabled timer is reported with the command to enable it`() async throws {
        #expect(try await doctor().first?.fix == "istep auto on")
    }

    @Test func `a running timer is reported with its last and next runs`() async throws {
        // The system bus is also the session bus here: both have the timer.
        let entries = try await doctor(units())
        #expect(entries.allSatisfy { $0.severity == "fine" } && entries.count == 2, "\(entries)")
        #expect(entries.first?.message.contains("last run") == true && entries.first?.message.contains("next") == true)
    }

    @Test func `a failed run of the system timer is a warning`() async throws {
        let entries = try await doctor(units("exit-code", status: 69), isSystemWide: true)
        #expect(entries.map(\.severity) == ["warning"])
        #expect(entries.first?.message.contains("exit-code 69") == true)
        #expect(entries.first?.fix == "See the journal for the reason: sudo journalctl -u istep-sync")
    }

    @Test func `a failed watch service is a warning`() async throws {
        var units = units()
        units["istep-watch.service"] = FakeSystemd.Unit()
        units["istep-watch.service"]?.fileState = "enabled"
        units["istep-watch.service"]?.activeState = "failed"
        let entries = try await doctor(units, isSystemWide: true)
        #expect(entries.map(\.subject) == ["timer", "watch"])
        #expect(
            entries.last?.severity == "warning"
                && entries.last?.fix == "See the journal for the reason: sudo journalctl -u istep-watch")
    }

    @Test(arguments: [false, true]) func `a missing or failed midnight timer is reported`(_ isSystemWide: Bool)
        async throws
    {
        func subjects(_ units: [String: FakeSystemd.Unit], counts: String = "today") async throws -> Set<String> {
            Set(try await doctor(units, isSystemWide: isSystemWide, counts: counts).map(\.subject))
        }
        var units = units()
        #expect(try await subjects(units) == ["timer", "midnight timer"])
        #expect(try await subjects(units, counts: "total") == ["timer"], "it loses nothing at midnight")
        var midnight = FakeSystemd.Unit()
        (midnight.fileState, midnight.activeState) = ("enabled", "active")
        units["istep-midnight.timer"] = midnight
        #expect(try await subjects(units) == ["timer"])
        midnight.activeState = "failed"
        units["istep-midnight.timer"] = midnight
        let entry = try await doctor(units, isSystemWide: isSystemWide, counts: "today").first {
            $0.subject == "midnight timer"
        }
        #expect(entry?.severity == "warning")
        #expect(entry?.fix == (isSystemWide ? "sudo systemctl" : "systemctl --user") + " restart istep-midnight.timer")
    }

    @Test func `an inactive timer is reported with the command to start it`() async throws {
        #expect(try await doctor(units(active: "inactive")).first?.fix == "systemctl --user start istep-sync.timer")
    }

    @Test func `missing lingering is reported with a command`() async throws {
        let entries = try await doctor(units(), linger: false)
        #expect(entries.contains { $0.subject == "lingering" && $0.fix?.contains("enable-linger") == true })
    }
}
