internal import DBus

extension Peripheral {
    /// Subscribes to a characteristic's notifications or indications.
    ///
    /// None is lost from the subscription on, however late they are read. The subscription ends with the connection,
    /// or by `stop()`; dropping the sequence sends nothing to the peripheral.
    /// - Throws: `serviceNotFound`, `characteristicNotFound`, `notifyFailed`, `attError`, `notPaired`, `linkLost`, `timedOut`.
    public func notifications(
        _ service: BluetoothUUID, _ characteristic: BluetoothUUID
    ) async throws(BluetoothError) -> Notifications {
        let path = try await link.path(service, characteristic)
        let operation = GATTOperation(kind: .subscribe, characteristic: characteristic, peripheral: link.peripheral)
        let queue = NotificationQueue()
        // Before StartNotify: a peripheral may talk before BlueZ has answered.
        let id = await link.daemon.listen(to: path, with: queue)
        let subscription = Subscription(link: link, path: path, id: id, queue: queue, operation: operation)
        do {
            // One subscription a client and characteristic: a second reader of ours shares it.
            if await link.daemon.beginSubscription(link.id, path) {
                _ = try await link.call(path, "StartNotify", [], operation)
            }
        } catch {
            await link.daemon.endSubscription(link.id, path)
            await link.daemon.stopListening(to: path, id)
            throw error
        }
        return Notifications(subscription: subscription)
    }
}

/// The notifications of one characteristic, in order. For one reader.
///
/// Ends when the program itself ends the subscription or the connection. When the link drops, what had arrived before
/// is still read, then `next()` throws `linkLost` (or `adapterLost`).
public struct Notifications: AsyncSequence, Sendable {
    public typealias Element = [UInt8]
    public typealias Failure = BluetoothError

    fileprivate let subscription: Subscription

    /// One that takes notifications from where the last reader left off.
    public func makeAsyncIterator() -> Iterator { Iterator(subscription: subscription) }

    /// Ends the subscription while the connection goes on. Not needed before the end of a connection.
    public func stop() async { await subscription.stop() }

    /// Takes notifications out, one after the other.
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

/// What `Notifications` and its iterator share. Goes when nobody can read any more.
private final class Subscription: Sendable {
    let link: Link
    let path: ObjectPath
    let id: Int
    let queue: NotificationQueue
    let operation: GATTOperation

    init(link: Link, path: ObjectPath, id: Int, queue: NotificationQueue, operation: GATTOperation) {
        self.link = link
        self.path = path
        self.id = id
        self.queue = queue
        self.operation = operation
    }

    deinit {
        Task { [daemon = link.daemon, path, id] in await daemon.stopListening(to: path, id) }
    }

    func next(within limit: Duration?) async throws(BluetoothError) -> [UInt8]? {
        let waiting = "waiting for notifications of \(operation.characteristic) of \(operation.peripheral)"
        switch await queue.next(within: limit, clock: link.daemon.clock) {
        case .value(let value): return value
        case .end(.released): return nil
        case .end(let end): throw await link.error(end, during: waiting)
        case .timedOut: throw .timedOut(operation: waiting, seconds: limit?.inSeconds ?? 0)
        case .cancelled: throw .cancelled
        case .overrun:
            throw operation.failed("more than \(NotificationQueue.capacity) notifications came before they were read")
        }
    }

    func stop() async {
        queue.finish(.released)
        await link.daemon.stopListening(to: path, id)
        // A second reader may still want them.
        guard await link.daemon.endSubscription(link.id, path) else { return }
        _ = try? await link.daemon.call(path, BlueZName.characteristic, "StopNotify", limit: link.limits.operation)
    }
}
