internal import StepDomain

/// What is stored of a day, and where the next sync continues.
extension ColmiSession {
    /// - Parameter answered: nil if no answer came, or only a part of it.
    mutating func deliver(
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

    mutating func deliver(_ samples: SampleBatch, _ now: Timestamp) -> SessionAction {
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
        !converter.isNearMidnight(now) && plan.dayOffset == 0 && converter.verdict == .right && !answers.mayBeLate
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
        return plan.cursor(start: converter.start, tail: tail)
    }

    /// The link has ended: what was received of the present day is delivered as incomplete.
    mutating func save(_ now: Timestamp) -> SessionAction {
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

    mutating func finish(_ now: Timestamp) -> SessionAction {
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
