import BlueZ
import DBus
import Foundation
import Settings
import SimulatedBlueZ
import StepDatabase
import StepDomain
import Testing

@testable import istep

/// What a doctor finds on machines that are not at hand: kernel, switches and disk are played, all else is real.
@Suite(.timeLimit(.minutes(5))) struct MachineTests {
    private static let healthy = MachineState(
        radios: [.init(name: "hci0", address: DeviceAddress("00:1A:7D:DA:71:01"), isUp: true)], switches: [.init(name: "hci0")])

    private func examine(
        _ machine: MachineState = healthy, adapter: String? = nil, folder: Folder, _ change: (inout Instruments) -> Void = { _ in }
    ) async throws -> [Finding] {
        let ring = SimulatedRing()
        let stack = try await SimulatedBlueZ.start(peripherals: [ring], timing: .immediate)
        let environment = [
            "HOME": folder.path, "XDG_DATA_HOME": folder.path, "XDG_CONFIG_HOME": folder.path, "DBUS_SYSTEM_BUS_ADDRESS": stack.address,
        ]
        var instruments = Instruments.live(environment)
        instruments.machine = MachineProbe { machine }
        change(&instruments)
        let settings = Settings.check(flags: SettingFlags(adapter: adapter, timeout: 1), environment: environment)
        let context = CheckupContext(settings, instruments, environment: environment)
        let result: Result<[Finding], any Error>
        do { result = .success(try await Doctor.examine(context)) } catch { result = .failure(error) }
        await stack.stop()
        return try result.get()
    }

    private func examine(
        _ machine: MachineState, adapter: String? = nil
    ) async throws -> [Finding] { try await examine(machine, adapter: adapter, folder: try Folder()) }

    private func grades(_ findings: [Finding], _ check: String) -> [Grade] {
        findings.filter { $0.check == check }.map(\.remark.grade)
    }

    private func remark(_ findings: [Finding], _ check: String) -> Remark? { findings.first { $0.check == check }?.remark }

    @Test func aHealthyMachine() async throws {
        let findings = try await examine(Self.healthy)
        for check in ["kernel", "switch", "adapter", "bus", "daemon", "power", "scan"] {
            #expect(grades(findings, check).first == .fine, "\(check)")
        }
        #expect(Doctor.worst(findings) == nil)
    }

    @Test func aKernelWithoutBluetooth() async throws {
        let findings = try await examine(MachineState(hasKernelSupport: false))
        #expect(grades(findings, "kernel") == [.fault(.unavailable)])
        for check in ["switch", "adapter", "daemon", "power", "scan"] {
            #expect(grades(findings, check) == [.skipped])
            #expect(remark(findings, check)?.message.contains("kernel") == true)
        }
        #expect(grades(findings, "bus") == [.fine])
        #expect(Doctor.worst(findings) == .unavailable)
    }

    @Test func noAdapter() async throws {
        let findings = try await examine(MachineState())
        #expect(grades(findings, "adapter") == [.fault(.unavailable)])
        #expect(remark(findings, "adapter")?.cure?.contains("Plug in") == true)
        #expect(grades(findings, "daemon") == [.skipped])
    }

    @Test func noAdapterOfThatName() async throws {
        let findings = try await examine(Self.healthy, adapter: "hci7")
        #expect(remark(findings, "adapter")?.message.contains("hci7") == true)
        #expect(remark(findings, "adapter")?.cure?.contains("hci0") == true)
    }

    @Test(arguments: [false, true]) func anAdapterThatASwitchBlocks(_ hard: Bool) async throws {
        let machine = MachineState(
            radios: [.init(name: "hci0", isUp: false)], switches: [.init(name: "hci0", isSoftBlocked: !hard, isHardBlocked: hard)])
        let findings = try await examine(machine)
        #expect(grades(findings, "switch") == [.fault(.unavailable)])
        #expect(remark(findings, "switch")?.cure?.contains(hard ? "wireless switch" : "rfkill unblock") == true)
        #expect(grades(findings, "adapter") == [.skipped])
    }

    /// A platform's own switch takes the adapter off its bus.
    @Test func anAdapterThatASwitchHasTakenAway() async throws {
        let findings = try await examine(MachineState(switches: [.init(name: "tpacpi", isSoftBlocked: true)]))
        #expect(grades(findings, "switch") == [.fault(.unavailable)])
        #expect(remark(findings, "switch")?.message.contains("tpacpi") == true)
    }

    @Test func aSwitchOfAnotherAdapter() async throws {
        var machine = Self.healthy
        machine.switches.append(.init(name: "hci9", isSoftBlocked: true))
        let findings = try await examine(machine)
        #expect(grades(findings, "switch") == [.note])
        #expect(grades(findings, "power").first == .fine)
    }

    // MARK: The rest of the machine

    @Test func aClockOfThePast() async throws {
        let findings = try await examine(folder: try Folder()) {
            $0.time = { TimeFacts(now: Timestamp(0), isSynchronised: false, zone: "UTC", isDesktop: false) }
        }
        #expect(grades(findings, "clock") == [.fault(.temporary), .fine])
        #expect(Doctor.worst(findings) == .temporary)
    }

    @Test func aDiskThatIsFull() async throws {
        let folder = try Folder()
        _ = try StepDatabase(path: folder.path + "/istep/history.sqlite").addUser(named: "anna")
        let full = try await examine(folder: folder) { $0.free = { _ in 4096 } }
        #expect(grades(full, "room") == [.fault(.temporary)])
        let little = try await examine(folder: folder) { $0.free = { _ in 20_000_000 } }
        #expect(grades(little, "room") == [.warning])
        #expect(Doctor.worst(little) == nil)
    }

    @Test func aHistoryOfANewerIstep() async throws {
        let folder = try Folder()
        let path = folder.path + "/istep/history.sqlite"
        _ = try StepDatabase(path: path).addUser(named: "anna")
        // The version stands in the file's header, big-endian (https://www.sqlite.org/fileformat2.html#user_version_number).
        let file = try #require(FileHandle(forUpdatingAtPath: path))
        try file.seek(toOffset: 60)
        try file.write(contentsOf: Data([0, 0, 0, 99]))
        try file.close()
        let findings = try await examine(folder: folder)
        #expect(grades(findings, "history") == [.fault(.data)])
        #expect(remark(findings, "history")?.message.contains("99") == true)
    }

    @Test func theTimer() async throws {
        let findings = try await examine(folder: try Folder()) { instruments in
            let now = instruments.now()
            instruments.timers = {
                [
                    TimerFacts(
                        unit: "istep-sync.timer", isInstalled: true, isEnabled: true, isActive: true, lastRun: now - 60,
                        lastResult: "exit-code", lingers: false)
                ]
            }
        }
        #expect(grades(findings, "timer") == [.warning, .note])
    }

    @Test func aSystemdThatFails() async throws {
        let findings = try await examine(folder: try Folder()) { $0.timers = { throw CocoaError(.fileNoSuchFile) } }
        #expect(grades(findings, "timer") == [.fault(.unforeseen)])
        #expect(grades(findings, "power").first == .fine)
    }

    // MARK: Zones

    @Test(arguments: [
        (["TZ": "Europe/Berlin"], "Europe/Berlin"), (["TZ": ":Europe/Berlin"], "Europe/Berlin"), (["TZ": "EST5EDT"], "EST5EDT"),
        (["TZ": "<+03>-3"], "<+03>-3"), (["TZ": "Europe/Nowhere"], nil), (["TZ": "nonsense"], nil),
    ] as [([String: String], String?)]) func zones(_ environment: [String: String], _ name: String?) {
        #expect(TimeZoneName.current(environment) == name)
    }

    @Test func theMachinesZone() throws {
        let folder = try Folder()
        let link = folder.path + "/localtime"
        #expect(TimeZoneName.current([:], localtime: link) == "UTC", "without one the C library takes UTC")
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "/usr/share/zoneinfo/Europe/Berlin")
        #expect(TimeZoneName.current([:], localtime: link)?.hasSuffix("Berlin") == true)
    }
}
