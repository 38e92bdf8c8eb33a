import BlueZ
import DBus
import SimulatedBlueZ
import Synchronization
import TestSupport
import Testing

/// Descriptors, the MTU, long values and the end of a link, against the simulation.
@Suite(.timeLimit(.minutes(5)))
struct GATTSimulationTests {
    private static let service: BluetoothUUID = "8f1d0001-7e57-4c0b-9b1d-000000000000"
    private static let note: BluetoothUUID = "8f1d0002-7e57-4c0b-9b1d-000000000000"
    private static let stream: BluetoothUUID = "8f1d0003-7e57-4c0b-9b1d-000000000000"

    /// A peripheral with a value to write, a stream and descriptors.
    private final class Notepad: SimulatedPeripheral {
        let address = DeviceAddress.ring.description
        let advertisement = Advertisement(name: "Notepad", services: ["180f"])
        private let state = Mutex(State())

        struct State {
            var mtu: UInt16 = 64
            var written: [[UInt8]] = []
            var link: PeripheralLink?
        }

        var mtu: UInt16 {
            get { state.withLock(\.mtu) }
            set { state.withLock { $0.mtu = newValue } }
        }
        var written: [[UInt8]] { state.withLock(\.written) }

        var services: [SimulatedService] {
            let description = SimulatedDescriptor("2901", value: Array("Note".utf8), isWritable: true)
            let format = SimulatedDescriptor("2904", value: [0x19, 0, 0, 0x27, 1, 0, 0])
            return [
                SimulatedService(
                    "8f1d0001-7e57-4c0b-9b1d-000000000000",
                    [
                        SimulatedCharacteristic(
                            "8f1d0002-7e57-4c0b-9b1d-000000000000", [.read, .write, .notify],
                            descriptors: [description, format]),
                        SimulatedCharacteristic(
                            "8f1d0003-7e57-4c0b-9b1d-000000000000", [.write, .writeWithoutResponse]),
                    ])
            ]
        }

        func linkOpened(_ link: PeripheralLink) { state.withLock { $0.link = link } }
        func linkClosed() { state.withLock { $0.link = nil } }
        func hangUp() { state.withLock(\.link)?.disconnect() }
        func read(_ characteristic: CharacteristicID) throws(ATTError) -> [UInt8] { written.last ?? [] }
        func write(_ value: [UInt8], to characteristic: CharacteristicID) throws(ATTError) {
            state.withLock { $0.written.append(value) }
        }
    }

    private func withNotepad(_ body: (SimulatedBlueZ, Notepad, Central) async throws -> Void) async throws {
        let notepad = Notepad()
        let stack = try await SimulatedBlueZ.start(peripherals: [notepad], timing: .immediate)
        try await Central.withCentral(.address(stack.address), clock: ScaledClock.slow) {
            try await body(stack, notepad, $0)
        }
        #expect(await stack.snapshot.connected == [])
        await stack.stop()
    }

