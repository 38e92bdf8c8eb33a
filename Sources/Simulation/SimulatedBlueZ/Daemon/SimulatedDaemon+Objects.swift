// The daemon's object tree: its changes, the signals that announce them, and the calls to its objects.

import DBus

/// Changes of the object tree that no signal has announced yet.
///
/// As in GDBus of BlueZ (gdbus/object.c): all changes on an object within one step of the main loop become one signal
/// for each interface, with the values at the end of the step. It is sent before any reply, and at the end of the step.
struct Announcements {
    struct Entry {
        var added: [String] = []
        /// By interface, in the order of the changes.
        var changed: [String: [String]] = [:]
        /// The latest first.
        var removed: [String] = []
    }

    /// In the order of their first change.
    private(set) var paths: [ObjectPath] = []
    private var entries: [ObjectPath: Entry] = [:]

    subscript(path: ObjectPath) -> Entry {
        get { entries[path] ?? Entry() }
        set {
            if entries[path] == nil { paths.append(path) }
            entries[path] = newValue
        }
    }

    mutating func take(_ path: ObjectPath) -> Entry? {
        paths.removeAll { $0 == path }
        return entries.removeValue(forKey: path)
    }
}

extension SimulatedDaemon {
    /// Adds an object, or interfaces to one that exists.
    func publish(_ path: ObjectPath, _ interfaces: [String: ObjectTree.Properties]) {
        let known = Set(tree.interfaceNames(at: path))
        tree.add(path, interfaces)
        announcements[path].added += tree.interfaceNames(at: path).filter { !known.contains($0) }
    }

    func withdraw(_ path: ObjectPath) {
        let names = tree.interfaceNames(at: path)
        guard !names.isEmpty else { return }
        // The standard D-Bus interfaces are removed with the object, after its own interfaces.
        for name in names.filter({ !Interface.isMachinery($0) }) + names.filter(Interface.isMachinery) {
            markRemoved(name, from: path)
        }
        tree.remove(path)
        announce(path)
    }

    func withdraw(_ interface: String, from path: ObjectPath) {
        guard tree.has(interface, at: path) else { return }
        markRemoved(interface, from: path)
        tree.remove(interface, from: path)
    }

    private func markRemoved(_ interface: String, from path: ObjectPath) {
        announceChanges(of: interface, at: path)
        // An interface that was added and removed within one step is not announced.
        if let index = announcements[path].added.firstIndex(of: interface) {
            announcements[path].added.remove(at: index)
        } else {
            announcements[path].removed.insert(interface, at: 0)
        }
    }

    /// Sets a property, and announces it if the value differs from the previous one.
    func set(_ property: String, _ value: DBusValue, of interface: String, at path: ObjectPath) {
        guard tree.has(interface, at: path), tree.value(property, of: interface, at: path) != value else { return }
        tree.set(property, value, of: interface, at: path)
        markChanged(property, of: interface, at: path)
    }

    /// Sets a property and always announces it now: the same value notified twice is two signals.
    func announce(_ property: String, _ value: DBusValue, of interface: String, at path: ObjectPath) {
        guard tree.has(interface, at: path) else { return }
        tree.set(property, value, of: interface, at: path)
        markChanged(property, of: interface, at: path)
        announceChanges(of: interface, at: path)
    }

    /// Removes properties that the object currently lacks.
    func invalidate(_ properties: [String], of interface: String, at path: ObjectPath) {
        for property in properties where tree.value(property, of: interface, at: path) != nil {
            tree.set(property, nil, of: interface, at: path)
            markChanged(property, of: interface, at: path)
        }
    }

    /// Announces a property in the next signal of its interface, whether it has changed or not.
    func markChanged(_ property: String, of interface: String, at path: ObjectPath) {
        // A client that does not know the interface yet receives the value with it.
        guard !announcements[path].added.contains(interface),
            announcements[path].changed[interface]?.contains(property) != true
        else { return }
        announcements[path].changed[interface, default: []].append(property)
    }

    // MARK: Signals

    /// Sends all signals that are due.
    func announceAll() {
        while let path = announcements.paths.first { announce(path) }
    }

    private func announce(_ path: ObjectPath) {
        guard let entry = announcements.take(path) else { return }
        if !entry.added.isEmpty {
            // Objects may refer to their parents.
            if let parent = path.parent, !announcements[parent].added.isEmpty { announce(parent) }
            let interfaces = tree.interfaces(at: path).filter { entry.added.contains($0.key) }
            emit(
                .root, Interface.objectManager, "InterfacesAdded",
                [.objectPath(path), ObjectTree.described(interfaces)])
        }
        for interface in Interface.inOrder(entry.changed.keys) {
            changed(entry.changed[interface] ?? [], of: interface, at: path)
        }
        if !entry.removed.isEmpty {
            emit(.root, Interface.objectManager, "InterfacesRemoved", [.objectPath(path), .strings(entry.removed)])
        }
    }

