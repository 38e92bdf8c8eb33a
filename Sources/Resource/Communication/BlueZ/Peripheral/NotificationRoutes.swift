internal import DBus
internal import Synchronization

/// The way of notifications from the bus to their readers: by characteristic, past the daemon's actor.
///
/// A notification is a `PropertiesChanged` of `Value` and changes no state, so it does not have to wait for its turn with the other signals.
/// Each turn is a change of threads, and pedometers send some hundred notifications in a row.
final class NotificationRoutes: Sendable {
    private struct Route {
        let queue: NotificationQueue
        /// The unique name of the `bluetoothd` whose characteristic it is.
        let owner: String?
    }

    private let routes = Mutex<[ObjectPath: [Int: Route]]>([:])

    func add(_ queue: NotificationQueue, _ id: Int, at path: ObjectPath, of owner: String?) {
        routes.withLock { $0[path, default: [:]][id] = Route(queue: queue, owner: owner) }
    }

    func remove(_ id: Int, at path: ObjectPath) {
        routes.withLock { routes in
            routes[path]?[id] = nil
            if routes[path]?.isEmpty == true { routes[path] = nil }
        }
    }

    /// The queues of all characteristics inside a device; nil: of all.
    func queues(inside device: ObjectPath?) -> [NotificationQueue] {
        routes.withLock { routes in
            routes.filter { path, _ in device.map { path.isInside($0) } ?? true }.flatMap { $0.value.values.map(\.queue) }
        }
    }

    /// Hands a notification to those who subscribed to it.
    ///
    /// - Returns: whether the signal was a notification and nothing else.
    func deliver(_ message: DBusMessage) -> Bool {
        guard message.member == "PropertiesChanged", message.interface == BlueZName.properties, let path = message.path,
            message.body.first?.stringValue == BlueZName.characteristic,
            case .changed(_, _, let properties, let invalidated)? = ObjectChange(message),
            let value = properties["Value"]?.bytesValue
        else { return false }
        let queues = routes.withLock { $0[path]?.values.filter { $0.owner == message.sender }.map(\.queue) ?? [] }
        for queue in queues { queue.push(value) }
        return properties.count == 1 && invalidated.isEmpty
    }
}
