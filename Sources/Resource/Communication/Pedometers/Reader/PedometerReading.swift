internal import BlueZ
internal import StepDomain
internal import Synchronization

/// The reading of one pedometer, over one link or, when that is lost, over a second one.
struct PedometerReading: Sendable {
    let reader: BluetoothPedometerReader
    let central: Central
    let receiver: any ReadingReceiver
    let due: DuePedometer
    /// It was not heard in a search: only one attempt to connect is made.
    var wasSearchedFor = false

    private var pedometer: Pedometer { due.pedometer }

    /// Reports the end to the receiver as soon as it is known, and returns when the link is down.
    ///
    /// - Parameter linkIsFree: called when the next pedometer may be connected to.
    func run(isInRange: Bool, linkIsFree: @Sendable () -> Void) async {
        var isInRange = isInRange
        var limits = reader.limits
        if wasSearchedFor { limits.attempts = 1 }
        var retry = LinkRetry(mayPair: due.protectedValue != nil)
        var isPairing = false
        let cursor = MergedCursor(pedometer.cursor)
        var connected: Duration?
        var loss: (any Error)?
        while true {
            var timer: LinkTimer?
            var next: LinkRetry.Step?
            do {
                next = try await reader.connect(central, due, limits, isInRange: isInRange, isPairing: isPairing) { peripheral in
                    timer = peripheral.timer
                    receiver.progress(.connecting, of: pedometer)
                    var ended: Result<SessionDriver.Outcome, any Error>
                    do {
                        ended = .success(try await read(over: peripheral, cursor))
                    } catch {
                        if !Task.isCancelled, let step = retry.step(after: error, isTakenOver: peripheral.isTakenOver) {
                            if step.explainsLess(than: error) { loss = error }
                            return step
                        }
                        // Cancellation disconnects at once: the session's error is then only a consequence.
                        ended = .failure(Task.isCancelled ? CancellationError() : error)
                    }
                    // The rest needs no link.
                    peripheral.disconnect()
                    linkIsFree()
                    await end(ended)
                    return nil
                }
            } catch {
                // There is no link, or not to the right device, or the pairing failed. What ended the link before may say more.
                await end(.failure(Task.isCancelled ? CancellationError() : loss ?? absence(error)))
            }
            if let timer { connected = (connected ?? .zero) + timer.elapsed }
            switch next {
            case nil:
                if let connected { receiver.disconnected(pedometer, after: connected.inSeconds) }
                return
            case .pair:
                isPairing = true
            case .reconnect(let pause):
                receiver.progress(.reconnecting, of: pedometer)
                try? await reader.clock.sleep(for: pause)
                isInRange = false
                limits.scan = min(limits.scan, LinkRetry.search)
            }
        }
    }

    /// A session continues from the merged batches: what was read over a lost link is not requested again.
    private func read(over peripheral: Peripheral, _ cursor: MergedCursor) async throws -> SessionDriver.Outcome {
        var current = pedometer
        current.cursor = cursor.value
        let session = try due.model.session(SessionContext(pedometer: current, localTime: reader.localTime, days: reader.days))
        return try await reader.run(
            session, peripheral, { [receiver, pedometer] in receiver.progress($0, of: pedometer) },
            { [receiver, pedometer] batch in
                try await receiver.merge(batch, of: pedometer)
                if let moved = batch.cursor { cursor.move(to: moved) }
            })
    }

    private func end(_ result: Result<SessionDriver.Outcome, any Error>) async {
        do {
            let outcome = try result.get()
            if let rest = outcome.rest { try await receiver.merge(rest, of: pedometer) }
            await receiver.end(of: pedometer, .success(outcome.report))
        } catch {
            await receiver.end(of: pedometer, .failure(error))
        }
    }

    /// A pedometer that a search has not heard and that cannot be connected to is reported as not in range.
    private func absence(_ error: any Error) -> any Error {
        guard wasSearchedFor, case .connectFailed(_, let reason)? = error as? BluetoothError, reason.isTransient else { return error }
        return BluetoothError.peripheralNotFound(pedometer.address, seconds: reader.limits.scan.inSeconds)
    }
}

