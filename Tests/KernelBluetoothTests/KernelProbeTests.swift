import BlueZ
import Foundation
import Testing

@testable import KernelBluetooth

@Suite(.timeLimit(.minutes(5))) struct KernelProbeTests {
    @Test func `the Bluetooth switches of a directory like sysfs are read`() throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: directory) }
        func entry(_ name: String, _ attributes: [String: String]) throws {
            let folder = directory.appending(path: name)
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            for (file, text) in attributes { try Data((text + "\n").utf8).write(to: folder.appending(path: file)) }
        }
        try entry("rfkill0", ["type": "wlan", "name": "phy0", "soft": "1", "hard": "1"])
        try entry("rfkill1", ["type": "bluetooth", "name": "hci0", "soft": "1", "hard": "0"])
        try entry("rfkill2", ["type": "bluetooth", "name": "tpacpi_bluetooth_sw", "soft": "0", "hard": "1"])
        try entry("rfkill3", [:])

        #expect(
            MachineProbe.switches(in: directory.path) == [
                MachineState.Switch(name: "hci0", isSoftBlocked: true),
                MachineState.Switch(name: "tpacpi_bluetooth_sw", isHardBlocked: true),
            ])
    }

    @Test func `a machine without a directory for switches has no switches`() {
        #expect(MachineProbe.switches(in: "/nonexistent/rfkill") == [])
    }

    /// Holds on every machine: the kernel and sysfs report the same.
    @Test func `the live probe agrees with sysfs`() throws {
        let state = MachineProbe.live.read()
        let entries = (try? FileManager.default.contentsOfDirectory(atPath: "/sys/class/bluetooth")) ?? []
        if !state.hasKernelSupport {
            #expect(state.radios.isEmpty)
            #expect(entries.isEmpty)
        }
        for radio in state.radios { #expect(entries.contains(radio.name)) }
    }
}
