internal import StepDomain

/// What a session needs of a link to a connected pedometer.
protocol SessionLink: Sendable {
    /// Turns notifications on; they go into `inbox` until the link ends, which closes it.
    func subscribe(_ address: GATTAddress, into inbox: Inbox) async throws
    func write(_ bytes: [UInt8], to address: GATTAddress, response: Bool) async throws
    func read(_ address: GATTAddress) async throws -> [UInt8]
    /// By the Battery Service, if there is one: per cent.
    func batteryLevel() async -> Int?
}

/// Carries out what a session decides, and keeps every frame that goes over the air.
struct SessionDriver: Sendable {
    let link: any SessionLink
    let inbox: Inbox
    let now: @Sendable () -> Timestamp
    let progress: @Sendable (ReadProgress) -> Void
    let merge: @Sendable (SampleBatch) async throws -> Void

    /// Frames of batches still to come, and a tally of all.
    private struct Log {
        var frames: [RawFrame] = []
        var received = 0
        var sent = 0

        mutating func add(_ direction: RawFrame.Direction, _ bytes: [UInt8], at moment: Timestamp) {
            frames.append(RawFrame(direction, at: moment, bytes: bytes))
            if direction == .received { received += bytes.count } else { sent += bytes.count }
        }
    }

    /// What a session that came to its end leaves behind.
    struct Outcome: Sendable {
        var report: ReadReport
        /// Frames since the last batch (the clock's, say): to be handed over when the link is down, which need not wait for them.
        var rest: SampleBatch?
    }

    /// Runs a session to its end.
    ///
    /// - Throws: the session's own `PedometerError`, the link's error, or what `merge` threw. Frames that belong to no
    ///   batch are then handed over in one of their own: they tell why.
    func run(_ session: inout any PedometerSession) async throws -> Outcome {
        var log = Log()
        do {
            let outcome = try await run(&session, &log)
            var report = ReadReport(battery: outcome.battery, clockSet: outcome.clockSet, notices: outcome.notices)
            if report.battery == nil { report.battery = await link.batteryLevel() }
            (report.bytesReceived, report.bytesSent) = (log.received, log.sent)
            return Outcome(report: report, rest: log.frames.isEmpty ? nil : SampleBatch(frames: log.frames))
        } catch let failure as MergeFailure {
            throw failure.cause     // the history refused a batch: it would refuse the frames too
        } catch {
            if !log.frames.isEmpty { try? await merge(SampleBatch(frames: log.frames)) }
            throw error
        }
    }

    private struct MergeFailure: Error { let cause: any Error }

    private func run(_ session: inout any PedometerSession, _ log: inout Log) async throws -> SessionReport {
        var event = SessionEvent.started
        while true {
            try Task.checkCancellation()
            switch session.next(after: event, at: now()) {
            case .subscribe(let address):
                try await link.subscribe(address, into: inbox)
                event = .done
            case .write(let bytes, let address, let response):
                try await link.write(bytes, to: address, response: response)
                log.add(.sent, bytes, at: now())
                event = .done
            case .read(let address):
                let value = try await link.read(address)
                log.add(.received, value, at: now())
                event = .value(value)
            case .receive(let seconds):
                let value = try await inbox.next(within: .seconds(seconds))
                if let value { log.add(.received, value, at: now()) }
                event = value.map(SessionEvent.value) ?? .silence
            case .deliver(var batch, let step):
                batch.frames = log.frames
                log.frames = []
                do { try await merge(batch) } catch { throw MergeFailure(cause: error) }
                progress(step)
                event = .done
            case .finish(let report):
                return report
            case .fail(let error):
                throw error
            }
        }
    }
}
