import DBus

/// From the bus to the method that carries a call out.
extension Daemon {
    func receive(_ call: DBusMethodCall) {
        let request = Request(call)
        do throws(BlueZError) {
            try dispatch(request)
        } catch {
            fail(request, error)
        }
    }

    private func dispatch(_ request: Request) throws(BlueZError) {
        if request.member == "Introspect", ["", Interface.introspectable].contains(request.interface) {
            return reply(request, [.string(tree.introspection(of: request.path))])
        }
        if request.path == .root, request.member == "GetManagedObjects",
            ["", Interface.objectManager].contains(request.interface)
        {
            return reply(request, [tree.managedObjects])
        }
        switch try interface(of: request) {
        case Interface.properties: try propertiesMethod(request)
        case Interface.adapter: try adapterMethod(request)
        case Interface.device: try deviceMethod(request)
        case Interface.characteristic: try characteristicMethod(request)
        case Interface.descriptor: try descriptorMethod(request)
        case Interface.monitorManager: try monitorManagerMethod(request)
        case Interface.agentManager: try agentManagerMethod(request)
        default: throw .notSupported
        }
    }

    /// The interface that has the method, with just these arguments.
    private func interface(of request: Request) throws(BlueZError) -> String {
        let present = tree.interfaces(at: request.path).keys
        let candidates = request.interface.isEmpty ? present.sorted() : present.filter { $0 == request.interface }
        for name in candidates {
            let methods = Interface.all[name]?.methods ?? []
            if methods.contains(where: { $0.name == request.member && $0.signature == request.signature }) { return name }
        }
        throw .noSuchMethod(
            request.member, signature: request.signature, interface: request.interface,
            object: tree.contains(request.path) || request.path == .root)
    }
}
