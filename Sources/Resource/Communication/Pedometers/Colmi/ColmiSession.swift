internal import StepDomain

/// A reading of a ring: battery, the days that `ColmiPlan` names, then its clock.
///
/// A day that is refused, silent or incomplete is a gap: the session continues with the next day and the cursor names
/// the gap for the next sync. The clock is set last, because the history has to be read by the clock that recorded it.
struct ColmiSession: PedometerSession {
    private enum Stage: Hashable {
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
    private static let replyTimeout = 5.0
    /// Seconds of silence after which no second answer is expected any more.
    private static let quiet = 2.0
    /// Seconds to wait for the ring's own total, which is only a check.
    private static let totalTimeout = 2.0
    /// Seconds after which a ring that did not know the request for its total is asked again: its firmware may be new.
    private static let totalPause = 30 * 86_400
    /// Seconds after which a ring that did not answer for its battery is asked again, once: its firmware may be new.
    private static let batteryPause = 7 * 86_400
    /// How often a request is sent before the session gives up on it. After a day without an answer it is sent once,
    /// until a day is answered: the other days are requested again with the next sync anyway.
    private static let attempts = 3
    /// Days without an answer after which the session ends if no day was answered at all: 25 s, instead of 50 for all
    /// eight.
    private static let mostSilentDays = 3
    /// No answer is longer: 96 slots and some unsolicited packets.
    private static let mostPackets = 400

    private static let endless = PedometerError.undecodable("too many packets")

    private let context: SessionContext
    /// Reads today alone, and leaves the clock as it is.
    private let isProbe: Bool
    private var converter: ColmiSlotConverter
    private var plan: ColmiPlan
    private var stage = Stage.subscribing
    private var attempt = 1
    private var packets = 0
    private var answers = ColmiAnswers()
    private var asksBattery = false
    private var batteryAnswers = false
    private var silentDays: [Int] = []
    private var unansweredDays = 0
    private var refusals = 0
    private var undecodable = 0
    /// The ring has sent packets without end.
    private var isEndless = false
    /// When the present wait began: when the request was sent, or when the last packet of its answer arrived.
    private var waitStart = Duration.zero
    /// Time of the present event. It and `waitStart` are times of a clock that is never set.
    private var uptime = Duration.zero
    private var clockSet: ClockState.Setting?
    /// The ring's own total of today.
    private var total: Int?
    private var report = SessionReport()
    /// False after the last day, when the ring's clock may be set.
    private(set) var readsOn = false

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
        var cursor = context.pedometer.cursor
        // Written by a machine whose clock was ahead: with a mark in the future, newer steps would stay unread.
        if cursor.readThrough?.isAhead(of: now) == true {
            cursor.readThrough = nil
            converter = ColmiSlotConverter(context, cursor: cursor)
        }
        let today = converter.today(at: now)
        plan =
            isProbe
            ? .todayOnly(cursor, today: today)
            : ColmiPlan(
                cursor, today: today, first: cursor.readThrough.map(converter.wallDay), limit: context.days,
                start: converter.start)
    }

    /// The next day, or what comes after the last one.
    private mutating func proceed(_ now: Timestamp) -> SessionAction {
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
            ? !plan.hasAnswer && unansweredDays >= Self.mostSilentDays : !plan.hasAnswer || unansweredDays > 1
        return isDead ? silenceFailure : nil
    }

