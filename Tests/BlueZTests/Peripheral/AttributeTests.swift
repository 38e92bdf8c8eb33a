import BlueZ
import DBus
import TestSupport
import Testing

/// Characteristics and descriptors addressed by handle, and calls that only a scripted BlueZ can show.
@Suite(.timeLimit(.minutes(5)))
struct AttributeTests {
    private static let characteristic = "org.bluez.GattCharacteristic1"

    /// A second characteristic with the UUID of `Sample.counter`, and a description of it.
    private static let twin = Sample.service.appending("char0017")
    private static let description = twin.appending("desc001a")

    private func withTwins(_ body: (Fixture, Peripheral) async throws -> Void) async throws {
        try await withFixture(device: Sample.deviceProperties(rssi: -60)) { fixture in
            await fixture.fake.set([
                Self.twin: [
                    Self.characteristic: [
                        "UUID": .string(Sample.counterUUID.description), "Flags": .strings(["read", "notify"]),
                    ]
                ],
                Self.description: [
                    "org.bluez.GattDescriptor1": ["UUID": .string("00002901-0000-1000-8000-00805f9b34fb")]
                ],
            ])
            await fixture.fake.on("Connect") { fake, call in
                for path in [Self.twin, Self.description] {
                    if let interfaces = await fake.objects[path] { try? await fake.add([path: interfaces]) }
                }
                await FakeBlueZ.connect(fake, call)
            }
            for member in ["ReadValue", "WriteValue", "StartNotify"] {
                await fixture.fake.on(member) { _, call in
                    await call.reply([.bytes(Array((call.message.path?.string ?? "").utf8.suffix(4)))])
                }
            }
            try await fixture.central.withPeripheral(.ring) { try await body(fixture, $0) }
        }
    }

    @Test func `characteristics with the same UUIDs are distinguished by their handles`() async throws {
        try await withTwins { fixture, peripheral in
            let twins = peripheral.characteristics(Sample.counterUUID, in: Sample.serviceUUID)
            #expect(twins.map(\.handle) == [0x11, 0x17])
            // By UUID it is the first one.
            #expect(try await peripheral.read(Sample.counterUUID, of: Sample.serviceUUID) == Array("0011".utf8))
            #expect(try await peripheral.read(twins[0]) == Array("0011".utf8))
            #expect(try await peripheral.read(twins[1]) == Array("0017".utf8))

            var second = try await peripheral.notifications(of: twins[1]).makeAsyncIterator()
            try await fixture.fake.notify([1], at: Sample.counter)
            try await fixture.fake.notify([2], at: Self.twin)
            let value = try await second.next()
            #expect(value == [2])
        }
    }

    @Test func `a characteristic and a descriptor are written at their own objects`() async throws {
        try await withTwins { fixture, peripheral in
            let twin = try #require(peripheral.characteristics(Sample.counterUUID, in: Sample.serviceUUID).last)
            let paths = [Self.twin, Self.description]
            let options: [[String: DBusValue]] = [["type": .string("command")], [:]]
            let scripts = zip(paths, options).map { path, options -> FakeBlueZ.Script in
                { _, call in
                    #expect(call.message.path == path)
                    #expect(call.message.body.last?.propertiesValue == options)
                    await call.reply()
                }
            }
            await fixture.fake.on("WriteValue", scripts[0], scripts[1])
            try await peripheral.write([1], to: twin, response: false)
            try await peripheral.write([1], to: try #require(twin.descriptors.first))
            #expect(await fixture.fake.calls.filter { $0 == "WriteValue" }.count == 2)
            #expect(try await peripheral.read(try #require(twin.descriptors.first)) == Array("001a".utf8))
        }
    }

    @Test func `an attribute of another peripheral is refused without a call`() async throws {
        try await withTwins { fixture, peripheral in
            await fixture.fake.forgetCalls()
            let reason = "it has no such attribute with the handle"
            let name = DeviceAddress.ring.description
            let foreign = GATTCharacteristic(uuid: "2a19", handle: 0x11, flags: .read)
            await #expect(throws: BluetoothError.readFailed("2a19", peripheral: name, reason: "\(reason) 17")) {
                try await peripheral.read(foreign)
            }
            await #expect(throws: BluetoothError.writeFailed("2a19", peripheral: name, reason: "\(reason) 17")) {
                try await peripheral.write([1], to: foreign)
            }
            await #expect(throws: BluetoothError.notifyFailed("2a19", peripheral: name, reason: "\(reason) 17")) {
                _ = try await peripheral.notifications(of: foreign)
            }
            await #expect(throws: BluetoothError.readFailed("2901", peripheral: name, reason: "\(reason) 99")) {
                try await peripheral.read(GATTDescriptor(uuid: "2901", handle: 99))
            }
            #expect(await fixture.fake.calls == [])
        }
    }

    // MARK: MTU

    @Test func `an MTU that BlueZ does not report, or that is impossible, counts as the smallest`() async throws {
        try await withTwins { fixture, peripheral in
            await fixture.fake.on(
                "Get", FakeBlueZ.fail("org.freedesktop.DBus.Error.InvalidArgs", "No such property 'MTU'"),
                FakeBlueZ.reply(.variant(.uint16(0))), FakeBlueZ.reply(.variant(.uint16(247))))
            var reported: [Int] = []
            for _ in 1...3 { reported.append(try await peripheral.mtu()) }
            #expect(reported == [23, 23, 247])
        }
    }

    @Test func `the MTU of a lost link is an error`() async throws {
        try await withTwins { fixture, peripheral in
            await fixture.fake.on("Get") { fake, call in
                try? await fake.drop()
                await call.fail("org.freedesktop.DBus.Error.InvalidArgs", "No such property 'MTU'")
            }
            let lost = BluetoothError.linkLost(during: "reading the MTU of \(DeviceAddress.ring)")
            for _ in 1...2 {
                async let passing: Void = fixture.clock.pass(.milliseconds(300))
                await #expect(throws: lost) { try await peripheral.mtu() }
                await passing
            }
            #expect(await fixture.fake.calls.filter { $0 == "Get" }.count == 1)
        }
    }
}
