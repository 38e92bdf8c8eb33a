internal import DBus

/// The events that a scan uses.
enum DeviceEvent: Sendable, Hashable {
    /// A device that the cache knew already.
    case known(DeviceRecord)
    case added(DeviceRecord)
    /// A device, with the names of the properties that changed.
    case changed(DeviceRecord, Set<String>)
    case removed(ObjectPath)
    /// The adapter's state, or nil when it is gone.
    case adapter(AdapterRecord?)

    fileprivate var device: DeviceRecord? {
        switch self {
        case .known(let device), .added(let device), .changed(let device, _): device
        case .removed, .adapter: nil
        }
    }
}

/// Passes on the changes of one adapter and its devices.
struct DeviceObserver {
    /// Events that wait for a busy reader. Beyond that the oldest are dropped: a device in range is soon heard again.
    static let capacity = 4_096

    let adapter: ObjectPath
    /// The only devices of interest; nil for all.
    let addresses: Set<DeviceAddress>?
    let continuation: AsyncStream<DeviceEvent>.Continuation

    /// Never drops the adapter's state in favour of a device's.
    private func yield(_ event: DeviceEvent, _ cache: ObjectCache) {
        if let addresses, let address = event.device?.address, !addresses.contains(address) { return }
        guard case .dropped(.adapter) = continuation.yield(event) else { return }
        // The present state, since a newer one than the dropped one may be in the queue. The oldest event is dropped
        // for it.
        continuation.yield(.adapter(cache.adapter(adapter)))
    }

    func receive(_ change: ObjectChange?, _ cache: ObjectCache) {
        guard let change else {
            yield(.adapter(cache.adapter(adapter)), cache)
            for device in cache.devices(on: adapter) { yield(.known(device), cache) }
            return
        }
        if change.path == adapter {
            yield(.adapter(cache.adapter(adapter)), cache)
        } else if change.path.isInside(adapter) {
            receive(change, cache.device(change.path), cache)
        }
    }

    private func receive(_ change: ObjectChange, _ device: DeviceRecord?, _ cache: ObjectCache) {
        switch change {
        case .added(_, let interfaces) where interfaces[BlueZName.device] != nil:
            if let device { yield(.added(device), cache) }
        case .removed(let path, let interfaces) where interfaces.contains(BlueZName.device):
            yield(.removed(path), cache)
        case .changed(_, BlueZName.device, let properties, _):
            if let device { yield(.changed(device, Set(properties.keys)), cache) }
        default: break
        }
    }
}

extension Daemon {
    /// The events of an adapter's devices, beginning with the known devices. Ends when the bus goes away.
    ///
    /// - Parameter addresses: the only devices of interest; nil for all. If the stream is not read, the oldest of 4,096
    ///   events of devices are lost.
    func deviceEvents(on adapter: ObjectPath, of addresses: Set<DeviceAddress>? = nil) -> AsyncStream<DeviceEvent> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: DeviceEvent.self, bufferingPolicy: .bufferingNewest(DeviceObserver.capacity))
        guard end == nil else {
            continuation.finish()
            return stream
        }
        let id = makeID()
        let observer = DeviceObserver(adapter: adapter, addresses: addresses, continuation: continuation)
        observers[id] = observer
        continuation.onTermination = { [weak self] _ in
            Task { await self?.stopObserving(id) }
        }
        observer.receive(nil, cache)
        return stream
    }

    private func stopObserving(_ id: Int) {
        observers[id] = nil
    }
}
