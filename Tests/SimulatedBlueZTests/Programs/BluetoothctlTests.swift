import Foundation
import SimulatedBlueZ
import Testing

/// Debian's `bluetoothctl` works with the simulation as with BlueZ.
@Suite(
    .enabled(
        if: FileManager.default.isExecutableFile(atPath: Bluetoothctl.path),
        "bluetoothctl is not installed (package bluez)"),
    .serialized, .timeLimit(.minutes(5)))
struct BluetoothctlTests {
    private let ring = SimulatedColmi()
    private let watch = SimulatedGeneric.infiniTime()

    /// A session with the program on a stack of its own.
    private func session(
        _ peripherals: [any SimulatedPeripheral], _ body: (Terminal, SimulatedBlueZ) async throws -> Void
    ) async throws {
        let stack = try await SimulatedBlueZ.start(peripherals: peripherals, timing: .immediate)
        let terminal = try Bluetoothctl.start(on: stack)
        do {
            try await terminal.expect("Agent registered")
            try await body(terminal, stack)
            try await terminal.type("quit")
            #expect(await terminal.end() == 0)
        } catch {
            // After a timeout, the test run would not show the error.
            Issue.record("\(error)\n\(await terminal.processState)")
            await terminal.terminate()
            await stack.stop()
            throw error
        }
        await stack.stop()
    }

    @Test func `bluetoothctl scans, connects, lists attributes, reads and subscribes`() async throws {
        try await session([ring]) { terminal, stack in
            try await terminal.type("scan le")
            try await terminal.expect("Discovery started")
            try await terminal.expect("[NEW] Device \(ring.address) R02_A1B2")
            try await terminal.type("connect \(ring.address)")
            try await terminal.expect("Connection successful")
            try await terminal.expect("ServicesResolved: yes")
            try await terminal.type("scan off")
            try await terminal.expect("Discovery stopped")
            try await terminal.type("info \(ring.address)")
            try await terminal.expect("Connected: yes")
            try await terminal.expect("(6e40fff0-b5a3-f393-e0a9-e50e24dcca9e)")

            try await terminal.type("menu gatt")
            try await terminal.type("list-attributes \(ring.address)")
            for expected in [
                "Primary Service", "service000a", "6e40fff0-b5a3-f393-e0a9-e50e24dcca9e", "char000b",
                "6e400002-b5a3-f393-e0a9-e50e24dcca9e", "char000d", "6e400003-b5a3-f393-e0a9-e50e24dcca9e",
                "Client Characteristic Configuration", "Firmware Revision String",
            ] { try await terminal.expect(expected) }

            try await terminal.type("select-attribute 00002a26-0000-1000-8000-00805f9b34fb")
            try await terminal.expect("char0013")
            try await terminal.type("read")
            try await terminal.expect("52 30 32 5f")  // "R02_"

            try await terminal.type("select-attribute 6e400003-b5a3-f393-e0a9-e50e24dcca9e")
            try await terminal.expect("char000d]#")
            try await terminal.type("notify on")
            try await terminal.expect("Notify started")
            // It shows the values of the selected attribute only, and only the selected one is written to.
            try await terminal.type("select-attribute 6e400002-b5a3-f393-e0a9-e50e24dcca9e")
            try await terminal.expect("char000b]#")
            try await terminal.type("write \"0x03 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0x03\"")
            let answer: [UInt8] = [3, 76] + [UInt8](repeating: 0, count: 13) + [79]
            #expect(
                await stack.events.waits(for: .notified(ring.address, SimulatedColmi.replies.characteristic, answer)))
            try await terminal.type("select-attribute 6e400003-b5a3-f393-e0a9-e50e24dcca9e")
            try await terminal.expect("char000d]#")
            ring.announceSteps()
            try await terminal.expect("char000d Value:")
            try await terminal.expect("73 12")

            try await terminal.type("back")
            try await terminal.type("disconnect")
            try await terminal.expect("Successful disconnected")
            try await terminal.expect("Connected: no")
            #expect(await stack.snapshot.connected.isEmpty)
        }
    }

    @Test func `bluetoothctl shows the battery level of a watch`() async throws {
        try await session([watch]) { terminal, _ in
            try await terminal.type("scan le")
            try await terminal.expect("[NEW] Device \(watch.address) InfiniTime")
            try await terminal.type("connect \(watch.address)")
            try await terminal.expect("ServicesResolved: yes")
            // BlueZ announces the battery after the services. The answer to another call comes after that.
            try await terminal.type("scan off")
            try await terminal.expect("Discovery stopped")
            try await terminal.type("info \(watch.address)")
            try await terminal.expect("Battery Percentage: 0x3d (61)")
        }
    }

    @Test func `bluetoothctl pairs by numeric comparison`() async throws {
        let band = SimulatedGeneric(
            address: "C0:DE:00:00:00:08", name: "Secret", advertisedServices: ["1814"],
            steps: CharacteristicID("1814", "2a53"), source: .manual(7), security: .encrypted,
            pairing: .comparison(passkey: 123_456))
        try await session([band]) { terminal, stack in
            try await terminal.type("scan le")
            try await terminal.expect("[NEW] Device \(band.address) Secret")
            try await terminal.type("pair \(band.address)")
            try await terminal.expect("Request confirmation")
            try await terminal.type("yes")
            try await terminal.expect("Paired: yes")
            try await terminal.expect("Pairing successful")
            try await terminal.type("remove \(band.address)")
            try await terminal.expect("Device has been removed")
            #expect(await stack.snapshot.bonded.isEmpty)
        }
    }

    @Test func `bluetoothctl switches the adapter off and on`() async throws {
        try await session([ring]) { terminal, stack in
            try await terminal.type("power off")
            try await terminal.expect("Changing power off succeeded")
            try await terminal.expect("Powered: no")
            try await terminal.type("scan le")
            try await terminal.expect("Failed to start discovery: org.bluez.Error.NotReady")
            try await terminal.type("power on")
            try await terminal.expect("Changing power on succeeded")
            try await terminal.type("show")
            try await terminal.expect("Powered: yes")
        }
    }

    @Test func `bluetoothctl detects a restart of BlueZ`() async throws {
        try await session([ring]) { terminal, stack in
            try await terminal.type("scan le")
            try await terminal.expect("[NEW] Device \(ring.address) R02_A1B2")
            try await terminal.type("connect \(ring.address)")
            try await terminal.expect("ServicesResolved: yes")
            try await stack.restart()
            try await terminal.expect("[DEL] Controller")
            try await terminal.expect("Agent registered")
            try await terminal.type("devices")
            try await terminal.expect("Device \(ring.address) R02_A1B2")
        }
    }
}

enum Bluetoothctl {
    static let path = "/usr/bin/bluetoothctl"

    static func start(on stack: SimulatedBlueZ) throws -> Terminal {
        // Wide enough that no line is wrapped. The history of its commands must not be in the home of whoever runs the
        // tests.
        try Terminal(
            path,
            environment: [
                "DBUS_SYSTEM_BUS_ADDRESS": stack.address, "TERM": "xterm", "COLUMNS": "250",
                "XDG_CACHE_HOME": "/nonexistent",
                "HOME": "/nonexistent",
            ])
    }
}
