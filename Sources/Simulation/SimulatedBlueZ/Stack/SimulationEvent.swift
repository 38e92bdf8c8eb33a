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
        var listeners: [AsyncStream<SimulationEvent>.Continuation] = []
        var isFinished = false
    }

    private let state = Mutex(State())

    var all: [SimulationEvent] { state.withLock(\.events) }

    /// Yields within the lock, so that all listeners get the events in the order of the log. A listener that has ended
    /// is removed here and not by `onTermination`: the cancellation of a task calls that while it holds the lock of the
    /// task, which `yield` needs in order to resume the task.
    func add(_ event: SimulationEvent) {
        state.withLock { state in
            state.events.append(event)
            state.listeners.removeAll { if case .terminated = $0.yield(event) { true } else { false } }
        }
    }

    /// All events so far, and all later ones.
    func stream() -> AsyncStream<SimulationEvent> {
        let (stream, continuation) = AsyncStream.makeStream(of: SimulationEvent.self)
        state.withLock { state in
            for event in state.events { continuation.yield(event) }
            if state.isFinished { continuation.finish() } else { state.listeners.append(continuation) }
        }
        return stream
    }

    func finish() {
        state.withLock { state in
            state.isFinished = true
            for listener in state.listeners { listener.finish() }
            state.listeners = []
        }
    }
}
