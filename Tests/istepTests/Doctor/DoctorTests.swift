import DBus
import Foundation
import SimulatedBlueZ
import StepDatabase
import Testing

/// What `istep doctor` finds, each finding provoked: by the built program on a simulated stack.
@Suite(.timeLimit(.minutes(5))) struct DoctorTests {
    /// A ring is added and synced.
    func live(_ body: (Household) async throws -> Void) async throws {
        try await Household.live { home in
            let add = try await home.istep("add", home.ring.address, "--name", "ring", "--timeout", "120")
            #expect(add.status == 0, "\(add.error)")
            #expect(try await home.istep("sync").status == 0)
            try await body(home)
            await home.expectNothingLeftOpen()
        }
    }

    func doctor(_ home: Household, _ options: String...) async throws -> Report {
        Report(try await home.istep.run(["doctor", "--json", "--timeout", "4"] + options))
    }

    func history(_ home: Household) -> String { home.folder.path + "/data/istep/history.sqlite" }

    // MARK: A healthy system

    @Test func `a working system has no faults and remains unchanged`() async throws {
        try await live { home in
            // The sync before has closed the history.
            #expect(!FileManager.default.fileExists(atPath: history(home) + "-wal"))
            let before = try Data(contentsOf: URL(fileURLWithPath: history(home)))
            let received = home.ring.received.count
            let report = try await doctor(home)
            #expect(report.status == 0, "\(report)")
            #expect(!report.entries.contains { ["fault", "warning"].contains($0.severity) }, "\(report)")
            for check in [
                "bus", "daemon", "power", "clock", "configuration", "history", "permissions", "room", "scan", "syncs",
                "pedometer",
            ] {
                #expect(report.severities(check).first == "fine", "\(check)")
            }
            #expect(report["pedometer"]?.message.contains("battery") == true)
            // Nothing is changed.
            #expect(try Data(contentsOf: URL(fileURLWithPath: history(home))) == before)
            #expect(!home.ring.received.dropFirst(received).contains { $0[0] == 0x01 }, "its clock was set")
        }
    }

    @Test func `findings are printed as text`() async throws {
        try await live { home in
            await home.stack.inject(.outOfRange, for: home.ring.address)
            let result = try await home.istep("doctor", "--timeout", "8")
            #expect(result.status == 75)
            #expect(result.output.contains("✓ D-Bus: it answers\n"))
            #expect(result.output.contains("✗ ring: it is not in range"))
            #expect(result.output.hasSuffix("skipped.\n"), "the kernel is another's")
            #expect(result.error.isEmpty, "\(result.error)")
            let quiet = try await home.istep("doctor", "--timeout", "8", "--quiet")
            #expect(quiet.status == 75)
            #expect(quiet.output.hasPrefix("Pedometers\n✗ ring: it is not in range"), "\(quiet.output)")
        }
    }

    // MARK: The machine

    @Test func `a missing bus is a fault and dependent checks are skipped`() async throws {
        let report = Report(try await Command(folder: try Folder())("doctor", "--json"))
        #expect(report.status == 69)
        #expect(report.severities("bus") == ["fault"])
        #expect(report.severities("daemon") == ["skipped"] && report.severities("scan") == ["skipped"])
        #expect(report["daemon"]?.message.contains("D-Bus") == true)
        #expect(report.severities("history") == ["note"], "there is none yet")
        #expect(report["bus"]?.fix?.isEmpty == false)
    }

    @Test func `a missing bluetoothd is a fault`() async throws {
        try await live { home in
            await home.stack.leaveBus()
            let report = try await doctor(home)
            #expect(report.status == 69)
            #expect(report["daemon"]?.message.contains("bluetoothd") == true)
            #expect(report.severities("power") == ["skipped"] && report.severities("pedometer") == ["skipped"])
            #expect(report.severities("syncs") == ["fine"], "the history is checked all the same")
        }
    }

    @Test func `a bus policy that denies access gives exit code 77`() async throws {
        let stack = try await SimulatedBlueZ.start(timing: .immediate, isClosed: true)
        let report = Report(try await Command(folder: try Folder(), bus: stack.address)("doctor", "--json"))
        await stack.stop()
        #expect(report.status == 77)
        #expect(report["daemon"]?.category == "permission")
        #expect(report["daemon"]?.fix?.contains("bluetooth") == true)
    }

    @Test func `an adapter that is switched off is a fault`() async throws {
        try await live { home in
            await home.stack.setPowered(false)
            let report = try await doctor(home)
            #expect(report.status == 69)
            #expect(report["power"]?.message.contains("off") == true)
            #expect(report["power"]?.fix?.contains("power on") == true)
            #expect(report.severities("scan") == ["skipped"])
        }
    }

    @Test func `a missing adapter is a fault`() async throws {
        try await live { home in
            await home.stack.unplug()
            let report = try await doctor(home)
            #expect(report.status == 69)
            #expect(report.severities("power") == ["fault"])
            #expect(report["power"]?.message.contains("no Bluetooth adapter") == true)
        }
    }

    @Test(arguments: [DiscoveryFault.busy, .stalled]) func `an adapter that does not scan is a fault`(
        _ fault: DiscoveryFault
    ) async throws {
        try await live { home in
            await home.stack.setDiscoveryFault(fault)
            let report = try await doctor(home)
            #expect(report.status == 69)
            #expect(report.severities("scan") == ["fault"])
            #expect(report["scan"]?.fix?.contains("systemctl restart bluetooth") == true)
            #expect(report.severities("pedometer") == ["skipped"])
        }
    }

    @Test func `a scan that finds no device is a warning`() async throws {
        try await live { home in
            await home.stack.setDiscoveryFault(.receivesNothing)
            let report = try await doctor(home)
            #expect(report.status == 75)
            #expect(report.severities("scan") == ["warning"])
            #expect(report["scan"]?.message.contains("no advertisement") == true)
        }
    }

    @Test func `a scan by another program is a note`() async throws {
        try await live { home in
            let other = try await DBusConnection.open(.address(home.stack.address))
            _ = try await other.call("org.bluez", "/org/bluez/hci0", "org.bluez.Adapter1", "StartDiscovery")
            let report = try await doctor(home)
            _ = try await other.call("org.bluez", "/org/bluez/hci0", "org.bluez.Adapter1", "StopDiscovery")
            await other.close()
            #expect(report.status == 0)
            #expect(report.severities("power") == ["fine", "note"])
        }
    }

    // MARK: The pedometer

    @Test func `a pedometer out of range gives exit code 75`() async throws {
        try await live { home in
            await home.stack.inject(.outOfRange, for: home.ring.address)
            let report = try await doctor(home)
            #expect(report.status == 75)
            #expect(report["pedometer"]?.message.contains("not in range") == true)
            #expect(report["syncs"]?.message.contains("just now") == true)
            #expect(report.severities("scan") == ["fine"], "the watch is heard")
        }
    }

    @Test func `a pedometer that refuses connections is reported with advice`() async throws {
        try await live { home in
            await home.stack.inject(.refuseConnect(), for: home.ring.address)
            let report = try await doctor(home)
            #expect(report.status == 75)
            #expect(report["pedometer"]?.message.contains("in range, but connecting fails") == true)
            #expect(report["pedometer"]?.fix?.contains("phone") == true)
        }
    }

    @Test func `a stale bond is reported with the command to remove it`() async throws {
        try await live { home in
            await home.stack.inject(
                .refuseConnect("Authentication Failed", name: "org.bluez.Error.AuthenticationFailed"),
                for: home.ring.address)
            let report = try await doctor(home)
            #expect(report.status == 77)
            #expect(report["pedometer"]?.message.contains("pairing") == true)
            let cure = report["pedometer"]?.fix
            #expect(
                cure?.contains("istep forget --unpair ") == true
                    && cure?.contains("istep add \(home.ring.address)") == true)
        }
    }

    @Test func `a pedometer without the expected service gives exit code 69`() async throws {
        try await live { home in
            await home.stack.inject(.missingService(SimulatedColmi.service), for: home.ring.address)
            let report = try await doctor(home)
            #expect(report.status == 69)
            #expect(report["pedometer"]?.message.contains(SimulatedColmi.service.text) == true)
        }
    }

    @Test func `a pedometer that refuses a request gives exit code 75`() async throws {
        try await live { home in
            home.ring.behaviour.refuses = [0x43]
            let report = try await doctor(home)
            #expect(report.status == 75)
            #expect(report["pedometer"]?.message.contains("refused") == true)
        }
    }

    @Test func `a wrong pedometer clock is a warning and is not set`() async throws {
        try await live { home in
            // Three hours ahead, with steps since then: steps in the future.
            let shown = home.ring.clock
            home.ring.setClock(.showing(WallClock(seconds: shown.seconds + 3 * 3600)))
            home.ring.addSteps(500, at: WallClock(seconds: shown.seconds + 3 * 3600 - 60))
            let report = try await doctor(home)
            #expect(report.status == 0)
            #expect(
                report.entries.contains {
                    $0.check == "pedometer" && $0.severity == "warning" && $0.message.contains("clock")
                }, "\(report)")
            #expect(home.ring.clock.seconds > shown.seconds + 3 * 3600 - 60, "it is left as it is")
        }
    }

    @Test func `a low battery is a warning`() async throws {
        try await live { home in
            home.ring.battery = 7
            let report = try await doctor(home)
            #expect(report.status == 0)
            #expect(
                report.entries.contains {
                    $0.check == "pedometer" && $0.severity == "warning" && $0.message.contains("7 %")
                }, "\(report)")
        }
    }

    @Test func `failed syncs are a warning`() async throws {
        try await live { home in
            await home.stack.inject(.outOfRange, for: home.ring.address)
            #expect(try await home.istep("sync", "--timeout", "1").status == 75)
            await home.stack.clearFaults()
            let report = try await doctor(home)
            #expect(report.status == 0, "it is there again")
            #expect(report.severities("syncs") == ["warning"])
            #expect(report["syncs"]?.message.contains("an attempt failed ") == true)
        }
    }

    @Test func `the command to add a pedometer in range is suggested`() async throws {
        try await Household.live { home in
            let report = Report(try await home.istep("doctor", "--json", "--timeout", "4"))
            #expect(report.status == 0, "\(report)")
            // The ring and the watch are recognised.
            let commands = [home.ring.address, home.watch.address].map { "istep add \($0)" }
            #expect(report.entries.contains { commands.contains($0.fix ?? "") }, "\(report)")
        }
    }

    @Test func `a running sync is not disturbed`() async throws {
        try await live { home in
            let report = try await HistoryLock.hold(ofDatabase: history(home)) { try await doctor(home) }
            #expect(report.status == 0)
            #expect(report["scan"]?.message.contains("process \(getpid())") == true)
            #expect(report.severities("scan") == ["skipped"] && report.severities("pedometer") == ["skipped"])
            #expect(report.severities("lock") == ["note"])
        }
    }

    @Test func `an interrupted checkup disconnects the ring`() async throws {
        try await live { home in
            func writes(_ events: [SimulationEvent]) -> Int {
                events.count { if case .wrote = $0 { true } else { false } }
            }
            var left = writes(home.stack.history) + 1
            home.ring.behaviour.ignored = [0x03]
            let running = try home.istep.start(["doctor"])
            for await event in home.stack.events {
                if case .wrote = event { left -= 1 }
                if left == 0 { break }
            }
            running.send(SIGTERM)
            #expect(await running.result.status == 128 + SIGTERM)
            await home.expectNothingLeftOpen()
        }
    }

    @Test func `radio checks are skipped on request`() async throws {
        try await live { home in
            let connections = home.stack.history.count { if case .connecting = $0 { true } else { false } }
            let report = try await doctor(home, "--no-radio")
            #expect(report.status == 0)
            #expect(report.severities("scan") == ["skipped"] && report.severities("pedometer") == ["skipped"])
            #expect(home.stack.history.count { if case .connecting = $0 { true } else { false } } == connections)
        }
    }
}

/// The output of `istep doctor --json`.
struct Report: CustomStringConvertible {
    struct Entry: Decodable {
        var check, area, subject, severity, message: String
        var category, fix: String?

        private enum CodingKeys: String, CodingKey {
            case check, area, subject, message
            case severity = "grade", category = "trouble", fix = "cure"
        }
    }

    private struct Document: Decodable { var findings: [Entry] }

    let status: Int32
    let entries: [Entry]
    let text: String

    init(_ result: Command.Result) {
        status = result.status
        text = result.output + result.error
        entries = (try? JSONDecoder().decode(Document.self, from: Data(result.output.utf8)))?.findings ?? []
    }

    /// The first finding of a check.
    subscript(check: String) -> Entry? { entries.first { $0.check == check } }
    func severities(_ check: String) -> [String] { entries.filter { $0.check == check }.map(\.severity) }
    var description: String { text }
}
