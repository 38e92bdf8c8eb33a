internal import StepDomain

/// A reading of a ring: battery, today, then the days before from the oldest, then its clock.
///
/// Today comes first because it tells most about the ring's clock; the cursor moves along the older days in order, so
/// a link lost half-way costs nothing but today's request. The clock is set last: history is read by the clock that made it.
struct ColmiSession: PedometerSession {
    private enum Stage: Hashable {
        case subscribing
        case battery
        case day(daysAgo: Int)
        /// The answer is in, and others to the same request may follow.
        case settling(daysAgo: Int, answered: ColmiDay.Progress)
        case delivering
        case clock
    }

    /// Seconds; rings answer within tenths of one.
    private static let patience = 5.0
    /// Seconds of silence after which no second answer follows any more.
    private static let quiet = 2.0
    /// Times that a request is sent before the session gives up on it.
    private static let attempts = 3
    /// No answer is longer: 96 slots and some unsolicited packets. What goes on beyond is rubbish.
    private static let mostPackets = 400

    private let context: SessionContext
    /// Reads today alone, and leaves the clock as it is.
    private let isLook: Bool
    private var reckoning: ColmiReckoning
    private var stage = Stage.subscribing
    private var attempt = 1
    private var packets = 0
    private var answer = ColmiDay()
    private var days: [Int] = []
    private var done = 0
    private var today = 0
    /// All that the ring had up to here is delivered; it stops moving at the first day with gaps.
    private var cursor: PedometerCursor
    private var contiguous = true
    private var todayThrough: Timestamp?
    /// The day may change under the reading: which day an answer is of, only its records tell.
    private var crossesMidnight = false
    /// A day before the one asked for has been answered: the ring does hold days as old as that.
    private var holdsOlder = false
    /// Dates of the answers so far, as days since 1970.
    private var told: Set<Int> = []
    private var undecodable = 0
    /// When something of the answer last came, or it was asked for.
    private var lastSign = Timestamp(0)
    private var clockSet: ClockState.Setting?
    private var report = SessionReport()

    init(_ context: SessionContext, isLook: Bool = false) {
        self.context = context
        self.isLook = isLook
        cursor = context.pedometer.cursor
        reckoning = ColmiReckoning(
            clock: WallClock(context.pedometer.clock, context.localTime), cursor: context.pedometer.cursor)
    }

    mutating func next(after event: SessionEvent, at now: Timestamp) -> SessionAction {
        switch (stage, event) {
        case (_, .started):
            plan(now)
            return .subscribe(Colmi.answers)
        case (.subscribing, .done):
            return ask(.battery, now)
        case (.delivering, .done):
            done += 1
            if done < days.count { return ask(.day(daysAgo: days[done]), now) }
            return isLook ? finish(now) : ask(.clock, now)
        case (_, .done):
            return .receive(seconds: Self.patience)
        case (.settling(let daysAgo, let answered), .silence):
            return deliver(daysAgo: daysAgo, answered: answered, now)
        case (_, .silence):
            return repeated(now)
        case (_, .value(let bytes)):
            return receive(bytes, now)
        }
    }

    // MARK: What to ask for

    private mutating func plan(_ now: Timestamp) {
        // Left by a machine whose clock was ahead: a mark in the future would keep what came since unread.
        if let readThrough = cursor.readThrough, readThrough > now + ColmiReckoning.drift {
            cursor.readThrough = nil
            reckoning = ColmiReckoning(clock: WallClock(context.pedometer.clock, context.localTime), cursor: cursor)
        }
        today = reckoning.today(at: now)
        var oldest = Colmi.oldestDay
        if let readThrough = cursor.readThrough {
            let first = reckoning.wallDay(of: readThrough)
            oldest = min(max(today - first, 0), Colmi.oldestDay)
            if today - first > Colmi.oldestDay {
                let gone = today - Colmi.oldestDay - 1
                report.notices.append(
                    .lost(from: Day(daysSince1970: first), through: Day(daysSince1970: gone)))
            }
        }
        // The ring counts days from its own midnight, which may be over when ours is not: one day more is asked for.
        if reckoning.isNearMidnight(now) {
            crossesMidnight = true
            oldest = min(oldest + 1, Colmi.oldestDay)
        }
        if let limit = context.days, limit <= oldest {
            // Asked for less than there is to read: what is left out is for the next sync, so the cursor stays.
            oldest = max(limit, 1) - 1
            contiguous = false
        }
        days = isLook ? [0] : [0] + stride(from: oldest, to: 0, by: -1)
    }

    private mutating func ask(_ next: Stage, _ now: Timestamp, attempt: Int = 1) -> SessionAction {
        stage = next
        self.attempt = attempt
        packets = 0
        lastSign = now
        let packet: ColmiPacket
        switch next {
        case .day(let daysAgo):
            answer = ColmiDay()
            packet = .stepsRequest(daysAgo: daysAgo)
        case .clock:
            let setting = ClockState.Setting(at: now, utcOffset: context.localTime.utcOffset(now))
            clockSet = setting
            packet = .setTime(wall: now.seconds + setting.utcOffset)
        default:
            packet = .batteryRequest
        }
        return .write(packet.bytes, to: Colmi.requests, response: false)
    }

    private mutating func repeated(_ now: Timestamp) -> SessionAction {
        if attempt < Self.attempts { return ask(stage, now, attempt: attempt + 1) }
        switch stage {
        case .day(let daysAgo):
            guard packets > 0 else { return .fail(.noAnswer(to: "for its steps", seconds: Self.patience)) }
            return deliver(daysAgo: daysAgo, answered: .gaps, now)
        case .clock:
            return finish(now)     // it goes on with the clock it has, and what it set is not recorded
        default:
            return ask(.day(daysAgo: 0), now)   // a ring that does not tell its battery may still tell its steps
        }
    }

