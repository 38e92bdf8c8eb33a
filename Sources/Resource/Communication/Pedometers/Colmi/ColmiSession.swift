internal import StepDomain

/// A reading of a ring: battery, the days that `ColmiPlan` names, then its clock.
///
/// A day that is refused, silent or incomplete is a gap: the session continues with the next day and the cursor names
/// the gap for the next sync. The clock is set last, because the history has to be read by the clock that recorded it.
struct ColmiSession: PedometerSession {
    enum Stage: Hashable {
        case subscribing
        case battery
        /// Asks for the battery again, to see whether a ring that did not answer for a day answers at all.
        case probe
        case day(Int, daysAgo: Int)
        /// The answer is complete, and others to the same request may follow.
        case settling(Int, daysAgo: Int, answered: ColmiDay.Progress)
        /// Today is complete; asks for the ring's own total.
        case total(Int, daysAgo: Int)
        case delivering
        case clock
    }

    /// Seconds; rings answer within tenths of one.
    static let replyTimeout = 5.0
    /// Seconds of silence after which no second answer is expected any more.
    static let quiet = 2.0
    /// Seconds to wait for the ring's own total, which is only a check.
    static let totalTimeout = 2.0
    /// Seconds after which a ring that did not know the request for its total is asked again: its firmware may be new.
    static let totalPause = 30 * 86_400
    /// Seconds after which a ring that did not answer for its battery is asked again, once: its firmware may be new.
    private static let batteryPause = 7 * 86_400
    /// How often a request is sent before the session gives up on it. After a day without an answer it is sent once,
    /// until a day is answered: the other days are requested again with the next sync anyway.
    static let attempts = 3
    /// Days without an answer after which the session ends if no day was answered at all: 25 s, instead of 50 for all
    /// eight.
    private static let maximumSilentDays = 3
    /// No answer is longer: 96 slots and some unsolicited packets.
    static let maximumPackets = 400

    static let endless = PedometerError.undecodable("too many packets")

    let context: SessionContext
    /// Reads today alone, and leaves the clock as it is.
    let isProbe: Bool
    var converter: ColmiSlotConverter
    var plan: ColmiPlan
    var stage = Stage.subscribing
    var attempt = 1
    var packets = 0
    var answers = ColmiAnswers()
    var asksBattery = false
    var batteryAnswers = false
    private var silentDays: [Int] = []
    var unansweredDays = 0
    var refusals = 0
    var undecodable = 0
    /// The ring has sent packets without end.
    var isEndless = false
    /// When the present wait began: when the request was sent, or when the last packet of its answer arrived.
    var waitStart = Duration.zero
    /// Time of the present event. It and `waitStart` are times of a clock that is never set.
    var uptime = Duration.zero
    var clockSet: ClockState.Setting?
    /// The ring's own total of today.
    var total: Int?
    var report = SessionReport()
    /// False after the last day, when the ring's clock may be set.
    var readsOn = false

    init(_ context: SessionContext, isProbe: Bool = false) {
        self.context = context
        self.isProbe = isProbe
        let cursor = context.pedometer.cursor
        converter = ColmiSlotConverter(context, cursor: cursor)
        plan = .todayOnly(cursor, today: 0)  // replaced when the session starts
    }

    mutating func next(after event: SessionEvent, at now: Timestamp, uptime: Duration) -> SessionAction {
        self.uptime = uptime
        switch (stage, event) {
        case (_, .started):
            begin(now)
            return .subscribe(Colmi.answers)
        case (_, .linkLost):
            return save(now)
        case (.subscribing, .done):
            if let since = plan.cursor.lacksBatterySince, since <= now, now - since < Self.batteryPause {
                return proceed(now)
            }
            asksBattery = true
            return ask(.battery, now)
        case (.delivering, .done):
            return proceed(now)
        case (.total, .done):
            return .receive(seconds: Self.totalTimeout)
        case (_, .done):
            return .receive(seconds: Self.replyTimeout)
        case (.settling(let day, let daysAgo, let answered), .silence):
            return deliver(day, daysAgo: daysAgo, answered, now)
        case (.total(let day, let daysAgo), .silence):
            return deliver(day, daysAgo: daysAgo, .complete, now)
        case (_, .silence), (_, .absent):
            return repeated(now)
        case (_, .value(let bytes)):
            return receive(bytes, now)
        }
    }

    // MARK: Requests

