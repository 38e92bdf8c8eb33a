import StepDomain
internal import Synchronization

/// Something that a watch reacts to.
enum WatchEvent: Sendable {
    case presence(PresenceEvent)
    case timePassed
    case synced(Pedometer.ID, SyncEnd)
    /// A pedometer that is followed has connected (nil) or reported its steps.
    case stepped(Pedometer.ID, Int?)
    /// A pedometer is followed no longer. False if it cannot be followed at all; true if the link just ended.
    case followed(Pedometer.ID, Result<Bool, any Error>)
    /// Figures that came too soon after the last ones can be shown now.
    case figuresDue

    /// How a sync has ended.
    enum SyncEnd: Sendable {
        /// - Parameter isComplete: whether the pedometer could be read to the end.
        case finished(isComplete: Bool)
        /// Another process works on the history.
        case blocked(any Error)
        case failed(any Error)
    }

    /// If events have the same key, only the newest is handled; nil if each one is handled.
    var key: Key? {
        switch self {
        case .presence(.discovered(let address)): .discovered(address)
        case .presence(.listening), .presence(.unavailable): .listening
        case .timePassed: .timePassed
        case .stepped(let id, let steps): steps == nil ? .connected(id) : .stepped(id)
        case .figuresDue: .figuresDue
        case .synced, .followed: nil
        }
    }

    enum Key: Hashable, Sendable {
        case discovered(String)
        case listening, timePassed, figuresDue
        case connected(Pedometer.ID)
        case stepped(Pedometer.ID)
    }

    /// Whether it only changes a figure on the screen.
    var isFigure: Bool {
        switch self {
        case .stepped(_, _?), .figuresDue: true
        default: false
        }
    }
}

/// A transmitter can advertise, and a pedometer notify, at any rate: the number of waiting events is limited by that of
/// pedometers.
typealias WatchEvents = CoalescingQueue<WatchEvent.Key, WatchEvent>

extension CoalescingQueue where Key == WatchEvent.Key, Element == WatchEvent {
    func put(_ event: WatchEvent) { put(event, key: event.key) }
}

/// Events that were not handled yet. An event that repeats replaces the earlier one in its place: at any rate of
/// events, no more are waiting than there are different events.
final class CoalescingQueue<Key: Hashable & Sendable, Element: Sendable>: Sendable {
    private struct State {
        var elements: [Element] = []
        var indices: [Key: Int] = [:]
    }

    private let state = Mutex(State())
    /// Signals that elements were added. One signal may stand for many elements or for none: `takeAll` returns them.
    /// For one reader.
    let arrivals: AsyncStream<Void>
    private let arrived: AsyncStream<Void>.Continuation

    init() {
        (arrivals, arrived) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// Adds an element, or replaces the one with the same key.
    ///
    /// - Parameter key: nil if each element must be handled.
    func put(_ element: Element, key: Key?) {
        state.withLock { state in
            if let key, let index = state.indices[key] {
                state.elements[index] = element
            } else {
                if let key { state.indices[key] = state.elements.count }
                state.elements.append(element)
            }
        }
        arrived.yield()
    }

    /// Removes and returns all waiting elements, in order.
    func takeAll() -> [Element] {
        state.withLock { state in
            defer { state = State() }
            return state.elements
        }
    }
}
