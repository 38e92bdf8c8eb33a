internal import DBus

/// The properties of one interface, variants unwrapped.
typealias Properties = [String: DBusValue]

/// One signal of BlueZ about its objects.
enum ObjectChange: Sendable, Hashable {
    case added(ObjectPath, [String: Properties])
    case removed(ObjectPath, interfaces: [String])
    case changed(ObjectPath, interface: String, Properties, invalidated: [String])

    /// Nil for a signal about something else, or one that is not laid out as it should be.
    init?(_ message: DBusMessage) {
        let body = message.body
        switch (message.interface, message.member) {
        case (BlueZName.objectManager, "InterfacesAdded"):
            guard body.count == 2, let path = body[0].pathValue, let interfaces = Self.interfaces(body[1]) else {
                return nil
            }
            self = .added(path, interfaces)
        case (BlueZName.objectManager, "InterfacesRemoved"):
            guard body.count == 2, let path = body[0].pathValue, let names = body[1].arrayValue else { return nil }
            self = .removed(path, interfaces: names.compactMap(\.stringValue))
        case (BlueZName.properties, "PropertiesChanged"):
            guard body.count == 3, let path = message.path, let interface = body[0].stringValue,
                let properties = body[1].propertiesValue, let invalidated = body[2].arrayValue
            else { return nil }
            self = .changed(path, interface: interface, properties, invalidated: invalidated.compactMap(\.stringValue))
        default: return nil
        }
    }

    var path: ObjectPath {
        switch self {
        case .added(let path, _), .removed(let path, _), .changed(let path, _, _, _): path
        }
    }

    /// The objects of a `GetManagedObjects` reply.
    static func objects(_ reply: [DBusValue]) -> [ObjectPath: [String: Properties]]? {
        guard reply.count == 1, let dictionary = reply[0].dictionaryValue else { return nil }
        var objects: [ObjectPath: [String: Properties]] = [:]
        for (key, value) in dictionary {
            guard let path = key.pathValue, let interfaces = interfaces(value) else { return nil }
            objects[path] = interfaces
        }
        return objects
    }

    private static func interfaces(_ value: DBusValue) -> [String: Properties]? {
        guard let dictionary = value.dictionaryValue else { return nil }
        var interfaces: [String: Properties] = [:]
        for (name, properties) in dictionary {
            guard let name = name.stringValue, let properties = properties.propertiesValue else { return nil }
            interfaces[name] = properties
        }
        return interfaces
    }
}
