internal import DBus
internal import Support
internal import Synchronization

/// The owner of BlueZ's bus name: finding it, and reading its objects.
extension Daemon {
    /// Returns once `bluetoothd` runs and its objects are loaded; lets the bus start it if necessary.
    func ready() async throws(BluetoothError) {
        if let end { throw end }
        if cache.isLoaded { return }
        if cache.owner == nil {
            let changes = ownerChanges
            let owner = try await findOwner()
            // A NameOwnerChanged that has arrived meanwhile may be newer than the answer.
            if changes == ownerChanges, cache.owner != owner { adopt(owner) }
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
        // If the kernel has no adapter, bluetooth.service does not start (ConditionPathIsDirectory): the bus would wait
        // two minutes for it, and the missing adapter is the actual cause.
        if let fault = machine?.read().missing(nil) { throw fault }
        do {
            _ = try await bus.call(
                BusDriver.name, BusDriver.path, BusDriver.interface, "StartServiceByName",
                [.string(BlueZName.service), .uint32(0)],
                timeout: .seconds(15))
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
            return try await bus.owner(of: BlueZName.service)
        } catch {
            throw BluetoothError(error, doing: "looking for bluetoothd")
        }
    }

    func ownerChanged(_ message: DBusMessage) {
        guard end == nil, message.body.count == 3, let owner = message.body[2].stringValue else { return }
        ownerChanges += 1
        let new = owner.isEmpty ? nil : owner
        // The answer to this program's own GetNameOwner may have arrived earlier.
        if new != cache.owner { adopt(new) }
    }

    /// Switches to another `bluetoothd`, or to none: all objects are new.
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
            recover()
        case .failure(let error):
            // The next `ready()` asks again.
            cache.setOwner(nil)
            let waiting = waiters
            waiters = [:]
            for waiter in waiting.values { waiter.fail(error) }
            settle(nil)
        }
    }

    /// Reads all objects again. Used when BlueZ's signals are known to be delayed.
    func reload() async throws(BluetoothError) {
        let generation = cache.generation
        cache.beginSnapshot()
        let objects: [ObjectPath: [String: Properties]]
        do {
            objects = try await managedObjects()
        } catch {
            if generation == cache.generation { cache.abandonSnapshot() }
            throw error
        }
        guard generation == cache.generation else { return }
        cache.finishSnapshot(objects)
        settle(nil)
    }

    /// Signals arrived faster than they could be read and some were dropped; all that arrived before them were applied:
    /// the state is read again. No notification is among them: those do not wait with the other signals.
    func signalsWereMissed() {
        isStale = true
        recover()
    }

    /// Reads the state again if it is stale and was read before.
    private func recover() {
        guard isStale, recovery == nil, end == nil, cache.isLoaded else { return }
        recovery = Task { [weak self, clock] in
            // Longer pauses after failures, so that a flood of signals does not cause a flood of calls.
            let backoff = ExponentialBackoff(first: .seconds(2), longest: .seconds(60))
            var failures = 0
            while let isRead = await self?.readStaleState() {
                failures = isRead ? 0 : failures + 1
                let pause = failures == 0 ? .seconds(1) : backoff.pause(after: failures)
                guard (try? await clock.sleep(for: pause)) != nil else { return }
            }
        }
    }

    /// - Returns: whether it could be read; nil if there is nothing to read again.
    private func readStaleState() async -> Bool? {
        // Another `bluetoothd` is read completely anyway.
        guard isStale, end == nil, cache.isLoaded else {
            recovery = nil
            return nil
        }
        isStale = false
        do {
            try await reload()
            return true
        } catch {
            isStale = true
            return false
        }
    }

    // MARK: Devices that tasks wait for

    /// Keeps the devices with these addresses in the cache until `unpin`, however many others arrive.
    func pin(_ addresses: Set<DeviceAddress>) async {
        for address in addresses { pinCounts[address, default: 0] += 1 }
        cache.pinned.formUnion(addresses)
        // A device that was dropped because of the limits has to be read again.
        guard cache.isLoaded, cache.omitted > 0, addresses.contains(where: { !cache.knows($0) }) else { return }
        try? await reload()
    }

    func unpin(_ addresses: Set<DeviceAddress>) {
        for address in addresses {
            pinCounts[address] = pinCounts[address].flatMap { $0 > 1 ? $0 - 1 : nil }
            if pinCounts[address] == nil { cache.pinned.remove(address) }
        }
    }

    private func managedObjects() async throws(BluetoothError) -> [ObjectPath: [String: Properties]] {
        let reply: [DBusValue]
        do {
            reply = try await bus.call(
                BlueZName.service, BlueZName.root, StandardInterface.objectManager, "GetManagedObjects",
                timeout: .seconds(15))
        } catch {
            if case .timedOut = error { throw .daemonSilent }
            throw BluetoothError(error, doing: "reading the objects of BlueZ")
        }
        guard let objects = ObjectChange.objects(reply) else { throw .unexpected("GetManagedObjects") }
        return objects
    }
}

extension Daemon {
    func receive(_ message: DBusMessage) {
        // A signal of an earlier or later owner than the cache's: the snapshot contains its information.
        guard end == nil, let owner = cache.owner, message.sender == owner, let change = ObjectChange(message) else {
            return
        }
        if cache.apply(change) { settle(change) }
    }

    /// Called after each change: resumes the tasks that waited for it. Nil if everything changed.
    func settle(_ change: ObjectChange?) {
        settleLinks()
        if case .removed(let path, let interfaces)? = change, interfaces.contains(BlueZName.characteristic) {
            endSubscriptions(of: path)
        }
        for (id, waiter) in waiters where waiter.poll(cache) { waiters[id] = nil }
        for observer in observers.values { observer.receive(change, cache) }
    }

    func listen(to path: ObjectPath, with queue: NotificationQueue) -> Int {
        let id = makeID()
        notifications.add(queue, id, at: path, of: cache.owner)
        return id
    }

    func stopListening(to path: ObjectPath, _ id: Int) { notifications.remove(id, at: path) }
}

/// A value that arrives at most once, for at most one waiting task.
final class OneShot<Value: Sendable>: Sendable {
    private let stream: AsyncStream<Value>
    private let continuation: AsyncStream<Value>.Continuation
    private let sent = Atomic(false)

    init() {
        (stream, continuation) = AsyncStream.makeStream(of: Value.self, bufferingPolicy: .bufferingOldest(1))
    }

    var isSent: Bool { sent.load(ordering: .acquiring) }

    func send(_ value: Value) {
        sent.store(true, ordering: .releasing)
        continuation.yield(value)
        continuation.finish()
    }

    /// Nil when the waiting task is cancelled first.
    var value: Value? {
        get async { await stream.first { _ in true } }
    }
}
