import BlueZ
import DBus
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5)))
struct PeripheralTests {
    private let doing = "reading \(Sample.counterUUID) of C0:DE:00:00:00:01"

    private func withPeripheral(_ body: (Fixture, Peripheral) async throws -> Void) async throws {
        try await withFixture(device: Sample.deviceProperties(rssi: -60)) { fixture in
            await fixture.fake.on("Connect", FakeBlueZ.connect)
            try await fixture.central.withPeripheral(.ring) { try await body(fixture, $0) }
        }
    }

    private func read(_ peripheral: Peripheral) async -> Result<[UInt8], BluetoothError> {
        do {
            return .success(try await peripheral.read(Sample.counterUUID, of: Sample.serviceUUID))
        } catch {
            return .failure(error)
        }
    }

    @Test func `a read returns the value of the characteristic`() async throws {
        try await withPeripheral { fixture, peripheral in
            await fixture.fake.on("ReadValue", FakeBlueZ.reply(.bytes([1, 2, 3])))
            #expect(await read(peripheral) == .success([1, 2, 3]))
        }
    }

    @Test func `values are written with and without response`() async throws {
        try await withPeripheral { fixture, peripheral in
            for (response, type) in [(true, "request"), (false, "command")] {
                await fixture.fake.on("WriteValue") { _, call in
                    #expect(call.message.path == Sample.command)
                    #expect(call.message.body.first?.bytesValue == [9, 8])
                    #expect(call.message.body.last?.propertiesValue == ["type": .string(type)])
                    await call.reply()
                }
                try await peripheral.write([9, 8], to: Sample.commandUUID, of: Sample.serviceUUID, response: response)
            }
            #expect(await fixture.fake.calls == ["Connect", "WriteValue", "WriteValue"])
        }
    }

