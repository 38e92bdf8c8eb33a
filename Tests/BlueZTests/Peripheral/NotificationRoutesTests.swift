import TestSupport
import Testing

@testable import BlueZ
@testable import DBus

@Suite(.timeLimit(.minutes(5))) struct NotificationRoutesTests {
    private let routes = NotificationRoutes()
    private let queue = NotificationQueue(clock: ManualClock())

    private func changed(
        _ values: Properties, sender: String = ":1.1", path: ObjectPath = Sample.counter,
        interface: String = "org.bluez.GattCharacteristic1", invalidated: [String] = []
    ) -> DBusMessage {
        DBusMessage(
            kind: .signal, serial: 1, replySerial: nil, sender: sender, destination: nil, path: path,
            interface: "org.freedesktop.DBus.Properties", member: "PropertiesChanged", errorName: nil,
            body: [.string(interface), .properties(values), .strings(invalidated)], noReplyExpected: false)
    }

    @Test func `a value reaches each queue of its characteristic`() async {
        let second = NotificationQueue(clock: ManualClock())
        let other = NotificationQueue(clock: ManualClock())
        routes.add(queue, 1, at: Sample.counter, of: ":1.1")
        routes.add(second, 2, at: Sample.counter, of: ":1.1")
        routes.add(other, 3, at: Sample.device, of: ":1.1")
        #expect(routes.deliver(changed(["Value": .bytes([1, 2])])))
        #expect(await queue.next(within: nil) == .value([1, 2]))
        #expect(await second.next(within: nil) == .value([1, 2]))
        #expect(other.waiting.count == 0)
    }

    @Test func `a signal with another property is delivered and still has to be processed`() async {
        routes.add(queue, 1, at: Sample.counter, of: ":1.1")
        #expect(!routes.deliver(changed(["Value": .bytes([1]), "Notifying": .boolean(true)])))
        #expect(!routes.deliver(changed(["Value": .bytes([2])], invalidated: ["WriteAcquired"])))
        #expect(queue.waiting.count == 2)
    }

    @Test func `other property changes are not handled as notifications`() {
        routes.add(queue, 1, at: Sample.counter, of: ":1.1")
        #expect(!routes.deliver(changed(["Notifying": .boolean(true)])))
        #expect(!routes.deliver(changed(["Value": .string("text")])))
        #expect(!routes.deliver(changed(["Value": .bytes([1])], interface: "org.bluez.GattDescriptor1")))
        #expect(queue.waiting.count == 0)
    }

    @Test func `a signal of another program has no effect`() {
        routes.add(queue, 1, at: Sample.counter, of: ":1.1")
        _ = routes.deliver(changed(["Value": .bytes([1])], sender: ":1.2"))
        #expect(queue.waiting.count == 0)
    }

    @Test func `a removed queue receives nothing`() {
        routes.add(queue, 1, at: Sample.counter, of: ":1.1")
        routes.remove(1, at: Sample.counter)
        _ = routes.deliver(changed(["Value": .bytes([1])]))
        #expect(queue.waiting.count == 0 && routes.queues(inside: Sample.device).isEmpty)
    }

    @Test func `queues are found by their device`() {
        routes.add(queue, 1, at: Sample.counter, of: ":1.1")
        #expect(routes.queues(inside: Sample.device).count == 1)
        #expect(routes.queues(inside: Sample.otherDevice).isEmpty)
    }
}
