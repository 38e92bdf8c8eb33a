import DBus

/// org.freedesktop.DBus.Properties on all objects.
extension Daemon {
    func propertiesMethod(_ request: Request) throws(BlueZError) {
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
            throw .noSuchProperty(name)
        }
        guard property.isWritable else { throw .notWritable(name) }
        guard case .variant(let value) = request.arguments[2], value.signature == property.type else {
            throw .wrongSignature(name)
        }
        reply(request)
        switch (interface, name) {
        case (Interface.adapter, "Powered"): setPowered(value.boolValue ?? false, request.path)
        case (Interface.adapter, "Alias"), (Interface.device, "Alias"): setAlias(value, of: interface, at: request.path)
        case (Interface.device, "Trusted"): devices[request.path]?.isTrusted = value.boolValue ?? false
        case (Interface.device, "Blocked"): setBlocked(value.boolValue ?? false, request.path)
        default: break
        }
        if name != "Alias" { set(name, value, of: interface, at: request.path) }
    }

    /// An empty alias stands for the name.
    private func setAlias(_ value: DBusValue, of interface: String, at path: ObjectPath) {
        var alias = value
        if value.stringValue == "", let name = tree.value("Name", of: interface, at: path) { alias = name }
        set("Alias", alias, of: interface, at: path)
    }

    private func setBlocked(_ blocked: Bool, _ path: ObjectPath) {
        if blocked { dropLink(path) }
    }
}
