internal import BlueZ

/// The link to a pedometer: it connects, checks the services, and connects again if `LinkRetry` decides so.
struct PedometerLink {
    let reader: BluetoothPedometerReader
    let central: Central
    let target: ReadTarget
    /// `scan` becomes shorter once the pedometer was in range.
    var limits: ConnectionLimits
    /// Whether a search has just heard the pedometer.
    var isInRange = false

    /// Runs `body` over a link. If it fails, and `retry` has a next step, runs it again over another link.
    ///
    /// - Parameters:
    ///   - willRetry: called with the error and the step that follows it.
    ///   - ended: called with the result of `body` while the link is still up: disconnecting takes BlueZ about 2 s. Not called if no link
    ///     was set up.
    /// - Throws: the last error of `body`; why there is no link; `CancellationError`.
    func run<R: Sendable>(
        _ retry: LinkRetry, willRetry: (LinkRetry.Step, any Error) -> Void = { _, _ in },
        ended: (Peripheral, Result<R, any Error>) async -> Void = { _, _ in }, _ body: (Peripheral) async throws -> R
    ) async throws -> R {
        var (link, retry, isPairing) = (self, retry, false)
        while true {
            var next: LinkRetry.Step?
            let result = try await link.connect(isInRange: link.isInRange, isPairing: isPairing) { peripheral -> Result<R, any Error>? in
                var result: Result<R, any Error>
                do {
                    result = .success(try await body(peripheral))
                } catch {
                    next = Task.isCancelled ? nil : retry.step(after: error, isTakenOver: peripheral.isTakenOver)
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
            switch next {
            case .pair:
                isPairing = true
            case .reconnect(let pause):
                try await reader.clock.sleep(for: pause)
                link.isInRange = false
                link.limits.scan = min(link.limits.scan, LinkRetry.search)
            case nil:
                break
            }
        }
    }

    /// One link; or two, if the first lacks the model's services.
    ///
    /// BlueZ stores the services of a device and may still have those from before a firmware update (hbldh/bleak #882). So it is made to
    /// drop what it has stored about a device without a bond, and discovers the services once more. A bond, and a link that another program
    /// uses, are left alone.
    ///
    /// - Parameter isPairing: "Just Works" is the only method for a pedometer without a display.
    private func connect<R>(isInRange: Bool, isPairing: Bool, _ body: (Peripheral) async throws -> R) async throws -> R {
        do {
            return try await connectOnce(isInRange: isInRange, isPairing: isPairing, body)
        } catch is MissingService {
            _ = try await central.remove(target.address, adapter: reader.adapter)
            do {
                return try await connectOnce(isPairing: isPairing, isLast: true, body)
            } catch let error as BluetoothError {
                // It was in range a moment ago: that it lacks the service is the better information.
                guard case .peripheralNotFound = error else { throw error }
                throw PedometerError.wrongDevice(model: target.model.title, missing: target.services.first?.description ?? "")
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
            target.address, adapter: reader.adapter, limits: limits, isInRange: isInRange, pairing: isPairing ? AcceptJustWorks() : nil
        ) { peripheral in
            let services = Set(peripheral.services.map(\.uuid))
            for service in target.services where !services.contains(service) {
                let isPaired = await peripheral.isPaired()
                if !isLast, !peripheral.isTakenOver, !isPaired { throw MissingService() }
                let actual = PedometerRegistry.models(withServices: services).first { $0.key != target.model.key }
                throw PedometerError.wrongDevice(model: target.model.title, missing: service.description, actual: actual?.title)
            }
            return try await body(peripheral)
        }
    }
}

/// Decides whether and how a pedometer is connected to again after a link has failed. A value without access to link and clock.
struct LinkRetry: Sendable {
    enum Step: Equatable, Sendable {
        /// Over a new link.
        case reconnect(after: Duration)
        /// Over a new link that is paired first.
        case pair

        /// Whether the failure of this step is less informative for the user than the error that led to it. A pedometer that asked for
        /// pairing and refuses it is reported with the reason of the refusal; one that did not answer may have no pairing at all.
        func isLessInformative(than error: any Error) -> Bool {
            if case .pair = self, case .notPaired? = error as? BluetoothError { return false }
            return true
        }
    }

    /// The wait before a new link: a pedometer that lost one has to begin to advertise again, and a disturbance may pass.
    static let backOff: Duration = .seconds(1)
    /// The search for a pedometer that was in range a moment ago. It is shorter than the search for one that may still arrive.
    static let search: Duration = .seconds(10)

    /// Links that may be lost during a session before it gives up. One: a pedometer at the edge of its range would otherwise use much
    /// battery for many links, and what was received is stored anyway.
    private var reconnects: Int
    private var mayPair: Bool
    private var mayBeDisconnecting = true

    init(reconnects: Int = 1, mayPair: Bool) {
        self.reconnects = reconnects
        self.mayPair = mayPair
    }

    /// - Parameters:
    ///   - error: how the link, or what was done over it, ended.
    ///   - isTakenOver: whether the link was up before.
    /// - Returns: nil if the error is the result.
    mutating func step(after error: any Error, isTakenOver: Bool) -> Step? {
        guard let error = error as? BluetoothError else { return nil }
        switch error {
        case .linkLost where isTakenOver && mayBeDisconnecting:
            // If a program is killed while it disconnects, a link is left that BlueZ drops up to 2 s later.
            mayBeDisconnecting = false
            return .reconnect(after: Self.backOff)
        case .linkLost where reconnects > 0:
            reconnects -= 1
            return .reconnect(after: Self.backOff)
        case .notPaired where mayPair, .timedOut where mayPair:
            // Nothing announces that a characteristic demands encryption, and pairing with a pedometer that has none fails. BlueZ
            // answers "Not paired", or (5.66, with no agent registered) not at all.
            mayPair = false
            return .pair
        default: return nil
        }
    }
}
