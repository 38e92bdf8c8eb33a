import Dispatch
import Testing
import TestSupport

@testable import BlueZ
@testable import DBus

/// A `bluetoothd` that floods the central: queues and caches stay bounded, and essential operations still work.
@Suite(.timeLimit(.minutes(5))) struct FloodTests {
    /// Sends devices as fast as the central processes them, so that it misses none.
    private func flood(_ fixture: Fixture, devices: Int, rssi: Int16 = -60) async throws {
        for first in stride(from: 0, to: devices, by: 500) {
            let numbers = first..<min(first + 500, devices)
            let last = try await fixture.fake.bus.withoutSuspension { bus in
                var last: ObjectPath?
                for number in numbers {
                    let path = try #require(ObjectPath("/org/bluez/hci0/dev_\(number)"))
                    let text =
                        "02:00:00:00:"
                        + [number >> 8, number & 255].map { String($0 | 256, radix: 16).suffix(2).uppercased() }
                        .joined(separator: ":")
                    try bus.emit(
                        "/", "org.freedesktop.DBus.ObjectManager", "InterfacesAdded",
                        [
                            .objectPath(path),
                            .dictionary(
                                key: "s", value: "a{sv}",
                                [
                                    .string("org.bluez.Device1"): .properties([
                                        "Address": .string(text), "RSSI": .int16(rssi),
                                    ])
                                ]),
                        ])
                    last = path
                }
                return last
            }
            while try await fixture.central.daemon.cache.device(#require(last)) == nil { await Task.yield() }
        }
    }

    @Test func `devices without end leave a bounded cache, and the ring that is looked for is found and read`()
        async throws
    {
        try await withFixture { fixture in
            await fixture.fake.on("StartDiscovery") { fake, call in await call.reply() }
            await fixture.fake.on("Connect", FakeBlueZ.connect)
            await fixture.fake.on("ReadValue", FakeBlueZ.reply(.bytes([42])))
            let reading = Task {
                try await fixture.central.readValue(
                    peripheral: .ring, service: Sample.serviceUUID, characteristic: Sample.counterUUID)
            }
            await fixture.fake.until { $0.contains("StartDiscovery") }
            try await flood(fixture, devices: 10_000)
            #expect(await fixture.central.daemon.cache.omitted > 0)
            try await fixture.fake.add([Sample.device: ["org.bluez.Device1": Sample.deviceProperties(rssi: -70)]])
            #expect(try await reading.value == [42])
            let cache = await fixture.central.daemon.cache
            #expect(cache.objects.count <= CacheLimits.devices + CacheLimits.others + 10)
        }
    }

    /// The ring was present all the time, was dropped from the cache in favour of other devices, and is needed now.
    @Test func `a ring that was dropped from the cache is read again when it is wanted`() async throws {
        try await withFixture(device: Sample.deviceProperties(rssi: -60)) { fixture in
            await fixture.fake.on("Connect", FakeBlueZ.connect)
            await fixture.fake.on("ReadValue", FakeBlueZ.reply(.bytes([42])))
            try await flood(fixture, devices: 3 * CacheLimits.devices)
            while await fixture.central.daemon.cache.device(.ring, on: Sample.adapter) != nil { await Task.yield() }
            let value = try await fixture.central.readValue(
                peripheral: .ring, service: Sample.serviceUUID, characteristic: Sample.counterUUID)
            #expect(value == [42])
        }
    }

    @Test func `unread notifications beyond the limit are an error, after those that were kept`() async throws {
        try await withFixture(device: Sample.deviceProperties(rssi: -60)) { fixture in
            await fixture.fake.on("Connect", FakeBlueZ.connect)
            try await fixture.central.withPeripheral(.ring) { peripheral in
                let notifications = try await peripheral.notifications(of: Sample.counterUUID, in: Sample.serviceUUID)
                let value = DBusValue.properties(["Value": .bytes([UInt8](repeating: 7, count: 100))])
                // Sends no more at once than the fake's own connection can queue.
                for _ in 0..<60 {
                    try await fixture.fake.bus.withoutSuspension { bus in
                        for _ in 0..<500 {
                            try bus.emit(
                                Sample.counter, "org.freedesktop.DBus.Properties", "PropertiesChanged",
                                [.string("org.bluez.GattCharacteristic1"), value, .strings([])])
                        }
                    }
                    _ = try await fixture.fake.bus.owner(of: "org.bluez")
                }
                var iterator = notifications.makeAsyncIterator()
                var count = 0
                let error = await #expect(throws: BluetoothError.self) {
                    while try await iterator.next() != nil { count += 1 }
                }
                #expect(
                    error
                        == .notifyFailed(
                            Sample.counterUUID, peripheral: "C0:DE:00:00:00:01",
                            reason: "more notifications came than could be read"))
                #expect(count > 0 && count <= NotificationQueue.byteCapacity / 100)
            }
        }
    }

    /// While the daemon's actor is blocked, signals are queued, and the newest ones are dropped. The queued ones are
    /// applied first, and the state that is read again after them stays.
    @Test func `after newer signals were dropped, older ones do not replace what is read again`() async throws {
        try await withFixture(device: Sample.deviceProperties(rssi: -60)) { fixture in
            let bus = fixture.fake.bus
            // Sent after all others: when it has arrived, they have.
            let arrived = DispatchSemaphore(value: 0)
            let last = try await fixture.central.daemon.bus.signals(MatchRule(sender: "org.bluez", member: "Last")) {
                _ in
                arrived.signal()
                return true
            }
            let notifications = NotificationQueue(clock: fixture.clock)
            _ = await fixture.central.daemon.listen(to: Sample.counter, with: notifications)
            let events = await fixture.central.daemon.deviceEvents(on: Sample.adapter, of: [.ring])
            typealias Change = (path: ObjectPath, properties: FakeBlueZ.Properties)
            let other: Change = (Sample.otherDevice, ["RSSI": .int16(-50)])
            let connected: Change = (Sample.device, ["Connected": .boolean(true)])
            let disconnected: Change = (Sample.device, ["Connected": .boolean(false)])
            let changes: [Change] = [other, connected] + Array(repeating: other, count: 5_000) + [disconnected]
            await fixture.central.daemon.withoutSuspension { _ in
                bus.enqueue { bus in
                    for (path, properties) in changes {
                        try? bus.emit(
                            path, "org.freedesktop.DBus.Properties", "PropertiesChanged",
                            [.string("org.bluez.Device1"), .properties(properties), .strings([])])
                    }
                    try? bus.emit(
                        Sample.counter, "org.freedesktop.DBus.Properties", "PropertiesChanged",
                        [
                            .string("org.bluez.GattCharacteristic1"), .properties(["Value": .bytes([7])]),
                            .strings([]),
                        ])
                    try? bus.emit("/", "test.Signals", "Last")
                }
                arrived.wait()
            }
            var states: [Bool] = []
            // The devices that are known at the beginning, and again after the state was read again.
            for await case .known(let device) in events {
                states.append(device.isConnected)
                if states.count == 2 { break }
            }
            #expect(states == [false, false])
            try await fixture.fake.add([
                Sample.otherDevice: ["org.bluez.Device1": Sample.deviceProperties(.other, rssi: -50)]
            ])
            while await fixture.central.daemon.cache.device(Sample.otherDevice) == nil { try await letOthersRun() }
            #expect(await fixture.central.daemon.cache.device(Sample.device)?.isConnected == false)
            // A notification is not one of those that were dropped.
            #expect(await notifications.next(within: nil) == .value([7]))
            #expect(notifications.waiting.count == 0)
            withExtendedLifetime(last) {}
        }
    }

    @Test func `in a flood that lasts, the state is read again after as many signals as can wait`() {
        var missed = MissedSignals()
        let begin = [missed.next(missed: 0, isDrained: true), missed.next(missed: 3, isDrained: false)]
        #expect(begin == [false, false])
        // More are dropped meanwhile.
        let first = (1...10_000).first { _ in missed.next(missed: 1, isDrained: false) }
        #expect(first == 4096)
        let end = [missed.next(missed: 0, isDrained: true), missed.next(missed: 1, isDrained: true)]
        #expect(end == [false, true])
    }

    @Test func `after signals were missed the state is read again`() async throws {
        try await withFixture(device: Sample.deviceProperties(rssi: -60)) { fixture in
            await fixture.central.daemon.signalsWereMissed()
            // No signal is sent for this change.
            await fixture.fake.set([Sample.adapter: ["org.bluez.Adapter1": Sample.adapterProperties(isPowered: false)]])
            await fixture.clock.pass(.seconds(1))
            await fixture.central.daemon.signalsWereMissed()
            try await fixture.until { $0.first?.isPowered == false }
        }
    }

    @Test func `an observer that does not read still receives the change of the adapter`() async throws {
        let (stream, continuation) = AsyncStream.makeStream(
            of: DeviceEvent.self, bufferingPolicy: .bufferingNewest(DeviceObserver.capacity))
        let observer = DeviceObserver(adapter: Sample.adapter, addresses: nil, continuation: continuation)
        var cache = ObjectCache()
        cache.setOwner(":1.1")
        cache.beginSnapshot()
        cache.finishSnapshot([
            Sample.adapter: ["org.bluez.Adapter1": Sample.adapterProperties()],
            Sample.device: ["org.bluez.Device1": Sample.deviceProperties(rssi: -60)],
        ])
        observer.receive(.removed(Sample.adapter, interfaces: ["org.bluez.Adapter1"]), cache)
        let change = ObjectChange.changed(
            Sample.device, interface: "org.bluez.Device1", ["RSSI": .int16(-50)], invalidated: [])
        for _ in 0..<10_000 { observer.receive(change, cache) }
        continuation.finish()
        var events: [DeviceEvent] = []
        for await event in stream { events.append(event) }
        #expect(events.count <= DeviceObserver.capacity)
        #expect(events.contains { if case .adapter = $0 { true } else { false } })
    }

    @Test func `a crowded observer receives the present state of the adapter last, not an earlier one`() async throws {
        let (stream, continuation) = AsyncStream.makeStream(
            of: DeviceEvent.self, bufferingPolicy: .bufferingNewest(DeviceObserver.capacity))
        let observer = DeviceObserver(adapter: Sample.adapter, addresses: nil, continuation: continuation)
        var cache = ObjectCache()
        cache.setOwner(":1.1")
        cache.beginSnapshot()
        cache.finishSnapshot([
            Sample.adapter: ["org.bluez.Adapter1": Sample.adapterProperties()],
            Sample.device: ["org.bluez.Device1": Sample.deviceProperties(rssi: -60)],
        ])
        for isPowered in [false, true] {
            let change = ObjectChange.changed(
                Sample.adapter, interface: "org.bluez.Adapter1", ["Powered": .boolean(isPowered)], invalidated: [])
            cache.apply(change)
            observer.receive(change, cache)
        }
        let change = ObjectChange.changed(
            Sample.device, interface: "org.bluez.Device1", ["RSSI": .int16(-50)], invalidated: [])
        for _ in 0..<DeviceObserver.capacity { observer.receive(change, cache) }
        continuation.finish()
        var states: [Bool] = []
        for await case .adapter(let record) in stream { states.append(record?.isPowered == true) }
        #expect(states.last == true)
    }

    @Test func `an observer of one device receives the events of no other`() async throws {
        let (stream, continuation) = AsyncStream.makeStream(of: DeviceEvent.self)
        let observer = DeviceObserver(adapter: Sample.adapter, addresses: [.other], continuation: continuation)
        var cache = ObjectCache()
        for (path, address) in [(Sample.device, DeviceAddress.ring), (Sample.otherDevice, .other)] {
            let change = ObjectChange.added(path, ["org.bluez.Device1": Sample.deviceProperties(address, rssi: -60)])
            cache.apply(change)
            observer.receive(change, cache)
        }
        continuation.finish()
        var discovered: [DeviceAddress] = []
        for await case .added(let device) in stream { discovered.append(device.address) }
        #expect(discovered == [.other])
    }
}
