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

/// Decides whether and how a pedometer is connected to again after a link has failed. A value without access to link
/// and clock.
struct LinkRetry: Sendable {
    enum Step: Equatable, Sendable {
        /// Over a new link.
        case reconnect(after: Duration)
        /// Over a new link that is paired first.
        case pair
        /// Over a new link, after BlueZ was made to forget the services of a pedometer without a bond.
        case rediscover
        /// Over a new link, once the adapter can be used again.
        case awaitAdapter

        /// Whether the failure of this step is less informative for the user than the error that led to it. A pedometer
        /// that asked for pairing and refuses it is reported with the reason of the refusal; one that did not answer
        /// may have no pairing at all. That BlueZ does not connect until a user acts, or that the adapter is gone, says
        /// more than how the link before ended.
        func isLessInformative(_ failure: any Error, than error: any Error) -> Bool {
            let failure = failure as? BluetoothError
            if case .connectFailed(_, let reason)? = failure, reason.reason == .stuck { return false }
            if case .reconnect = self, failure?.mayPassByItself == true { return false }
            if case .pair = self, case .notPaired? = error as? BluetoothError { return false }
            return true
        }
    }

    /// The wait before a new link: a pedometer that lost one has to begin to advertise again, and a disturbance may
    /// pass.
    static let backoff: Duration = .seconds(1)
    /// The search for a pedometer that was in range a moment ago. It is shorter than the search for one that may still
    /// arrive.
    static let search: Duration = .seconds(10)
    /// Links of one reading. Each needs battery, at the edge of the range most of all; what was received is stored
    /// anyway.
    private static let maximumLinks = 10
    /// How often a reading waits for an adapter that was lost.
    private static let maximumAdapterWaits = 3

    /// Links in a row that may fail without progress before the reading gives up.
    private let maximumFailures: Int
    private var failures = 0
    private var links = 0
    private var adapterWaits = 0
    private var mayPair: Bool
    private var mayRediscover: Bool
    private var mayBeDisconnecting = true
    private var mayTimeOut: Bool
    private var lastProgress = 0

    /// - Parameter reconnects: failures in a row without progress after which a new link is made; 0 to report each.
    init(reconnects: Int = 2, mayPair: Bool) {
        maximumFailures = reconnects
        self.mayPair = mayPair
        mayRediscover = reconnects > 0
        mayTimeOut = reconnects > 0
    }

    /// - Parameters:
    ///   - error: how the link, or what was done over it, ended; or why there is none.
    ///   - isTakenOver: whether the link was up before.
    ///   - progress: a number that grows when something new was stored.
    /// - Returns: nil if the error is the result.
    mutating func step(after error: any Error, isTakenOver: Bool, progress: Int = 0) -> Step? {
        guard let error = error as? BluetoothError else { return nil }
        links += 1
        if progress != lastProgress { (failures, lastProgress, mayTimeOut) = (0, progress, maximumFailures > 0) }
        guard links < Self.maximumLinks else { return nil }
        switch error {
        case .linkLost where isTakenOver && mayBeDisconnecting:
            // If a program is killed while it disconnects, a link is left that BlueZ drops up to 2 s later.
            mayBeDisconnecting = false
            return .reconnect(after: Self.backoff)
        case .notPaired where mayPair, .timedOut where mayPair:
            // Nothing announces that a characteristic demands encryption, and pairing with a pedometer that has none
            // fails. BlueZ answers "Not paired", or (5.66, with no agent registered) not at all.
            mayPair = false
            return .pair
        case .attError(ATTErrorCode.invalidHandle, _) where mayRediscover, .characteristicNotFound where mayRediscover:
            // BlueZ has handles from before a firmware update.
            mayRediscover = false
            return .rediscover
        case .timedOut where mayTimeOut:
            // The link may exist for BlueZ alone. If there is no answer over another one either, there will be none.
            mayTimeOut = false
            return .reconnect(after: Self.backoff)
        case .linkLost, .readFailed, .writeFailed, .notifyFailed, .attError, .busy:
            guard failures < maximumFailures else { return nil }
            failures += 1
            return .reconnect(after: Self.backoff)
        default:
            guard error.mayPassByItself, maximumFailures > 0, adapterWaits < Self.maximumAdapterWaits else {
                return nil
            }
            adapterWaits += 1
            return .awaitAdapter
        }
    }
}
