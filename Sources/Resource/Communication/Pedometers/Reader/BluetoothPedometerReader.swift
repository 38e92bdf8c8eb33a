public import BlueZ
public import StepDomain

/// Reads pedometers through BlueZ: finds the peripheral, checks that it is the expected device, and runs its model's
/// session over the link. A pedometer that advertises its steps is read without a link.
public struct BluetoothPedometerReader: PedometerReader {
    private let central: @Sendable () async throws -> Central
    let adapter: String?
    let limits: ConnectionLimits
    let days: Int?
    let registered: Set<String>
    let restartsAdapter: Bool
    let recovers: Bool
    let localTime: LocalTime
    let now: @Sendable () -> Timestamp
    let clockMark: @Sendable () -> ClockMark
    let clock: any Clock<Duration>

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
    ///   - central: opened for each reading and closed at its end.
    public init(
        adapter: String? = nil, limits: ConnectionLimits = ConnectionLimits(), days: Int? = nil,
        registered: Set<String> = [],
        restartsAdapter: Bool = false, recovers: Bool = false, localTime: LocalTime = .system,
        now: @escaping @Sendable () -> Timestamp,
        clockMark: (@Sendable () -> ClockMark)? = nil,
        clock: any Clock<Duration> = ContinuousClock(), central: @escaping @Sendable () async throws -> Central
    ) {
        self.adapter = adapter
        self.limits = limits
        self.days = days
        self.registered = registered
        self.restartsAdapter = restartsAdapter
        self.recovers = recovers
        self.localTime = localTime
        self.now = now
        self.clockMark = clockMark ?? { ClockMark(at: now(), uptime: now().seconds, boot: "", isTrusted: true) }
        self.clock = clock
        self.central = central
    }

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
                            await LinkedRun(reader: self, central: central, receiver: receiver).run(linked)
                        }
                    }
                    if !advertising.isEmpty {
                        group.addTask {
                            await AdvertisementRun(reader: self, central: central, receiver: receiver).run(advertising)
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

    /// Connects to check that a pedometer is the expected device, and that its steps can be read: pairs if it requires
    /// that, or asks for it.
    ///
    /// - Returns: its own address, if pairing has shown another one than it was heard from.
    @discardableResult
    public func check(_ pedometer: Pedometer) async throws -> PedometerAddress? {
        guard case .linked(let target) = try ReadMethod(pedometer) else {
            _ = try await examine(pedometer)
            return nil
        }
        return try await withPeripheral(of: target, LinkRetry(mayPair: target.protectedValue != nil)) { peripheral in
            if let value = target.protectedValue {
                try target.model.checkProtected(
                    await peripheral.read(value.characteristic, of: value.service), of: pedometer)
            }
            if let question = target.model.bondQuestion, !(await peripheral.isPaired()),
                try await wantsBond(peripheral, question)
            {
                try await bond(peripheral, target)
            }
            let identity = await peripheral.identity()
            guard identity.address != target.address else { return nil }
            return PedometerAddress(address: identity.address.description, type: identity.type.rawValue)
        }
    }

    /// Over this link: without a bond it may not be found again.
    private func bond(_ peripheral: Peripheral, _ target: ReadTarget) async throws {
        do throws(BluetoothError) {
            try await peripheral.pair(AcceptJustWorks())
        } catch {
            guard case .pairingFailed(_, let reason) = error else { throw error }
            throw PedometerError.bondFailed(model: target.model.title, reason: reason)
        }
    }

    /// How long to wait for each notification that may be the answer whether a pedometer requires bonding: rings answer
    /// within tenths of a second, and most do not know the question.
    private static let bondAnswerTimeout: Duration = .seconds(2)
    /// Notifications among which the answer must be.
    private static let mostBeforeBondAnswer = 20

    private func wantsBond(_ peripheral: Peripheral, _ question: BondQuestion) async throws -> Bool {
        let notifications = try await peripheral.notifications(
            of: question.answers.characteristic, in: question.answers.service)
        try await peripheral.write(
            question.request, to: question.requests.characteristic, of: question.requests.service, response: false)
        var values = notifications.makeAsyncIterator()
        for _ in 0..<Self.mostBeforeBondAnswer {
            do throws(BluetoothError) {
                guard let value = try await values.next(within: Self.bondAnswerTimeout) else { return false }
                if let isWanted = question.isWanted(value) { return isWanted }
            } catch {
                guard case .timedOut = error else { throw error }
                return false
            }
        }
        return false
    }

    /// Connects, checks the services and runs the model's short reading, which changes nothing: it stores no steps,
    /// sets no clock, and does not pair.
    public func examine(_ pedometer: Pedometer) async throws -> ReadReport {
        let target: ReadTarget
        switch try ReadMethod(pedometer) {
        case .linked(let linked): target = linked
        case .advertised(let pedometer): return try await receiveAdvertisement(of: pedometer)
        }
        let session = try target.model.probe(SessionContext(pedometer: pedometer, localTime: localTime))
        return try await withPeripheral(of: target, LinkRetry(mayPair: false)) { peripheral in
            try await run(session, peripheral, { _ in }, { _ in })
        }.report
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
        let followed = localTime.day(of: now())
        let ownSteps = { @Sendable [now, localTime] (steps: Int) in
            localTime.day(of: now()) == followed ? max(0, steps - known.others) : steps
        }
        let target: ReadTarget
        switch try ReadMethod(pedometer) {
        case .linked(let linked): target = linked
        case .advertised(let pedometer):
            try await central().closing { central in
                try await AdvertisementRun(reader: self, central: central, receiver: nil).follow(pedometer) {
                    report($0.map(ownSteps))
                }
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
        while (try? await clock.sleep(for: keepAlive.pause)) != nil {
            try? await peripheral.write(
                keepAlive.value, to: address.characteristic, of: address.service, response: false)
        }
    }

    public func batch(of reading: CounterReading, from pedometer: Pedometer) -> SampleBatch? {
        guard case .linked(let target)? = try? ReadMethod(pedometer) else { return nil }
        let mark = clockMark()
        let context = SessionContext(pedometer: pedometer, localTime: localTime, mark: mark)
        return target.model.batch(ofLive: reading, context).map { context.marked($0, start: mark, now: mark) }
    }

    public func holdsTodayOnly(_ pedometer: Pedometer) -> Bool { PedometerRegistry.holdsTodayOnly(pedometer) }
    public func advertisesSteps(_ pedometer: Pedometer) -> Bool { PedometerRegistry.advertisesSteps(pedometer) }

    /// Listens for an advertisement with steps, and discards the steps.
    private func receiveAdvertisement(of pedometer: AdvertisingPedometer) async throws -> ReadReport {
        try await central().closing { central in
            let run = AdvertisementRun(reader: self, central: central, receiver: nil)
            guard let result = await run.listen(for: [pedometer], limit: limits.scan)[pedometer.address] else {
                throw CancellationError()
            }
            _ = try result.get()
            return ReadReport()
        }
    }

    /// Opens a central and runs `body` over a link, or over several if `retry` says so.
    private func withPeripheral<R: Sendable>(
        of target: ReadTarget, _ retry: LinkRetry, _ body: (Peripheral) async throws -> R
    ) async throws -> R {
        try await central().closing { central in
            try await PedometerLink(reader: self, central: central, target: target, limits: limits).run(retry, body)
        }
    }

    func run(
        _ session: any PedometerSession, _ peripheral: Peripheral,
        _ progress: @escaping @Sendable (ReadProgress) -> Void,
        _ merge: @escaping @Sendable (SampleBatch) async throws -> Void
    ) async throws -> SessionDriver.Outcome {
        let driver = SessionDriver(
            link: PeripheralLink(peripheral: peripheral), now: now, progress: progress, merge: merge)
        var session = session
        var outcome = try await driver.run(&session)
        outcome.report.readSeconds = peripheral.timer.elapsed.inSeconds
        return outcome
    }
}
