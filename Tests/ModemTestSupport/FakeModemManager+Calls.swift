public import DBus

// The calls of clients.
extension FakeModemManager {
    private static let core = "org.freedesktop.ModemManager1.Error.Core."

    public func receive(_ call: DBusMethodCall) async {
        let message = call.message
        guard let path = message.path, let interface = message.interface, let member = message.member else {
            return await call.fail("org.freedesktop.DBus.Error.UnknownMethod", "an interface is missing")
        }
        guard let expected = MessagingInterfaces.methods[interface]?[member] else {
            return await call.fail("org.freedesktop.DBus.Error.UnknownMethod", "No such method “\(member)”")
        }
        guard message.signature == expected else {
            return await call.fail(
                "org.freedesktop.DBus.Error.InvalidArgs",
                "Type of message, “(\(message.signature))”, does not match expected type “(\(expected))”")
        }
        if interface != MessagingInterfaces.properties, interface != MessagingInterfaces.objectManager { calls.append("\(interface).\(member)") }
        if let refusal = refusals[member] { return await call.fail(refusal.name, refusal.message) }
        await answer(call, path, interface, member)
    }

    private func answer(_ call: DBusMethodCall, _ path: ObjectPath, _ interface: String, _ member: String) async {
        switch (interface, member) {
        case (MessagingInterfaces.objectManager, _) where path == Self.root: await call.reply([managedObjects])
        case (MessagingInterfaces.properties, "GetAll"): await getAll(call, path)
        case (MessagingInterfaces.messaging, _) where modem(at: path)?.hasMessaging == true: await messaging(call, path, member)
        case (MessagingInterfaces.message, "Send") where index(of: path) != nil: await send(call, path)
        default: await call.fail("org.freedesktop.DBus.Error.UnknownMethod", "Object does not exist at path “\(path)”")
        }
    }

    private func getAll(_ call: DBusMethodCall, _ path: ObjectPath) async {
        let interface = call.message.body.first?.stringValue
        if interface == MessagingInterfaces.modem, let modem = modem(at: path) { return await call.reply([.properties(modem.properties)]) }
        if interface == MessagingInterfaces.message, let index = index(of: path) {
            return await call.reply([.properties(messages[index].message.properties)])
        }
        await call.fail("org.freedesktop.DBus.Error.UnknownMethod", "Object does not exist at path “\(path)”")
    }

    private func messaging(_ call: DBusMethodCall, _ path: ObjectPath, _ member: String) async {
        guard let state = modem(at: path)?.state, state.rawValue >= FakeModem.State.enabled.rawValue else {
            return await call.fail(Self.core + "WrongState", "Cannot \(member.lowercased()) SMS: device not yet enabled")
        }
        switch member {
        case "List": await call.reply([.objectPaths(messages.compactMap { ObjectPath($0.path) })])
        case "Create": await create(call)
        default:
            guard let named = call.message.body.first?.pathValue, let index = index(of: named) else {
                return await call.fail(Self.core + "NotFound", "No SMS found with path")
            }
            messages.remove(at: index)
            await call.reply()
        }
    }

    private func create(_ call: DBusMethodCall) async {
        let properties = call.message.body.first?.propertiesValue ?? [:]
        // The real one does not accept other properties or other types either.
        guard case .string(let text)? = properties["text"], case .string(let number)? = properties["number"], properties.count == 2 else {
            return await call.fail(Self.core + "InvalidArgs", "Cannot create SMS: mandatory parameter 'number' is missing")
        }
        await call.reply([.objectPath(keep(FakeMessage(text: text, number: number)))])
    }

    private func send(_ call: DBusMethodCall, _ path: ObjectPath) async {
        let what = sending.count > 1 ? sending.removeFirst() : sending.first ?? .succeed
        switch what {
        case .succeed:
            deliver(path, noted: true)
            await call.reply()
        case .fail(let name, let message): await call.fail(name, message)
        case .succeedWithError(let name, let message):
            deliver(path, noted: false)
            await call.fail(name, message)
        case .hang:
            held.append(call)
            for watcher in watchers { watcher.resume() }
            watchers = []
        case .die: await bus.close()
        case .succeedAndDie:
            deliver(path, noted: false)
            await bus.close()
        }
    }
}
