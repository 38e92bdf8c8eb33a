/// The part of ModemManager's interface that is simulated, with the types that version 1.20.4 shows in its
/// introspection.
enum MessagingInterfaces {
    static let properties = "org.freedesktop.DBus.Properties"
    static let objectManager = "org.freedesktop.DBus.ObjectManager"
    static let modem = "org.freedesktop.ModemManager1.Modem"
    static let messaging = "org.freedesktop.ModemManager1.Modem.Messaging"
    static let message = "org.freedesktop.ModemManager1.Sms"

    /// The types of the arguments, by interface and method.
    static let methods: [String: [String: String]] = [
        properties: ["Get": "ss", "GetAll": "s", "Set": "ssv"],
        objectManager: ["GetManagedObjects": ""],
        modem: ["Enable": "b", "ListBearers": "", "Reset": "", "SetPowerState": "u", "Command": "su"],
        messaging: ["List": "", "Delete": "o", "Create": "a{sv}"],
        message: ["Send": "", "Store": "u"],
    ]

    /// The types of the simulated properties, by interface.
    static let types: [String: [String: String]] = [
        modem: [
            "Manufacturer": "s", "Model": "s", "Revision": "s", "Device": "s", "Plugin": "s", "PrimaryPort": "s",
            "EquipmentIdentifier": "s", "UnlockRequired": "u", "State": "i", "StateFailedReason": "u",
            "OwnNumbers": "as",
            "PowerState": "u",
        ],
        messaging: ["Messages": "ao", "SupportedStorages": "au", "DefaultStorage": "u"],
        message: [
            "State": "u", "PduType": "u", "Number": "s", "Text": "s", "Data": "ay", "SMSC": "s", "Class": "i",
            "DeliveryReportRequest": "b", "MessageReference": "u", "Timestamp": "s", "DeliveryState": "u",
            "Storage": "u",
        ],
    ]
}
