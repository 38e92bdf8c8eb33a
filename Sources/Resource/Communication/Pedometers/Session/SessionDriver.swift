internal import BlueZ
internal import StepDomain

/// Carries out the actions of a session, and records every frame that is sent or received.
struct SessionDriver: Sendable {
    let link: any SessionLink
    /// Frames, and bytes of them, that are held in memory until the next batch. The longest answer known is a day of a
    /// ring: 96 packets of 16 bytes, requested three times. Anything longer is not an answer.
    static let maximumFrames = 8_192
    static let maximumBytes = 1 << 20

    /// A reading that takes longer has no end. The longest known is the first one of a Bangle.js with 400 days, which
    /// continues where it was ended. The timers' services end a run after 20 minutes, and other pedometers are to be
    /// read in it, too.
    static let maximumReading = Duration.seconds(15 * 60)

    let now: @Sendable () -> Timestamp
    /// Time of a clock that setting the machine's clock does not affect.
    var uptime: @Sendable () -> Duration = { startOfUptime.duration(to: .now) }
    let progress: @Sendable (ReadProgress) -> Void
    let merge: @Sendable (SampleBatch) async throws -> Void

    /// Frames of batches that are not delivered yet.
    fileprivate struct Log {
        var frames: [RawFrame] = []
        /// Values that were longer than Bluetooth allows.
        var oversized = 0
        /// Bytes of `frames`.
        private var bytes = 0

        /// - Throws: `PedometerError.undecodable` if the frames exceed what can belong to a batch. Earlier frames are
        ///   kept.
        mutating func add(_ direction: RawFrame.Direction, _ bytes: [UInt8], at moment: Timestamp)
            throws(PedometerError)
        {
            guard frames.count < SessionDriver.maximumFrames, self.bytes + bytes.count <= SessionDriver.maximumBytes
            else {
                throw .undecodable("too many packets")
            }
            self.bytes += bytes.count
            frames.append(RawFrame(direction, at: moment, bytes: bytes))
        }

        /// Returns the frames so far and removes them from the log.
        mutating func takeFrames() -> [RawFrame] {
            defer { (frames, bytes) = ([], 0) }
            return frames
        }

        /// - Returns: the value, cut to what Bluetooth allows: a longer one does not come from a pedometer, and no
        ///   session should process it.
        mutating func receive(_ bytes: [UInt8], at moment: Timestamp) throws(PedometerError) -> [UInt8] {
            try add(.received, bytes, at: moment)
            guard bytes.count > RawFrame.longest else { return bytes }
            oversized += 1
            return Array(bytes.prefix(RawFrame.longest))
        }
    }

    /// The result of a session that came to its end.
    struct Outcome: Sendable {
        var report: ReadReport
        /// Frames since the last batch (such as those of the clock): handed over when the link is down, which does not
        /// have to wait for them.
        var rest: SampleBatch?
    }

    /// Runs a session over a link to its end.
    static func run(
        _ session: any PedometerSession, over peripheral: Peripheral, _ environment: ReadingEnvironment,
        _ progress: @escaping @Sendable (ReadProgress) -> Void,
        _ merge: @escaping @Sendable (SampleBatch) async throws -> Void
    ) async throws -> Outcome {
        let driver = SessionDriver(
            link: PeripheralLink(peripheral: peripheral), now: environment.now, progress: progress, merge: merge)
        var session = session
        var outcome = try await driver.run(&session)
        outcome.report.readSeconds = peripheral.timer.elapsed.inSeconds
        return outcome
    }

    /// Runs a session to its end.
    ///
    /// When the link ends, the session may deliver what was received of a day; that is merged before the link's error
    /// is thrown.
    ///
    /// - Throws: the session's own `PedometerError`, the link's error, or the error that `merge` threw. Frames that
    ///   belong to no batch are then handed over in a batch of their own: they show the cause.
    func run(_ session: inout any PedometerSession) async throws -> Outcome {
        var log = Log()
        do {
            let outcome = try await run(&session, &log)
            var report = ReadReport(
                battery: outcome.battery, clockSet: outcome.clockSet, firmware: outcome.firmware,
                notices: outcome.notices)
            if report.battery == nil { report.battery = await link.batteryLevel() }
            if log.oversized > 0 { report.notices.append(.oversized(values: log.oversized)) }
            return Outcome(report: report, rest: log.frames.isEmpty ? nil : SampleBatch(frames: log.frames))
        } catch let refusal as BatchStorage.Refusal {
            throw refusal.cause  // the history would refuse the frames, too
        } catch {
            if !log.frames.isEmpty { try? await merge(SampleBatch(frames: log.frames)) }
            throw error
        }
    }

