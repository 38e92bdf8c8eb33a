internal import DBus
internal import Synchronization

/// Why a link ended.
enum LinkEnd: Sendable, Hashable {
    case dropped
    case adapterGone(String)
    case daemonGone
    /// This program released it.
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

/// A connection that is watched. It ends only once: a link that another program sets up later is a different one.
struct LinkWatch {
    let device: ObjectPath
    let adapter: ObjectPath
    let generation: Int
    let timer: LinkTimer
    var end: LinkEnd?
    var waiting: [Int: CheckedContinuation<LinkEnd?, Never>] = [:]
    /// Characteristics with a subscription, or for which one is being made.
    var subscriptions: [ObjectPath: Readers] = [:]
}

/// The readers of one characteristic, who share one subscription.
struct Readers: Sendable {
    var count = 1
    /// The call of StartNotify.
    let start: Task<Result<Void, BluetoothError>, Never>
    /// Whether the call has succeeded.
    var isStarted = false
}

extension Daemon {
    /// Begins to watch a connected device. Nil if it is no longer connected.
    func watchLink(_ device: ObjectPath, adapter: ObjectPath, _ timer: LinkTimer) -> Int? {
        guard cache.device(device)?.isConnected == true else { return nil }
        let id = makeID()
        links[id] = LinkWatch(device: device, adapter: adapter, generation: cache.generation, timer: timer)
        return id
    }

    func endOfLink(_ id: Int) -> LinkEnd? {
        guard let link = links[id] else { return .released }
        return link.end
    }

    /// Why a link ended. An adapter that is switched off loses its links first, and its own change is signalled a
    /// moment later.
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

    /// Subscribes for one more reader. All readers of a characteristic share one subscription; if it fails, it fails
    /// for all of them.
    ///
    /// Must be called after `listen`: the end of a link finishes the queues that listen at that time, and is an error
    /// from then on.
    ///
    /// A reader that is cancelled leaves at once, but the call continues: `bluetoothd` would not stop its work, and
    /// would refuse a second StartNotify meanwhile. If no reader is left at its end, StopNotify follows.
    ///
    /// - Parameter start: calls StartNotify.
    func subscribe(
        _ id: Int, _ path: ObjectPath, doing operation: String,
        _ start: @escaping @Sendable () async -> Result<Void, BluetoothError>
    ) async throws(BluetoothError) {
        if let end = endOfLink(id) { throw await reason(id, end).error(during: operation) }
        let task: Task<Result<Void, BluetoothError>, Never>
        if let running = links[id]?.subscriptions[path]?.start {
            links[id]?.subscriptions[path]?.count += 1
            task = running
        } else {
            let stop = stopping[path]
            task = Task {
                await stop?.value
                let result = await start()
                await self.started(id, path, result)
                return result
            }
            links[id]?.subscriptions[path] = Readers(start: task)
        }
        let result = OneShot<Result<Void, BluetoothError>>()
        Task { result.send(await task.value) }
        guard let value = await result.value else {
            await endSubscription(id, path)
            throw .cancelled
        }
        try value.get()
    }

    private func started(_ id: Int, _ path: ObjectPath, _ result: Result<Void, BluetoothError>) async {
        guard let readers = links[id]?.subscriptions[path] else { return }
        if case .success = result {
            links[id]?.subscriptions[path]?.isStarted = true
            guard readers.count == 0 else { return }
            links[id]?.subscriptions[path] = nil
            await stopNotify(path)
        } else {
            links[id]?.subscriptions[path] = nil
            // BlueZ may carry it out later, and would subscribe again at each connection while this one to the bus
            // lasts.
            if case .failure(.timedOut) = result { await stopNotify(path) }
        }
    }

    /// Even if the calling task is cancelled: BlueZ would keep the subscription as long as the connection to the bus. A
    /// reader that subscribes meanwhile waits for the answer: otherwise its StartNotify might come first, and
    /// StopNotify would end its subscription.
    func stopNotify(_ path: ObjectPath) async {
        let task = Task { [before = stopping[path]] in
            await before?.value
            _ = try? await call(path, BlueZName.characteristic, "StopNotify", limit: .seconds(5))
        }
        stopping[path] = task
        await task.value
        if stopping[path] == task { stopping[path] = nil }
    }

    /// Removes a reader; the subscription ends with the last one.
    func endSubscription(_ id: Int, _ path: ObjectPath) async {
        guard let readers = links[id]?.subscriptions[path] else { return }
        links[id]?.subscriptions[path]?.count = readers.count - 1
        guard readers.count == 1, readers.isStarted else { return }
        links[id]?.subscriptions[path] = nil
        await stopNotify(path)
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
                // An adapter that is switched off or pulled out loses its links.
                let adapter = cache.adapter(link.adapter)
                endLink(id, adapter?.isPowered == true ? .dropped : .adapterGone(link.adapter.lastElement))
            }
        }
    }

    /// A characteristic is gone although its link is up: its peripheral has changed its services (Service Changed), and
    /// BlueZ has dropped the subscription. What has arrived is read; then its readers get an error.
    func endSubscriptions(of path: ObjectPath) {
        for id in links.keys where links[id]?.end == nil { links[id]?.subscriptions[path] = nil }
        for queue in notifications.queues(of: path) { queue.finish(.dropped) }
    }

    private func endLink(_ id: Int, _ end: LinkEnd) {
        guard var link = links[id], link.end == nil else { return }
        link.end = end
        // A link that this program releases is still up.
        if end != .released { link.timer.stop() }
        let waiting = link.waiting
        link.waiting = [:]
        links[id] = link
        for continuation in waiting.values { continuation.resume(returning: end) }
        for queue in notifications.queues(inside: link.device) { queue.finish(end) }
    }
}

/// Measures how long a link is up, from `Connected` being true to its being false as BlueZ reports it. For a link that
/// was up before, it starts when the link is taken over.
public final class LinkTimer: Sendable {
    private let stopwatch: Stopwatch
    private let total = Mutex<Duration?>(nil)

    init(_ clock: any Clock<Duration>) { stopwatch = Stopwatch(clock) }

    /// Until now, or until the link's end.
    public var elapsed: Duration { total.withLock { $0 } ?? stopwatch.elapsed() }

    func stop() { total.withLock { $0 = $0 ?? stopwatch.elapsed() } }
}
