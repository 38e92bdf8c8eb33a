internal import StepDomain

/// What a packet of the ring means to the present request.
extension ColmiSession {
    mutating func receive(_ bytes: [UInt8], _ now: Timestamp) -> SessionAction {
        packets += 1
        guard packets <= Self.maximumPackets else {
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
}
