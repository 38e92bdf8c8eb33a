internal import StepDomain

/// A reading of a Bangle.js: one request for all records since the last reading; batches while they arrive.
///
/// The watch ends its answer with the number of records that it sent. Only if all of them have arrived does the cursor stay where the
/// records end; otherwise it goes back, and the next sync requests the same records again.
struct BangleSession: PedometerSession {
    private enum Stage { case subscribing, requesting, receiving, delivering, ending }

    /// Seconds. Between two days of its records the watch reads its flash memory, which takes up to a second.
    private static let replyTimeout = 10.0
    /// How often the request is sent before the session gives up.
    private static let attempts = 2
    /// Records and notifications after which a batch is delivered: a week, or half of the frames that the driver holds.
    private static let batchRecords = 1_008
    private static let batchPackets = 4_096
    /// No watch has more: `oldestDay` days of 144 records.
    private static let mostRecords = (BangleJS.oldestDay + 2) * 144
    /// Bytes without a record after which it is not an answer.
    private static let mostNoise = 65_536

    private let context: SessionContext
    private let isProbe: Bool
    private var converter: BangleSlotConverter
    private var stage = Stage.subscribing
    private var attempt = 0
    /// The request is sent again after the received records were delivered.
    private var asksAgain = false
    private var lines = LineReader()
    /// The answer to the present request has begun.
    private var hasBegun = false
    /// Whether any request was answered at all.
    private var wasAnswered = false
    /// Records, including those that cannot be decoded.
    private var received = 0
    /// The same for all answers together: an answer may begin any number of times.
    private var receivedInAll = 0
    private var undecodable = 0
    /// An error of the watch's JavaScript in the middle of the answer. It may be that of another program: it counts only if the answer ends
    /// there.
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
        converter = BangleSlotConverter(cursor: context.pedometer.cursor, localTime: context.localTime, now: Timestamp(0))
    }

    mutating func next(after event: SessionEvent, at now: Timestamp, uptime: Duration) -> SessionAction {
        self.uptime = uptime
        switch (stage, event) {
        case (_, .started):
            return .subscribe(BangleJS.output)
        case (.subscribing, .done):
            return request(now)
        case (.requesting, .done):
            stage = .receiving
            return .receive(seconds: Self.replyTimeout)
        case (.receiving, .value(let bytes)):
            return receive(bytes, now)
        case (.receiving, .silence):
            return silence(now)
        case (.receiving, .linkLost), (.requesting, .linkLost):
            // The received records are counted by their own times; the cursor stays before the records that may be missing.
            return .deliver(converter.batch(isComplete: false), progress: .reading(done: 0, of: 1))
        case (.delivering, .done) where asksAgain:
            return request(now)
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

    private mutating func request(_ now: Timestamp) -> SessionAction {
        attempt += 1
        asksAgain = false
        stage = .requesting
        (lines, hasBegun, noise, announced) = (LineReader(), false, 0, nil)
        waitStart = uptime
        let since = restart(now)
        // The first line break ends what another program may have left on the console; \u{10} switches off the echo of this line.
        let line = "\n\u{10}GB({\"t\":\"actfetch\",\"ts\":\(since.seconds * 1000)})\n"
        return .stream(Array(line.utf8), to: BangleJS.input)
    }

    /// Drops what was received of an earlier answer.
    ///
    /// - Returns: the time since when records are requested.
    @discardableResult
    private mutating func restart(_ now: Timestamp) -> Timestamp {
        (received, undecodable, scriptError) = (0, 0, nil)
        converter = BangleSlotConverter(cursor: context.pedometer.cursor, localTime: context.localTime, now: now)
        return isProbe ? now - 3600 : converter.requested(days: context.days)
    }

    private mutating func silence(_ now: Timestamp) -> SessionAction {
        if attempt < Self.attempts {
            guard converter.pending > 0 else { return request(now) }
            asksAgain = true
            stage = .delivering
            return .deliver(converter.batch(isComplete: false, isLast: true), progress: .reading(done: 0, of: 1))
        }
        if let scriptError { return fail(scriptError) }
        guard wasAnswered else {
            return .fail(
                .noAnswer(
                    to: "the request for its activity", attempts: Self.attempts, seconds: Self.replyTimeout * Double(Self.attempts)))
        }
        announced = nil
        return end()
    }

    // MARK: The answer

    private mutating func receive(_ bytes: [UInt8], _ now: Timestamp) -> SessionAction {
        packets += 1
        noise += bytes.count
        for line in lines.add(bytes) {
            switch BangleLine(line) {
            case .begin:
                // Records that came before belong to an earlier request, and are sent again.
                restart(now)
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
            case .battery(let level): report.battery = level
            case .failure(let message):
                let error = Self.error(message)
                if !hasBegun { return fail(error) }
                // Without the app the answer ends before its first record.
                if received == 0, case .missingApp = error { return fail(error) }
                scriptError = error
            case .undecodableRecord:
                // The watch counts it, too.
                waitStart = uptime
                received += 1
                receivedInAll += 1
                undecodable += 1
            case .undecodable: undecodable += 1
            case .end, .live, .other: break
            }
        }
        let isEndless = noise > Self.mostNoise || received > Self.mostRecords || receivedInAll > Self.mostRecords * Self.attempts
        if isEndless { return fail(.undecodable("text without end")) }
        // Live steps do not extend the wait.
        if uptime - waitStart > .seconds(Self.replyTimeout) { return silence(now) }
        guard converter.pending >= Self.batchRecords || packets >= Self.batchPackets else { return .receive(seconds: Self.replyTimeout) }
        packets = 0
        stage = .delivering
        let batch = converter.batch(isComplete: false, movesOn: hasBegun && undecodable + lines.oversized == 0)
        return .deliver(batch, progress: .reading(done: 0, of: 1))
    }

    /// What is missing on the watch, by the message of its JavaScript.
    static func error(_ message: String) -> PedometerError {
        let text = String(message.prefix(200))
        if text.contains("\"GB\"") || text.contains("GB is not") { return .missingApp("Android Integration", message: text) }
        // Another program may have a part of that name.
        let isMissing = text.contains("not found") || text.contains("not defined")
        if isMissing, text.contains("health") { return .missingApp("Health Tracking", message: text) }
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
        stage = .ending
        let isComplete = announced == received
        return .deliver(converter.batch(isComplete: isComplete, isLast: true), progress: .reading(done: isComplete ? 1 : 0, of: 1))
    }

    private mutating func finish() -> SessionAction {
        if let failure { return .fail(failure) }
        guard let announced, announced == received else {
            return .fail(.incomplete(received: received, announced: announced))
        }
        if undecodable + lines.oversized > 0 { report.notices.append(.undecodable(frames: undecodable + lines.oversized)) }
        if converter.misplaced > 0 { report.notices.append(.implausible(samples: converter.misplaced)) }
        if let lead = converter.lead { report.notices.append(.clockWasOff(seconds: lead)) }
        return .finish(report)
    }
}

/// Converts a watch's records to samples in UTC.
///
/// The watch stores each record under its local date and time, without an offset, and calculates `ts` from that with the offset that is in
/// force when it sends it (`apps/health/lib.js`). So `ts` is first turned back into local time, and then into UTC by the offset
/// that was in force here at that time.
///
/// - If clocks were put back, the hour that they show twice is stored once: the day has a gap.
/// - After a journey it is not known when the watch's zone was changed. The records since the last reading are read in the present zone, and
///   do not account for their days. A record of a local time that was read before the journey is not counted again.
struct BangleSlotConverter {
    private let cursor: PedometerCursor
    private let localTime: LocalTime
    private let now: Timestamp
    /// Seconds by which local time has changed since the last reading by a journey; 0 for none.
    private let journey: Int
    /// Everything before this local time, in seconds since 1970, was read.
    private let readThroughWall: Int?

    private var samples: [StepSample] = []
    private var spans: [TimeSpan] = []
    /// The end of the last record, in local time and in UTC.
    private var last: (wall: Int, end: Timestamp)?
    private var isInOrder = true
    /// Whether fewer days are requested than are unread: the others are left for the next sync.
    private var isLimited = false
    private(set) var pending = 0
    private(set) var misplaced = 0
    /// Seconds by which the latest record is in the future.
    private(set) var lead: Int?

    /// Seconds for which records are requested, and some days: an older record is an error.
    private static let memory = (BangleJS.oldestDay + 2) * 86_400
    /// Seconds on each side of a change of daylight saving that are not known completely.
    private static let aroundChange = 3_600

    init(cursor known: PedometerCursor, localTime: LocalTime, now: Timestamp) {
        var cursor = known
        // Noted by a machine whose clock was ahead: all newer records would count as read.
        if known.readThrough?.isAhead(of: now) == true { (cursor.readThrough, cursor.utcOffset) = (nil, nil) }
        self.cursor = cursor
        self.localTime = localTime
        self.now = now
        journey = cursor.readThrough.flatMap { moment in cursor.utcOffset.map { localTime.utcOffset(moment) - $0 } } ?? 0
        readThroughWall = cursor.readThrough.map { $0.seconds + (cursor.utcOffset ?? localTime.utcOffset($0)) }
    }

    /// The time since when records are requested.
    ///
    /// - Parameter days: at most this many days back, including today.
    mutating func requested(days: Int?) -> Timestamp {
        func start(_ days: Int) -> Timestamp { localTime.moment(localTime.day(of: now).advanced(by: 1 - days)) }
        // Its times may be off by a change of daylight saving, or by a journey; what was read before is left out.
        let unread = max(start(BangleJS.oldestDay), cursor.readThrough.map { $0 - (journey == 0 ? 7_200 : 27 * 3_600) } ?? Timestamp(0))
        guard let days, days < BangleJS.oldestDay, start(days) > unread else { return unread }
        isLimited = start(days) > cursor.readThrough ?? Timestamp(0)
        return start(days)
    }

    mutating func add(milliseconds: Int, steps: Int) {
        pending += 1
        let (end, moment) = (milliseconds / 1000, now.seconds)
        guard (-Self.memory...Self.memory).contains(end - moment) else { return misplaced += 1 }
        let wall = end - BangleJS.slot + localTime.utcOffset(now)
        guard wall % BangleJS.slot == 0 else { return misplaced += 1 }
        if let readThroughWall, wall < readThroughWall { return }
        let day = Day(of: Timestamp(wall), utcOffset: 0)
        var (start, offset) = (localTime.moment(day, seconds: wall - day.daysSince1970 * 86_400), 0)
        offset = localTime.utcOffset(start)
        if journey != 0, let read = cursor.readThrough, let before = cursor.utcOffset, start < read {
            // It was recorded after the last reading, so the watch was still in the zone of that.
            (start, offset) = (Timestamp(wall - before), before)
        }
        let through = start + BangleJS.slot
        guard !through.isAhead(of: now) else {
            lead = max(lead ?? 0, through - now)
            return misplaced += 1
        }
        if let last, wall + BangleJS.slot <= last.wall { isInOrder = false }
        if last.map({ $0.wall < wall + BangleJS.slot }) ?? true { last = (wall + BangleJS.slot, through) }
        if steps > 0 {
            samples.append(StepSample(start: start, length: BangleJS.slot, steps: steps, utcOffset: offset))
        }
        guard journey == 0, !isNearChange(start) else { return }
        if let open = spans.last, open.end == start {
            spans[spans.count - 1] = TimeSpan(open.start, through)
        } else {
            spans.append(TimeSpan(start, through))
        }
    }

    private func isNearChange(_ start: Timestamp) -> Bool {
        localTime.utcOffset(start - Self.aroundChange) != localTime.utcOffset(start + BangleJS.slot + Self.aroundChange)
    }

    /// A batch of the records that were added since the previous batch.
    ///
    /// - Parameters:
    ///   - isComplete: all records have arrived.
    ///   - movesOn: nothing has been lost so far, so that the next sync may continue after these records.
    ///   - isLast: no other batch follows: if not all records have arrived, the cursor goes back.
    mutating func batch(isComplete: Bool, movesOn: Bool = false, isLast: Bool = false) -> SampleBatch {
        defer { (samples, spans, pending) = ([], [], 0) }
        var batch = SampleBatch(samples: samples)
        // Each record accounts for its own ten minutes, also an idle one: the watch stores those, too.
        batch.coverage = spans
        guard !isLimited else { return batch }
        if isComplete || (movesOn && isInOrder && journey == 0) {
            batch.cursor = moved
            if batch.cursor != nil, journey != 0 { batch.notices = [.zoneChanged(seconds: journey)] }
        } else if isLast {
            batch.cursor = cursor
        }
        return batch
    }

    /// Nil if there was no record: after a journey, the local time up to which was read must then stay as it is.
    private var moved: PedometerCursor? {
        guard let last else { return nil }
        let moment = max(last.end, cursor.readThrough ?? last.end)
        var cursor = cursor
        cursor.readThrough = moment
        cursor.utcOffset = localTime.utcOffset(moment)
        return cursor
    }
}
