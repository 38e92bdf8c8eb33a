/// The interfaces that bluetoothd 5.66 shows on a Debian 12 machine; of the experimental ones, the monitors of
/// advertisements. Interfaces that do not concern a central are only visible; their methods answer `NotSupported`.
enum Interface {
    static let introspectable = "org.freedesktop.DBus.Introspectable"
    static let properties = "org.freedesktop.DBus.Properties"
    static let objectManager = "org.freedesktop.DBus.ObjectManager"
    static let agentManager = "org.bluez.AgentManager1"
    static let profileManager = "org.bluez.ProfileManager1"
    static let healthManager = "org.bluez.HealthManager1"
    static let adapter = "org.bluez.Adapter1"
    static let gattManager = "org.bluez.GattManager1"
    static let advertisingManager = "org.bluez.LEAdvertisingManager1"
    static let media = "org.bluez.Media1"
    static let networkServer = "org.bluez.NetworkServer1"
    static let device = "org.bluez.Device1"
    static let battery = "org.bluez.Battery1"
    static let service = "org.bluez.GattService1"
    static let characteristic = "org.bluez.GattCharacteristic1"
    static let descriptor = "org.bluez.GattDescriptor1"
    static let agent = "org.bluez.Agent1"
    static let monitorManager = "org.bluez.AdvertisementMonitorManager1"
    static let monitor = "org.bluez.AdvertisementMonitor1"

    static let all: [String: InterfaceDescription] = Dictionary(
        uniqueKeysWithValues: descriptions.map { ($0.name, $0) })

    /// An object's own interface is registered first, then the Properties interface with its first property, then the
    /// others.
    private static let registration = [
        introspectable, objectManager, agentManager, profileManager, healthManager, adapter, device, service,
        characteristic, descriptor,
        properties, gattManager, media, networkServer, advertisingManager, monitorManager, battery,
    ]

    static func inOrder(_ names: some Sequence<String>) -> [String] {
        names.sorted { (ranks[$0] ?? .max) < (ranks[$1] ?? .max) }
    }

    static func isMachinery(_ name: String) -> Bool { [introspectable, properties, objectManager].contains(name) }

    /// The rank of each interface among interfaces and of each property among properties. A property of several
    /// interfaces has the same neighbours in all of them, so one list is sufficient.
    static let ranks: [String: Int] = {
        var names: [String] = []
        for description in registration.compactMap({ all[$0] }) {
            var index = 0
            for property in description.properties.map(\.name) {
                if let known = names.firstIndex(of: property) {
                    index = known + 1
                } else {
                    names.insert(property, at: index)
                    index += 1
                }
            }
        }
        return Dictionary(uniqueKeysWithValues: (registration + names).enumerated().map { ($1, $0) })
    }()

    private static let descriptions = [
        InterfaceDescription(introspectable).method("Introspect", out: ["xml:s"]),
        InterfaceDescription(properties)
            .method("Get", ["interface:s", "name:s"], out: ["value:v"])
            .method("Set", ["interface:s", "name:s", "value:v"])
            .method("GetAll", ["interface:s"], out: ["properties:a{sv}"])
            .signal("PropertiesChanged", ["interface:s", "changed_properties:a{sv}", "invalidated_properties:as"]),
        InterfaceDescription(objectManager)
            .method("GetManagedObjects", out: ["objects:a{oa{sa{sv}}}"])
            .signal("InterfacesAdded", ["object:o", "interfaces:a{sa{sv}}"])
            .signal("InterfacesRemoved", ["object:o", "interfaces:as"]),
        InterfaceDescription(agentManager)
            .method("RegisterAgent", ["agent:o", "capability:s"])
            .method("UnregisterAgent", ["agent:o"])
            .method("RequestDefaultAgent", ["agent:o"]),
        InterfaceDescription(profileManager)
            .method("RegisterProfile", ["profile:o", "UUID:s", "options:a{sv}"])
            .method("UnregisterProfile", ["profile:o"]),
        InterfaceDescription(healthManager)
            .method("CreateApplication", ["config:a{sv}"], out: ["application:o"])
            .method("DestroyApplication", ["application:o"]),
        InterfaceDescription(gattManager)
            .method("RegisterApplication", ["application:o", "options:a{sv}"])
            .method("UnregisterApplication", ["application:o"]),
        InterfaceDescription(advertisingManager)
            .method("RegisterAdvertisement", ["advertisement:o", "options:a{sv}"])
            .method("UnregisterAdvertisement", ["service:o"])
            .property("ActiveInstances", "y").property("SupportedInstances", "y").property("SupportedIncludes", "as")
            .property("SupportedSecondaryChannels", "as"),
        InterfaceDescription(media)
            .method("RegisterEndpoint", ["endpoint:o", "properties:a{sv}"])
            .method("UnregisterEndpoint", ["endpoint:o"])
            .method("RegisterPlayer", ["player:o", "properties:a{sv}"])
            .method("UnregisterPlayer", ["player:o"])
            .method("RegisterApplication", ["application:o", "options:a{sv}"])
            .method("UnregisterApplication", ["application:o"])
            .property("SupportedUUIDs", "as"),
        InterfaceDescription(monitorManager)
            .method("RegisterMonitor", ["application:o"]).method("UnregisterMonitor", ["application:o"])
            .property("SupportedMonitorTypes", "as").property("SupportedFeatures", "as"),
        InterfaceDescription(networkServer)
            .method("Register", ["uuid:s", "bridge:s"]).method("Unregister", ["uuid:s"]),
        adapterDescription, deviceDescription, characteristicDescription,
        InterfaceDescription(battery).property("Percentage", "y"),
        InterfaceDescription(service)
            .property("UUID", "s").property("Device", "o").property("Primary", "b").property("Includes", "ao"),
        InterfaceDescription(descriptor)
            .method("ReadValue", ["options:a{sv}"], out: ["value:ay"])
            .method("WriteValue", ["value:ay", "options:a{sv}"])
            .property("UUID", "s").property("Characteristic", "o").property("Value", "ay"),
    ]

