import BlueZ
import DBus

extension DeviceAddress {
    static let ring = sample("C0:DE:00:00:00:01")
    static let other = sample("C0:DE:00:00:00:02")

    static func sample(_ text: String) -> DeviceAddress {
        guard let address = DeviceAddress(text) else { preconditionFailure(text) }
        return address
    }
}

/// Property lists as BlueZ sends them, unwrapped.
enum Sample {
    static let adapter: ObjectPath = "/org/bluez/hci0"
    static let device: ObjectPath = "/org/bluez/hci0/dev_C0_DE_00_00_00_01"
    static let otherDevice: ObjectPath = "/org/bluez/hci0/dev_C0_DE_00_00_00_02"
    static let service: ObjectPath = "/org/bluez/hci0/dev_C0_DE_00_00_00_01/service0010"
    static let counter: ObjectPath = "/org/bluez/hci0/dev_C0_DE_00_00_00_01/service0010/char0011"
    static let command: ObjectPath = "/org/bluez/hci0/dev_C0_DE_00_00_00_01/service0010/char0014"

    static let serviceUUID: BluetoothUUID = "8f1d0001-7e57-4c0b-9b1d-000000000000"
    static let counterUUID: BluetoothUUID = "8f1d0002-7e57-4c0b-9b1d-000000000000"
    static let commandUUID: BluetoothUUID = "8f1d0003-7e57-4c0b-9b1d-000000000000"

    static func adapterProperties(isPowered: Bool = true) -> [String: DBusValue] {
        [
            "Address": .string("00:1A:7D:DA:71:01"), "Alias": .string("fixture"), "Powered": .boolean(isPowered),
            "Discovering": .boolean(false),
        ]
    }

    static func deviceProperties(
        _ address: DeviceAddress = .ring, rssi: Int16? = nil, _ more: [String: DBusValue] = [:]
    ) -> [String: DBusValue] {
        var properties: [String: DBusValue] = [
            "Address": .string(address.description), "AddressType": .string("random"), "Name": .string("Ring"),
            "Alias": .string("Ring"), "Connected": .boolean(false), "Paired": .boolean(false),
            "Trusted": .boolean(false), "ServicesResolved": .boolean(false),
            "UUIDs": .strings([serviceUUID.description]), "Adapter": .objectPath(adapter),
        ]
        properties["RSSI"] = rssi.map { .int16($0) }
        return properties.merging(more) { _, new in new }
    }

    /// One service with a characteristic to listen to and one to write to.
    static let gatt: [ObjectPath: [String: [String: DBusValue]]] = [
        service: [
            "org.bluez.GattService1": [
                "UUID": .string(serviceUUID.description), "Primary": .boolean(true), "Device": .objectPath(device),
            ]
        ],
        counter: [
            "org.bluez.GattCharacteristic1": [
                "UUID": .string(counterUUID.description), "Service": .objectPath(service),
                "Flags": .strings(["read", "notify"]), "Notifying": .boolean(false),
            ]
        ],
        command: [
            "org.bluez.GattCharacteristic1": [
                "UUID": .string(commandUUID.description), "Service": .objectPath(service),
                "Flags": .strings(["write", "write-without-response"]), "Value": .bytes([]),
            ]
        ],
    ]
}
