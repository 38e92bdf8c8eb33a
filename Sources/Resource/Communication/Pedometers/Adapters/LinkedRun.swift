internal import BlueZ
internal import StepDomain
internal import Synchronization

/// One reading of several pedometers: one search for all, and one link at a time. BlueZ takes about 2 s to disconnect;
/// the next pedometer is searched for and read meanwhile.
struct LinkedRun: Sendable {
    let environment: ReadingEnvironment
    let central: Central
    let receiver: any ReadingReceiver

    /// How often a search waits for an adapter that was lost.
    private static let maximumAdapterWaits = 3

    /// Returns when each pedometer has ended and each link is down.
    func run(_ all: [ReadTarget]) async {
        for target in all { receiver.progress(.searching, of: target.pedometer) }
        await withTaskGroup(of: Void.self) { group in
            var missing = all
            do {
                try await read(&missing, &group)
            } catch {
                let reason: any Error = Task.isCancelled ? CancellationError() : error
                for target in missing { await receiver.end(of: target.pedometer, .failure(reason)) }
            }
        }
    }

    /// - Parameter missing: those that have not ended, if it throws.
    private func read(_ missing: inout [ReadTarget], _ group: inout TaskGroup<Void>) async throws {
        var remembered: [DeviceAddress: Discovery] = [:]
        for target in missing {
            remembered[target.address] = try await central.storedPeripheral(
                target.address, adapter: environment.adapter)
        }
        // A connected device does not advertise.
        for target in missing where remembered[target.address]?.isConnected == true {
            missing.removeAll { $0.address == target.address }
            await read(target, isInRange: true, &group)
        }

        // A paired one may advertise to this machine alone, which no scan shows: no search is started for it alone.
        let isSearched = { (target: ReadTarget) in remembered[target.address]?.isPaired != true }
        var discovered: SearchResult?
        if missing.contains(where: isSearched) {
            discovered = try await search(for: &missing, while: isSearched, &group)
        }

        for target in missing where isSearched(target) {
            missing.removeAll { $0.address == target.address }
            await receiver.end(
                of: target.pedometer,
                .failure(absence(of: target, remembered[target.address], discovered ?? SearchResult()))
            )
        }
        while let target = missing.first {
            try Task.checkCancellation()
            missing.removeFirst()
            await read(target, isInRange: discovered != nil, wasNotDiscovered: discovered != nil, &group)
        }
    }

    /// Reads each pedometer as soon as it is heard, and continues to search for the others. If nothing at all is heard
    /// and the user wants it, the adapter is restarted once, and the search begins again.
    ///
    /// - Parameters:
    ///   - missing: those that were heard are removed.
    ///   - isSearched: the search ends when there is none left of these.
    /// - Returns: what was heard in all.
    private func search(
        for missing: inout [ReadTarget], while isSearched: (ReadTarget) -> Bool, _ group: inout TaskGroup<Void>
    ) async throws -> SearchResult {
        var left = environment.limits.scan
        var discovered = SearchResult()
        var wasRestarted = false
        var adapterWaits = 0
        while missing.contains(where: isSearched) {
            if left <= .zero {
                guard environment.restartsAdapter, !wasRestarted, discovered.isSilent,
                    try await central.restartAdapter(environment.adapter)
                else { break }
                for target in missing { receiver.progress(.adapterRestarted, of: target.pedometer) }
                (left, wasRestarted) = (environment.limits.scan, true)
            }
            let stopwatch = Stopwatch(environment.clock)
            let result: SearchResult
            do throws(BluetoothError) {
                result = try await central.search(
                    for: Set(missing.map(\.address)), adapter: environment.adapter, limit: left)
            } catch {
                // bluetoothd restarts, or the adapter was switched off for a moment.
                guard error.mayPassByItself, adapterWaits < Self.maximumAdapterWaits else { throw error }
                adapterWaits += 1
                try await central.waitForAdapter(environment.adapter)
                continue
            }
            left -= stopwatch.elapsed()
            discovered.found.formUnion(result.found)
            discovered.others.merge(result.others) { _, new in new }
            discovered.unrestrictedTime += result.unrestrictedTime
            guard !result.found.isEmpty else {
                left = .zero  // The time is over, whatever the clock says.
                continue
            }
            for target in missing where result.found.contains(target.address) {
                try Task.checkCancellation()
                missing.removeAll { $0.address == target.address }
                await read(target, isInRange: true, &group)
            }
        }
        return discovered
    }

    private func absence(of target: ReadTarget, _ remembered: Discovery?, _ discovered: SearchResult) -> any Error {
        let (address, seconds) = (target.pedometer.address, environment.limits.scan.inSeconds)
        let others = discovered.others.values
        if let other = Lookalike.find(
            target.pedometer, remembered: remembered, among: others, registered: environment.registered)
        {
            return PedometerError.addressMayHaveChanged(
                address, seconds: seconds, name: other.name ?? target.pedometer.name, to: other.address.description)
        }
        // Nothing is heard of such a pedometer for most of the time, perhaps of no device.
        guard discovered.isSilent, target.model.howToConnect == nil else { return target.notFound(seconds: seconds) }
        return PedometerError.nothingDiscovered(address, seconds: seconds)
    }

