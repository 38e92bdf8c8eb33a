internal import DBus

extension Daemon {
    /// Returns once `bluetoothd` runs and its objects are loaded; starts it by the bus if need be.
    func ready() async throws(BluetoothError) {
        if let end { throw end }
        if cache.isLoaded { return }
        if cache.owner == nil {
            let owner = try await findOwner()
            // A NameOwnerChanged may have been faster.
            if cache.owner != owner { adopt(owner) }
        }
        do {
            try await wait(limit: .seconds(15), doing: "reading the objects of BlueZ") { cache in
                if cache.isLoaded { return .success(()) }
                return cache.owner == nil ? .failure(.daemonNotRunning) : nil
            }
        } catch .timedOut {
            throw .daemonSilent
        }
    }

    /// The unique name behind `org.bluez`.
    private func findOwner() async throws(BluetoothError) -> String {
        if let owner = try await currentOwner() { return owner }
        // Where the kernel has no adapter, bluetooth.service does not start (ConditionPathIsDirectory): the bus
        // would wait two minutes for it, and the adapter is what is missing anyway.
        if let fault = machine?.read().missing(nil) { throw fault }
        do {
            _ = try await busCall("StartServiceByName", [.string(BlueZName.service), .uint32(0)])
        } catch {
            if case .accessDenied = BluetoothError(error, doing: "starting bluetoothd") {
                throw .accessDenied("starting bluetoothd")
            }
            throw error == .disconnected ? BluetoothError(error, doing: "starting bluetoothd") : .daemonNotRunning
        }
        guard let owner = try await currentOwner() else { throw .daemonNotRunning }
        return owner
    }

    private func currentOwner() async throws(BluetoothError) -> String? {
        do {
            return try await busCall("GetNameOwner", [.string(BlueZName.service)]).first?.stringValue
        } catch {
            if error.remoteName == "org.freedesktop.DBus.Error.NameHasNoOwner" { return nil }
            throw BluetoothError(error, doing: "looking for bluetoothd")
        }
    }

    private func busCall(_ member: String, _ arguments: [DBusValue]) async throws(DBusError) -> [DBusValue] {
        try await bus.call(BlueZName.bus, BlueZName.busPath, BlueZName.bus, member, arguments, timeout: .seconds(15))
    }

    func ownerChanged(_ message: DBusMessage) {
        guard end == nil, message.body.count == 3, let owner = message.body[2].stringValue else { return }
        let new = owner.isEmpty ? nil : owner
        // The answer to our own GetNameOwner may have been faster.
        if new != cache.owner { adopt(new) }
    }

    /// Another `bluetoothd`, or none: all objects are new.
    private func adopt(_ owner: String?) {
        cache.setOwner(owner)
        settle(nil)
        guard owner != nil else { return }
        let generation = cache.generation
        cache.beginSnapshot()
        Task { await self.load(generation) }
    }

    private func load(_ generation: Int) async {
        let result: Result<[ObjectPath: [String: Properties]], BluetoothError>
        do {
            result = .success(try await managedObjects())
        } catch {
            result = .failure(error)
        }
        guard generation == cache.generation, end == nil else { return }
        switch result {
        case .success(let objects):
            cache.finishSnapshot(objects)
            settle(nil)
        case .failure(let error):
            // The next `ready()` asks again.
            cache.setOwner(nil)
            let waiting = waiters
            waiters = [:]
            for waiter in waiting.values { waiter.fail(error) }
            settle(nil)
        }
    }

    /// Reads all objects again, for when BlueZ's signals are known to lag behind.
    func reload() async throws(BluetoothError) {
        let generation = cache.generation
        cache.beginSnapshot()
        let objects = try await managedObjects()
        guard generation == cache.generation else { return }
        cache.finishSnapshot(objects)
        settle(nil)
    }

    private func managedObjects() async throws(BluetoothError) -> [ObjectPath: [String: Properties]] {
        let reply: [DBusValue]
        do {
            reply = try await bus.call(
                BlueZName.service, BlueZName.root, BlueZName.objectManager, "GetManagedObjects", timeout: .seconds(15))
        } catch {
            if case .timedOut = error { throw .daemonSilent }
            throw BluetoothError(error, doing: "reading the objects of BlueZ")
        }
        guard let objects = ObjectChange.objects(reply) else { throw .unexpected("GetManagedObjects") }
        return objects
    }
}
