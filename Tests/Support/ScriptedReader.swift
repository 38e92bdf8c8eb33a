public import StepDomain
internal import Synchronization
internal import Testing

/// A reader that does what the test wrote down for each pedometer. One for which nothing is written fails the test.
public final class ScriptedReader: PedometerReader {
    public enum Step: Sendable {
        case progress(ReadProgress)
        case deliver(SampleBatch)
        /// Hands a batch over and makes light of a refusal, as a careless reader would.
        case deliverCarelessly(SampleBatch)
        /// Does not go on until the task is cancelled, then throws `CancellationError`.
        case hang
        case fail(any Error)
        case finish(ReadReport)
    }

    /// Nothing was written down, or the script ended without an end.
    public struct Unscripted: Error {}

    private let scripts: Mutex<[Pedometer.ID: [Step]]>
    private let seen = Mutex<[Pedometer]>([])
    /// Yields the pedometer whose reading hangs.
    public let hanging: AsyncStream<Pedometer.ID>
    private let hangs: AsyncStream<Pedometer.ID>.Continuation

    public init(_ scripts: [Pedometer.ID: [Step]]) {
        self.scripts = Mutex(scripts)
        (hanging, hangs) = AsyncStream.makeStream()
    }

    /// Pedometers as they were handed over, in order.
    public var read: [Pedometer] { seen.withLock { $0 } }

    public func read(
        _ pedometer: Pedometer, progress: @escaping @Sendable (ReadProgress) -> Void,
        merge: @escaping @Sendable (SampleBatch) async throws -> Void
    ) async throws -> ReadReport {
        seen.withLock { $0.append(pedometer) }
        for step in scripts.withLock({ $0.removeValue(forKey: pedometer.id) }) ?? [] {
            switch step {
            case .progress(let step): progress(step)
            case .deliver(let batch): try await merge(batch)
            case .deliverCarelessly(let batch): try? await merge(batch)
            case .hang: try await hang(pedometer.id)
            case .fail(let error): throw error
            case .finish(let report): return report
            }
        }
        Issue.record("pedometer \(pedometer.id) was read, and nothing tells how that ends")
        throw Unscripted()
    }

    private func hang(_ id: Pedometer.ID) async throws {
        let (never, end) = AsyncStream<Void>.makeStream()
        hangs.yield(id)
        // A stream's iteration ends when its task is cancelled.
        for await _ in never {}
        withExtendedLifetime(end) {}
        throw CancellationError()
    }
}
