@testable import DBus
import Testing

@testable import BlueZ

@Suite(.timeLimit(.minutes(5))) struct ObjectChangeTests {
    private func signal(
        _ interface: String, _ member: String, path: ObjectPath = "/", _ body: [DBusValue]
    ) -> DBusMessage {
        DBusMessage(
            kind: .signal, serial: 1, replySerial: nil, sender: ":1.1", destination: nil, path: path,
            interface: interface, member: member, errorName: nil, body: body, noReplyExpected: false)
    }

    private let manager = "org.freedesktop.DBus.ObjectManager"
    private let properties = "org.freedesktop.DBus.Properties"

    @Test func `a signal InterfacesAdded is decoded as added interfaces`() {
        let interfaces = DBusValue.dictionary(
            key: "s", value: "a{sv}", [.string("org.bluez.Device1"): .properties(["RSSI": .int16(-60)])])
        let message = signal(manager, "InterfacesAdded", [.objectPath(Sample.device), interfaces])
        #expect(ObjectChange(message) == .added(Sample.device, ["org.bluez.Device1": ["RSSI": .int16(-60)]]))
    }

    @Test func `a signal InterfacesRemoved is decoded as removed interfaces`() {
        let message = signal(manager, "InterfacesRemoved", [.objectPath(Sample.device), .strings(["a.b", "c.d"])])
        #expect(ObjectChange(message) == .removed(Sample.device, interfaces: ["a.b", "c.d"]))
    }

    @Test func `a signal PropertiesChanged is decoded as changed and invalidated properties`() {
        let message = signal(
            properties, "PropertiesChanged", path: Sample.device,
            [.string("org.bluez.Device1"), .properties(["Connected": .boolean(true)]), .strings(["RSSI"])])
        #expect(
            ObjectChange(message)
                == .changed(
                    Sample.device, interface: "org.bluez.Device1", ["Connected": .boolean(true)], invalidated: ["RSSI"])
        )
    }

    @Test func `other signals and wrong bodies are no changes`() {
        #expect(ObjectChange(signal("org.bluez.Device1", "Disconnected", [.string("reason"), .string("text")])) == nil)
        #expect(ObjectChange(signal(manager, "InterfacesAdded", [])) == nil)
        #expect(ObjectChange(signal(manager, "InterfacesAdded", [.string("/"), .properties([:])])) == nil)
        #expect(ObjectChange(signal(manager, "InterfacesRemoved", [.objectPath("/")])) == nil)
        #expect(
            ObjectChange(signal(properties, "PropertiesChanged", [.string("a"), .string("b"), .strings([])])) == nil)
    }

    @Test func `a snapshot of all objects is decoded`() {
        let objects = DBusValue.dictionary(
            key: "o", value: "a{sa{sv}}",
            [
                .objectPath(Sample.device): .dictionary(
                    key: "s", value: "a{sv}", [.string("org.bluez.Device1"): .properties(["Paired": .boolean(false)])])
            ])
        #expect(ObjectChange.objects([objects]) == [Sample.device: ["org.bluez.Device1": ["Paired": .boolean(false)]]])
        #expect(ObjectChange.objects([]) == nil)
        #expect(ObjectChange.objects([.string("nonsense")]) == nil)
    }
}
