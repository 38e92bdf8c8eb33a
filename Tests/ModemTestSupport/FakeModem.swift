internal import DBus

/// A modem as `FakeModemManager` shows it.
public struct FakeModem: Sendable {
    /// `MMModemState`.
    public enum State: Int32, Sendable {
        case failed = -1, unknown, initializing, locked, disabled, disabling, enabling, enabled, searching, registered
        case disconnecting, connecting, connected
    }

    public var state = State.registered
    /// `MMModemLock`; 1 is none, 2 the SIM's PIN.
    public var lock: UInt32 = 1
    public var manufacturer = "SIMCOM INCORPORATED"
    public var model = "SIMCOM_SIM7600E-H"
    public var equipmentIdentifier = "867584030123456"
    public var hasMessaging = true

    public init() {}

    var properties: [String: DBusValue] {
        [
            "State": .int32(state.rawValue), "UnlockRequired": .uint32(lock), "StateFailedReason": .uint32(0),
            "Manufacturer": .string(manufacturer), "Model": .string(model), "Revision": .string("LE20B04SIM7600M22"),
            "EquipmentIdentifier": .string(equipmentIdentifier), "OwnNumbers": .strings(["491700000001"]),
            "Device": .string("/sys/devices/pci0000:00/usb1/1-1"), "Plugin": .string("simtech"),
            "PrimaryPort": .string("cdc-wdm0"),
            "PowerState": .uint32(3),
        ]
    }
}

/// A message as `FakeModemManager` stores it.
public struct FakeMessage: Sendable, Hashable {
    public let text: String
    public let number: String
    /// `MMSmsState`: 0 unknown, 1 stored, 2 receiving, 3 received, 4 sending, 5 sent.
    public var state: UInt32 = 0

    public init(text: String, number: String, state: UInt32 = 0) {
        self.text = text
        self.number = number
        self.state = state
    }

    var properties: [String: DBusValue] {
        [
            "State": .uint32(state), "PduType": .uint32(state == 3 ? 1 : 2), "Number": .string(number),
            "Text": .string(text),
            "Data": .bytes([]), "SMSC": .string(""), "Class": .int32(-1), "DeliveryReportRequest": .boolean(false),
            "MessageReference": .uint32(state == 5 ? 7 : 0), "Timestamp": .string(""), "DeliveryState": .uint32(0x100),
            "Storage": .uint32(0),
        ]
    }
}
