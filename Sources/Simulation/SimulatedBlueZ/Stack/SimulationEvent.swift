import Synchronization

/// The events of a simulated stack, for tests and transcripts. Addresses are those of peripherals.
public enum SimulationEvent: Sendable, Hashable {
    case discovering(Bool)
    /// The first monitor of advertisements was registered, or the last one was removed.
    case monitoring(Bool)
    case found(String)
    case connecting(String)
    case connected(String)
    case connectFailed(String, String)
    case servicesResolved(String)
    case disconnected(String)
    case paired(String)
    /// BlueZ has removed the device's object.
    case forgotten(String)
    case read(String, AttributeUUID)
    case wrote(String, AttributeUUID, [UInt8])
    case subscribed(String, AttributeUUID)
    case unsubscribed(String, AttributeUUID)
    case notified(String, AttributeUUID, [UInt8])
    /// By its unique name.
    case clientLeft(String)
}

/// Stores all events, and delivers them from the first on to each listener.
final class EventLog: Sendable {
    private struct State {
        var events: [SimulationEvent] = []
        var listeners: [Int: AsyncStream<SimulationEvent>.Continuation] = [:]
        var lastListener = 0
        var isFinished = false
    }

    private let state = Mutex(State())

    var all: [SimulationEvent] { state.withLock(\.events) }

    func add(_ event: SimulationEvent) {
        state.withLock { state in
            state.events.append(event)
            for listener in state.listeners.values { listener.yield(event) }
        }
    }

    /// All events so far, and all later ones.
    func stream() -> AsyncStream<SimulationEvent> {
        let (stream, continuation) = AsyncStream.makeStream(of: SimulationEvent.self)
        let number = state.withLock { state in
            for event in state.events { continuation.yield(event) }
            if state.isFinished { continuation.finish() }
            state.lastListener += 1
            state.listeners[state.lastListener] = continuation
            return state.lastListener
        }
        continuation.onTermination = { [weak self] _ in self?.forget(number) }
        return stream
    }

    func finish() {
        // Outside of the lock: a listener that ends calls back to be removed.
        let listeners = state.withLock { state in
            state.isFinished = true
            return Array(state.listeners.values)
        }
        for listener in listeners { listener.finish() }
    }

    private func forget(_ number: Int) { state.withLock { _ = $0.listeners.removeValue(forKey: number) } }
}