    private mutating func begin(_ now: Timestamp) {
        let cursor = context.pedometer.cursor.withoutFutureReading(at: now)
        if cursor != context.pedometer.cursor { converter = ColmiSlotConverter(context, cursor: cursor) }
        let today = converter.today(at: now)
        plan =
            isProbe
            ? .todayOnly(cursor, today: today)
            : ColmiPlan(
                cursor, today: today, first: cursor.readThrough.map(converter.wallDay), limit: context.days,
                start: converter.start)
    }

    /// The next day, or what comes after the last one.
    mutating func proceed(_ now: Timestamp) -> SessionAction {
        if isEndless { return .fail(Self.endless) }
        if unansweredDays > 0, let failure = failureAfterSilence() {
            // What it had before its clock was set is stored, and the days after that are named by the cursor.
            return report.clockSet == nil ? .fail(failure) : finish(now)
        }
        guard let (day, daysAgo) = plan.next(today: converter.today(at: now)) else {
            if !plan.hasAnswer {
                if let failure = silenceFailure { return .fail(failure) }
                if refusals > 0 { return .fail(.refused("every request for its steps")) }
            }
            // Midnight has removed the last day from the ring: what was delivered before did not expect the end.
            if readsOn { return deliver(SampleBatch(), now) }
            return isProbe || !context.setsClock || report.clockSet != nil ? finish(now) : ask(.clock, now)
        }
        if unansweredDays > 0, batteryAnswers, stage != .probe { return ask(.probe, now) }
        return ask(.day(day, daysAgo: daysAgo), now)
    }

    /// The failure with which the session ends after days without an answer; nil if it continues.
    private var silenceFailure: PedometerError? {
        silentDays.first.map {
            .noAnswer(
                to: "the request for the steps of \(Day(daysSince1970: $0))", attempts: Self.attempts,
                seconds: Double(Self.attempts) * Self.replyTimeout)
        }
    }

    private func failureAfterSilence() -> PedometerError? {
        let isDead =
            batteryAnswers
            ? !plan.hasAnswer && unansweredDays >= Self.maximumSilentDays : !plan.hasAnswer || unansweredDays > 1
        return isDead ? silenceFailure : nil
    }

    mutating func ask(_ next: Stage, _ now: Timestamp, attempt: Int = 1) -> SessionAction {
        stage = next
        self.attempt = attempt
        packets = 0
        waitStart = uptime
        let packet: ColmiPacket
        switch next {
        case .day(let day, let daysAgo):
            answers.begin(day, attempt: attempt)
            packet = .stepsRequest(daysAgo: daysAgo)
        case .clock:
            let setting = ClockState.Setting(at: now, utcOffset: context.localTime.utcOffset(now))
            clockSet = setting
            packet = .setTime(wall: now.seconds + setting.utcOffset)
        case .total:
            packet = .totalRequest
        default:
            packet = .batteryRequest
        }
        return .write(packet.bytes, to: Colmi.requests, response: false)
    }

    /// The reply did not come in time.
    mutating func repeated(_ now: Timestamp) -> SessionAction {
        if attempt < maximumAttempts { return askAgain(now) }
        switch stage {
        case .day(let day, let daysAgo):
            unansweredDays += 1
            silentDays.append(day)
            return deliver(day, daysAgo: daysAgo, nil, now)
        case .probe where report.clockSet != nil:
            return finish(now)
        case .probe:
            return .fail(silenceFailure ?? .noAnswer(to: "a request", attempts: 1, seconds: Self.replyTimeout))
        case .clock:
            return finish(now)  // its clock stays as it is, and nothing is recorded
        default:
            return proceed(now)  // a ring that does not report its battery may still report its steps
        }
    }

    /// How often the present request is sent if nothing answers it.
    private var maximumAttempts: Int {
        if stage == .probe || unansweredDays > 0 || stage == .battery && plan.cursor.lacksBatterySince != nil {
            return 1
        }
        return plan.isRechecked ? 2 : Self.attempts
    }

    mutating func askAgain(_ now: Timestamp) -> SessionAction {
        guard case .day(let day, _) = stage else { return ask(stage, now, attempt: attempt + 1) }
        answers.keepBest(isNearMidnight: converter.isNearMidnight(now))
        // Midnight may have passed since the request.
        guard let (next, daysAgo) = plan.next(today: converter.today(at: now)), next == day else { return proceed(now) }
        return ask(.day(day, daysAgo: daysAgo), now, attempt: attempt + 1)
    }
}
