internal import DBus

extension Daemon {
    func receive(_ message: DBusMessage) {
        // One from before or after the owner that the cache is of: the snapshot has what it says.
        guard end == nil, let owner = cache.owner, message.sender == owner, let change = ObjectChange(message) else {
            return
        }
        deliverValue(change)
        cache.apply(change)
        settle(change)
    }

    /// A notification is a `PropertiesChanged` of `Value`.
    private func deliverValue(_ change: ObjectChange) {
        guard case .changed(let path, BlueZName.characteristic, let properties, _) = change,
            let listeners = queues[path], let value = properties["Value"]?.bytesValue
        else { return }
        for queue in listeners.values { queue.push(value) }
    }

    /// After each change: whoever waited for it goes on. Nil when everything changed.
    func settle(_ change: ObjectChange?) {
        settleLinks()
        for (id, waiter) in waiters where waiter.poll(cache) { waiters[id] = nil }
        for observer in observers.values { observer.receive(change, cache) }
    }

    func listen(to path: ObjectPath, with queue: NotificationQueue) -> Int {
        let id = makeID()
        queues[path, default: [:]][id] = queue
        return id
    }

    func stopListening(to path: ObjectPath, _ id: Int) {
        queues[path]?[id] = nil
        if queues[path]?.isEmpty == true { queues[path] = nil }
    }
}
