internal import DBus

/// Why a link is no more.
enum LinkEnd: Sendable, Hashable {
    case dropped
    case adapterGone(String)
    case daemonGone
    /// The program gave it up itself.
    case released
    case busGone(BluetoothError)

    func error(during operation: String) -> BluetoothError {
        switch self {
        case .dropped: .linkLost(during: operation)
        case .adapterGone(let name): .adapterLost(name)
        case .daemonGone: .daemonNotRunning
        case .released: .linkLost(during: "\(operation) after its end")
        case .busGone(let error): error
        }
    }
}

/// A connection that is watched. It ends once and for all: a link that another program sets up later is another one.
struct LinkWatch {
    let device: ObjectPath
    let adapter: ObjectPath
    let generation: Int
    var end: LinkEnd?
    var waiting: [Int: CheckedContinuation<LinkEnd?, Never>] = [:]
    /// Characteristics that are subscribed to, with the number of readers.
    var subscriptions: [ObjectPath: Int] = [:]
}

extension Daemon {
    /// Begins to watch a connected device. Nil if it is not connected any more.
    func watchLink(_ device: ObjectPath, adapter: ObjectPath) -> Int? {
        guard cache.device(device)?.isConnected == true else { return nil }
        let id = makeID()
        links[id] = LinkWatch(device: device, adapter: adapter, generation: cache.generation)
        return id
    }

    func endOfLink(_ id: Int) -> LinkEnd? {
        guard let link = links[id] else { return .released }
        return link.end
    }

    /// Why a link ended. An adapter that is switched off first loses its links, and tells of itself a moment later.
    func reason(_ id: Int, _ end: LinkEnd) async -> LinkEnd {
        guard end == .dropped, let link = links[id], link.generation == cache.generation else { return end }
        let adapter = link.adapter
        let isGone = try? await wait(limit: .milliseconds(300), doing: "") { cache -> Result<Bool, BluetoothError>? in
            cache.adapter(adapter)?.isPowered == true ? nil : .success(true)
        }
        guard isGone == true else { return end }
        return cache.owner == nil ? .daemonGone : .adapterGone(adapter.lastElement)
    }

    /// Waits for the end of a link. Nil when the task is cancelled first.
    func waitForEndOfLink(_ id: Int) async -> LinkEnd? {
        let waiter = makeID()
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                guard let link = links[id] else { return continuation.resume(returning: .released) }
                if link.end != nil || Task.isCancelled { return continuation.resume(returning: link.end) }
                links[id]?.waiting[waiter] = continuation
            }
        } onCancel: {
            Task { await self.stopWaitingForEnd(of: id, waiter) }
        }
    }

    private func stopWaitingForEnd(of id: Int, _ waiter: Int) {
        links[id]?.waiting.removeValue(forKey: waiter)?.resume(returning: nil)
    }

    func releaseLink(_ id: Int) {
        endLink(id, .released)
        links[id] = nil
    }

    /// Whether BlueZ has to be told: one subscription serves all readers.
    func beginSubscription(_ id: Int, _ path: ObjectPath) -> Bool {
        links[id]?.subscriptions[path, default: 0] += 1
        return links[id]?.subscriptions[path] == 1
    }

    /// Whether BlueZ has to be told.
    @discardableResult
    func endSubscription(_ id: Int, _ path: ObjectPath) -> Bool {
        guard let readers = links[id]?.subscriptions[path] else { return false }
        links[id]?.subscriptions[path] = readers == 1 ? nil : readers - 1
        return readers == 1
    }

    func subscriptions(of id: Int) -> [ObjectPath] {
        links[id].map { Array($0.subscriptions.keys) } ?? []
    }

    func settleLinks() {
        for (id, link) in links where link.end == nil {
            if let end {
                endLink(id, .busGone(end))
            } else if link.generation != cache.generation {
                endLink(id, .daemonGone)
            } else if cache.device(link.device)?.isConnected != true {
                // Switched off or pulled out, an adapter takes its links with it.
                let adapter = cache.adapter(link.adapter)
                endLink(id, adapter?.isPowered == true ? .dropped : .adapterGone(link.adapter.lastElement))
            }
        }
    }

    private func endLink(_ id: Int, _ end: LinkEnd) {
        guard var link = links[id], link.end == nil else { return }
        link.end = end
        let waiting = link.waiting
        link.waiting = [:]
        links[id] = link
        for continuation in waiting.values { continuation.resume(returning: end) }
        for (path, listeners) in queues where path.isInside(link.device) {
            for queue in listeners.values { queue.finish(end) }
        }
    }
}
