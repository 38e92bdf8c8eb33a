import DBus

/// Changes of the object tree, each with its signal.
extension Daemon {
    /// Adds an object, or interfaces to one that exists.
    func publish(_ path: ObjectPath, _ interfaces: [String: ObjectTree.Properties]) {
        let isNew = !tree.contains(path)
        tree.add(path, interfaces)
        let added = isNew ? tree.interfaces(at: path) : interfaces
        emit(.root, Interface.objectManager, "InterfacesAdded", [.objectPath(path), ObjectTree.described(added)])
    }

    func withdraw(_ path: ObjectPath) {
        let names = tree.interfaces(at: path).keys.sorted()
        guard !names.isEmpty else { return }
        tree.remove(path)
        emit(.root, Interface.objectManager, "InterfacesRemoved", [.objectPath(path), .strings(names)])
    }

    func withdraw(_ interface: String, from path: ObjectPath) {
        guard tree.has(interface, at: path) else { return }
        tree.remove(interface, from: path)
        emit(.root, Interface.objectManager, "InterfacesRemoved", [.objectPath(path), .strings([interface])])
    }

    /// Sets a property and says so if it is another value than before.
    func set(_ property: String, _ value: DBusValue, of interface: String, at path: ObjectPath) {
        guard tree.has(interface, at: path), tree.value(property, of: interface, at: path) != value else { return }
        announce(property, value, of: interface, at: path)
    }

    /// Sets a property and says so in any case: a value that is notified twice is news twice.
    func announce(_ property: String, _ value: DBusValue, of interface: String, at path: ObjectPath) {
        guard tree.has(interface, at: path) else { return }
        tree.set(property, value, of: interface, at: path)
        changed(path, interface, [property: value], [])
    }

    /// Takes properties away that the object does not have for now.
    func invalidate(_ properties: [String], of interface: String, at path: ObjectPath) {
        let gone = properties.filter { tree.value($0, of: interface, at: path) != nil }
        guard !gone.isEmpty else { return }
        for property in gone { tree.set(property, nil, of: interface, at: path) }
        changed(path, interface, [:], gone)
    }

    private func changed(_ path: ObjectPath, _ interface: String, _ values: [String: DBusValue], _ gone: [String]) {
        emit(path, Interface.properties, "PropertiesChanged", [.string(interface), .properties(values), .strings(gone)])
    }
}
