internal import DBus
internal import Synchronization

extension Peripheral {
    /// Subscribes to the notifications or indications of a characteristic; of the first one if the UUIDs occur more
    /// than once.
    ///
    /// From the subscription on none is lost silently: up to 16,384 (1 MiB) wait to be read; beyond that the sequence
    /// throws `notifyFailed` after those. The subscription ends with the connection, or by `stop()`; dropping the
    /// sequence sends nothing to the peripheral.
    /// - Throws: `serviceNotFound`, `characteristicNotFound`, `notifyFailed`, `attError`, `notPaired`, `linkLost`,
    ///   `timedOut`.
    public func notifications(
        of characteristic: BluetoothUUID, in service: BluetoothUUID
    ) async throws(BluetoothError) -> Notifications {
        try await notifications(of: [characteristic], in: service)
    }

    /// Subscribes to the notifications or indications of several characteristics of a service, as one sequence in the
    /// order of arrival.
    ///
    /// - Precondition: `characteristics` is not empty.
    /// - Throws: `characteristicNotFound`, `notifyFailed`, `attError`, `notPaired`, `linkLost`, `timedOut`.
    public func notifications(
        of characteristics: [BluetoothUUID], in service: BluetoothUUID
    ) async throws(BluetoothError) -> Notifications {
        precondition(!characteristics.isEmpty, "there is a characteristic")
        var paths: [ObjectPath] = []
        for characteristic in characteristics { paths.append(try await link.path(service, characteristic)) }
        return try await notifications(paths, operation(.subscribe, characteristics[0]))
    }

    /// Subscribes to the notifications or indications of one of `services`' characteristics.
    ///
    /// - Throws: `notifyFailed`, `attError`, `notPaired`, `linkLost`, `timedOut`.
    public func notifications(of characteristic: GATTCharacteristic) async throws(BluetoothError) -> Notifications {
        let operation = operation(.subscribe, characteristic.uuid)
        return try await notifications([try link.path(characteristic.handle, operation)], operation)
    }

    private func notifications(_ paths: [ObjectPath], _ operation: GATTOperation) async throws(BluetoothError)
        -> Notifications
    {
        let queue = NotificationQueue(clock: link.daemon.clock)
        let subscription = Subscription(link: link, queue: queue, operation: operation)
        for path in paths {
            // Before StartNotify: a peripheral may send notifications before BlueZ has answered.
            let id = await link.daemon.listen(to: path, with: queue)
            do throws(BluetoothError) {
                try await link.daemon.subscribe(link.id, path, doing: operation.text) {
                    [link] () async -> Result<Void, BluetoothError> in
                    do throws(BluetoothError) {
                        _ = try await link.call(path, "StartNotify", [], operation)
                        return .success(())
                    } catch {
                        return .failure(error)
                    }
                }
            } catch {
                await link.daemon.stopListening(to: path, id)
                await subscription.stop()
                throw error
            }
            subscription.add(path, id)
        }
        return Notifications(subscription: subscription)
    }
}

/// The notifications of one or several characteristics, in order. For one reader.
///
/// Ends when the program itself ends the subscription or the connection. When the link drops, what had arrived before
/// is still read, then `next()` throws `linkLost` (or `adapterLost`).
public struct Notifications: AsyncSequence, Sendable {
    public typealias Element = [UInt8]
    public typealias Failure = BluetoothError

    fileprivate let subscription: Subscription

    /// An iterator that continues where the last reader stopped.
    public func makeAsyncIterator() -> Iterator { Iterator(subscription: subscription) }

    /// Ends the subscription while the connection continues. Not needed before the end of a connection.
    public func stop() async { await subscription.stop() }

    /// Returns notifications one after the other.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let subscription: Subscription

        /// Waits for the next one. Nil when the subscription or the connection was ended here.
        public mutating func next(
            isolation: isolated (any Actor)? = #isolation
        ) async throws(BluetoothError) -> [UInt8]? {
            try await subscription.next(within: nil)
        }

        /// Waits for the next one. Nil when the subscription or the connection was ended here.
        public mutating func next() async throws(BluetoothError) -> [UInt8]? {
            try await subscription.next(within: nil)
        }

        /// Waits for the next one, but throws `timedOut` after `limit`.
        public mutating func next(within limit: Duration) async throws(BluetoothError) -> [UInt8]? {
            try await subscription.next(within: limit)
        }
    }
}

/// State shared by `Notifications` and its iterator. Released when no reader is left.
private final class Subscription: Sendable {
    let link: Link
    let queue: NotificationQueue
    let operation: GATTOperation
    /// The characteristics, each with the number of its listener.
    private let sources = Mutex<[(path: ObjectPath, id: Int)]>([])

    init(link: Link, queue: NotificationQueue, operation: GATTOperation) {
        self.link = link
        self.queue = queue
        self.operation = operation
    }

    deinit {
        let sources = sources.withLock { $0 }
        Task { [daemon = link.daemon] in
            for source in sources { await daemon.stopListening(to: source.path, source.id) }
        }
    }

    func add(_ path: ObjectPath, _ id: Int) { sources.withLock { $0.append((path, id)) } }

    func next(within limit: Duration?) async throws(BluetoothError) -> [UInt8]? {
        switch await queue.next(within: limit) {
        case .value(let value): return value
        case .end(.released): return nil
        case .end(let end): throw await link.error(end, during: waiting)
        case .timedOut: throw .timedOut(operation: waiting, seconds: limit?.inSeconds ?? 0)
        case .cancelled: throw .cancelled
        case .overrun:
            throw operation.failed("more notifications came than could be read")
        }
    }

    /// What is being done, for errors. Not calculated for each value: that was 7 % of the instructions of a sync.
    private var waiting: String { "waiting for notifications of \(operation.attribute) of \(operation.peripheral)" }

    func stop() async {
        queue.finish(.released)
        // Taken, so that a second call of `stop` does not end the subscription of another reader.
        let ended = sources.withLock { sources in
            defer { sources = [] }
            return sources
        }
        for (path, id) in ended {
            await link.daemon.stopListening(to: path, id)
            // A second reader may still need them.
            await link.daemon.endSubscription(link.id, path)
        }
    }
}

/// Routes notifications from the bus to their readers: by characteristic, without a switch to the daemon's actor.
///
/// A notification is a `PropertiesChanged` of `Value` and changes no state, so it does not have to wait for its turn
/// with the other signals. Each turn is a change of threads, and pedometers send some hundred notifications in a row.
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

    func queues(of characteristic: ObjectPath) -> [NotificationQueue] {
        routes.withLock { routes in routes[characteristic].map { $0.values.map(\.queue) } ?? [] }
    }

    /// The queues of all characteristics inside a device.
    func queues(inside device: ObjectPath) -> [NotificationQueue] {
        routes.withLock { routes in routes.filter { $0.key.isInside(device) }.flatMap { $0.value.values.map(\.queue) } }
    }

    /// Hands a notification to those who subscribed to it.
    ///
    /// - Returns: whether the signal was a notification and nothing else.
    func deliver(_ message: DBusMessage) -> Bool {
        guard message.member == "PropertiesChanged", message.interface == StandardInterface.properties,
            let path = message.path,
            message.body.first?.stringValue == BlueZName.characteristic,
            case .changed(_, _, let properties, let invalidated)? = ObjectChange(message),
            let value = properties["Value"]?.bytesValue
        else { return false }
        let queues = routes.withLock { $0[path]?.values.filter { $0.owner == message.sender }.map(\.queue) ?? [] }
        for queue in queues { queue.push(value) }
        return properties.count == 1 && invalidated.isEmpty
    }
}
