import Dispatch

/// Signal handlers that replace the default actions.
///
/// Dispatch registers them a moment after they were made. Until then each signal has its old action: one that is ignored is lost, and one
/// that ends the process ends it. So begin nothing before `registered` has returned.
final class SignalHandlers {
    private let sources: [any DispatchSourceSignal]
    private let registration = DispatchGroup()

    /// - Parameter handle: called on any thread with the number of the signal.
    init(_ numbers: [Int32], _ handle: @escaping @Sendable (Int32) -> Void) {
        sources = numbers.map { DispatchSource.makeSignalSource(signal: $0, queue: .global()) }
        for (number, source) in zip(numbers, sources) {
            registration.enter()
            source.setRegistrationHandler { [registration] in registration.leave() }
            source.setEventHandler { handle(number) }
            source.activate()
        }
    }

    func registered() async {
        await withCheckedContinuation { continuation in registration.notify(queue: .global()) { continuation.resume() } }
    }

    func cancel() {
        for source in sources { source.cancel() }
    }
}
