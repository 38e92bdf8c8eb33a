import DBus
import TestSupport
import Testing

@testable import BlueZ

@Suite(.timeLimit(.minutes(5)))
struct NotificationsTests {
    private func withNotifications(
        _ script: @escaping FakeBlueZ.Script = FakeBlueZ.agree,
        _ body: (Fixture, Peripheral, Notifications) async throws -> Void
    ) async throws {
        try await withFixture(device: Sample.deviceProperties(rssi: -60)) { fixture in
            await fixture.fake.on("Connect", FakeBlueZ.connect)
            await fixture.fake.on("StartNotify", script)
            try await fixture.central.withPeripheral(.ring) { peripheral in
                let notifications = try await peripheral.notifications(of: Sample.counterUUID, in: Sample.serviceUUID)
                try await body(fixture, peripheral, notifications)
            }
        }
    }

    @Test func `notifications that arrive before the answer of BlueZ are not lost`() async throws {
        try await withNotifications({ fake, call in
            try? await fake.notify([1])
            await call.reply()
            try? await fake.notify([2])
        }) { _, _, notifications in
            let values = try await notifications.prefix(2).reduce(into: [[UInt8]]()) { $0.append($1) }
            #expect(values == [[1], [2]])
        }
    }

    @Test func `all notifications of a burst arrive in order`() async throws {
        try await withNotifications { fixture, _, notifications in
            for n in 0..<500 { try await fixture.fake.notify([UInt8(n & 255), UInt8(n >> 8)]) }
            var iterator = notifications.makeAsyncIterator()
            for n in 0..<500 { #expect(try await iterator.next() == [UInt8(n & 255), UInt8(n >> 8)]) }
        }
    }

    @Test func `values received before a lost link are read first`() async throws {
        try await withNotifications { fixture, _, notifications in
            try await fixture.fake.notify([1])
            try await fixture.fake.drop()
            var iterator = notifications.makeAsyncIterator()
            #expect(try await iterator.next() == [1])
            let waiting = "waiting for notifications of \(Sample.counterUUID) of C0:DE:00:00:00:01"
            async let passing: Void = fixture.clock.pass(.milliseconds(300))
            await #expect(throws: BluetoothError.linkLost(during: waiting)) { try await iterator.next() }
            await passing
        }
    }

    /// A peripheral that changes its services (Service Changed): the readers waited for ever.
    @Test func `the end of a characteristic ends its notifications, and it can be subscribed to again`() async throws {
        try await withNotifications { fixture, peripheral, notifications in
            try await fixture.fake.notify([1])
            try await fixture.fake.remove(Sample.counter)
            var iterator = notifications.makeAsyncIterator()
            #expect(try await iterator.next() == [1])
            async let passing: Void = fixture.clock.pass(.milliseconds(300))
            await #expect(throws: BluetoothError.self) { try await iterator.next() }
            await passing
            try await fixture.fake.add([Sample.counter: Sample.gatt[Sample.counter] ?? [:]])
            let again = try await peripheral.notifications(of: Sample.counterUUID, in: Sample.serviceUUID)
            #expect(await fixture.fake.calls == ["Connect", "StartNotify", "StartNotify"])
            try await fixture.fake.notify([2])
            var second = again.makeAsyncIterator()
            #expect(try await second.next() == [2])
        }
    }

    /// BlueZ carries it out later, and would subscribe again with each connection.
    @Test func `a subscription that is not answered in time is ended`() async throws {
        try await withFixture(device: Sample.deviceProperties(rssi: -60)) { fixture in
            await fixture.fake.on("Connect", FakeBlueZ.connect)
            await fixture.fake.on("StartNotify", FakeBlueZ.hang)
            try await fixture.central.withPeripheral(.ring) { peripheral in
                let subscribing = Task {
                    _ = try await peripheral.notifications(of: Sample.counterUUID, in: Sample.serviceUUID)
                }
                await fixture.fake.until { $0.contains("StartNotify") }
                await fixture.clock.pass(.seconds(10))
                await #expect(throws: BluetoothError.self) { try await subscribing.value }
                #expect(await fixture.fake.calls.contains("StopNotify"))
            }
        }
    }

    @Test func `a wait without a value ends at its limit, and later values are received`() async throws {
        try await withNotifications { fixture, _, notifications in
            let late = Task {
                var iterator = notifications.makeAsyncIterator()
                return try await iterator.next(within: .seconds(4))
            }
            await fixture.clock.pass(.seconds(4))
            let waiting = "waiting for notifications of \(Sample.counterUUID) of C0:DE:00:00:00:01"
            await #expect(throws: BluetoothError.timedOut(operation: waiting, seconds: 4)) { try await late.value }
            try await fixture.fake.notify([1])
            var iterator = notifications.makeAsyncIterator()
            #expect(try await iterator.next(within: .seconds(4)) == [1])
        }
    }

    @Test func `cancellation is reported as such`() async throws {
        try await withNotifications { fixture, _, notifications in
            let task = Task {
                var iterator = notifications.makeAsyncIterator()
                return try await iterator.next(within: .seconds(4))
            }
            await fixture.clock.sleeping(for: .seconds(4))
            task.cancel()
            await #expect(throws: BluetoothError.cancelled) { try await task.value }
        }
    }

    @Test func `the stream ends with the connection, and StopNotify is called after Disconnect`() async throws {
        try await withFixture(device: Sample.deviceProperties(rssi: -60)) { fixture in
            await fixture.fake.on("Connect", FakeBlueZ.connect)
            let kept = try await fixture.central.withPeripheral(.ring) {
                try await $0.notifications(of: Sample.counterUUID, in: Sample.serviceUUID)
            }
            for try await _ in kept { Issue.record("a value after the end") }
            #expect(await fixture.fake.calls == ["Connect", "StartNotify", "Disconnect", "StopNotify"])
        }
    }

    @Test func `two readers share one subscription`() async throws {
        try await withNotifications { fixture, peripheral, first in
            let second = try await peripheral.notifications(of: Sample.counterUUID, in: Sample.serviceUUID)
            try await fixture.fake.notify([1])
            for notifications in [first, second] {
                var iterator = notifications.makeAsyncIterator()
                #expect(try await iterator.next() == [1])
            }
            await first.stop()
            #expect(await fixture.fake.calls == ["Connect", "StartNotify"])
            await second.stop()
            #expect(await fixture.fake.calls == ["Connect", "StartNotify", "StopNotify"])
            var iterator = second.makeAsyncIterator()
            #expect(try await iterator.next() == nil)
        }
    }

    @Test func `a new reader subscribes after the answer to StopNotify`() async throws {
        try await withNotifications { fixture, peripheral, first in
            await fixture.fake.on("StopNotify", FakeBlueZ.hang, FakeBlueZ.agree)
            let stop = Task { await first.stop() }
            await fixture.fake.until { $0.contains("StopNotify") }
            let second = subscribe(peripheral)
            while await fixture.central.daemon.readers(of: Sample.counter) < 1 { try await letOthersRun() }
            for _ in 0..<20 { try await letOthersRun() }
            #expect(await fixture.fake.calls == ["Connect", "StartNotify", "StopNotify"])
            await fixture.fake.release("StopNotify")?.reply()
            await stop.value
            let notifications = try await second.value
            #expect(await fixture.fake.calls == ["Connect", "StartNotify", "StopNotify", "StartNotify"])
            try await fixture.fake.notify([1])
            var iterator = notifications.makeAsyncIterator()
            #expect(try await iterator.next() == [1])
        }
    }

    @Test func `a refused subscription is reported and can be repeated`() async throws {
        try await withFixture(device: Sample.deviceProperties(rssi: -60)) { fixture in
            await fixture.fake.on("Connect", FakeBlueZ.connect)
            await fixture.fake.on(
                "StartNotify", FakeBlueZ.fail("org.bluez.Error.NotSupported", "Not Supported"), FakeBlueZ.agree)
            try await fixture.central.withPeripheral(.ring) { peripheral in
                await #expect(
                    throws: BluetoothError.notifyFailed(
                        Sample.counterUUID, peripheral: "C0:DE:00:00:00:01",
                        reason: "the characteristic does not support it")
                ) {
                    _ = try await peripheral.notifications(of: Sample.counterUUID, in: Sample.serviceUUID)
                }
                _ = try await peripheral.notifications(of: Sample.counterUUID, in: Sample.serviceUUID)
            }
            #expect(await fixture.fake.calls == ["Connect", "StartNotify", "StartNotify", "Disconnect", "StopNotify"])
        }
    }