    @Test func `the table shows flags and descriptors, without the client configuration`() async throws {
        try await withNotepad { _, _, central in
            try await central.withPeripheral(.ring) { peripheral in
                let service = try #require(peripheral.services.first { $0.uuid == Self.service })
                #expect(service.isPrimary)
                #expect(service.characteristics.map(\.uuid) == [Self.note, Self.stream])
                #expect(
                    service.characteristics.map(\.flags) == [
                        [.read, .write, .notify], [.write, .writeWithoutResponse],
                    ])
                #expect(service.characteristics.map { $0.descriptors.map(\.uuid) } == [["2901", "2904"], []])
                let handles =
                    [service.handle] + service.characteristics.flatMap { [$0.handle] + $0.descriptors.map(\.handle) }
                #expect(handles == handles.sorted())
                #expect(Set(handles).count == handles.count)
            }
        }
    }

    @Test func `descriptors are read and written`() async throws {
        try await withNotepad { _, _, central in
            try await central.withPeripheral(.ring) { peripheral in
                let note = try #require(peripheral.characteristics(Self.note, in: Self.service).first)
                #expect(try await peripheral.read(note.descriptors[0]) == Array("Note".utf8))
                #expect(try await peripheral.read(note.descriptors[1]) == [0x19, 0, 0, 0x27, 1, 0, 0])
                try await peripheral.write(Array("Diary".utf8), to: note.descriptors[0])
                #expect(try await peripheral.read(note.descriptors[0]) == Array("Diary".utf8))
                let refused = BluetoothError.writeFailed(
                    "2904", peripheral: "\(DeviceAddress.ring)", reason: "Write not permitted")
                await #expect(throws: refused) { try await peripheral.write([1], to: note.descriptors[1]) }
            }
        }
    }

    /// BlueZ announces no change of the MTU, so the value of an earlier connection must not be used.
    @Test func `the MTU is that of the present link`() async throws {
        try await withNotepad { _, notepad, central in
            let first = try await central.withPeripheral(.ring) { try await $0.mtu() }
            #expect(first == 64)
            notepad.mtu = 185
            let second = try await central.withPeripheral(.ring) { try await $0.mtu() }
            #expect(second == 185)
        }
    }

    @Test func `a long value with response arrives as one`() async throws {
        try await withNotepad { _, notepad, central in
            let value = (0..<512).map { UInt8($0 & 255) }
            try await central.withPeripheral(.ring) { peripheral in
                try await peripheral.write(value, to: Self.note, of: Self.service)
                #expect(notepad.written == [value])
                #expect(try await peripheral.read(Self.note, of: Self.service) == value)
                await #expect(throws: BluetoothError.self) {
                    try await peripheral.write(value + [0], to: Self.note, of: Self.service)
                }
            }
            #expect(notepad.written == [value])
        }
    }

    @Test(arguments: [(Int?.none, 61), (20, 20), (1000, 61)])
    func `a stream is sent in chunks that fit into a packet`(size: Int?, length: Int) async throws {
        try await withNotepad { stack, notepad, central in
            let bytes = (0..<200).map { UInt8($0) }
            try await central.withPeripheral(.ring) { peripheral in
                await #expect(throws: BluetoothError.self) {
                    try await peripheral.write(bytes, to: Self.stream, of: Self.service, response: false)
                }
                try await peripheral.writeInChunks(bytes, to: Self.stream, of: Self.service, size: size)
                // It arrives after what was sent before it.
                try await peripheral.writeInChunks([7], to: Self.stream, of: Self.service, response: true)
                while notepad.written.last != [7] || notepad.written.reduce(0, { $0 + $1.count }) < 201 {
                    await Task.yield()
                }
            }
            #expect(Array(notepad.written.joined()) == bytes + [7])
            #expect(notepad.written.dropLast().allSatisfy { $0.count <= length })
            #expect(notepad.written.first?.count == length)
        }
    }

    @Test func `a stream is sent in chunks to a characteristic that was chosen from the services`() async throws {
        try await withNotepad { _, notepad, central in
            let bytes = (0..<100).map { UInt8($0) }
            try await central.withPeripheral(.ring) { peripheral in
                let characteristic = try #require(
                    peripheral.services.flatMap(\.characteristics).first { $0.uuid == Self.stream })
                try await peripheral.writeInChunks(bytes, to: characteristic, response: true)
            }
            #expect(Array(notepad.written.joined()) == bytes && notepad.written.count == 2)
        }
    }

    // MARK: The end of a link

    @Test func `the end of the link is reported with its reason`() async throws {
        try await withNotepad { stack, notepad, central in
            try await central.withPeripheral(.ring) { peripheral in
                async let reason = peripheral.disconnection()
                notepad.hangUp()
                #expect(await reason == .linkLost(during: "connected to \(DeviceAddress.ring)"))
                // Also to a task that asks later.
                #expect(await peripheral.disconnection() == .linkLost(during: "connected to \(DeviceAddress.ring)"))
            }
            try await central.withPeripheral(.ring) { peripheral in
                async let reason = peripheral.disconnection()
                await stack.setPowered(false)
                #expect(await reason == .adapterLost("hci0"))
            }
        }
    }

    @Test func `a disconnection by this program and a cancelled wait have no reason`() async throws {
        try await withNotepad { _, _, central in
            try await central.withPeripheral(.ring) { peripheral in
                let waiting = Task { await peripheral.disconnection() }
                waiting.cancel()
                #expect(await waiting.value == nil)
                async let reason = peripheral.disconnection()
                peripheral.disconnect()
                #expect(await reason == nil)
            }
        }
    }
}