    private mutating func ask(_ next: Stage, _ now: Timestamp, attempt: Int = 1) -> SessionAction {
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
    private mutating func repeated(_ now: Timestamp) -> SessionAction {
        if attempt < mostAttempts { return askAgain(now) }
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
    private var mostAttempts: Int {
        if stage == .probe || unansweredDays > 0 || stage == .battery && plan.cursor.lacksBatterySince != nil {
            return 1
        }
        return plan.isRechecked ? 2 : Self.attempts
    }

    private mutating func askAgain(_ now: Timestamp) -> SessionAction {
        guard case .day(let day, _) = stage else { return ask(stage, now, attempt: attempt + 1) }
        answers.keepBest(isNearMidnight: converter.isNearMidnight(now))
        // Midnight may have passed since the request.
        guard let (next, daysAgo) = plan.next(today: converter.today(at: now)), next == day else { return proceed(now) }
        return ask(.day(day, daysAgo: daysAgo), now, attempt: attempt + 1)
    }

    // MARK: Answers

    private mutating func receive(_ bytes: [UInt8], _ now: Timestamp) -> SessionAction {
        packets += 1
        guard packets <= Self.mostPackets else {
            guard !isEndless else { return .fail(Self.endless) }
            isEndless = true
            switch stage {
            case .day(let day, let daysAgo): return deliver(day, daysAgo: daysAgo, .gaps, now)
            case .total(let day, let daysAgo): return deliver(day, daysAgo: daysAgo, .complete, now)
            default: return .fail(Self.endless)
            }
        }
        guard let packet = ColmiPacket(received: bytes) else {
            undecodable += 1
            return waiting(now)
        }
        if packet.command == ColmiPacket.Command.battery {  // also a late one
            if !packet.isError, packet[1] <= 100 { report.battery = Int(packet[1]) }
            batteryAnswers = true
        }
        switch stage {
        case .battery where packet.command == ColmiPacket.Command.battery,
            .probe where packet.command == ColmiPacket.Command.battery:
            return proceed(now)
        case .day(let day, let daysAgo):
            return receive(answers.add(packet), day, daysAgo: daysAgo, now)
        case .settling(let day, let daysAgo, let answered):
            if packet.command == ColmiPacket.Command.steps {
                waitStart = uptime
                let progress = answered == .complete ? .other : answers.add(packet)
                // What was taken for the answer was one to an earlier request, without a date.
                if [.more, .complete, .gaps].contains(progress) {
                    stage = .day(day, daysAgo: daysAgo)
                    return receive(progress, day, daysAgo: daysAgo, now)
                }
            }
            guard uptime - waitStart < .seconds(Self.quiet) else {
                return deliver(day, daysAgo: daysAgo, answered, now)
            }
            return .receive(seconds: Self.quiet)
        case .total(let day, let daysAgo):
            if packet.command == ColmiPacket.Command.total {
                total = packet.isError ? nil : packet.total
                return deliver(day, daysAgo: daysAgo, .complete, now)
            }
            guard uptime - waitStart < .seconds(Self.totalTimeout) else {
                return deliver(day, daysAgo: daysAgo, .complete, now)
            }
            return .receive(seconds: Self.totalTimeout)
        case .clock where packet.command == ColmiPacket.Command.setTime:
            guard !packet.isError else { return finish(now) }
            report.clockSet = clockSet
            // Days that its clock had not reached can be requested only now.
            return plan.reopen(today: converter.today(at: now)) ? proceed(now) : finish(now)
        default:
            return waiting(now)  // unsolicited: live steps, a button, a charger
        }
    }

    /// A packet that is not part of the answer does not extend the wait: while its wearer walks a ring sends live steps
    /// every second.
    private mutating func waiting(_ now: Timestamp) -> SessionAction {
        uptime - waitStart < .seconds(Self.replyTimeout) ? .receive(seconds: Self.replyTimeout) : repeated(now)
    }

    private mutating func receive(_ progress: ColmiDay.Progress, _ day: Int, daysAgo: Int, _ now: Timestamp)
        -> SessionAction
    {
        if progress == .complete {
            let isLate = answers.isLate
            answers.dropUnlessDated(isNearMidnight: converter.isNearMidnight(now))
            // After a late answer the one to this request follows.
            if answers.answer.date == nil { return isLate || attempt == Self.attempts ? waiting(now) : askAgain(now) }
        }
        switch progress {
        case .more:
            waitStart = uptime
            return .receive(seconds: Self.replyTimeout)
        case .other:
            return waiting(now)
        case .gaps where attempt < Self.attempts, .refused where attempt < Self.attempts,
            .noData where attempt == 1 && answers.mayBeLate:
            return askAgain(now)
        case .complete where attempt == 1 && isTotalWanted(day, daysAgo: daysAgo, now):
            return ask(.total(day, daysAgo: daysAgo), now)
        case .complete, .gaps, .noData, .refused:
            guard attempt > 1 else { return deliver(day, daysAgo: daysAgo, progress, now) }
            // A slow ring answers each of the repeated requests: a late answer must not be used for the next day.
            stage = .settling(day, daysAgo: daysAgo, answered: progress)
            waitStart = uptime
            return .receive(seconds: Self.quiet)
        }
    }

    /// Whether the ring is asked for its own total of today: once in a session that has read new steps of today.
    ///
    /// Not in a session that reads all eight days: with the battery and the clock, none sends more requests than these
    /// ten, because each keeps the link up for longer. Such a session is the first, or one after a week; the next one
    /// asks.
    private func isTotalWanted(_ day: Int, daysAgo: Int, _ now: Timestamp) -> Bool {
        guard !isProbe, daysAgo == 0, answers.answer.date == day, plan.planned <= ColmiPlan.oldestDay,
            converter.hasNews(answers.answer)
        else { return false }
        return plan.cursor.lacksTotalSince.map { $0 > now || now - $0 >= Self.totalPause } ?? true
    }

    // MARK: Delivery

    /// - Parameter answered: nil if no answer came, or only a part of it.
    private mutating func deliver(
        _ day: Int, daysAgo: Int, _ answered: ColmiDay.Progress?, _ now: Timestamp
    ) -> SessionAction {
        answers.keepBest(isNearMidnight: converter.isNearMidnight(now))
        if answered == .complete { answers.complete() }
        let best = answers.best
        var batch = SampleBatch()
        batch.samples = converter.samples(of: best, daysAgo: daysAgo, now: now)
        if answered != nil { unansweredDays = 0 }
        if case .total = stage {
            plan.askedTotal(isKnown: total != nil, at: now)
            // A clock that is off shows today's slots under another time than ours.
            if let total, converter.verdict == .right {
                batch.deviceTotal = DeviceTotal(
                    day: Day(daysSince1970: day), at: now, total: total, slots: best.slots.reduce(0) { $0 + $1.steps })
            }
        }
        switch answered {
        case .complete:
            // Its records show which day it belongs to.
            let date = best.date ?? day
            // How late it is on the ring's day, if that is not this machine's, is not known.
            let isBehind = daysAgo == 0 && date < converter.today(at: now) && !converter.isNearMidnight(now)
            let end = isBehind ? best.slots.last { $0.steps > 0 }?.wall ?? date * 86_400 : nil
            batch.coverage = [converter.span(ofWallDay: date, through: end, now: now)].compactMap(\.self)
            plan.receive(date, ringToday: date + daysAgo, at: now)
            if date != day {
                plan.follow(
                    ringToday: date + daysAgo, today: converter.today(at: now), requested: day,
                    isNearMidnight: converter.isNearMidnight(now))
            }
        case .noData:
            plan.receiveNothing(for: day, isToday: daysAgo == 0, isCertain: isDateCertain(now), at: now)
            answers.takeNothing()
        case .refused:
            refusals += 1
            plan.miss(day, .refused)
        case .gaps, .more, .other, nil:
            if answered == nil { answers.giveUp() }
            plan.miss(day, best.slots.isEmpty && answered == nil ? .unanswered : .incomplete)
        }
        plan.answersAreLate = answers.hasLate
        return deliver(batch, now)
    }

    private mutating func deliver(_ samples: SampleBatch, _ now: Timestamp) -> SessionAction {
        var batch = samples
        batch.cursor = cursor(now)
        batch.notices = plan.notices
        plan.notices = []
        stage = .delivering
        readsOn = plan.next(today: converter.today(at: now)) != nil
        return .deliver(batch, progress: .reading(done: plan.done, of: plan.planned))
    }

    /// "No data" has no date: near midnight, or after an answer that may come late, it may refer to another day than
    /// this.
    private func isDateCertain(_ now: Timestamp) -> Bool {
        !converter.isNearMidnight(now) && plan.lead == 0 && converter.verdict == .right && !answers.mayBeLate
    }

    private mutating func cursor(_ now: Timestamp) -> PedometerCursor {
        if asksBattery || batteryAnswers { plan.askedBattery(isKnown: batteryAnswers, at: now) }
        // The clock is set after the last day, with or without gaps: the earlier contents of the slots that it shows a
        // second time must be known.
        let tail =
            plan.next(today: converter.today(at: now)) == nil
            ? converter.tail(
                today: converter.today(at: now), clockSetTo: now.seconds + context.localTime.utcOffset(now))
            : converter.earlyTail
        return plan.cursor(at: now, start: converter.start, tail: tail)
    }

    /// The link has ended: what was received of the present day is delivered as incomplete.
    private mutating func save(_ now: Timestamp) -> SessionAction {
        if case .total(let day, let daysAgo) = stage {
            stage = .delivering  // nothing is known of its total
            return deliver(day, daysAgo: daysAgo, .complete, now)
        }
        return switch stage {
        case .day(let day, let daysAgo): deliver(day, daysAgo: daysAgo, nil, now)
        case .settling(let day, let daysAgo, let answered): deliver(day, daysAgo: daysAgo, answered, now)
        case .subscribing, .battery, .probe, .delivering, .clock, .total: .finish(report)
        }
    }

    private mutating func finish(_ now: Timestamp) -> SessionAction {
        switch converter.verdict {
        case .right: break
        case .off(let seconds): report.notices.append(.clockWasOff(seconds: seconds))
        case .utc:
            let local = context.localTime.utcOffset(clockSet?.at ?? now)
            report.notices.append(.clockWasOff(seconds: -local))
        }
        if undecodable > 0 { report.notices.append(.undecodable(frames: undecodable)) }
        if converter.misplaced > 0 { report.notices.append(.implausible(samples: converter.misplaced)) }
        return .finish(report)
    }
}
