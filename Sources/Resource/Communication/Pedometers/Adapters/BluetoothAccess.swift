public import BlueZ
public import StepDomain

/// Pedometers and other devices as they are reached through BlueZ: it conforms to the ports of the
/// domain.
public struct BluetoothAccess: Sendable {
    var environment: ReadingEnvironment
    /// Nil if `central` is on another bus than this machine's own.
    let machine: MachineProbe?
    let central: @Sendable () async throws -> Central

    /// - Parameters:
    ///   - adapter: such as `hci1`; nil for the first that is powered.
    ///   - limits: `scan` bounds the search for all pedometers of a reading together.
    ///   - days: at most this many days back, including today; nil for all that a pedometer holds and istep lacks.
    ///   - registered: addresses of the history's pedometers, which are not mistaken for one whose address has changed.
    ///   - restartsAdapter: whether an adapter that has received nothing during a whole search is switched off and on,
    ///     once in a reading.
    ///   - recovers: whether BlueZ may be made to remove a pedometer without a bond that it neither connects to nor
    ///     disconnects.
    ///   - clockMark: this machine's clock, beside one that is never set; nil for a clock that is always right.
    ///   - machine: the state of the kernel and the radio switches; nil if `central` is on another bus than this
    ///     machine's own, where they explain nothing.
    ///   - central: opened for each use and closed at its end.
    public init(
        adapter: String? = nil, limits: ConnectionLimits = ConnectionLimits(), days: Int? = nil,
        registered: Set<String> = [], restartsAdapter: Bool = false, recovers: Bool = false,
        localTime: LocalTime = .system, now: @escaping @Sendable () -> Timestamp,
        clockMark: (@Sendable () -> ClockMark)? = nil, clock: any Clock<Duration> = ContinuousClock(),
        machine: MachineProbe? = nil, central: @escaping @Sendable () async throws -> Central
    ) {
        environment = ReadingEnvironment(
            adapter: adapter, limits: limits, days: days, registered: registered, restartsAdapter: restartsAdapter,
            recovers: recovers, localTime: localTime, now: now,
            clockMark: clockMark ?? { ClockMark(at: now(), uptime: now().seconds, boot: "", isTrusted: true) },
            clock: clock)
        self.machine = machine
        self.central = central
    }

    var adapter: String? { environment.adapter }

    /// Opens a central and runs `body` over a link to a pedometer, or over several if `retry` says so.
    func withPeripheral<R: Sendable>(
        of target: ReadTarget, _ retry: LinkRetry, _ body: (Peripheral) async throws -> R
    ) async throws -> R {
        try await central().closing { central in
            try await PedometerLink(environment: environment, central: central, target: target).run(retry, body)
        }
    }
}

/// What readings have in common: the adapter, the limits, the days, the time and the place. The parameters are those of
/// `BluetoothAccess`.
struct ReadingEnvironment: Sendable {
    let adapter: String?
    var limits: ConnectionLimits
    let days: Int?
    let registered: Set<String>
    let restartsAdapter: Bool
    let recovers: Bool
    let localTime: LocalTime
    let now: @Sendable () -> Timestamp
    let clockMark: @Sendable () -> ClockMark
    let clock: any Clock<Duration>
}

/// Reads pedometers: finds the peripheral, checks that it is the expected device, and runs its model's session over the
/// link. A pedometer that advertises its steps is read without a link.
extension BluetoothAccess: PedometerReader {
    /// Searches for all pedometers with one scan and reads each as it comes into range, one link at a time. Those that
    /// are not heard within `limits.scan` seconds of scanning end together. While one is being disconnected, the next
    /// is searched for and read.
    ///
    /// A link that is lost is set up again, as `LinkRetry` decides; the session over the new link continues from the
    /// cursor of what was merged.
    public func read(_ pedometers: [Pedometer], for receiver: any ReadingReceiver) async {
        var linked: [ReadTarget] = []
        var advertising: [AdvertisingPedometer] = []
        for pedometer in pedometers {
            do {
                switch try ReadMethod(pedometer) {
                case .linked(let target): linked.append(target)
                case .advertised(let pedometer): advertising.append(pedometer)
                }
            } catch {
                await receiver.end(of: pedometer, .failure(error))
            }
        }
        guard !linked.isEmpty || !advertising.isEmpty else { return }
        do {
            try await central().closing { [linked, advertising] central in
                await withTaskGroup(of: Void.self) { group in
                    if !linked.isEmpty {
                        group.addTask {
                            await LinkedRun(environment: environment, central: central, receiver: receiver).run(linked)
                        }
                    }
                    if !advertising.isEmpty {
                        group.addTask {
                            await AdvertisementRun(environment: environment, central: central, receiver: receiver).run(
                                advertising)
                        }
                    }
                }
            }
        } catch {
            // It could not be opened: the runs themselves report all other errors.
            for pedometer in linked.map(\.pedometer) + advertising.map(\.pedometer) {
                await receiver.end(of: pedometer, .failure(error))
            }
        }
    }

