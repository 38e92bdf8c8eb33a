internal import StepDomain

/// A reading of a Bangle.js: one request for all records since the last reading; batches while they arrive.
///
/// The watch ends its answer with the number of records that it sent. Only if all of them have arrived does the cursor
/// stay where the records end; otherwise it goes back, and the next sync requests the same records again.
struct BangleSession: PedometerSession {
    private enum Stage { case subscribing, breaking, requesting, receiving, delivering, ending }

    /// Seconds. Between two days of its records the watch reads its flash memory, which takes up to a second.
    private static let replyTimeout = 10.0
    /// How often the request is sent before the session gives up.
    private static let attempts = 2
    /// Records and notifications after which a batch is delivered: a week, or half of the frames that the driver holds.
    private static let batchRecords = 1_008
    private static let batchPackets = 4_096
    /// No watch has more: `oldestDay` days of 144 records.
    private static let maximumRecords = (BangleJS.oldestDay + 2) * 144
    /// Bytes without a record after which it is not an answer.
    private static let maximumNoise = 65_536

    private let context: SessionContext
    private let isProbe: Bool
    private var converter: BangleSlotConverter
    private var stage = Stage.subscribing
    private var attempt = 0
    /// The request is sent again after the received records were delivered.
    private var asksAgain = false
    private var lines = LineReader()
    /// What the watch reported about its clock; nil if it did not.
    private var clock: BangleClock?
    /// Since when the present request asks for records.
    private var asked = Timestamp(0)
    /// Older records than these are needed, as the watch's clock shows.
    private var asksEarlier = false
    /// The answer to the present request has begun.
    private var hasBegun = false
    /// Whether any request was answered at all.
    private var wasAnswered = false
    /// Records, including those that cannot be decoded.
    private var received = 0
    /// The same for all answers together: an answer may begin any number of times.
    private var receivedInAll = 0
    private var undecodable = 0
    /// An error of the watch's JavaScript in the middle of the answer. It may be that of another program: it counts
    /// only if the answer ends there.
    private var scriptError: PedometerError?
    /// Reported after the received records were delivered.
    private var failure: PedometerError?
    private var noise = 0
    private var packets = 0
    private var announced: Int?
    /// When the present wait began: when the request was sent, or when the last part of its answer arrived.
    private var waitStart = Duration.zero
    /// Time of the present event. It and `waitStart` are times of a clock that is never set.
    private var uptime = Duration.zero
    private var report = SessionReport()

    init(_ context: SessionContext, isProbe: Bool = false) {
        self.context = context
        self.isProbe = isProbe
        converter = BangleSlotConverter(context, now: Timestamp(0))
    }

    mutating func next(after event: SessionEvent, at now: Timestamp, uptime: Duration) -> SessionAction {
        self.uptime = uptime
        switch (stage, event) {
        case (_, .started):
            return .subscribe(BangleJS.output)
        case (.subscribing, .done):
            return interrupt()
        case (.breaking, .done):
            return request(now)
        case (.requesting, .done):
            stage = .receiving
            return .receive(seconds: Self.replyTimeout)
        case (.receiving, .value(let bytes)):
            return receive(bytes, now)
        case (.receiving, .silence):
            return silence()
        case (.receiving, .linkLost), (.requesting, .linkLost), (.breaking, .linkLost):
            // The received records are counted by their own times; the cursor stays before the records that may be
            // missing.
            return .deliver(converter.batch(isComplete: false), progress: .reading(done: 0, of: 1))
        case (.delivering, .done) where asksAgain:
            return interrupt()
        case (.delivering, .done):
            stage = .receiving
            return .receive(seconds: Self.replyTimeout)
        case (.ending, _):
            return finish()
        case (_, .linkLost), (_, .absent), (_, .silence), (_, .value), (_, .done):
            return .finish(report)
        }
    }

    // MARK: The request

    /// Ends a line that another program has left unfinished on the console: `print(1` would wait for its bracket,
    /// whatever follows.
    ///
    /// The byte is sent on its own, so that the console has discarded the line before the request arrives.
    private mutating func interrupt() -> SessionAction {
        stage = .breaking
        return .stream([0x03], to: BangleJS.input)
    }

    private mutating func request(_ now: Timestamp) -> SessionAction {
        attempt += 1
        (asksAgain, asksEarlier) = (false, false)
        stage = .requesting
        (lines, hasBegun, noise, announced) = (LineReader(), false, 0, nil)
        waitStart = uptime
        asked = restart(now)
        // The first line break is for the console that is off, which has kept the byte before; \u{10} switches off the
        // echo of a line.
        let question = "\n\u{10}" + BangleClock.question(read: context.pedometer.cursor.readThrough, now: now)
        let line = "\n\u{10}GB({\"t\":\"actfetch\",\"ts\":\(asked.seconds * 1000)})\n"
        return .stream(Array((question + line).utf8), to: BangleJS.input)
    }

    /// Drops what was received of an earlier answer.
    ///
    /// - Returns: the time since when records have to be requested.
    @discardableResult
    private mutating func restart(_ now: Timestamp) -> Timestamp {
        (received, undecodable, scriptError) = (0, 0, nil)
        converter = BangleSlotConverter(context, now: now, clock: clock)
        let since = converter.requested(days: context.days)
        return isProbe ? now - 3600 : since
    }