    @Test func `ending a subscription twice leaves that of another reader`() async throws {
        try await withNotifications { fixture, peripheral, first in
            let second = try await peripheral.notifications(of: Sample.counterUUID, in: Sample.serviceUUID)
            await first.stop()
            await first.stop()
            #expect(await fixture.fake.calls == ["Connect", "StartNotify"])
            try await fixture.fake.notify([1])
            var iterator = second.makeAsyncIterator()
            #expect(try await iterator.next() == [1])
        }
    }

    // MARK: Subscribing to a link that has ended

    private static let subscribing = "subscribing to \(Sample.counterUUID) of C0:DE:00:00:00:01"

    @Test func `a subscription after the program disconnected is an error`() async throws {
        try await withNotifications { _, peripheral, first in
            peripheral.disconnect()
            for try await _ in first { Issue.record("a value after the end") }
            await #expect(throws: BluetoothError.linkLost(during: "\(Self.subscribing) after its end")) {
                _ = try await peripheral.notifications(of: Sample.counterUUID, in: Sample.serviceUUID)
            }
        }
    }

    @Test func `a second subscription after the link was lost is an error`() async throws {
        try await withNotifications { fixture, peripheral, first in
            try await fixture.fake.drop()
            let waiting = "waiting for notifications of \(Sample.counterUUID) of C0:DE:00:00:00:01"
            var iterator = first.makeAsyncIterator()
            async let passing: Void = fixture.clock.pass(.milliseconds(300))
            await #expect(throws: BluetoothError.linkLost(during: waiting)) { try await iterator.next() }
            await passing
            async let passingAgain: Void = fixture.clock.pass(.milliseconds(300))
            await #expect(throws: BluetoothError.linkLost(during: Self.subscribing)) {
                _ = try await peripheral.notifications(of: Sample.counterUUID, in: Sample.serviceUUID)
            }
            await passingAgain
        }
    }

    // MARK: Sharing a subscription that BlueZ has not answered

    private func subscribe(_ peripheral: Peripheral) -> Task<Notifications, any Error> {
        Task { try await peripheral.notifications(of: Sample.counterUUID, in: Sample.serviceUUID) }
    }

    /// Runs `body` with two readers that wait for the answer to one StartNotify.
    private func withTwoWaiting(
        _ body: (Fixture, Peripheral, _ first: Task<Notifications, any Error>, _ second: Task<Notifications, any Error>)
            async throws -> Void
    ) async throws {
        try await withFixture(device: Sample.deviceProperties(rssi: -60)) { fixture in
            await fixture.fake.on("Connect", FakeBlueZ.connect)
            await fixture.fake.on("StartNotify", FakeBlueZ.hang, FakeBlueZ.agree)
            try await fixture.central.withPeripheral(.ring) { peripheral in
                let first = subscribe(peripheral)
                await fixture.fake.until { $0.contains("StartNotify") }
                let second = subscribe(peripheral)
                while await fixture.central.daemon.readers(of: Sample.counter) < 2 { try await letOthersRun() }
                try await body(fixture, peripheral, first, second)
            }
        }
    }

    @Test func `a refused subscription fails for all who share it`() async throws {
        try await withTwoWaiting { fixture, peripheral, first, second in
            await fixture.fake.release("StartNotify")?.fail("org.bluez.Error.NotSupported", "Not Supported")
            for reader in [first, second] { await #expect(throws: BluetoothError.self) { _ = try await reader.value } }
            #expect(await fixture.central.daemon.readers(of: Sample.counter) == 0)
            _ = try await peripheral.notifications(of: Sample.counterUUID, in: Sample.serviceUUID)
            #expect(await fixture.fake.calls == ["Connect", "StartNotify", "StartNotify"])
        }
    }

    @Test func `a cancelled reader leaves at once, and the other one keeps the subscription`() async throws {
        try await withTwoWaiting { fixture, _, first, second in
            first.cancel()
            await #expect(throws: BluetoothError.cancelled) { _ = try await first.value }
            await fixture.fake.release("StartNotify")?.reply()
            let notifications = try await second.value
            #expect(await fixture.fake.calls == ["Connect", "StartNotify"])
            try await fixture.fake.notify([1])
            var iterator = notifications.makeAsyncIterator()
            #expect(try await iterator.next() == [1])
        }
    }

    @Test func `a subscription that all readers have left is ended once BlueZ has answered`() async throws {
        try await withTwoWaiting { fixture, _, first, second in
            for reader in [first, second] {
                reader.cancel()
                await #expect(throws: BluetoothError.cancelled) { _ = try await reader.value }
            }
            #expect(await fixture.fake.calls == ["Connect", "StartNotify"])
            await fixture.fake.release("StartNotify")?.reply()
            await fixture.fake.until { $0 == ["Connect", "StartNotify", "StopNotify"] }
        }
    }

    @Test func `a reader that comes after all others have left shares the call that is not answered`() async throws {
        try await withTwoWaiting { fixture, peripheral, first, second in
            for reader in [first, second] {
                reader.cancel()
                await #expect(throws: BluetoothError.cancelled) { _ = try await reader.value }
            }
            let third = subscribe(peripheral)
            while await fixture.central.daemon.readers(of: Sample.counter) < 1 { try await letOthersRun() }
            await fixture.fake.release("StartNotify")?.reply()
            let notifications = try await third.value
            #expect(await fixture.fake.calls == ["Connect", "StartNotify"])
            try await fixture.fake.notify([1])
            var iterator = notifications.makeAsyncIterator()
            #expect(try await iterator.next() == [1])
        }
    }
}

extension Daemon {
    fileprivate func readers(of characteristic: ObjectPath) -> Int {
        links.values.first?.subscriptions[characteristic]?.count ?? 0
    }
}