    private func announceChanges(of interface: String, at path: ObjectPath) {
        guard let properties = announcements[path].changed.removeValue(forKey: interface) else { return }
        changed(properties, of: interface, at: path)
    }

    private func changed(_ properties: [String], of interface: String, at path: ObjectPath) {
        let present = tree.interfaces(at: path)[interface] ?? [:]
        let values = present.filter { properties.contains($0.key) }
        let gone = properties.filter { present[$0] == nil }
        emit(
            path, Interface.properties, "PropertiesChanged", [.string(interface), .properties(values), .strings(gone)])
    }
}

/// Dispatches calls from the bus to the methods that perform them.
extension SimulatedDaemon {
    func receive(_ call: DBusMethodCall) {
        let request = Request(call)
        do throws(BlueZError) {
            try dispatch(request)
        } catch {
            fail(request, error)
        }
    }

    private func dispatch(_ request: Request) throws(BlueZError) {
        // Every path can be introspected, including intermediate and unknown ones. If the call has arguments, libdbus
        // answers it.
        if request.member == "Introspect", request.interface == Interface.introspectable {
            let isOwn = request.signature.isEmpty
            return reply(
                request,
                [.string(isOwn ? tree.introspection(of: request.path) : tree.children(documented: request.path))])
        }
        switch try interface(of: request) {
        case Interface.objectManager: reply(request, [tree.managedObjects])
        case Interface.properties: try propertiesMethod(request)
        case Interface.adapter: try adapterMethod(request)
        case Interface.device: try deviceMethod(request)
        case Interface.characteristic: try characteristicMethod(request)
        case Interface.descriptor: try descriptorMethod(request)
        case Interface.monitorManager: try monitorManagerMethod(request)
        case Interface.agentManager: try agentManagerMethod(request)
        default:
            // No client can register anything with the other managers.
            guard request.member.hasPrefix("Unregister") else { throw .notSupported }
            throw .doesNotExist
        }
    }

    /// The interface that has the method with exactly these arguments. A call without an interface finds none.
    private func interface(of request: Request) throws(BlueZError) -> String {
        let name = request.interface
        if tree.interfaces(at: request.path)[name] != nil, let methods = Interface.all[name]?.methods,
            methods.contains(where: { $0.name == request.member && $0.signature == request.signature })
        {
            return name
        }
        throw .noSuchMethod(
            request.member, signature: request.signature, interface: name.isEmpty ? "(null)" : name,
            object: tree.isKnown(request.path))
    }

    // MARK: org.freedesktop.DBus.Properties

    private func propertiesMethod(_ request: Request) throws(BlueZError) {
        guard let interface = request.arguments.first?.stringValue else { throw .invalidArguments }
        guard let values = tree.interfaces(at: request.path)[interface] else { throw .noSuchInterface(interface) }
        switch request.member {
        case "Get":
            let property = request.arguments[1].stringValue ?? ""
            guard let value = values[property] else { throw .noSuchProperty(property) }
            reply(request, [.variant(value)])
        case "GetAll": reply(request, [.properties(values)])
        default: try setProperty(request, of: interface)
        }
    }

    private func setProperty(_ request: Request, of interface: String) throws(BlueZError) {
        let name = request.arguments[1].stringValue ?? ""
        guard let property = Interface.all[interface]?.properties.first(where: { $0.name == name }) else {
            throw .unknownProperty(name)
        }
        guard property.isWritable else { throw .notWritable(name) }
        guard tree.value(name, of: interface, at: request.path) != nil else { throw .unknownProperty(name) }
        guard case .variant(let value) = request.arguments[2], value.signature == property.type else {
            throw .wrongSignature(name)
        }
        if interface == Interface.adapter {
            try setAdapterProperty(name, value, request)
        } else {
            // A device's own properties are changed before the reply.
            setDeviceProperty(name, value, request.path)
            reply(request)
        }
    }

    private func setDeviceProperty(_ name: String, _ value: DBusValue, _ path: ObjectPath) {
        switch name {
        case "Trusted": devices[path]?.isTrusted = value.boolValue ?? false
        case "Blocked":
            devices[path]?.isBlocked = value.boolValue ?? false
            if value.boolValue == true { dropLink(path) }
        case "Alias": devices[path]?.hasOwnAlias = value.stringValue != ""
        default: break
        }
        // An empty alias stands for the name.
        let isEmptyAlias = name == "Alias" && value.stringValue == ""
        set(
            name, isEmptyAlias ? tree.value("Name", of: Interface.device, at: path) ?? value : value,
            of: Interface.device, at: path)
    }
}
