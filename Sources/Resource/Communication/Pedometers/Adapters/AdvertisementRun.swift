internal import BlueZ
internal import StepDomain

/// A pedometer that is read from its advertisements.
struct AdvertisingPedometer: Sendable {
    let pedometer: Pedometer
    let model: any AdvertisedPedometerModel.Type
    let address: DeviceAddress

    /// Whether an advertisement is this pedometer's: by its sender, or by the address that it contains.
    func sent(_ discovery: Discovery, _ reading: AdvertisedReading?) -> Bool {
        reading?.identity.map { $0 == address } ?? (discovery.address == address)
    }
}

/// One reading of pedometers from their advertisements, without a link: a scan that ends when each was heard.
struct AdvertisementRun: Sendable {
    let environment: ReadingEnvironment
    let central: Central
    /// Nil for an examination, which stores nothing.
    let receiver: (any ReadingReceiver)?

    /// How long to wait for a newer advertisement, if the one that was heard may be old.
    private static let confirmation: Duration = .seconds(3)

    /// Returns when each pedometer has ended.
    func run(_ pedometers: [AdvertisingPedometer]) async {
        for pedometer in pedometers { receiver?.progress(.searching, of: pedometer.pedometer) }
        let results = await listen(for: pedometers, limit: environment.limits.scan)
        for pedometer in pedometers {
            do {
                let reading = try (results[pedometer.address] ?? .failure(CancellationError())).get()
                let report = try await merge(reading, of: pedometer)
                await receiver?.end(of: pedometer.pedometer, .success(report))
            } catch {
                await receiver?.end(of: pedometer.pedometer, .failure(Task.isCancelled ? CancellationError() : error))
            }
        }
    }

    private func merge(_ received: Received, of pedometer: AdvertisingPedometer) async throws -> ReadReport {
        let mark = environment.clockMark()
        let context = SessionContext(
            pedometer: pedometer.pedometer, localTime: environment.localTime, days: environment.days, mark: mark)
        let batch = pedometer.model.batch(received.reading, context, at: received.at)
        try await receiver?.merge(context.marked(batch, start: mark, now: mark), of: pedometer.pedometer)
        receiver?.progress(.reading(done: 1, of: 1), of: pedometer.pedometer)
        return ReadReport()
    }

    struct Received: Sendable {
        var reading: AdvertisedReading
        var at: Timestamp
        /// Whether it was sent during this scan: BlueZ shows the data of an earlier advertisement until a new one
        /// differs.
        var isNew: Bool
    }

    private struct Reception {
        var readings: [DeviceAddress: Received] = [:]
        /// Pedometers that were heard without steps.
        var withoutSteps: Set<DeviceAddress> = []
        var isAnyDeviceDiscovered = false
    }

    /// What each pedometer advertises, by its address. All have a result, unless the task was cancelled.
    func listen(for pedometers: [AdvertisingPedometer], limit: Duration) async -> [DeviceAddress: Result<
        Received, any Error
    >] {
        var reception = Reception()
        var failure: (any Error)?
        do {
            var remembered: [DeviceAddress: [[UInt8]]] = [:]
            for pedometer in pedometers {
                guard let known = try await central.storedPeripheral(pedometer.address, adapter: environment.adapter)
                else {
                    continue
                }
                remembered[pedometer.address] = pedometer.model.reading(in: known)?.frames
            }
            try await scan(for: pedometers, limit: limit, remembered, &reception)
            if reception.readings.values.contains(where: { !$0.isNew }) {
                // In range, and the value is what BlueZ had: a value that has changed is signalled with the next
                // advertisement.
                try await scan(for: pedometers, limit: Self.confirmation, remembered, &reception, isConfirming: true)
            }
        } catch {
            failure = error
        }
        var results: [DeviceAddress: Result<Received, any Error>] = [:]
        for pedometer in pedometers {
            if let reading = reception.readings[pedometer.address] {
                results[pedometer.address] = .success(reading)
            } else if let failure {
                results[pedometer.address] = .failure(failure)
            } else if reception.withoutSteps.contains(pedometer.address) {
                results[pedometer.address] = .failure(
                    PedometerError.advertisesNoSteps(
                        model: pedometer.model.title, advice: pedometer.model.howToAdvertise))
            } else {
                let (address, seconds) = (pedometer.pedometer.address, limit.inSeconds)
                let isNothingDiscovered =
                    !reception.isAnyDeviceDiscovered && limit >= SearchResult.timeToDiscoverAnything
                results[pedometer.address] = .failure(
                    isNothingDiscovered
                        ? PedometerError.nothingDiscovered(address, seconds: seconds)
                        : BluetoothError.peripheralNotFound(address, seconds: seconds))
            }
        }
        return results
    }

    /// Reports the steps of each advertisement with other steps than the one before; first nil, when the pedometer is
    /// heard.
    ///
    /// It scans in rounds: BlueZ reports a device whose advertisements do not change once a scan.
    /// - Throws: `BluetoothError.peripheralNotFound` after a round in which it was not heard, `CancellationError`.
    func follow(_ pedometer: AdvertisingPedometer, _ report: @Sendable (Int?) -> Void) async throws {
        let round = environment.limits.scan
        var (hasBegun, last) = (false, Int?.none)
        while true {
            var isInRange = false
            for try await discovery in await central.scan(ScanFilter(), adapter: environment.adapter, limit: round) {
                let reading = pedometer.model.reading(in: discovery)
                guard pedometer.sent(discovery, reading) else { continue }
                if !hasBegun { report(nil) }
                (hasBegun, isInRange) = (true, true)
                guard let steps = reading?.steps, steps != last, steps <= maximumStepsOfADay else { continue }
                last = steps
                report(steps)
            }
            try Task.checkCancellation()
            guard isInRange else {
                throw BluetoothError.peripheralNotFound(pedometer.pedometer.address, seconds: round.inSeconds)
            }
        }
    }

    /// - Parameter isConfirming: ends early only if all values are new.
    private func scan(
        for pedometers: [AdvertisingPedometer], limit: Duration, _ remembered: [DeviceAddress: [[UInt8]]],
        _ reception: inout Reception, isConfirming: Bool = false
    ) async throws {
        for try await discovery in await central.scan(ScanFilter(), adapter: environment.adapter, limit: limit) {
            reception.isAnyDeviceDiscovered = true
            for pedometer in pedometers {
                let reading = pedometer.model.reading(in: discovery)
                guard pedometer.sent(discovery, reading) else { continue }
                guard let reading else {
                    reception.withoutSteps.insert(pedometer.address)
                    continue
                }
                let isNew =
                    remembered[pedometer.address] != reading.frames
                    || reception.readings[pedometer.address]?.isNew == true
                reception.readings[pedometer.address] = Received(reading: reading, at: environment.now(), isNew: isNew)
            }
            let isEnough = pedometers.allSatisfy {
                reception.readings[$0.address].map { !isConfirming || $0.isNew } ?? false
            }
            if isEnough { return }
        }
    }
}