    // MARK: What came

    private mutating func receive(_ bytes: [UInt8], _ now: Timestamp) -> SessionAction {
        packets += 1
        guard packets <= Self.mostPackets else { return .fail(.undecodable("packets without end")) }
        guard let packet = ColmiPacket(received: bytes) else {
            undecodable += 1
            return waiting(now)
        }
        switch stage {
        case .battery where packet.command == ColmiPacket.Command.battery:
            if !packet.isError, packet[1] <= 100 { report.battery = Int(packet[1]) }
            return ask(.day(daysAgo: 0), now)
        case .day(let daysAgo):
            return receive(answer.add(packet), daysAgo: daysAgo, now)
        case .settling(let daysAgo, let answered):
            if packet.command == ColmiPacket.Command.steps { lastSign = now }
            guard now - lastSign < Int(Self.quiet) else { return deliver(daysAgo: daysAgo, answered: answered, now) }
            return .receive(seconds: Self.quiet)
        case .clock where packet.command == ColmiPacket.Command.setTime:
            if !packet.isError { report.clockSet = clockSet }
            return finish(now)
        default:
            return waiting(now)     // unsolicited: live steps, a button, a charger
        }
    }

    /// What is not of the answer does not make it come: while its wearer walks a ring tells that every second.
    private mutating func waiting(_ now: Timestamp) -> SessionAction {
        now - lastSign < Int(Self.patience) ? .receive(seconds: Self.patience) : repeated(now)
    }

    private mutating func receive(_ progress: ColmiDay.Progress, daysAgo: Int, _ now: Timestamp) -> SessionAction {
        switch progress {
        case .more:
            lastSign = now
            return .receive(seconds: Self.patience)
        case .other:
            return waiting(now)
        case .gaps where attempt < Self.attempts, .refused where attempt < Self.attempts:
            return ask(stage, now, attempt: attempt + 1)
        case .refused where daysAgo == 0:
            return .fail(.refused("to tell its steps"))
        case .complete where isStale(daysAgo: daysAgo):
            answer = ColmiDay()
            return .receive(seconds: Self.patience)
        case .complete, .gaps, .noData, .refused:
            guard attempt > 1 else { return deliver(daysAgo: daysAgo, answered: progress, now) }
            // A ring that was slow answers each of the requests: what comes late must not be taken for the next day's.
            stage = .settling(daysAgo: daysAgo, answered: progress)
            lastSign = now
            return .receive(seconds: Self.quiet)
        }
    }

    /// Whether the answer is one to an earlier request, which came late: of another day than was asked for, and told before.
    private func isStale(daysAgo: Int) -> Bool {
        guard let date = answer.date else { return false }
        return date != today - daysAgo && told.contains(date)
    }

    // MARK: What to hand over

    private mutating func deliver(daysAgo: Int, answered: ColmiDay.Progress, _ now: Timestamp) -> SessionAction {
        var batch = SampleBatch()
        batch.samples = reckoning.samples(of: answer, daysAgo: daysAgo, now: now)
        crossesMidnight = crossesMidnight || reckoning.isNearMidnight(now)
        let asked = today - daysAgo
        if answered == .complete {
            // Its records say which day it is of: a ring whose clock is off has another today.
            batch.coverage = [reckoning.span(ofWallDay: answer.date ?? asked, now: now)]
        }
        if let date = answer.date { told.insert(date) }
        if daysAgo == 0 {
            if answered != .gaps { todayThrough = now }
        } else {
            // Refused before any older day was told: the ring holds no more. Else the day is for the next sync.
            contiguous = contiguous && answered != .gaps && !(answered == .refused && holdsOlder)
            holdsOlder = holdsOlder || answered == .complete
        }
        batch.cursor = moved(pastDaysAgo: daysAgo, reckoning.span(ofWallDay: asked, now: now), now)
        stage = .delivering
        return .deliver(batch, progress: .reading(done: done + 1, of: days.count))
    }

    /// Where the next sync goes on once this day is committed; nil while nothing is to be moved.
    private mutating func moved(pastDaysAgo daysAgo: Int, _ span: TimeSpan, _ now: Timestamp) -> PedometerCursor? {
        if done + 1 == days.count {
            // The last day of the plan: all before today is in, and today as far as it was read.
            if contiguous {
                let startOfToday = daysAgo == 0 ? span.start : span.end
                cursor.readThrough = todayThrough ?? startOfToday
                // Which days were read is not sure enough: the next sync reads the last two again.
                if crossesMidnight { cursor.readThrough = reckoning.span(ofWallDay: today - 1, now: now).start }
            }
            // Gaps or not, the clock is about to be set: what was in the slots that it shows a second time has to be known.
            cursor.tail = reckoning.tail(today: today, clockSetTo: now.seconds + context.localTime.utcOffset(now))
        } else if contiguous, daysAgo > 0, !crossesMidnight {
            cursor.readThrough = span.end
        } else {
            return nil
        }
        return cursor
    }

    private mutating func finish(_ now: Timestamp) -> SessionAction {
        switch reckoning.verdict {
        case .right: break
        case .off(let seconds): report.notices.append(.clockWasOff(seconds: seconds))
        case .utc:
            let local = context.localTime.utcOffset(clockSet?.at ?? now)
            report.notices.append(.clockWasOff(seconds: -local))
        }
        if undecodable > 0 { report.notices.append(.undecodable(frames: undecodable)) }
        if reckoning.misplaced > 0 { report.notices.append(.implausible(samples: reckoning.misplaced)) }
        return .finish(report)
    }
}
