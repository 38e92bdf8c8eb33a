import BlueZ
import DBus
import PrivateBus
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5)))
struct ScanTests {
    @Test func `a scan finds a heard device, and leaves the adapter as it was`() async throws {
        try await withFixture { fixture in
            await fixture.fake.on("StartDiscovery", FakeBlueZ.hear())
            for try await found in await fixture.central.scan(limit: .seconds(20)) {
                #expect(found.address == .ring)
                #expect(found.rssi == -60)
                #expect(found.adapter == "hci0")
                break
            }
            // The scan ends by itself when its stream is no longer read.
            await fixture.fake.until {
                $0 == ["SetDiscoveryFilter", "StartDiscovery", "StopDiscovery", "SetDiscoveryFilter"]
            }
        }
    }

    @Test func `a scan ends after its limit`() async throws {
        try await withFixture { fixture in
            async let found = fixture.central.scan(limit: .seconds(20)).reduce(into: []) { $0.append($1) }
            await fixture.clock.pass(.seconds(20))
            let foundValue = try await found
            #expect(foundValue == [])
            #expect(await fixture.fake.calls.suffix(2) == ["StopDiscovery", "SetDiscoveryFilter"])
        }
    }

    /// A paired device is connected to without a search; if it is out of range, the kernel gives up after 20 s.
    @Test func `the time in which a connection is set up does not count towards the limit`() async throws {
        try await withFixture(device: Sample.deviceProperties(.ring, ["Paired": .boolean(true)])) { fixture in
            await fixture.fake.on("Connect", FakeBlueZ.hang)
            await fixture.fake.on(
                "StartDiscovery", FakeBlueZ.hear(Sample.otherDevice, Sample.deviceProperties(.other, rssi: -50)))
            let connecting = Task {
                try await fixture.central.withPeripheral(.ring, limits: ConnectionLimits(attempts: 1)) { _ in }
            }
            await fixture.fake.until { $0.contains("Connect") }
            let scanning = Task { () async throws -> DeviceAddress? in
                for try await found in await fixture.central.scan(limit: .seconds(20)) { return found.address }
                return nil
            }
            // The scan has begun, and discovery has not.
            await fixture.clock.pass(.seconds(20))
            await fixture.fake.release("Connect")?.fail("org.bluez.Error.Failed", "le-connection-abort-by-local")
            let found = try await scanning.value
            #expect(found == .other)
            await #expect(throws: BluetoothError.self) { try await connecting.value }
        }
    }

    @Test func `a scan ends when its task is cancelled`() async throws {
        try await withFixture { fixture in
            let task = Task {
                for try await _ in await fixture.central.scan(limit: .seconds(20)) {}
            }
            await fixture.fake.until { $0.last == "StartDiscovery" }
            task.cancel()
            try await task.value
            await fixture.fake.until { $0.suffix(2) == ["StopDiscovery", "SetDiscoveryFilter"] }
        }
    }

    @Test func `a device that BlueZ only has stored is not found until it is heard`() async throws {
        try await withFixture(device: Sample.deviceProperties()) { fixture in
            await fixture.fake.on(
                "StartDiscovery", FakeBlueZ.hear(Sample.otherDevice, Sample.deviceProperties(.other, rssi: -50)))
            var found: [DeviceAddress] = []
            for try await discovery in await fixture.central.scan(limit: .seconds(20)) {
                found.append(discovery.address)
                if found == [.other] { try await fixture.fake.device(["RSSI": .int16(-70)]) }
                if found.count == 2 { break }
            }
            #expect(found == [.other, .ring])
        }
    }

    @Test func `devices that BlueZ reports are checked against the filter`() async throws {
        try await withFixture { fixture in
            await fixture.fake.on("StartDiscovery", FakeBlueZ.hear())
            try await fixture.fake.add([
                Sample.otherDevice: [
                    "org.bluez.Device1": Sample.deviceProperties(.other, rssi: -50, ["UUIDs": .strings(["180d"])])
                ]
            ])
            let found = try await fixture.central.find(ScanFilter(services: [Sample.serviceUUID]), limit: .seconds(20))
            #expect(found.address == .ring)
        }
    }

