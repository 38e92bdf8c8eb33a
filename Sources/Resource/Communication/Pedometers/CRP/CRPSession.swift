internal import StepDomain

/// A reading: reads today's steps, completes past days once a day, then sets the clock.
///
/// FDD1 is read first: the ring notifies only while its wearer walks. If it cannot be read, or shows less than before
/// on the same day (it may be as old as the last notification), the reading waits for a notification. If none comes,
/// the ring's own total of today decides whether it has restarted. The same total shows that a value is still
/// yesterday's.
///
/// The clock is set after the steps were stored, and not near midnight: a clock that is set over midnight may set the
/// steps to zero, or keep them for another day.
struct CRPSession: PedometerSession {
    private enum Stage { case reading, waiting, requesting, history, delivering, settingClock }

    /// Seconds to wait.
    private static let timeout = 20.0
    /// Notifications among which one must have steps.
    private static let most = 20
    /// Steps by which the total of today may differ from a value read just before.
    private static let tolerance = 30

    private let context: SessionContext
    private let isProbe: Bool
    private var stage = Stage.reading
    private var received = 0
    /// Start of the wait, as uptime.
    private var start = Duration.zero
    private var reading: CounterReading?
    /// A value that is lower than one before on the same day, until the total of today confirms it.
    private var lower: Int?
    private var days: CountedDays?
    private var history: ExchangeSession<CRPHistory>?
    /// Whether the answers of past days are being subscribed to.
    private var isSubscribing = false
    private var setter = ClockSetter()
    private var report = SessionReport()

    init(_ context: SessionContext, setsClock: Bool) {
        self.context = context
        isProbe = !setsClock
    }

    mutating func next(after event: SessionEvent, at now: Timestamp, uptime: Duration) -> SessionAction {
        switch (stage, event) {
        case (.requesting, .linkLost), (.history, .linkLost):
            return deliver(now, isTruncated: true)
        case (_, .linkLost):
            return .finish(report)
        case (_, .started):
            start = uptime
            return .readIfPresent(CRP.steps)
        case (.reading, .value(let bytes)):
            lower = CRPSteps(bytes)?.steps
            if let steps = lower, !isLower(steps, now) { return take(steps, now) }
            return .subscribe(CRP.steps)
        case (.reading, .absent):
            return .subscribe(CRP.steps)
        case (.reading, .done):
            stage = .waiting
            return .receive(seconds: Self.timeout)
        case (.waiting, .value(let bytes)):
            received += 1
            if let steps = CRPSteps(bytes) { return take(steps.steps, now) }
            guard received < Self.most, uptime - start < .seconds(Self.timeout) else {
                return .fail(.undecodable("\(received) values that are not step counts"))
            }
            return .receive(seconds: Self.timeout)
        case (.waiting, _), (.reading, .silence):
            guard received == 0 else { return .fail(.undecodable("\(received) values that are not step counts")) }
            guard lower != nil, !isProbe else { return .fail(.sentNoSteps(seconds: Self.timeout)) }
            return request([])
        // The first request shows only whether there is a characteristic for it: its answer is not subscribed to yet.
        case (.requesting, .done):
            stage = .history
            return forward(.started, now, uptime)
        case (.requesting, _):
            return deliver(now)
        case (.history, _):
            return forward(event, now, uptime)
        case (.delivering, .done)
        where !isProbe && context.setsClock && ClockCorrection.isSafe(at: now, context.localTime):
            stage = .settingClock
            // A ring without this characteristic is read, too.
            return .writeIfPresent(CRP.setTime(setter.begin(at: now, context.localTime)), to: CRP.requests)
        case (.settingClock, .done):
            setter.confirm()
            report.clockSet = setter.confirmed
            return .finish(report)
        case (.delivering, _), (.settingClock, _):
            return .finish(report)
        }
    }

    /// Whether the value is lower than an earlier one of the same day.
    private func isLower(_ steps: Int, _ now: Timestamp) -> Bool {
        context.pedometer.cursor.counter.map { $0.day == context.localTime.day(of: now) && steps < $0.value } ?? false
    }

    private mutating func take(_ steps: Int, _ now: Timestamp) -> SessionAction {
        reading = CounterReading(at: now, value: steps, utcOffset: context.localTime.utcOffset(now))
        let days = CountedDays(context, today: context.localTime.day(of: now))
        self.days = days
        let open = days.open(min(CountedDays.oldestDay, (context.days ?? .max) - 1))
        guard !isProbe, days.isDue(at: now), !open.isEmpty else { return deliver(now) }
        return request(open.map { context.localTime.day(of: now).daysSince1970 - $0.daysSince1970 })
    }

    /// - Parameter days: before today; none for the total of today alone.
    private mutating func request(_ days: [Int]) -> SessionAction {
        history = ExchangeSession(CRPHistory(days))
        stage = .requesting
        return .writeIfPresent(CRPHistory.request(0x0d, 0), to: CRP.requests)
    }

    private mutating func forward(_ event: SessionEvent, _ now: Timestamp, _ uptime: Duration) -> SessionAction {
        guard let action = history?.next(after: event, at: now, uptime: uptime) else { return deliver(now) }
        switch action {
        case .finish(let inner):
            report.notices += inner.notices
            return deliver(now)
        case .fail: return deliver(now)
        default:
            if case .subscribeAll = action { isSubscribing = true } else { isSubscribing = false }
            return action
        }
    }