/// The cursor of the batches that were merged.
private final class MergedCursor: Sendable {
    private let cursor: Mutex<PedometerCursor>
    init(_ cursor: PedometerCursor) { self.cursor = Mutex(cursor) }
    var value: PedometerCursor { cursor.withLock { $0 } }
    func move(to new: PedometerCursor) { cursor.withLock { $0 = new } }
}

/// One reading of several pedometers: one search for all, and one link at a time. BlueZ takes about 2 s to disconnect; the next pedometer
/// is searched for and read meanwhile.
struct ReadingRun: Sendable {
    let reader: BluetoothPedometerReader
    let central: Central
    let receiver: any ReadingReceiver

    /// Returns when each pedometer has ended and each link is down.
    func run(_ all: [DuePedometer]) async {
        for due in all { receiver.progress(.searching, of: due.pedometer) }
        await withTaskGroup(of: Void.self) { group in
            var missing = all
            do {
                try await read(&missing, &group)
            } catch {
                let reason: any Error = Task.isCancelled ? CancellationError() : error
                for due in missing { await receiver.end(of: due.pedometer, .failure(reason)) }
            }
        }
    }

    /// - Parameter missing: those that have not ended, if it throws.
    private func read(_ missing: inout [DuePedometer], _ group: inout TaskGroup<Void>) async throws {
        var remembered: [DeviceAddress: Discovery] = [:]
        for due in missing { remembered[due.address] = try await central.remembered(due.address, adapter: reader.adapter) }
        // A connected device does not advertise.
        for due in missing where remembered[due.address]?.isConnected == true {
            missing.removeAll { $0.address == due.address }
            await read(due, isInRange: true, &group)
        }

        var left = reader.limits.scan
        var others: [DeviceAddress: Discovery] = [:]
        var hasSearched = false
        // A paired one may advertise to this machine alone, which no scan shows: no search is started for it alone.
        while left > .zero, missing.contains(where: { remembered[$0.address]?.isPaired != true }) {
            hasSearched = true
            let stopwatch = Stopwatch(reader.clock)
            let result = try await central.search(for: Set(missing.map(\.address)), adapter: reader.adapter, limit: left)
            left -= stopwatch.elapsed()
            others.merge(result.others) { _, new in new }
            guard !result.found.isEmpty else { break }
            for due in missing where result.found.contains(due.address) {
                try Task.checkCancellation()
                missing.removeAll { $0.address == due.address }
                await read(due, isInRange: true, &group)
            }
        }

        for due in missing where remembered[due.address]?.isPaired != true {
            missing.removeAll { $0.address == due.address }
            await receiver.end(of: due.pedometer, .failure(absence(of: due, remembered[due.address], others)))
        }
        while let due = missing.first {
            try Task.checkCancellation()
            missing.removeFirst()
            await read(due, isInRange: hasSearched, wasSearchedFor: hasSearched, &group)
        }
    }

    private func absence(of due: DuePedometer, _ remembered: Discovery?, _ others: [DeviceAddress: Discovery]) -> any Error {
        let seconds = reader.limits.scan.inSeconds
        guard let other = Lookalike.find(due.pedometer, remembered: remembered, among: others.values, registered: reader.registered) else {
            return BluetoothError.peripheralNotFound(due.pedometer.address, seconds: seconds)
        }
        return PedometerError.addressMayHaveChanged(
            due.pedometer.address, seconds: seconds, name: other.name ?? due.pedometer.name, to: other.address.description)
    }

    /// Returns when the link is not needed any more; it may still be disconnecting then.
    private func read(
        _ due: DuePedometer, isInRange: Bool, wasSearchedFor: Bool = false, _ group: inout TaskGroup<Void>
    ) async {
        let (linkIsFree, signal) = AsyncStream<Void>.makeStream()
        let reading = PedometerReading(reader: reader, central: central, receiver: receiver, due: due, wasSearchedFor: wasSearchedFor)
        group.addTask {
            await reading.run(isInRange: isInRange) { signal.finish() }
            signal.finish()
        }
        for await _ in linkIsFree {}
    }
}

/// Measures the time since its creation on a clock.
struct Stopwatch: Sendable {
    let elapsed: @Sendable () -> Duration

    init(_ clock: some Clock<Duration>) {
        let start = clock.now
        elapsed = { start.duration(to: clock.now) }
    }
}