    private mutating func silence() -> SessionAction {
        if attempt < Self.attempts {
            return converter.pending > 0 ? requestAgain() : interrupt()
        }
        if let scriptError { return fail(scriptError) }
        guard wasAnswered else {
            return .fail(
                .noAnswer(
                    to: "the request for its activity", attempts: Self.attempts,
                    seconds: Self.replyTimeout * Double(Self.attempts)))
        }
        // With the console off ("Programmable: off"), the watch hides the error of its program.
        if receivedInAll == 0 { return fail(.missingApp(Self.health, message: nil)) }
        announced = nil
        return end()
    }

    /// Delivers the received records, then sends the request again.
    private mutating func requestAgain() -> SessionAction {
        asksAgain = true
        stage = .delivering
        return .deliver(converter.batch(isComplete: false, isLast: true), progress: .reading(done: 0, of: 1))
    }

    // MARK: The answer

    private mutating func receive(_ bytes: [UInt8], _ now: Timestamp) -> SessionAction {
        packets += 1
        noise += bytes.count
        for line in lines.add(bytes) {
            switch BangleLine(line) {
            case .begin:
                // Records that came before belong to an earlier request, and are sent again.
                asksEarlier = restart(now) < asked
                hasBegun = true
                wasAnswered = true
                waitStart = uptime
            case .record(let milliseconds, let steps):
                noise = 0
                waitStart = uptime
                received += 1
                receivedInAll += 1
                converter.add(milliseconds: milliseconds, steps: steps)
            case .end(let count) where hasBegun:
                announced = count
                return end()
            case .clock(let clock): self.clock = clock
            case .battery(let level): report.battery = level
            case .failure(let message):
                let error = Self.error(message)
                if !hasBegun { return fail(error) }
                // Without the app, or with an old one, the answer ends before its first record.
                if received == 0, error.category == .unavailable { return fail(error) }
                scriptError = error
            case .unknownRequest(let message) where !hasBegun:
                return fail(.outdatedApp(Self.android, needs: "0.31", message: String(message.prefix(200))))
            case .locked where !hasBegun:
                return fail(.consoleLocked)
            case .undecodableRecord:
                // The watch counts it, too.
                waitStart = uptime
                received += 1
                receivedInAll += 1
                undecodable += 1
            case .undecodable: undecodable += 1
            case .end, .live, .unknownRequest, .locked, .other: break
            }
        }
        let isEndless =
            noise > Self.maximumNoise || received > Self.maximumRecords
            || receivedInAll > Self.maximumRecords * Self.attempts
        if isEndless { return fail(.undecodable("text without end")) }
        // Live steps do not extend the wait.
        if uptime - waitStart > .seconds(Self.replyTimeout) { return silence() }
        guard converter.pending >= Self.batchRecords || packets >= Self.batchPackets else {
            return .receive(seconds: Self.replyTimeout)
        }
        packets = 0
        stage = .delivering
        let batch = converter.batch(
            isComplete: false, movesOn: hasBegun && !asksEarlier && undecodable + lines.oversized == 0)
        return .deliver(batch, progress: .reading(done: 0, of: 1))
    }

    private static let android = "Android Integration"
    private static let health = "Health Tracking"

    /// What is missing on the watch, by the message of its JavaScript.
    static func error(_ message: String) -> PedometerError {
        let text = String(message.prefix(200))
        if text.contains("\"GB\"") || text.contains("GB is not") { return .missingApp(android, message: text) }
        if text.contains("readAllRecordsSince") { return .outdatedApp(health, needs: "0.33", message: text) }
        // Another program may have a part of that name.
        let isMissing = text.contains("not found") || text.contains("not defined")
        if isMissing, text.contains("health") { return .missingApp(health, message: text) }
        return .scriptFailed(text)
    }

    /// Delivers the received records, then fails.
    private mutating func fail(_ error: PedometerError) -> SessionAction {
        guard converter.pending > 0 else { return .fail(error) }
        failure = error
        stage = .ending
        return .deliver(converter.batch(isComplete: false, isLast: true), progress: .reading(done: 0, of: 1))
    }

    private mutating func end() -> SessionAction {
        if asksEarlier, attempt < Self.attempts { return interrupt() }
        // On a machine that is too busy, notifications are lost before they reach this program: the watch has sent more
        // than arrived.
        if let announced, announced > received || undecodable + lines.oversized > 0, attempt < Self.attempts {
            // Of a record in several notifications, one may be missing.
            return requestAgain()
        }
        stage = .ending
        // Of what was not requested nothing is known.
        let isComplete = announced == received && !asksEarlier
        return .deliver(
            converter.batch(isComplete: isComplete, isLast: true), progress: .reading(done: isComplete ? 1 : 0, of: 1))
    }

    private mutating func finish() -> SessionAction {
        if let failure { return .fail(failure) }
        guard let announced, announced == received, !asksEarlier else {
            return .fail(.incomplete(received: received, announced: announced))
        }
        if undecodable + lines.oversized > 0 {
            report.notices.append(.undecodable(frames: undecodable + lines.oversized))
        }
        report.notices += converter.notices
        return .finish(report)
    }
}