    private static let startOfUptime = ContinuousClock.now

    private func run(_ session: inout any PedometerSession, _ log: inout Log) async throws -> SessionReport {
        let start = uptime()
        var event = SessionEvent.started
        var storage = BatchStorage(store: merge, report: progress)
        while true {
            let action = session.next(after: event, at: now(), uptime: uptime())
            switch action {
            case .deliver(let batch, let step):
                try await add(batch, step, &log, to: &storage)
                if !session.readsOn { try await storage.flush() }
                event = .done
            case .finish(let report):
                try await storage.flush()
                return report
            case .fail(let error):
                try await storage.flush()
                throw error
            case .subscribe, .subscribeAll, .write, .stream, .writeIfPresent, .read, .readIfPresent, .receive:
                do {
                    guard uptime() - start < Self.maximumReading else {
                        throw PedometerError.endless(minutes: Int(Self.maximumReading.components.seconds / 60))
                    }
                    event = try await carryOut(action, &log, &storage)
                } catch {
                    if case .deliver(let batch, let step) = session.next(after: .linkLost, at: now(), uptime: uptime())
                    {
                        try await add(batch, step, &log, to: &storage)
                    }
                    try await storage.flush()
                    throw error
                }
            }
        }
    }

    /// Adds a batch with the frames so far to those that are to be stored.
    private func add(
        _ batch: SampleBatch, _ step: ReadProgress, _ log: inout Log, to storage: inout BatchStorage
    ) async throws(BatchStorage.Refusal) {
        var batch = batch
        batch.frames = log.takeFrames()
        try await storage.add(batch, step, at: uptime())
    }

    /// Waits for a notification, and begins to store the batches when they have waited long enough.
    private func receive(within limit: Duration, _ storage: inout BatchStorage) async throws -> [UInt8]? {
        guard let pause = storage.remaining(at: uptime()), pause < limit else {
            return try await link.next(within: limit)
        }
        if pause > .zero, let value = try await link.next(within: pause) { return value }
        storage.begin()
        return try await link.next(within: limit - pause)
    }

    /// - Throws: the link's error, or `CancellationError`.
    private func carryOut(
        _ action: SessionAction, _ log: inout Log, _ storage: inout BatchStorage
    ) async throws -> SessionEvent {
        try Task.checkCancellation()
        switch action {
        case .subscribe(let address):
            try await link.subscribe(address)
            return .done
        case .subscribeAll(let addresses):
            try await link.subscribeAll(addresses)
            return .done
        case .write(let bytes, let address, let response):
            try await link.write(bytes, to: address, response: response)
            try log.add(.sent, bytes, at: now())
            return .done
        case .stream(let bytes, let address):
            try await link.stream(bytes, to: address)
            for start in stride(from: 0, to: bytes.count, by: RawFrame.longest) {
                try log.add(.sent, Array(bytes[start..<min(start + RawFrame.longest, bytes.count)]), at: now())
            }
            return .done
        case .writeIfPresent(let bytes, let address):
            guard try await link.writeIfPresent(bytes, to: address) else { return .absent }
            try log.add(.sent, bytes, at: now())
            return .done
        case .read(let address):
            return .value(try log.receive(try await link.read(address), at: now()))
        case .readIfPresent(let address):
            guard let value = try await link.readIfPresent(address) else { return .absent }
            return .value(try log.receive(value, at: now()))
        case .receive(let seconds):
            guard let value = try await receive(within: .seconds(seconds), &storage) else { return .silence }
            return .value(try log.receive(value, at: now()))
        case .deliver, .finish, .fail:
            return .done  // not the link's error
        }
    }
}
