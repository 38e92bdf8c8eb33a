import PrivateBus
import SystemdTestSupport
import Testing

/// `istep auto` as a user runs it, with a systemd of the test's own.
@Suite(.timeLimit(.minutes(5))) struct AutoTests {
    private static let units = [
        "istep-sync.timer", "istep-sync.service", "istep-midnight.timer", "istep-midnight.service",
        "istep-watch.service",
    ]

    private func withSystemd(
        _ units: [String: FakeSystemd.Unit] = FakeSystemd.installed(units), linger: Bool? = false,
        _ body: (Command, FakeSystemd) async throws -> Void
    ) async throws {
        let folder = try Folder()
        let bus = try await PrivateBus.start()
        defer { bus.stop() }
        let fake = try await FakeSystemd.start(bus.address, units: units, linger: linger)
        var istep = Command(folder: folder, bus: bus.address)
        istep.environment["DBUS_SESSION_BUS_ADDRESS"] = bus.address
        try await body(istep, fake)
        await fake.close()
    }

    @Test func `automatic sync is enabled and disabled`() async throws {
        try await withSystemd { istep, fake in
            let before = try await istep("auto")
            #expect(before.status == 0 && before.output.hasPrefix("Automatic sync is off, for "))
            let on = try await istep("auto", "on")
            #expect(on.status == 0 && on.output.hasPrefix("Automatic sync is on, for "), "\(on.output) \(on.error)")
            #expect(on.output.contains("loginctl enable-linger") && on.output.contains("No pedometer yet."))
            let units = await fake.units
            #expect(
                units.filter { $0.value.fileState == "enabled" }.keys.sorted()
                    == ["istep-midnight.timer", "istep-sync.service", "istep-sync.timer"])
            #expect(
                units.filter { $0.value.activeState == "active" }.keys.sorted() == [
                    "istep-midnight.timer", "istep-sync.timer",
                ])
            let off = try await istep("auto", "off")
            #expect(off.status == 0 && off.output.hasPrefix("Automatic sync is off"))
            #expect(await fake.units.values.allSatisfy { $0.fileState == "disabled" && $0.activeState == "inactive" })
        }
    }

    @Test func `the watch service runs only with the watch option`() async throws {
        try await withSystemd { istep, fake in
            let on = try await istep("auto", "on", "--watch", "--json")
            #expect(on.status == 0 && (on.json["watch"] as? [String: Any])?["active"] as? Bool == true)
            #expect(await fake.units["istep-watch.service"]?.activeState == "active")
            // What is no longer requested is stopped.
            #expect(try await istep("auto", "on", "--quiet").output == "")
            #expect(await fake.units["istep-watch.service"]?.activeState == "inactive")
        }
    }

    @Test func `missing units are reported with advice`() async throws {
        try await withSystemd([:]) { istep, _ in
            for arguments in [["auto"], ["auto", "on"]] {
                let result = try await istep.run(arguments)
                #expect(result.status == 69 && result.error.contains("Install istep with its units"), "\(result.error)")
            }
        }
    }

    @Test func `a refused system-wide change is reported with advice to use sudo`() async throws {
        try await withSystemd { istep, fake in
            await fake.refuse(with: "org.freedesktop.DBus.Error.InteractiveAuthorizationRequired")
            let result = try await istep("auto", "on", "--system")
            #expect(result.status == 77 && result.error.contains("sudo"), "\(result.error)")
        }
    }

    /// The timers do not use them.
    @Test func `options of a single run are rejected`() async throws {
        try await withSystemd { istep, _ in
            let result = try await istep("auto", "on", "--db", "/tmp/other.sqlite")
            #expect(result.status == 64)
        }
    }

    @Test func `a missing systemd is reported`() async throws {
        let istep = Command(folder: try Folder())
        let result = try await istep("auto")
        #expect(result.status == 69 && result.error.contains("systemd"), "\(result.error)")
    }
}