    /// Returns when the link is not needed any more; it may still be disconnecting then.
    private func read(
        _ target: ReadTarget, isInRange: Bool, wasNotDiscovered: Bool = false, _ group: inout TaskGroup<Void>
    ) async {
        let (linkIsFree, signal) = AsyncStream<Void>.makeStream()
        let reading = PedometerReading(
            environment: environment, central: central, receiver: receiver, target: target,
            wasNotDiscovered: wasNotDiscovered)
        group.addTask {
            await reading.run(isInRange: isInRange) { signal.finish() }
            signal.finish()
        }
        for await _ in linkIsFree {}
    }
}

extension SearchResult {
    /// Whether nothing at all was heard in a time in which any device in range would have been.
    fileprivate var isSilent: Bool {
        found.isEmpty && others.isEmpty && unrestrictedTime >= Self.timeToDiscoverAnything
    }
}

/// The reading of one pedometer, over one link or, when that is lost, over a second one.
struct PedometerReading: Sendable {
    let environment: ReadingEnvironment
    let central: Central
    let receiver: any ReadingReceiver
    let target: ReadTarget
    /// Whether a search did not hear it: then only one attempt to connect is made.
    var wasNotDiscovered = false

    private var pedometer: Pedometer { target.pedometer }

    /// Reports the end to the receiver as soon as it is known, and returns when the link is down.
    ///
    /// - Parameter linkIsFree: called when the next pedometer may be connected to.
    func run(isInRange: Bool, linkIsFree: @Sendable () -> Void) async {
        var environment = environment
        if wasNotDiscovered { environment.limits.attempts = 1 }
        let cursor = MergedCursor(pedometer.cursor)
        let link = PedometerLink(environment: environment, central: central, target: target, isInRange: isInRange)
        var timers: [LinkTimer] = []
        var loss: (step: LinkRetry.Step, error: any Error)?
        var hasEnded = false
        do {
            _ = try await link.run(LinkRetry(mayPair: target.protectedValue != nil), progress: { cursor.moves }) {
                step, error in
                loss = (step, error)
                if step != .pair { receiver.progress(.reconnecting, of: pedometer) }
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
            // There is no link, or not to the right device, or the pairing failed. What ended the link before may say
            // more.
            if !hasEnded {
                let earlier = loss.flatMap { $0.step.isLessInformative(error, than: $0.error) ? $0.error : nil }
                await end(.failure(Task.isCancelled ? CancellationError() : earlier ?? absence(error)))
            }
        }
        if !timers.isEmpty {
            receiver.disconnected(pedometer, after: timers.reduce(.zero) { $0 + $1.elapsed }.inSeconds)
        }
    }

    /// A session continues from the merged batches: what was read over a lost link is not requested again.
    private func read(over peripheral: Peripheral, _ cursor: MergedCursor) async throws -> SessionDriver.Outcome {
        var current = pedometer
        current.cursor = cursor.value
        let start = environment.clockMark()
        let context = SessionContext(
            pedometer: current, localTime: environment.localTime, days: environment.days, mark: start)
        cursor.begin(with: context.pedometer.cursor)
        let session = try target.model.session(context)
        return try await SessionDriver.run(
            session, over: peripheral, environment, { [receiver, pedometer] in receiver.progress($0, of: pedometer) },
            { [environment, receiver, pedometer] batch in
                let marked = context.marked(batch, start: start, now: environment.clockMark(), after: cursor.value)
                try await receiver.merge(marked, of: pedometer)
                if batch.cursor != nil, let moved = marked.cursor { cursor.move(to: moved) }
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
        guard wasNotDiscovered, case .connectFailed(_, let reason)? = error as? BluetoothError, reason.isTransient
        else {
            return error
        }
        return target.notFound(seconds: environment.limits.scan.inSeconds)
    }
}

/// The cursor of the batches that were merged.
private final class MergedCursor: Sendable {
    private let state: Mutex<(cursor: PedometerCursor, moves: Int)>
    init(_ cursor: PedometerCursor) { state = Mutex((cursor, 0)) }
    var value: PedometerCursor { state.withLock { $0.cursor } }
    /// How often it has changed.
    var moves: Int { state.withLock { $0.moves } }

    /// The cursor as it is understood by the present clock.
    func begin(with cursor: PedometerCursor) { state.withLock { $0.cursor = cursor } }

    func move(to new: PedometerCursor) {
        state.withLock { state in
            if state.cursor != new { state = (new, state.moves + 1) }
        }
    }
}
