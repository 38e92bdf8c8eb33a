import DBus

/// One stay of org.bluez on the bus, from taking the name to leaving it.
struct Presence: Sendable {
    private let connection: DBusConnection
    private let outbox: Outbox
    private let tasks: [Task<Void, Never>]
    private let delivery: Task<Void, Never>

    static func begin(on address: String, _ daemon: Daemon) async throws(DBusError) -> Presence {
        let connection = try await DBusConnection.open(.address(address))
        do {
            return try await begin(on: connection, daemon)
        } catch {
            await connection.close()
            throw error
        }
    }

    private static func begin(on connection: DBusConnection, _ daemon: Daemon) async throws(DBusError) -> Presence {
        let leaving = try await connection.signals(
            MatchRule(sender: "org.freedesktop.DBus", interface: "org.freedesktop.DBus", member: "NameOwnerChanged"))
        let outbox = Outbox()
        await daemon.perform { $0.start(outbox) }
        await connection.export(Reception(daemon: daemon), at: .root, subtree: true)
        try await connection.requestName("org.bluez")
        let departures = Task {
            for await signal in leaving {
                let names = signal.body.compactMap(\.stringValue)
                guard names.count == 3, names[0].hasPrefix(":"), names[2].isEmpty else { continue }
                await daemon.perform { $0.clientLeft(names[0]) }
            }
        }
        let delivery = Task { await outbox.deliver(to: connection) }
        return Presence(connection: connection, outbox: outbox, tasks: [departures], delivery: delivery)
    }

    /// Says what is left to say, and goes.
    func end() async {
        outbox.close()
        await delivery.value
        // The bus notices a closed connection some time later; once this is answered, the name is free.
        try? await connection.releaseName("org.bluez")
        await connection.close()
        for task in tasks { task.cancel() }
    }
}

/// Takes the calls in and hands them to the daemon in their order.
private struct Reception: DBusObject {
    let daemon: Daemon

    func receive(_ call: DBusMethodCall) async {
        await daemon.perform { $0.receive(call) }
    }
}