    /// - Parameter isTruncated: whether the link has ended before all days were received. Then the next reading
    ///   requests them again, unless it would fail in the same way: a ring without the characteristic of the answers
    ///   cannot be subscribed to.
    private mutating func deliver(_ now: Timestamp, isTruncated: Bool = false) -> SessionAction {
        guard var reading, var days else {
            if isTruncated { return .finish(report) }
            guard let lower, let total = history?.reading.totals[0], abs(total - lower) <= Self.tolerance else {
                return .fail(.sentNoSteps(seconds: Self.timeout))
            }
            history = nil
            return take(lower, now)
        }
        stage = .delivering
        var notices: [SyncNotice] = []
        // Still yesterday's.
        if let total = history?.reading.totals[0], total < reading.value - Self.tolerance,
            context.pedometer.cursor.counter?.day != reading.day
        {
            reading.value = total
        }
        if let history = history?.reading, !isTruncated, context.localTime.day(of: now) == reading.day {
            let (reports, doubts) = history.reports(reading.day)
            notices = doubts
            let hasBegun = history.totals[0].map { abs($0 - reading.value) <= Self.tolerance } ?? false
            days.complete(reports, before: reading, hasBegun: hasBegun)
            days.request()
        } else if isSubscribing {
            days.request()
        }
        var batch = days.batch(of: reading)
        batch.notices += notices
        return .deliver(batch, progress: .reading(done: 1, of: 1))
    }
}

/// Requests the totals and the half hours of past days.
struct CRPHistory: ExchangeProtocol {
    /// Half hours of a day.
    static let slots = 48
    private static let group: UInt8 = 2

    /// What is still to be requested, the next one last.
    private var wanted: [(command: UInt8, day: Int)] = []
    private var present: (command: UInt8, day: Int)?
    /// Bytes of a frame that is not complete.
    private var pending: [UInt8] = []
    /// By the day, counted back from today.
    private(set) var totals: [Int: Int] = [:]
    private(set) var halfHours: [Int: [Int]] = [:]
    let report = SessionReport()
    let notifying = [CRP.answers]

    /// - Parameter days: before today, the oldest first.
    init(_ days: [Int]) {
        for day in days.reversed() { wanted += [(0x12, day), (0x0d, day)] }
        wanted.append((0x0d, 0))
    }

    static func request(_ command: UInt8, _ day: Int) -> [UInt8] {
        CRP.frame(group, command, [UInt8(truncatingIfNeeded: day)])
    }

    mutating func next(at now: Timestamp) -> ProtocolExchange? {
        present = wanted.popLast()
        return present.map { command, day in
            ProtocolExchange(
                request: .write(Self.request(command, day), to: CRP.requests), name: "a past day", answer: .optional,
                timeout: 2, attempts: 2)
        }
    }

    mutating func begin(at now: Timestamp) { pending = [] }

    mutating func receive(_ bytes: [UInt8], at now: Timestamp) -> ExchangeProgress {
        let head: [UInt8] = [0xfd, 0xda, 0x10]
        // A frame begins with a notification. It is at most 255 bytes long, and an answer at most 103.
        if bytes.starts(with: head) { pending = [] }
        pending += bytes.prefix(255)
        guard pending.starts(with: head), pending.count >= 4, case let length = Int(pending[3]), length >= 6 else {
            pending = []
            return .other
        }
        guard pending.count >= length else { return .more }
        let (group, command, data) = (pending[4], pending[5], Array(pending[6..<length]))
        pending = []
        guard let present, group == Self.group, command == present.command, data.first.map(Int.init) == present.day
        else { return .other }
        if command == 0x0d {
            guard let total = data.little(1, 4) else { return .undecodable }
            totals[present.day] = total
        } else {
            let numbers = (0..<Self.slots).compactMap { data.little(1 + 2 * $0, 2) }
            guard data.count == 1 + 2 * Self.slots, numbers.count == Self.slots else { return .undecodable }
            halfHours[present.day] = numbers
        }
        return .done
    }

    mutating func end(_ end: ExchangeEnd, at now: Timestamp) -> SampleBatch? {
        // A ring that does not answer the first request has no history.
        if end == .silent, totals.isEmpty, halfHours.isEmpty { wanted = [] }
        return nil
    }

    /// The days whose half hours add up to their total, and what is in doubt.
    func reports(_ today: Day) -> (reports: [CountedDays.Report], doubts: [SyncNotice]) {
        var (reports, doubts) = ([CountedDays.Report](), [SyncNotice]())
        for (daysAgo, slots) in halfHours.sorted(by: { $0.key > $1.key }) {
            let sum = slots.reduce(0, +)
            guard let total = totals[daysAgo] else {
                doubts.append(.stepsInDoubt(.unchecked))
                continue
            }
            guard sum == total else {
                doubts.append(.stepsInDoubt(.totals(sum, total)))
                continue
            }
            let isImpossible = slots.contains { $0 > 1_800 * StepSample.maximumStepsPerSecond }
            if isImpossible {
                doubts.append(.implausible(samples: 1))
            } else {
                reports.append(CountedDays.Report(day: today.advanced(by: -daysAgo), total: total, slots: slots))
            }
        }
        return (reports, Array(doubts.prefix(1)))
    }
}
