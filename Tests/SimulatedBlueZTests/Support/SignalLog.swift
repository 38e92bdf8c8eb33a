import DBus

/// Keeps all signals of org.bluez, so that no test waits for something that has already happened.
actor SignalLog {
    private(set) var signals: [DBusMessage] = []
    private var waiting:
        [(matches: @Sendable (DBusMessage) -> Bool, continuation: CheckedContinuation<DBusMessage, Never>)] = []

    func add(_ signal: DBusMessage) {
        signals.append(signal)
        let ready = waiting.filter { $0.matches(signal) }
        waiting.removeAll { $0.matches(signal) }
        for waiter in ready { waiter.continuation.resume(returning: signal) }
    }

    /// The first signal that matches, from the `start`th on; waits for it if necessary.
    func first(from start: Int = 0, where matches: @escaping @Sendable (DBusMessage) -> Bool) async -> DBusMessage {
        if let signal = signals.dropFirst(start).first(where: matches) { return signal }
        return await withCheckedContinuation { waiting.append((matches, $0)) }
    }

    var count: Int { signals.count }
}

extension DBusMessage {
    /// The new value of a property that this signal announces.
    func change(of property: String, at path: ObjectPath) -> DBusValue? {
        guard member == "PropertiesChanged", self.path == path, body.count == 3 else { return nil }
        return body[1].propertiesValue?[property]
    }

    func invalidates(_ property: String, at path: ObjectPath) -> Bool {
        member == "PropertiesChanged" && self.path == path && body.count == 3
            && body[2].arrayValue?.contains(.string(property)) == true
    }

    func adds(_ path: ObjectPath) -> Bool { member == "InterfacesAdded" && body.first?.pathValue == path }
    func removes(_ path: ObjectPath) -> Bool { member == "InterfacesRemoved" && body.first?.pathValue == path }

    /// A short form, for tests of the order.
    var summary: String {
        let what = body.dropFirst().first?.propertiesValue?.keys.sorted().joined(separator: ",") ?? ""
        switch member {
        case "PropertiesChanged":
            let gone = body[2].arrayValue?.compactMap(\.stringValue).map { "-" + $0 } ?? []
            return ([what] + gone).filter { !$0.isEmpty }.joined(separator: ",")
        case "InterfacesAdded": return "+" + (body.first?.pathValue?.lastElement ?? "")
        default: return "-" + (body.first?.pathValue?.lastElement ?? "")
        }
    }
}
