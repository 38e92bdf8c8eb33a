internal import BlueZ
internal import StepDomain

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
