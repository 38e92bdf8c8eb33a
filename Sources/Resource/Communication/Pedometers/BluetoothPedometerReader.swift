public import BlueZ
public import StepDomain

/// Reads pedometers through BlueZ: finds the peripheral, checks that it is what it should be, and lets its model's session
/// run over the link.
public struct BluetoothPedometerReader: PedometerReader {
    private let central: @Sendable () async throws -> Central
    private let adapter: String?
    private let limits: ConnectionLimits
    private let days: Int?
    private let localTime: LocalTime
    private let now: @Sendable () -> Timestamp
    private let clock: any Clock<Duration>

    /// - Parameters:
    ///   - adapter: such as `hci1`; nil for the first that is powered.
    ///   - days: at most so many days back, today counted; nil for all that a pedometer holds and istep lacks.
    ///   - central: opened for each reading and closed at its end.
    public init(
        adapter: String? = nil, limits: ConnectionLimits = ConnectionLimits(), days: Int? = nil,
        localTime: LocalTime = .system, now: @escaping @Sendable () -> Timestamp,
        clock: any Clock<Duration> = ContinuousClock(), central: @escaping @Sendable () async throws -> Central
    ) {
        self.adapter = adapter
        self.limits = limits
        self.days = days
        self.localTime = localTime
        self.now = now
        self.clock = clock
        self.central = central
    }

    public func read(
        _ pedometer: Pedometer,
        progress: @escaping @Sendable (ReadProgress) -> Void,
        merge: @escaping @Sendable (SampleBatch) async throws -> Void
    ) async throws -> ReadReport {
        let model = try PedometerRegistry.model(pedometer.model)
        let session = try model.session(SessionContext(pedometer: pedometer, localTime: localTime, days: days))
        progress(.searching)
        let outcome = try await withPeripheral(of: pedometer, model) { peripheral in
            progress(.connecting)
            return try await run(session, peripheral, progress, merge)
        }
        if let rest = outcome.rest { try await merge(rest) }
        return outcome.report
    }

    /// Connects to see that a pedometer is what it should be, and that its steps can be read: pairs where it demands that.
    public func check(_ pedometer: Pedometer) async throws {
        let model = try PedometerRegistry.model(pedometer.model)
        let value = try model.protectedValue(of: pedometer)
        try await withPeripheral(of: pedometer, model) { peripheral in
            guard let value else { return }
            _ = try await peripheral.read(value.service, value.characteristic)
        }
    }

    /// Connects, checks the services and has the model take a look, which changes nothing: no step is kept, no clock is set, and
    /// nothing is paired with.
    public func examine(_ pedometer: Pedometer) async throws -> ReadReport {
        let model = try PedometerRegistry.model(pedometer.model)
        let session = try model.look(SessionContext(pedometer: pedometer, localTime: localTime))
        return try await withPeripheral(of: pedometer, model, mayPair: false) { peripheral in
            try await run(session, peripheral, { _ in }, { _ in })
        }.report
    }

    /// Stays connected and tells today's steps as the pedometer does, until the link ends or the task is cancelled.
    ///
    /// Nothing of it is kept. It costs the pedometer's battery, and hides it from other programs.
    ///
    /// - Parameters:
    ///   - known: today's steps by a reading just before.
    ///   - told: called with each figure, the first time with nil, when it is connected and listens.
    /// - Returns: false for a model that tells nothing unasked: then it did not connect.
    /// - Throws: the link's end as `BluetoothError.linkLost`, and what can stand in the way of a link.
    public func follow(
        _ pedometer: Pedometer, known: Int, told: @escaping @Sendable (Int?) -> Void
    ) async throws -> Bool {
        let model = try PedometerRegistry.model(pedometer.model)
        guard let session = try model.live(pedometer, known: known) else { return false }
        try await withPeripheral(of: pedometer, model) { peripheral in
            var session = session
            let notifications = try await peripheral.notifications(session.address.service, session.address.characteristic)
            told(nil)
            for try await value in notifications {
                if let steps = session.steps(after: value) { told(steps) }
            }
        }
        return true
    }

    /// Connects, checks the services, runs `body`; once more with pairing where it turns out that the pedometer wants it.
    ///
    /// Nothing tells beforehand whether a characteristic demands encryption, and pairing with a pedometer that knows none
    /// fails. So the demand is waited for: BlueZ answers "Not paired", or (5.66, with no agent about) not at all.
    private func withPeripheral<R: Sendable>(
        of pedometer: Pedometer, _ model: any PedometerModel.Type, mayPair: Bool = true, _ body: (Peripheral) async throws -> R
    ) async throws -> R {
        let services = try model.services(of: pedometer)
        let mayWantPairing = try mayPair && model.protectedValue(of: pedometer) != nil
        guard let address = DeviceAddress(pedometer.address) else {
            throw PedometerError.badOption("address", value: pedometer.address, expected: "six pairs of hexadecimal digits")
        }
        let central = try await central()
        func attempt(_ pairing: (any PairingDelegate)?) async throws -> R {
            try await central.withPeripheral(address, adapter: adapter, limits: limits, pairing: pairing) { peripheral in
                try check(peripheral, has: services, model: model.title)
                return try await body(peripheral)
            }
        }
        do {
            let result: R
            do {
                result = try await attempt(nil)
            } catch let error as BluetoothError where mayWantPairing && error.mayMeanPairing {
                // Just Works is all that a pedometer without display can do.
                result = try await attempt(AcceptJustWorks())
            }
            await central.close()
            return result
        } catch {
            await central.close()
            throw error
        }
    }

    private func check(_ peripheral: Peripheral, has services: [BluetoothUUID], model: String) throws(PedometerError) {
        for service in services where !peripheral.services.contains(where: { $0.uuid == service }) {
            throw .wrongDevice(model: model, missing: service.description)
        }
    }

    private func run(
        _ session: any PedometerSession, _ peripheral: Peripheral,
        _ progress: @escaping @Sendable (ReadProgress) -> Void,
        _ merge: @escaping @Sendable (SampleBatch) async throws -> Void
    ) async throws -> SessionDriver.Outcome {
        let link = PeripheralLink(peripheral: peripheral)
        defer { link.end() }
        let driver = SessionDriver(link: link, inbox: Inbox(clock: clock), now: now, progress: progress, merge: merge)
        let stopwatch = Stopwatch(clock)
        var session = session
        var outcome = try await driver.run(&session)
        outcome.report.connectedSeconds = stopwatch.seconds()
        return outcome
    }
}

extension BluetoothError {
    fileprivate var mayMeanPairing: Bool {
        switch self {
        case .notPaired, .timedOut: true
        default: false
        }
    }
}

/// Seconds since it was made, on a clock that the machine's date does not move.
private struct Stopwatch {
    let seconds: @Sendable () -> Double

    init(_ clock: some Clock<Duration>) {
        let began = clock.now
        seconds = {
            let passed = began.duration(to: clock.now).components
            return Double(passed.seconds) + Double(passed.attoseconds) * 1e-18
        }
    }
}
