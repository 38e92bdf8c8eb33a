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
        var limits = reader.limits
        if wasSearchedFor { limits.attempts = 1 }
        let cursor = MergedCursor(pedometer.cursor)
        let link = PedometerLink(reader: reader, central: central, due: due, limits: limits, isInRange: isInRange)
        var timers: [LinkTimer] = []
        var loss: (any Error)?
        var hasEnded = false
        do {
            _ = try await link.run(LinkRetry(mayPair: due.protectedValue != nil)) { step, error in
                if step.explainsLess(than: error) { loss = error }
                if case .reconnect = step { receiver.progress(.reconnecting, of: pedometer) }
            } ended: { peripheral, result in
                hasEnded = true
                // The rest needs no link.
                peripheral.disconnect()
                linkIsFree()
                await end(result)
            } _: { peripheral in
                timers.append(peripheral.timer)
                receiver.progress(.connecting, of: pedometer)
                return try await read(over: peripheral, cursor)
            }
        } catch {
            // There is no link, or not to the right device, or the pairing failed. What ended the link before may say more.
            if !hasEnded { await end(.failure(Task.isCancelled ? CancellationError() : loss ?? absence(error))) }
        }
        if !timers.isEmpty {
            receiver.disconnected(pedometer, after: timers.reduce(.zero) { $0 + $1.elapsed }.inSeconds)
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
        var heard = SearchResult()
        var (hasSearched, wasRestarted) = (false, false)
        // A paired one may advertise to this machine alone, which no scan shows: no search is started for it alone.
        while missing.contains(where: { remembered[$0.address]?.isPaired != true }) {
            if left <= .zero {
                guard reader.restartsAdapter, !wasRestarted, heard.isSilent, try await central.restartAdapter(reader.adapter) else { break }
                for due in missing { receiver.progress(.adapterRestarted, of: due.pedometer) }
                (left, wasRestarted) = (reader.limits.scan, true)
            }
            hasSearched = true
            let stopwatch = Stopwatch(reader.clock)
            let result = try await central.search(for: Set(missing.map(\.address)), adapter: reader.adapter, limit: left)
            left -= stopwatch.elapsed()
            heard.found.formUnion(result.found)
            heard.others.merge(result.others) { _, new in new }
            heard.unrestrictedTime += result.unrestrictedTime
            guard !result.found.isEmpty else {
                left = .zero  // The time is over, whatever the clock says.
                continue
            }
            for due in missing where result.found.contains(due.address) {
                try Task.checkCancellation()
                missing.removeAll { $0.address == due.address }
                await read(due, isInRange: true, &group)
            }
        }

        for due in missing where remembered[due.address]?.isPaired != true {
            missing.removeAll { $0.address == due.address }
            await receiver.end(of: due.pedometer, .failure(absence(of: due, remembered[due.address], heard)))
        }
        while let due = missing.first {
            try Task.checkCancellation()
            missing.removeFirst()
            await read(due, isInRange: hasSearched, wasSearchedFor: hasSearched, &group)
        }
    }

    private func absence(of due: DuePedometer, _ remembered: Discovery?, _ heard: SearchResult) -> any Error {
        let (address, seconds) = (due.pedometer.address, reader.limits.scan.inSeconds)
        let others = heard.others.values
        if let other = Lookalike.find(due.pedometer, remembered: remembered, among: others, registered: reader.registered) {
            return PedometerError.addressMayHaveChanged(
                address, seconds: seconds, name: other.name ?? due.pedometer.name, to: other.address.description)
        }
        guard heard.isSilent else {
            return BluetoothError.peripheralNotFound(address, seconds: seconds)
        }
        return PedometerError.nothingHeard(address, seconds: seconds)
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

extension SearchResult {
    /// Whether nothing at all was heard in a time in which any device in range would have been.
    fileprivate var isSilent: Bool { found.isEmpty && others.isEmpty && unrestrictedTime >= Self.timeToHearAnything }
}

/// Measures the time since its creation on a clock.
struct Stopwatch: Sendable {
    let elapsed: @Sendable () -> Duration

    init(_ clock: some Clock<Duration>) {
        let start = clock.now
        elapsed = { start.duration(to: clock.now) }
    }
}

extension Duration {
    var inSeconds: Double { Double(components.seconds) + Double(components.attoseconds) * 1e-18 }
}
