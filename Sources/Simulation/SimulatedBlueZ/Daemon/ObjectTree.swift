import DBus

/// The objects that org.bluez exports: interfaces and property values by path. The only place that D-Bus clients see.
struct ObjectTree {
    typealias Properties = [String: DBusValue]
    private(set) var objects: [ObjectPath: [String: Properties]] = [:]

    func contains(_ path: ObjectPath) -> Bool { objects[path] != nil }
    func has(_ interface: String, at path: ObjectPath) -> Bool { objects[path]?[interface] != nil }
    func value(_ property: String, of interface: String, at path: ObjectPath) -> DBusValue? {
        objects[path]?[interface]?[property]
    }

    mutating func add(_ path: ObjectPath, _ interfaces: [String: Properties]) {
        objects[path, default: [:]].merge(interfaces) { $1 }
    }

    mutating func remove(_ interface: String, from path: ObjectPath) { objects[path]?[interface] = nil }
    mutating func remove(_ path: ObjectPath) { objects[path] = nil }
    mutating func removeAll() { objects = [:] }

    mutating func set(_ property: String, _ value: DBusValue?, of interface: String, at path: ObjectPath) {
        objects[path]?[interface]?[property] = value
    }

    /// The interfaces of an object, those of the D-Bus machinery included.
    func interfaces(at path: ObjectPath) -> [String: Properties] {
        guard var interfaces = objects[path] else { return [:] }
        interfaces[Interface.introspectable] = [:]
        if interfaces.keys.contains(where: { Interface.all[$0]?.properties.isEmpty == false }) {
            interfaces[Interface.properties] = [:]
        }
        return interfaces
    }

    /// `a{oa{sa{sv}}}`
    var managedObjects: DBusValue {
        var all: [DBusValue: DBusValue] = [:]
        for path in objects.keys { all[.objectPath(path)] = Self.described(interfaces(at: path)) }
        return .dictionary(key: "o", value: "a{sa{sv}}", all)
    }

    /// `a{sa{sv}}`
    static func described(_ interfaces: [String: Properties]) -> DBusValue {
        var all: [DBusValue: DBusValue] = [:]
        for (name, properties) in interfaces { all[.string(name)] = .properties(properties) }
        return .dictionary(key: "s", value: "a{sv}", all)
    }

    /// The document for any path: BlueZ answers for paths between its objects and for unknown ones too.
    func introspection(of path: ObjectPath) -> String {
        var xml = """
            <!DOCTYPE node PUBLIC "-//freedesktop//DTD D-BUS Object Introspection 1.0//EN"
            "http://www.freedesktop.org/standards/dbus/1.0/introspect.dtd">
            <node>
            """
        var names = interfaces(at: path).keys.sorted()
        if path == .root { names = [Interface.introspectable, Interface.objectManager] }
        xml += names.compactMap { Interface.all[$0]?.xml }.joined()
        xml += children(of: path).map { "<node name=\"\($0)\"/>" }.joined()
        return xml + "</node>"
    }

    private func children(of path: ObjectPath) -> [String] {
        let prefix = path == .root ? "/" : path.string + "/"
        let names = objects.keys.compactMap { object -> Substring? in
            guard object.string.hasPrefix(prefix) else { return nil }
            return object.string.dropFirst(prefix.count).prefix { $0 != "/" }
        }
        return Set(names).map(String.init).sorted()
    }
}
