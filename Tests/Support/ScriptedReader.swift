public import StepDomain
internal import Synchronization
internal import Testing

/// A reader that does what the test specifies for each pedometer. A pedometer without a script fails the test.
public final class ScriptedReader: PedometerReader {
    public enum Step: Sendable {
        case progress(ReadProgress)
        case deliver(SampleBatch)
        /// Delivers a batch and ignores a refusal, as a careless reader would.
        case deliverCarelessly(SampleBatch)
        /// Waits until the task is cancelled, then throws `CancellationError`.
        case hang
        case fail(any Error)
        case finish(ReadReport)
        /// After `finish`: the link is down, and was up for this many seconds.
        case disconnect(Double)
    }

    /// There is no script, or it has no last step that ends the reading.
    public struct Unscripted: Error {}

    private let scripts: Mutex<[Pedometer.ID: [Step]]>
    private let seen = Mutex<[Pedometer]>([])
    /// Yields the pedometer whose reading hangs.
    public let hanging: AsyncStream<Pedometer.ID>
    private let hangs: AsyncStream<Pedometer.ID>.Continuation

    /// Pedometers that keep only today's count.
    private let todayOnly: Set<Pedometer.ID>
    private let followed = Mutex<Set<Pedometer.ID>>([])
    private let knowns = Mutex<[Pedometer.ID: KnownSteps]>([:])
    private let keeps = Mutex<[Pedometer.ID: @Sendable (CounterReading) -> Void]>([:])
    private let reports = Mutex<[Pedometer.ID: @Sendable (Int?) -> Void]>([:])

    public init(_ scripts: [Pedometer.ID: [Step]], todayOnly: Set<Pedometer.ID> = []) {
        self.scripts = Mutex(scripts)
        self.todayOnly = todayOnly
        (hanging, hangs) = AsyncStream.makeStream()
    }

    /// Sets what the next reading of a pedometer does.
    public func script(_ id: Pedometer.ID, _ steps: Step...) { scripts.withLock { $0[id] = steps } }

    /// Lets a pedometer be followed: it stays connected until the task is cancelled.
    public func follow(_ id: Pedometer.ID) { followed.withLock { _ = $0.insert(id) } }

    /// What was known of a pedometer when it was followed.
    public func known(of id: Pedometer.ID) -> KnownSteps? { knowns.withLock { $0[id] } }

    /// A pedometer that is being followed (it is in `hanging`) reports these steps.
    public func report(_ steps: Int, of id: Pedometer.ID) { reports.withLock { $0[id] }?(steps) }

    public func holdsTodayOnly(_ pedometer: Pedometer) -> Bool { todayOnly.contains(pedometer.id) }

    public func advertisesSteps(_ pedometer: Pedometer) -> Bool { false }

    /// Passes on a value of a counter, as a pedometer that is being followed notifies it.
    public func keep(_ reading: CounterReading, of id: Pedometer.ID) { keeps.withLock { $0[id] }?(reading) }

    /// The growth since the last reading, as made in the ten minutes before.
    public func batch(of reading: CounterReading, from pedometer: Pedometer) -> SampleBatch? {
        let last = pedometer.cursor.counter?.value ?? 0
        let steps = reading.value >= last ? reading.value - last : reading.value
        return SampleBatch(
            samples: [StepSample(start: reading.at - 600, length: 600, steps: steps, utcOffset: reading.utcOffset)],
            cursor: PedometerCursor(readThrough: reading.at, counter: reading))
    }

    public func follow(
        _ pedometer: Pedometer, known: KnownSteps, keep: @escaping @Sendable (CounterReading) -> Void,
        report: @escaping @Sendable (Int?) -> Void
    ) async throws -> Bool {
        guard followed.withLock({ $0.contains(pedometer.id) }) else { return false }
        knowns.withLock { $0[pedometer.id] = known }
        keeps.withLock { $0[pedometer.id] = keep }
        reports.withLock { $0[pedometer.id] = report }
        report(nil)
        try await hang(pedometer.id)
        return true
    }

    /// The pedometers that were passed to the reader, in order.
    public var read: [Pedometer] { seen.withLock { $0 } }

    public func read(_ pedometers: [Pedometer], for receiver: any ReadingReceiver) async {
        for pedometer in pedometers {
            guard !Task.isCancelled else {
                await receiver.end(of: pedometer, .failure(CancellationError()))
                continue
            }
            seen.withLock { $0.append(pedometer) }
            do {
                try await read(pedometer, receiver)
            } catch {
                await receiver.end(of: pedometer, .failure(error))
            }
        }
    }

    private func read(_ pedometer: Pedometer, _ receiver: any ReadingReceiver) async throws {
        var hasEnded = false
        for step in scripts.withLock({ $0.removeValue(forKey: pedometer.id) }) ?? [] {
            switch step {
            case .progress(let step): receiver.progress(step, of: pedometer)
            case .deliver(let batch): try await receiver.merge(batch, of: pedometer)
            case .deliverCarelessly(let batch): try? await receiver.merge(batch, of: pedometer)
            case .hang: try await hang(pedometer.id)
            case .fail(let error): throw error
            case .finish(let report):
                await receiver.end(of: pedometer, .success(report))
                hasEnded = true
            case .disconnect(let seconds): receiver.disconnected(pedometer, after: seconds)
            }
        }
        if hasEnded { return }
        Issue.record("pedometer \(pedometer.id) was read, and its script has no result")
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