    /// Stays connected and reports today's steps as the pedometer sends them, until the link ends or the task is
    /// cancelled. One that advertises its steps is listened to instead, until it is not heard for as long as a search
    /// takes.
    ///
    /// Nothing is stored. A connection uses the pedometer's battery, and hides the pedometer from other programs.
    ///
    /// - Parameters:
    ///   - known: today's steps before. Those of others are taken from the figures of models that report all that they
    ///     have counted today.
    ///   - keep: called with each value that may be stored as a reading.
    ///   - report: called with each figure; the first time with nil, when it is connected and listens.
    /// - Returns: false for a model that sends nothing unsolicited: then it did not connect.
    /// - Throws: the link's end as `BluetoothError.linkLost`, and the errors of setting up a link.
    public func follow(
        _ pedometer: Pedometer, known: KnownSteps, keep: @escaping @Sendable (CounterReading) -> Void,
        report: @escaping @Sendable (Int?) -> Void
    ) async throws -> Bool {
        let (now, localTime) = (environment.now, environment.localTime)
        let followed = localTime.day(of: now())
        let ownSteps = { @Sendable (steps: Int) in
            localTime.day(of: now()) == followed ? max(0, steps - known.others) : steps
        }
        let target: ReadTarget
        switch try ReadMethod(pedometer) {
        case .linked(let linked): target = linked
        case .advertised(let pedometer):
            try await central().closing { central in
                try await AdvertisementRun(environment: environment, central: central, receiver: nil).follow(
                    pedometer
                ) { report($0.map(ownSteps)) }
            }
            return true
        }
        guard let session = try target.model.live(pedometer, known: known.own) else { return false }
        let beat = session.keepAlive
        try await withPeripheral(of: target, LinkRetry(reconnects: 0, mayPair: target.protectedValue != nil)) {
            peripheral in
            var session = session
            let requests = session.begin { !peripheral.characteristics($0.characteristic, in: $0.service).isEmpty }
            let notifications = try await peripheral.notifications(
                of: session.address.characteristic, in: session.address.service)
            let link = PeripheralLink(peripheral: peripheral)
            for (request, address) in requests { try await link.write(request, to: address, response: false) }
            report(nil)
            async let _: Void = keepAlive(peripheral, by: beat)
            for try await value in notifications {
                let (moment, offset) = (now(), localTime.utcOffset(now()))
                guard let steps = session.steps(after: value, at: moment, utcOffset: offset) else { continue }
                if let counter = session.storableCount {
                    keep(CounterReading(at: moment, value: counter, utcOffset: offset))
                }
                report(session.countsFromKnown ? steps : ownSteps(steps))
            }
        }
        return true
    }

    /// Until the task is cancelled. The notifications report the end of the link.
    private func keepAlive(_ peripheral: Peripheral, by keepAlive: KeepAlive?) async {
        guard let keepAlive else { return }
        let address = keepAlive.address
        while (try? await environment.clock.sleep(for: keepAlive.pause)) != nil {
            try? await peripheral.write(
                keepAlive.value, to: address.characteristic, of: address.service, response: false)
        }
    }

    public func batch(of reading: CounterReading, from pedometer: Pedometer) -> SampleBatch? {
        guard case .linked(let target)? = try? ReadMethod(pedometer) else { return nil }
        let mark = environment.clockMark()
        let context = SessionContext(pedometer: pedometer, localTime: environment.localTime, mark: mark)
        return target.model.batch(ofLive: reading, context).map { context.marked($0, start: mark, now: mark) }
    }

    public func holdsTodayOnly(_ pedometer: Pedometer) -> Bool {
        (try? PedometerRegistry.model(pedometer.model))?.holdsTodayOnly(pedometer) ?? false
    }

    public func advertisesSteps(_ pedometer: Pedometer) -> Bool {
        (try? PedometerRegistry.model(pedometer.model)) is any AdvertisedPedometerModel.Type
    }
}
