import DBus

/// A method call on one of the daemon's objects.
struct Request: Sendable {
    let call: DBusMethodCall
    let path: ObjectPath
    /// Empty when the caller left it out, which D-Bus allows.
    let interface: String
    let member: String
    /// The caller's unique name.
    let sender: String

    init(_ call: DBusMethodCall) {
        self.call = call
        path = call.message.path ?? .root
        interface = call.message.interface ?? ""
        member = call.message.member ?? ""
        sender = call.message.sender ?? ""
    }

    var arguments: [DBusValue] { call.message.body }
    var signature: String { arguments.map(\.signature).joined() }

    /// The options of a GATT call, with those of a wrong type rejected as BlueZ does.
    func options(at index: Int) throws(BlueZError) -> (offset: Int, type: String?) {
        guard arguments.indices.contains(index), let options = arguments[index].propertiesValue else {
            throw .invalidArguments
        }
        var offset = 0
        if let value = options["offset"] {
            guard case .uint16(let number) = value else { throw .invalidArguments }
            offset = Int(number)
        }
        guard let type = options["type"] else { return (offset, nil) }
        guard case .string(let text) = type else { throw .invalidArguments }
        return (offset, text.lowercased())
    }
}
