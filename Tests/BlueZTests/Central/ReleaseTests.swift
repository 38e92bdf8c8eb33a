import DBus
import Synchronization
import TestSupport
import Testing

@testable import BlueZ

/// The end of a link: started early, timed, and never skipped.
@Suite(.timeLimit(.minutes(5)))
struct ReleaseTests {
    private let near = Sample.deviceProperties(rssi: -60)

    private func drop(_ fixture: Fixture) async throws {
        try await fixture.fake.drop()
        await fixture.fake.release("Disconnect")?.reply()
    }

    @Test func `a body continues while BlueZ disconnects, and the end waits for both`() async throws {
        try await withFixture(device: near) { fixture in
            await fixture.fake.on("Connect", FakeBlueZ.connect)
            await fixture.fake.on("Disconnect", FakeBlueZ.hang)
            let end = try await fixture.central.withPeripheral(.ring) { peripheral in
                peripheral.disconnect()
                peripheral.disconnect()
                await fixture.fake.until { $0.contains("Disconnect") }
                #expect(await fixture.central.daemon.cache.device(Sample.device)?.isConnected == true)
                try await drop(fixture)
                return "body"
            }
            #expect(end == "body")
            #expect(await fixture.fake.calls == ["Connect", "Disconnect"], "it is disconnected once")
            #expect(await fixture.central.inUse.isEmpty)
            #expect(await fixture.central.releases.isEmpty)
            #expect(await fixture.central.linksInUse.isEmpty)
        }
    }

    @Test func `a failed pairing releases the address once`() async throws {
        try await withFixture(device: near) { fixture in
            await fixture.fake.on("Connect", FakeBlueZ.connect)
            await fixture.fake.on("Pair", FakeBlueZ.fail("org.bluez.Error.AuthenticationFailed", ""))
            // A search of the same central wants it, too.
            await fixture.central.daemon.pin([.ring])
            await #expect(throws: BluetoothError.self) {
                try await fixture.central.pair(.ring, delegate: AcceptJustWorks())
            }
            #expect(await fixture.central.daemon.pinCounts == [.ring: 1])
            #expect(await fixture.central.inUse.isEmpty)
        }
    }

    @Test func `the time of a link is that from connected to disconnected`() async throws {
        try await withFixture(device: near) { fixture in
            await fixture.fake.on("Connect", FakeBlueZ.connect)
            await fixture.fake.on("Disconnect", FakeBlueZ.hang)
            fixture.clock.advance(by: .seconds(100))
            let timer = Mutex<LinkTimer?>(nil)
            async let run: Void = fixture.central.withPeripheral(.ring) { peripheral in
                timer.withLock { $0 = peripheral.timer }
                fixture.clock.advance(by: .seconds(3))
                #expect(peripheral.timer.elapsed == .seconds(3))
            }
            await fixture.fake.until { $0.contains("Disconnect") }
            fixture.clock.advance(by: .seconds(2))
            try await drop(fixture)
            try await run
            fixture.clock.advance(by: .seconds(50))
            #expect(timer.withLock { $0?.elapsed } == .seconds(5))
        }
    }

    @Test func `the time of a link ends when the link is lost`() async throws {
        try await withFixture(device: near) { fixture in
            await fixture.fake.on("Connect", FakeBlueZ.connect)
            try await fixture.central.withPeripheral(.ring) { peripheral in
                fixture.clock.advance(by: .seconds(3))
                try await fixture.fake.drop()
                while await fixture.central.daemon.cache.device(Sample.device)?.isConnected == true {
                    await Task.yield()
                }
                fixture.clock.advance(by: .seconds(40))
                #expect(peripheral.timer.elapsed == .seconds(3))
            }
        }
    }

    /// The disconnection ended the other program's link.
    @Test func `a link of another program after the end of this one is left alone`() async throws {
        try await withFixture(device: near) { fixture in
            await fixture.fake.on("Connect", FakeBlueZ.connect)
            try await fixture.central.withPeripheral(.ring) { _ in
                try await fixture.fake.drop()
                try await fixture.fake.device(["Connected": .boolean(true)])
                // The last of the signals has arrived.
                try await fixture.fake.device(["Name": .string("theirs")])
                while await fixture.central.daemon.cache.device(Sample.device)?.name != "theirs" {
                    await Task.yield()
                }
            }
            #expect(await fixture.fake.calls == ["Connect"])
        }
    }

    /// BlueZ keeps a link after its client has ended.
    @Test func `no link is made while the central closes`() async throws {
        try await withFixture(device: near) { fixture in
            await fixture.fake.on("Connect", FakeBlueZ.hang)
            await fixture.fake.on("Disconnect") { fake, call in
                await call.reply()
                await fake.release("Connect")?.fail("org.bluez.Error.Failed", "le-connection-abort-by-local")
            }
            let connecting = Task { try await fixture.central.withPeripheral(.ring) { _ in } }
            await fixture.fake.until { $0.contains("Connect") }
            await fixture.central.close()
            await #expect(throws: BluetoothError.self) { try await connecting.value }
            #expect(await fixture.fake.calls.count { $0 == "Connect" } == 1)
        }
    }

    @Test func `cancellation disconnects though the body does not end`() async throws {
        try await withFixture(device: near) { fixture in
            await fixture.fake.on("Connect", FakeBlueZ.connect)
            let task = Task {
                try await fixture.central.withPeripheral(.ring) { peripheral in
                    withUnsafeCurrentTask { $0?.cancel() }
                    // Waits in spite of the cancellation, as a write to a slow disk does.
                    await fixture.fake.until { $0.contains("Disconnect") }
                    _ = try await peripheral.read(Sample.counterUUID, of: Sample.serviceUUID)
                }
            }
            await #expect { try await task.value } throws: { error in
                switch error as? BluetoothError {
                case .cancelled, .linkLost: true
                default: false
                }
            }
            #expect(await fixture.fake.calls.filter { $0 == "Disconnect" }.count == 1)
        }
    }

    @Test func `a link that was up before is marked as such`() async throws {
        let properties: FakeBlueZ.Properties = ["Connected": .boolean(true), "ServicesResolved": .boolean(true)]
        try await withFixture(device: Sample.deviceProperties(.ring, properties), objects: Sample.gatt) { fixture in
            try await fixture.central.withPeripheral(.ring) { #expect($0.isTakenOver) }
        }
        try await withFixture(device: near) { fixture in
            await fixture.fake.on("Connect", FakeBlueZ.connect)
            try await fixture.central.withPeripheral(.ring) { #expect(!$0.isTakenOver) }
        }
    }

    @Test func `an attribute table beyond the limit is an error, and the link is cut`() async throws {
        var objects: [ObjectPath: [String: FakeBlueZ.Properties]] = [:]
        for number in 0...GATTTable.limit {
            objects[Sample.device.appending("service\(number)")] = [
                "org.bluez.GattService1": ["UUID": .string(Sample.serviceUUID.description), "Primary": .boolean(true)]
            ]
        }
        try await withFixture(device: near, objects: objects) { fixture in
            await fixture.fake.on("Connect") { fake, call in
                try? await fake.device(["Connected": .boolean(true), "ServicesResolved": .boolean(true)])
                await call.reply()
            }
            await #expect { try await fixture.central.withPeripheral(.ring) { _ in } } throws: { error in
                guard case .connectFailed(_, let failure)? = error as? BluetoothError else { return false }
                return failure.reason == .tableTooLarge
            }
            #expect(await fixture.fake.calls == ["Connect", "Disconnect"], "it is not tried again")
        }
    }
}
