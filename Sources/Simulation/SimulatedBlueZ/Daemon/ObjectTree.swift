import DBus
import Synchronization

/// The objects that org.bluez exports: interfaces and property values by path. D-Bus clients see nothing else.
struct ObjectTree {
    typealias Properties = [String: DBusValue]
    private(set) var objects: [ObjectPath: [String: Properties]] = [:]
    /// Which of two objects, interfaces or properties comes first in a message.
    let order = ObjectOrder()

    func has(_ interface: String, at path: ObjectPath) -> Bool { objects[path]?[interface] != nil }
    func value(_ property: String, of interface: String, at path: ObjectPath) -> DBusValue? {
        objects[path]?[interface]?[property]
    }

    mutating func add(_ path: ObjectPath, _ interfaces: [String: Properties]) {
        if objects[path] == nil { order.appeared(path) }
        objects[path, default: [:]].merge(interfaces) { $1 }
    }

    mutating func remove(_ interface: String, from path: ObjectPath) { objects[path]?[interface] = nil }
    mutating func remove(_ path: ObjectPath) { objects[path] = nil }
    mutating func removeAll() { objects = [:] }

    mutating func set(_ property: String, _ value: DBusValue?, of interface: String, at path: ObjectPath) {
        objects[path]?[interface]?[property] = value
    }

    /// The interfaces of an object, including the standard D-Bus interfaces.
    func interfaces(at path: ObjectPath) -> [String: Properties] {
        if path == .root { return [Interface.introspectable: [:], Interface.objectManager: [:]] }
        guard var interfaces = objects[path] else { return [:] }
        interfaces[Interface.introspectable] = [:]
        if interfaces.keys.contains(where: { Interface.all[$0]?.properties.isEmpty == false }) {
            interfaces[Interface.properties] = [:]
        }
        return interfaces
    }

    /// The names of an object's interfaces in the order in which BlueZ registers them.
    func interfaceNames(at path: ObjectPath) -> [String] { Interface.inOrder(interfaces(at: path).keys) }

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

    /// The beginning of each document of introspection.
    private static let head = """
        <!DOCTYPE node PUBLIC "-//freedesktop//DTD D-BUS Object Introspection 1.0//EN"
        "http://www.freedesktop.org/standards/dbus/1.0/introspect.dtd">
        <node>
        """

    /// The XML document for any path: BlueZ also answers for intermediate and unknown paths.
    func introspection(of path: ObjectPath) -> String {
        var xml = Self.head
        xml += interfaceNames(at: path).compactMap { Interface.all[$0]?.xml }.joined()
        xml += children(of: path).map { "<node name=\"\($0)\"/>" }.joined()
        return xml + "</node>"
    }

    /// The document of libdbus for a path: the paths below it.
    func children(documented path: ObjectPath) -> String {
        let nodes = children(of: path).map { "  <node name=\"\($0)\"/>\n" }.joined()
        return "\(Self.head)\n\(nodes)</node>\n"
    }

    /// Whether there is an object at the path or below it.
    func isKnown(_ path: ObjectPath) -> Bool { path == .root || objects.keys.contains { $0.isInside(path) } }

    private func children(of path: ObjectPath) -> [String] {
        let prefix = path == .root ? "/" : path.string + "/"
        let names = objects.keys.compactMap { object -> Substring? in
            guard object.string.hasPrefix(prefix) else { return nil }
            return object.string.dropFirst(prefix.count).prefix { $0 != "/" }
        }
        return Set(names).map(String.init).sorted()
    }
}

/// The order of dictionary entries in the messages of BlueZ. Clients depend on it: bluetoothctl 5.66 crashes if an
/// adapter's other interfaces come before `org.bluez.Adapter1`.
final class ObjectOrder: Sendable {
    private struct State {
        var count = 0
        var births: [ObjectPath: Int] = [:]
    }

    private let state = Mutex(State())

    func appeared(_ path: ObjectPath) {
        state.withLock { state in
            state.count += 1
            state.births[path] = state.count
        }
    }

    func apply(to connection: DBusConnection) async {
        await connection.orderDictionaries { [self] in isFirst($0, $1) }
    }

    /// An object comes before those below it, and the newest sibling is first: GDBus inserts new ones at the front of
    /// its list (`invalidate_parent_data` in gdbus/object.c). Interfaces and properties are in the order of their
    /// registration.
    func isFirst(_ left: DBusValue, _ right: DBusValue) -> Bool {
        if let left = left.pathValue, let right = right.pathValue {
            return state.withLock { isFirst(left, right, $0.births) }
        }
        guard let left = left.stringValue, let right = right.stringValue else { return false }
        let (leftRank, rightRank) = (Interface.ranks[left] ?? .max, Interface.ranks[right] ?? .max)
        return leftRank == rightRank ? left < right : leftRank < rightRank
    }

    private func isFirst(_ left: ObjectPath, _ right: ObjectPath, _ births: [ObjectPath: Int]) -> Bool {
        for (leftAncestor, rightAncestor) in zip(Self.line(left), Self.line(right)) where leftAncestor != rightAncestor
        {
            return (births[leftAncestor] ?? 0) > (births[rightAncestor] ?? 0)
        }
        return left.string.utf8.count < right.string.utf8.count
    }

    /// The path and all its parents, the root first.
    private static func line(_ path: ObjectPath) -> [ObjectPath] {
        Array(sequence(first: path) { $0.parent }.reversed())
    }
}
