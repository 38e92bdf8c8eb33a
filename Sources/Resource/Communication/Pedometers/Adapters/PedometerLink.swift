internal import BlueZ

/// The link to a pedometer: it connects, checks the services, and connects again if `LinkRetry` decides so.
struct PedometerLink {
    /// `limits.scan` becomes shorter once the pedometer was in range.
    var environment: ReadingEnvironment
    let central: Central
    let target: ReadTarget
    /// Whether a search has just heard the pedometer.
    var isInRange = false

    /// Runs `body` over a link. If it fails, and `retry` has a next step, runs it again over another link.
    ///
    /// - Parameters:
    ///   - progress: a number that grows when `body` has stored something new.
    ///   - willRetry: called with the error and the step that follows it.
    ///   - ended: called with the result of `body` while the link is still up: disconnecting takes BlueZ about 2 s. Not
    ///     called if no link was set up.
    /// - Throws: the last error of `body`; why there is no link; `CancellationError`.
    func run<R: Sendable>(
        _ retry: LinkRetry, progress: () -> Int = { 0 }, willRetry: (LinkRetry.Step, any Error) -> Void = { _, _ in },
        ended: (Peripheral, Result<R, any Error>) async -> Void = { _, _ in }, _ body: (Peripheral) async throws -> R
    ) async throws -> R {
        var (link, retry, isPairing) = (self, retry, false)
        let stopwatch = Stopwatch(environment.clock)
        let isOver = { Task.isCancelled || stopwatch.elapsed() >= SessionDriver.maximumReading }
        while true {
            var next: LinkRetry.Step?
            do {
                let result = try await link.connect(isInRange: link.isInRange, isPairing: isPairing) {
                    peripheral -> Result<R, any Error>? in
                    var result: Result<R, any Error>
                    do {
                        result = .success(try await body(peripheral))
                    } catch {
                        next =
                            isOver()
                            ? nil : retry.step(after: error, isTakenOver: peripheral.isTakenOver, progress: progress())
                        if let next {
                            willRetry(next, error)
                            return nil
                        }
                        // Cancellation disconnects at once: the error of `body` is then only a consequence.
                        result = .failure(Task.isCancelled ? CancellationError() : error)
                    }
                    await ended(peripheral, result)
                    return result
                }
                if let result { return try result.get() }
            } catch let error as BluetoothError where error.mayPassByItself && next == nil && !isOver() {
                // There is no link: the adapter, or bluetoothd, was lost while one was being set up.
                next = retry.step(after: error, isTakenOver: false, progress: progress())
                guard let next else { throw error }
                willRetry(next, error)
            }
            try await link.prepare(next, &isPairing)
        }
    }

    /// What has to be done before the next link.
    private mutating func prepare(_ step: LinkRetry.Step?, _ isPairing: inout Bool) async throws {
        switch step {
        case .pair:
            isPairing = true
            return
        case .reconnect(let pause):
            try await environment.clock.sleep(for: pause)
        case .rediscover:
            try await forgetServices()
        case .awaitAdapter:
            try await central.waitForAdapter(environment.adapter)
        case nil:
            return
        }
        isInRange = false
        environment.limits.scan = min(environment.limits.scan, LinkRetry.search)
    }

    /// A bond, and a link that another program uses, are left alone.
    private func forgetServices() async throws {
        guard let known = try await central.storedPeripheral(target.address, adapter: environment.adapter),
            !known.isPaired, !known.isConnected
        else { return }
        _ = try await central.remove(target.address, adapter: environment.adapter)
    }

    /// One link; or two, if the first lacks the model's services.
    ///
    /// BlueZ stores the services of a device and may still have those from before a firmware update (hbldh/bleak #882).
    /// So it is made to drop what it has stored about a device without a bond, and discovers the services once more. A
    /// bond, and a link that another program uses, are left alone.
    ///
    /// - Parameter isPairing: "Just Works" is the only method for a pedometer without a display.
    private func connect<R>(isInRange: Bool, isPairing: Bool, _ body: (Peripheral) async throws -> R) async throws -> R
    {
        do {
            return try await connectOnce(isInRange: isInRange, isPairing: isPairing, body)
        } catch is MissingService {
            _ = try await central.remove(target.address, adapter: environment.adapter)
            do {
                return try await connectOnce(isPairing: isPairing, isLast: true, body)
            } catch let error as BluetoothError {
                // It was in range a moment ago: that it lacks the service is the better information.
                guard case .peripheralNotFound = error else { throw error }
                throw PedometerError.wrongDevice(
                    model: target.model.title, missing: target.services.first?.description ?? "")
            }
        }
    }

    /// BlueZ's table of a device lacks a service, and BlueZ can be made to read the table again.
    private struct MissingService: Error {}

    /// - Parameter isLast: the table of services was just read.
    private func connectOnce<R>(
        isInRange: Bool = false, isPairing: Bool, isLast: Bool = false, _ body: (Peripheral) async throws -> R
    ) async throws -> R {
        try await central.withPeripheral(
            target.address, adapter: environment.adapter, limits: environment.limits, isInRange: isInRange,
            recovers: environment.recovers,
            pairing: isPairing ? AcceptJustWorks() : nil
        ) { peripheral in
            let services = Set(peripheral.services.map(\.uuid))
            for service in target.services where !services.contains(service) {
                let isPaired = await peripheral.isPaired()
                if !isLast, !peripheral.isTakenOver, !isPaired { throw MissingService() }
                let actual = PedometerRegistry.models(withServices: services).first { $0.key != target.model.key }
                throw PedometerError.wrongDevice(
                    model: target.model.title, missing: service.description, actual: actual?.title)
            }
            return try await body(peripheral)
        }
    }
}