    @Test func `two scans share one discovery`() async throws {
        try await withFixture { fixture in
            let (found, signal) = AsyncStream.makeStream(of: Void.self)
            func count(_ limit: Duration) -> Task<Int, any Error> {
                Task {
                    var count = 0
                    for try await _ in await fixture.central.scan(limit: limit) {
                        count += 1
                        signal.yield()
                    }
                    return count
                }
            }
            let first = count(.seconds(20))
            await fixture.clock.sleeping(for: .seconds(20))
            let second = count(.seconds(30))
            await fixture.clock.sleeping(for: .seconds(30))
            try await fixture.fake.add([Sample.device: ["org.bluez.Device1": Sample.deviceProperties(rssi: -60)]])
            var reports = found.makeAsyncIterator()
            await reports.next()
            await reports.next()

            fixture.clock.advance(by: .seconds(20))
            let firstCount = try await first.value
            #expect(firstCount == 1)
            #expect(await !fixture.fake.calls.contains("StopDiscovery"))
            fixture.clock.advance(by: .seconds(10))
            let secondCount = try await second.value
            #expect(secondCount == 1)
            #expect(
                await fixture.fake.calls == [
                    "SetDiscoveryFilter", "StartDiscovery", "StopDiscovery", "SetDiscoveryFilter",
                ])
        }
    }

    // MARK: Failures

    private func error(of fixture: Fixture, _ filter: ScanFilter = ScanFilter()) async -> BluetoothError? {
        do {
            for try await _ in await fixture.central.scan(filter, limit: .seconds(20)) {}
            return nil
        } catch {
            return error as? BluetoothError
        }
    }

    @Test func `a discovery that is starting or stopping elsewhere is waited for`() async throws {
        try await withFixture { fixture in
            let busy = FakeBlueZ.fail("org.bluez.Error.InProgress", "Operation already in progress")
            await fixture.fake.on("StartDiscovery", busy, busy, FakeBlueZ.hear())
            async let found = fixture.central.find(ScanFilter(), limit: .seconds(20))
            await fixture.clock.pass(.milliseconds(200))
            await fixture.clock.pass(.milliseconds(500))
            let foundValue = try await found
            #expect(foundValue.address == .ring)
        }
    }

    @Test func `a scan that stays in progress is an error`() async throws {
        try await withFixture { fixture in
            await fixture.fake.on(
                "StartDiscovery", FakeBlueZ.fail("org.bluez.Error.InProgress", "Operation already in progress"))
            async let error = error(of: fixture)
            for wait in [200, 500, 1000, 2000] { await fixture.clock.pass(.milliseconds(wait)) }
            #expect(
                await error == .adapterStuck("hci0", reason: "a scan start or stop is in progress and does not end"))
            #expect(await fixture.fake.calls.last == "SetDiscoveryFilter")
        }
    }

    @Test func `an adapter that is on and does not answer, or fails, is stuck`() async throws {
        try await withFixture { fixture in
            await fixture.fake.on("StartDiscovery", FakeBlueZ.hang)
            async let silent = error(of: fixture)
            await fixture.fake.until { $0.contains("StartDiscovery") }
            await fixture.clock.pass(.seconds(10))
            #expect(await silent == .adapterStuck("hci0", reason: "no answer within 10 s"))
            // BlueZ may carry it out later, and would refuse the next one.
            let calls = await fixture.fake.calls
            #expect(calls == ["SetDiscoveryFilter", "StartDiscovery", "StopDiscovery", "SetDiscoveryFilter"])
        }
        try await withFixture { fixture in
            await fixture.fake.on("StartDiscovery", FakeBlueZ.fail("org.bluez.Error.Failed", "Input/output error"))
            async let failed = error(of: fixture)
            for wait in [200, 500, 1000, 2000] { await fixture.clock.pass(.milliseconds(wait)) }
            #expect(
                await failed
                    == .adapterStuck("hci0", reason: "scanning on hci0: org.bluez.Error.Failed: Input/output error"))
        }
        // Until BlueZ has carried it out, it does not stop it either.
        try await withFixture { fixture in
            await fixture.fake.on("StartDiscovery", FakeBlueZ.hang)
            let refuse = FakeBlueZ.fail("org.bluez.Error.InProgress", "Operation already in progress")
            await fixture.fake.on("StopDiscovery", refuse, refuse, FakeBlueZ.agree)
            async let silent = error(of: fixture)
            await fixture.fake.until { $0.contains("StartDiscovery") }
            await fixture.clock.pass(.seconds(10))
            for _ in 0..<2 { await fixture.clock.pass(.seconds(2)) }
            #expect(await silent == .adapterStuck("hci0", reason: "no answer within 10 s"))
            #expect(await fixture.fake.calls.count { $0 == "StopDiscovery" } == 3)
        }
        // A missing permission says nothing about the adapter.
        try await withFixture { fixture in
            await fixture.fake.on("StartDiscovery", FakeBlueZ.fail("org.freedesktop.DBus.Error.AccessDenied", "policy"))
            #expect(await error(of: fixture) == .accessDenied("scanning on hci0: policy"))
        }
    }

    @Test func `an adapter that is switched off meanwhile ends the scan`() async throws {
        try await withFixture { fixture in
            await fixture.fake.on("StartDiscovery") { fake, call in
                await call.reply()
                try? await fake.change(Sample.adapter, "org.bluez.Adapter1", ["Powered": .boolean(false)])
            }
            #expect(await error(of: fixture) == .adapterDown("hci0"))
        }
    }

    @Test func `an adapter that is pulled out ends the scan`() async throws {
        try await withFixture { fixture in
            await fixture.fake.on("StartDiscovery") { fake, call in
                await call.reply()
                try? await fake.remove(Sample.adapter)
            }
            #expect(await error(of: fixture) == .adapterLost("hci0"))
        }
    }

    @Test func `the end of bluetoothd ends the scan`() async throws {
        try await withFixture { fixture in
            await fixture.fake.on("StartDiscovery") { fake, call in
                await call.reply()
                await fake.bus.close()
            }
            #expect(await error(of: fixture) == .daemonNotRunning)
        }
    }

    @Test func `the end of the bus ends the scan`() async throws {
        try await withFixture { fixture in
            async let error = error(of: fixture)
            await fixture.fake.until { $0.last == "StartDiscovery" }
            fixture.bus.stop()
            guard case .noBus = await error else {
                Issue.record("\(String(describing: await error))")
                return
            }
        }
    }

    @Test func `a refused scan is reported`() async throws {
        try await withFixture { fixture in
            await fixture.fake.on(
                "SetDiscoveryFilter", FakeBlueZ.fail("org.freedesktop.DBus.Error.AccessDenied", "policy"))
            #expect(await error(of: fixture) == .accessDenied("scanning on hci0: policy"))
        }
    }
}