    private static let adapterDescription = InterfaceDescription(adapter)
        .method("StartDiscovery")
        .method("SetDiscoveryFilter", ["properties:a{sv}"])
        .method("StopDiscovery")
        .method("RemoveDevice", ["device:o"])
        .method("GetDiscoveryFilters", out: ["filters:as"])
        .property("Address", "s").property("AddressType", "s").property("Name", "s")
        .property("Alias", "s", writable: true).property("Class", "u").property("Powered", "b", writable: true)
        .property("Discoverable", "b", writable: true).property("DiscoverableTimeout", "u", writable: true)
        .property("Pairable", "b", writable: true).property("PairableTimeout", "u", writable: true)
        .property("Discovering", "b").property("UUIDs", "as").property("Modalias", "s").property("Roles", "as")
        .property("ExperimentalFeatures", "as")

    private static let deviceDescription = InterfaceDescription(device)
        .method("Disconnect").method("Connect")
        .method("ConnectProfile", ["UUID:s"]).method("DisconnectProfile", ["UUID:s"])
        .method("Pair").method("CancelPairing")
        .property("Address", "s").property("AddressType", "s").property("Name", "s")
        .property("Alias", "s", writable: true).property("Class", "u").property("Appearance", "q")
        .property("Icon", "s").property("Paired", "b").property("Bonded", "b")
        .property("Trusted", "b", writable: true).property("Blocked", "b", writable: true)
        .property("LegacyPairing", "b").property("RSSI", "n").property("Connected", "b").property("UUIDs", "as")
        .property("Modalias", "s").property("Adapter", "o").property("ManufacturerData", "a{qv}")
        .property("ServiceData", "a{sv}").property("TxPower", "n").property("ServicesResolved", "b")
        .property("WakeAllowed", "b", writable: true)

    private static let characteristicDescription = InterfaceDescription(characteristic)
        .method("ReadValue", ["options:a{sv}"], out: ["value:ay"])
        .method("WriteValue", ["value:ay", "options:a{sv}"])
        .method("AcquireWrite", ["options:a{sv}"], out: ["fd:h", "mtu:q"])
        .method("AcquireNotify", ["options:a{sv}"], out: ["fd:h", "mtu:q"])
        .method("StartNotify").method("StopNotify")
        .property("UUID", "s").property("Service", "o").property("Value", "ay").property("Notifying", "b")
        .property("Flags", "as").property("WriteAcquired", "b").property("NotifyAcquired", "b").property("MTU", "q")
}

/// The members of an interface, for introspection and for checking calls before they are performed.
struct InterfaceDescription: Sendable {
    struct Argument: Sendable {
        let name: String
        let type: String
    }

    struct Method: Sendable {
        let name: String
        let inputs: [Argument]
        let outputs: [Argument]
        var signature: String { inputs.map(\.type).joined() }
    }

    struct Property: Sendable {
        let name: String
        let type: String
        let isWritable: Bool
    }

    struct Signal: Sendable {
        let name: String
        let arguments: [Argument]
    }

    let name: String
    private(set) var methods: [Method] = []
    private(set) var properties: [Property] = []
    private(set) var signals: [Signal] = []

    init(_ name: String) { self.name = name }

    /// Arguments are written `name:signature`.
    func method(_ name: String, _ inputs: [String] = [], out outputs: [String] = []) -> Self {
        var copy = self
        copy.methods.append(Method(name: name, inputs: Self.arguments(inputs), outputs: Self.arguments(outputs)))
        return copy
    }

    func property(_ name: String, _ type: String, writable: Bool = false) -> Self {
        var copy = self
        copy.properties.append(Property(name: name, type: type, isWritable: writable))
        return copy
    }

    func signal(_ name: String, _ arguments: [String]) -> Self {
        var copy = self
        copy.signals.append(Signal(name: name, arguments: Self.arguments(arguments)))
        return copy
    }

    private static func arguments(_ texts: [String]) -> [Argument] {
        texts.map { text in
            let parts = text.split(separator: ":", maxSplits: 1)
            return Argument(name: String(parts[0]), type: String(parts[1]))
        }
    }

    /// The `<interface>` element as BlueZ's helper for libdbus writes it.
    var xml: String {
        var xml = "<interface name=\"\(name)\">"
        for method in methods {
            xml += "<method name=\"\(method.name)\">"
            xml += method.inputs.map { argument($0, "in") }.joined()
            xml += method.outputs.map { argument($0, "out") }.joined()
            xml += "</method>"
        }
        for signal in signals {
            xml += "<signal name=\"\(signal.name)\">"
            xml += signal.arguments.map { "<arg name=\"\($0.name)\" type=\"\($0.type)\"/>\n" }.joined()
            xml += "</signal>\n"
        }
        for property in properties {
            let access = property.isWritable ? "readwrite" : "read"
            xml += "<property name=\"\(property.name)\" type=\"\(property.type)\" access=\"\(access)\"></property>"
        }
        return xml + "</interface>"
    }

    private func argument(_ argument: Argument, _ direction: String) -> String {
        "<arg name=\"\(argument.name)\" type=\"\(argument.type)\" direction=\"\(direction)\"/>\n"
    }
}
