internal import DBus

/// What a scan wants to know of.
enum DeviceEvent: Sendable, Hashable {
    /// A device that the cache knew already.
    case known(DeviceRecord)
    case added(DeviceRecord)
    /// With the names of the properties that changed.
    case changed(DeviceRecord, Set<String>)
    case removed(ObjectPath)
    /// The adapter's state, or nil when it is gone.
    case adapter(AdapterRecord?)
}

/// Passes the changes of one adapter and its devices on.
struct DeviceObserver {
    let adapter: ObjectPath
    let continuation: AsyncStream<DeviceEvent>.Continuation

    func receive(_ change: ObjectChange?, _ cache: ObjectCache) {
        guard let change else {
            continuation.yield(.adapter(cache.adapter(adapter)))
            for device in cache.devices(on: adapter) { continuation.yield(.known(device)) }
            return
        }
        if change.path == adapter {
            continuation.yield(.adapter(cache.adapter(adapter)))
        } else if change.path.isInside(adapter) {
            receive(change, cache.device(change.path))
        }
    }

    private func receive(_ change: ObjectChange, _ device: DeviceRecord?) {
        switch change {
        case .added(_, let interfaces) where interfaces[BlueZName.device] != nil:
            if let device { continuation.yield(.added(device)) }
        case .removed(let path, let interfaces) where interfaces.contains(BlueZName.device):
            continuation.yield(.removed(path))
        case .changed(_, BlueZName.device, let properties, _):
            if let device { continuation.yield(.changed(device, Set(properties.keys))) }
        default: break
        }
    }
}

extension Daemon {
    /// The events of an adapter's devices, beginning with those that are known. Ends when the bus goes.
    func deviceEvents(on adapter: ObjectPath) -> AsyncStream<DeviceEvent> {
        let (stream, continuation) = AsyncStream.makeStream(of: DeviceEvent.self)
        guard end == nil else {
            continuation.finish()
            return stream
        }
        let id = makeID()
        let observer = DeviceObserver(adapter: adapter, continuation: continuation)
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