    @Test func `a missing service is distinguished from a missing characteristic without a call`() async throws {
        try await withPeripheral { fixture, peripheral in
            await #expect(throws: BluetoothError.serviceNotFound("180f", peripheral: "C0:DE:00:00:00:01")) {
                try await peripheral.read("2a19", of: "180f")
            }
            await #expect(
                throws: BluetoothError.characteristicNotFound(
                    "2a19", service: Sample.serviceUUID, peripheral: "C0:DE:00:00:00:01")
            ) {
                try await peripheral.write([], to: "2a19", of: Sample.serviceUUID)
            }
            #expect(await fixture.fake.calls == ["Connect"])
        }
    }

    @Test func `an operation under way elsewhere is waited for`() async throws {
        try await withPeripheral { fixture, peripheral in
            let busy = FakeBlueZ.fail("org.bluez.Error.InProgress", "In Progress")
            await fixture.fake.on("ReadValue", busy, FakeBlueZ.reply(.bytes([1])))
            async let value = read(peripheral)
            await fixture.clock.pass(.milliseconds(100))
            #expect(await value == .success([1]))

            await fixture.fake.on("ReadValue", busy)
            async let error = read(peripheral)
            for wait in [100, 300, 1000] { await fixture.clock.pass(.milliseconds(wait)) }
            #expect(await error == .failure(.busy(doing)))
        }
    }

    @Test func `a timeout and a cancellation are different errors`() async throws {
        try await withPeripheral { fixture, peripheral in
            await fixture.fake.on("ReadValue", FakeBlueZ.hang)
            async let late = read(peripheral)
            await fixture.clock.pass(.seconds(10))
            #expect(await late == .failure(.timedOut(operation: doing, seconds: 10)))

            let task = Task { await read(peripheral) }
            await fixture.clock.sleeping(for: .seconds(10))
            task.cancel()
            #expect(await task.value == .failure(.cancelled))
        }
    }

    @Test func `a characteristic whose object came late is found`() async throws {
        try await withFixture(device: Sample.deviceProperties(rssi: -60)) { fixture in
            await fixture.fake.on("Connect") { fake, call in
                await FakeBlueZ.connectOnly(fake, call)
                try? await fake.add(Sample.gatt.filter { $0.key == Sample.service })
                try? await fake.device(["ServicesResolved": .boolean(true)])
            }
            await fixture.fake.on("ReadValue", FakeBlueZ.reply(.bytes([1])))
            try await fixture.central.withPeripheral(.ring) { peripheral in
                await fixture.fake.set(Sample.gatt)
                #expect(await read(peripheral) == .success([1]))
            }
        }
    }

    // MARK: Lost links

    @Test func `a link that drops while nothing answers is a lost link`() async throws {
        try await withPeripheral { fixture, peripheral in
            await fixture.fake.on("ReadValue") { fake, call in
                await fake.hold(call)
                try? await fake.drop()
            }
            // The error is permanent, even if another program connects again.
            for _ in 1...2 {
                async let error = read(peripheral)
                await fixture.clock.pass(.milliseconds(300))
                #expect(await error == .failure(.linkLost(during: doing)))
                try await fixture.fake.device(["Connected": .boolean(true)])
            }
            #expect(await fixture.fake.calls.filter { $0 == "ReadValue" }.count == 1)
        }
    }

    @Test func `an unlikely error just before the drop is a lost link`() async throws {
        try await withPeripheral { fixture, peripheral in
            await fixture.fake.on(
                "ReadValue", FakeBlueZ.fail("org.bluez.Error.Failed", "Operation failed with ATT error: 0x0e"))
            async let error = read(peripheral)
            await fixture.clock.sleeping(for: .seconds(2))
            try await fixture.fake.drop()
            await fixture.clock.pass(.milliseconds(300))
            #expect(await error == .failure(.linkLost(during: doing)))
        }
    }

    @Test func `an unlikely error of the peripheral itself stays one`() async throws {
        try await withPeripheral { fixture, peripheral in
            await fixture.fake.on(
                "ReadValue", FakeBlueZ.fail("org.bluez.Error.Failed", "Operation failed with ATT error: 0x0e"))
            async let error = read(peripheral)
            await fixture.clock.pass(.seconds(2))
            #expect(await error == .failure(.attError(code: 0x0e, doing: doing)))
        }
    }

    @Test func `an adapter that is unplugged or switched off is reported`() async throws {
        for isPulled in [true, false] {
            try await withPeripheral { fixture, peripheral in
                await fixture.fake.on("ReadValue") { fake, call in
                    await fake.hold(call)
                    // The links are lost first.
                    try? await fake.drop()
                    if isPulled {
                        try? await fake.remove(Sample.adapter)
                    } else {
                        try? await fake.change(Sample.adapter, "org.bluez.Adapter1", ["Powered": .boolean(false)])
                    }
                }
                #expect(await read(peripheral) == .failure(.adapterLost("hci0")))
            }
        }
    }

    @Test func `the end of bluetoothd is reported`() async throws {
        try await withPeripheral { fixture, peripheral in
            await fixture.fake.on("ReadValue") { fake, call in
                await fake.hold(call)
                await fake.bus.close()
            }
            #expect(await read(peripheral) == .failure(.daemonNotRunning))
        }
    }

    @Test func `a peripheral used after its connection has ended fails with a lost link`() async throws {
        try await withFixture(device: Sample.deviceProperties(rssi: -60)) { fixture in
            await fixture.fake.on("Connect", FakeBlueZ.connect)
            let kept = try await fixture.central.withPeripheral(.ring) { $0 }
            #expect(await read(kept) == .failure(.linkLost(during: "\(doing) after its end")))
        }
    }

    // MARK: Battery

    @Test func `the battery level comes from BlueZ if it has it, without a read`() async throws {
        try await withPeripheral { fixture, peripheral in
            try await fixture.fake.add([Sample.device: ["org.bluez.Battery1": ["Percentage": .byte(87)]]])
            await fixture.fake.on("ReadValue", FakeBlueZ.reply(.bytes([1])))
            // The signal is processed beside the calls.
            while await peripheral.batteryLevel() != 87 { await Task.yield() }
            await fixture.fake.forgetCalls()
            #expect(await peripheral.batteryLevel() == 87)
            #expect(await fixture.fake.calls == [])
        }
    }

    @Test func `a peripheral without a battery service has no level`() async throws {
        try await withPeripheral { fixture, peripheral in
            #expect(await peripheral.batteryLevel() == nil)
            #expect(await fixture.fake.calls == ["Connect"])
        }
    }

    // MARK: One-shot calls

    @Test func `readValue and writeValue connect and disconnect`() async throws {
        try await withFixture(device: Sample.deviceProperties(rssi: -60)) { fixture in
            await fixture.fake.on("Connect", FakeBlueZ.connect)
            await fixture.fake.on("ReadValue", FakeBlueZ.reply(.bytes([5])))
            await fixture.fake.on("WriteValue", FakeBlueZ.agree)
            let value = try await fixture.central.readValue(
                peripheral: .ring, service: Sample.serviceUUID, characteristic: Sample.counterUUID)
            #expect(value == [5])
            await fixture.fake.on("Connect", FakeBlueZ.connect)
            try await fixture.central.writeValue(
                [1], peripheral: .ring, service: Sample.serviceUUID, characteristic: Sample.commandUUID)
            #expect(
                await fixture.fake.calls == [
                    "Connect", "ReadValue", "Disconnect", "Connect", "WriteValue", "Disconnect",
                ])
        }
    }

    @Test func `readValue disconnects after a failure`() async throws {
        try await withFixture(device: Sample.deviceProperties(rssi: -60)) { fixture in
            await fixture.fake.on("Connect", FakeBlueZ.connect)
            await #expect(throws: BluetoothError.serviceNotFound("180f", peripheral: "C0:DE:00:00:00:01")) {
                try await fixture.central.readValue(peripheral: .ring, service: "180f", characteristic: "2a19")
            }
            #expect(await fixture.fake.calls == ["Connect", "Disconnect"])
        }
    }
}
