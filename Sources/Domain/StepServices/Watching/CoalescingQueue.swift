internal import Synchronization

/// Events that were not handled yet. Of events that repeat only the newest is kept, in the place of the first: at any rate of events, no
/// more are waiting than there are different events.
final class CoalescingQueue<Key: Hashable & Sendable, Element: Sendable>: Sendable {
    private struct State {
        var elements: [Element] = []
        var places: [Key: Int] = [:]
    }

    private let state = Mutex(State())
    /// Signals that elements were added. One signal may stand for many elements or for none: `takeAll` returns them. For one reader.
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
            if let key, let place = state.places[key] {
                state.elements[place] = element
            } else {
                if let key { state.places[key] = state.elements.count }
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
