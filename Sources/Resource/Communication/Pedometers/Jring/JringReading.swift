internal import StepDomain

struct JringReading: ExchangeProtocol {
    /// A day is counted since 1970 by the ring's clock, as all days here.
    private enum Stage: Hashable { case total, identifying, totalAgain, day(Int), alive, clock, end }

    /// Seconds of a packet.
    private static let quarter = 900
    /// Packets of a day of which the ring sends every quarter of an hour.
    private static let packetsOfADay = 86_400 / quarter
    /// Steps by which the minutes may exceed the total, which was sent before them.
    private static let minutesTolerance = 255
    /// Steps by which the total may exceed the minutes: those of a quarter of an hour that is not stored yet, at the
    /// most that its minutes can hold.
    private static let totalTolerance = 15 * 255
    /// Days without an answer after which a ring that was never read is not asked for older ones.
    private static let mostSilentDays = 3
    /// Seconds around midnight in which the ring may be on another day than it is taken to be.
    private static let midnight = 300

    /// The answer to the present request for a day.
    private struct Answer {
        /// Packets with steps by their time, of both answers if the day was requested twice.
        var quarters: [Int: ArraySlice<UInt8>] = [:]
        /// A packet of the day that was requested has arrived.
        var isOfDay = false
        /// A packet with steps of a day that was not requested has arrived.
        var isOfOtherDay = false
        /// The ring has no such day.
        var isRefused = false
    }

    private let context: SessionContext
    private let isProbe: Bool
    private var stage: Stage?
    private var converter: WallSlotConverter
    private var setter = ClockSetter()
    /// Today's steps by `03`.
    private var total: Int?
    /// Days still to be requested: the last one is requested next.
    private var days: [Int] = []
    /// Days that were requested, and all that were to be.
    private var done = 0, planned = 0
    private var answer = Answer()
    /// Days whose answer has ended: true if it was taken to have ended because nothing more arrived.
    private var ended: [Int: Bool] = [:]
    /// Whether today's minutes agree with the total.
    private var isChecked = false
    private var isInDoubt = false
    /// Whether every day since the last reading is requested.
    private var isWhole = true
    /// Days since 1970 by the ring's clock that are missing, or did not arrive completely: `ColmiPlan` has the same
    /// rule. They do not hold up the cursor, and the next syncs request them again until the ring no longer holds them.
    private var gaps: [Int: DayGap.Reason] = [:]
    /// Days without an answer since the last one that was answered.
    private var unansweredDays = 0
    /// Whether the ring was read before: then the days since then that it does not send are missing. False until its
    /// first reading, which may take several syncs, has come to its end.
    private var wasRead = false
    /// The days that were missing after the sync before.
    private let known: [Int: DayGap.Reason]
    /// The days since then that it no longer holds.
    private var lost: SyncNotice?
    /// The ring's day at the first request.
    private var today = 0
    /// The time of the first request: newer steps may be missing.
    private var began = Timestamp(0)
    /// When the link was last kept.
    private var kept = Timestamp(0)
    private(set) var report = SessionReport()

    init(_ context: SessionContext, isProbe: Bool = false) {
        self.context = context
        self.isProbe = isProbe
        converter = WallSlotConverter(context, days: Jring.oldestDay)
        known = Dictionary(
            (context.pedometer.cursor.missing ?? []).map { ($0.day.daysSince1970, $0.reason) }, uniquingKeysWith: { $1 }
        )
    }

    let notifying = [Jring.answers]
    var progress: ReadProgress { .reading(done: done, of: max(planned, 1)) }

    mutating func next(at now: Timestamp) -> ProtocolExchange? {
        func exchange(_ packet: [UInt8], _ name: String, _ answer: ProtocolExchange.Answer, attempts: Int = 1)
            -> ProtocolExchange
        {
            ProtocolExchange(
                request: .write(packet, to: Jring.requests), name: name, answer: answer, timeout: 3, attempts: attempts)
        }
        switch stage {
        case nil:
            stage = .total
            kept = now
            return exchange(Jring.packet(0x03), "the steps of today", .optional, attempts: 2)
        case .total where total == nil:
            // The ring may belong to another app: it answers the program that has sent its name.
            stage = .identifying
            return exchange(Jring.packet(0x48, Array("istep".utf8)), "its owner", .none)
        case .identifying:
            stage = .totalAgain
            return exchange(Jring.packet(0x03), "the steps of today", isProbe ? .required : .optional, attempts: 2)
        case .day where !days.isEmpty && !isInDoubt && now - kept >= Jring.keepAlivePause / 2:
            // A day takes up to half a minute.
            (stage, kept) = (.alive, now)
            return exchange(Jring.keepAlive, "its link", .none)
        case .total, .totalAgain, .day, .alive:
            if stage == .total || stage == .totalAgain {
                if isProbe { return finish() }
                plan(now)
            }
            guard !isInDoubt, let day = days.popLast() else {
                guard context.setsClock else { return finish() }
                stage = .clock
                let wall = setter.begin(at: now, context.localTime).wall
                return exchange(Jring.packet(0x01, .little(wall, 4)), "its clock", .optional)
            }
            stage = .day(day)
            answer = Answer()
            done += 1
            // Midnight may have passed since the day before was requested.
            let request = Jring.packet(0x10, [UInt8(clamping: converter.today(now) - day)])
            // A silent answer is requested once more, unless that of the day before was silent, too.
            var asked = exchange(
                request, "the steps of \(Day(daysSince1970: day))", .optional, attempts: unansweredDays == 0 ? 2 : 1)
            asked.quiet = 2
            return asked
        case .clock, .end:
            return finish()
        }
    }

    private mutating func finish() -> ProtocolExchange? {
        stage = .end
        return nil
    }

    /// Today first, because it is compared with the total; then those since the last sync, newest first, until the ring
    /// has no more; then those that were missing before. A day of which a part has arrived comes last: over a link that
    /// always ends at the same place, it would keep the others from being read.
    private mutating func plan(_ now: Timestamp) {
        (began, today) = (now, converter.today(now))
        let read = converter.daysSinceRead(context.pedometer.cursor, now: now)
        wasRead = read != nil && !known.values.contains(.unconfirmed)
        lost = converter.lost(context.pedometer.cursor, oldestDay: Jring.oldestDay, now: now)
        let since = read ?? Jring.oldestDay
        let oldest = min(Jring.oldestDay, (context.days ?? Int.max) - 1)
        var ranks: [Int: Int] = [:]
        for daysAgo in 0...max(0, min(since, oldest)) { ranks[today - daysAgo] = daysAgo }
        for (day, reason) in read == nil ? [:] : known {
            let daysAgo = today - day
            // Today is first in any case: `since` is negative if the date went back in a journey over midnight.
            guard daysAgo > max(since, 0), daysAgo <= Jring.oldestDay else { continue }
            if daysAgo <= oldest {
                ranks[day] = daysAgo + (reason == .incomplete ? Jring.oldestDay : 0)
            } else {
                gaps[day] = reason
            }
        }
        days = ranks.sorted { ($0.value, $0.key) > ($1.value, $1.key) }.map(\.key)
        planned = days.count
        isWhole = context.days.map { $0 > since } ?? true
    }

    /// A second answer adds to the first one.
    mutating func begin(at now: Timestamp) {}

    mutating func receive(_ bytes: [UInt8], at now: Timestamp) -> ExchangeProgress {
        guard bytes.count == 20 else { return .undecodable }
        switch (stage, bytes[0]) {
        case (.total, 0x03), (.totalAgain, 0x03):
            total = bytes.little(5, 4)
            // The time that its clock shows.
            let lead = (bytes.little(1, 4) ?? 0) - converter.wall(now)
            if abs(lead) > CounterOfToday.clockTolerance { report.notices = [.clockWasOff(seconds: lead)] }
            converter.observe(ahead: lead, at: now)
            return .done
        case (.clock, 0x01):
            setter.confirm()
            return .done
        case (.day, 0x90):
            answer.isRefused = true
            return .done
        case (.day(let day), 0x11):
            // The sleep of a night is of two days: it shows only that the ring is sending.
            if let time = bytes.little(1, 4), DeviceClock(wall: time).day == day { answer.isOfDay = true }
            return .more
        case (.day(let day), 0x10):
            guard let time = bytes.little(1, 4), time % Self.quarter == 0 else { return .undecodable }
            let own = DeviceClock(wall: time).day
            if isWanted(time, day, now) {
                answer.isOfDay = true
                answer.quarters[time] = bytes[5..<20]
            } else if let wasQuiet = ended[own] {
                // The rest of an earlier answer, which the present request has cut off.
                if wasQuiet { gaps[own] = .incomplete }
            } else {
                answer.isOfOtherDay = true
            }
            return hasAll(of: day) ? .done : .more
        default: return .other
        }
    }

    /// Whether nothing more can arrive for a day.
    private func hasAll(of day: Int) -> Bool {
        if day == today { return total.map { $0 > 0 && $0 == sum(of: day) } ?? false }
        return answer.quarters.keys.count { DeviceClock(wall: $0).day == day } >= Self.packetsOfADay
    }

    private func sum(of day: Int) -> Int {
        answer.quarters.filter { DeviceClock(wall: $0.key).day == day }.values.joined().reduce(0) { $0 + Int($1) }
    }

    mutating func end(_ end: ExchangeEnd, at now: Timestamp) -> SampleBatch? {
        switch (stage, end) {
        case (.day(let day), _):
            ended[day] = !hasAll(of: day)
            return day == today ? endToday(now) : endDay(day, now)
        case (.clock, .complete):
            report.clockSet = setter.confirmed
            return nil
        default: return nil
        }
    }

    private mutating func endToday(_ now: Timestamp) -> SampleBatch? {
        guard let total, answer.isOfDay || answer.isRefused || !answer.isOfOtherDay else { return doubt(.unchecked) }
        let sum = sum(of: today)
        // Steps of a quarter of an hour that has not ended may not be stored yet.
        guard sum <= total + Self.minutesTolerance, total <= sum + (answer.isRefused ? 0 : Self.totalTolerance) else {
            return doubt(.totals(sum, total))
        }
        isChecked = true
        if !answer.isOfDay, total > Self.minutesTolerance { gaps[today] = .unanswered }
        return answer.isOfDay || total == 0 ? batch(today, now, isComplete: true) : days.isEmpty ? closing(now) : nil
    }

    private mutating func endDay(_ day: Int, _ now: Timestamp) -> SampleBatch? {
        if answer.isOfDay { return batch(day, now, isComplete: true) }
        if answer.isRefused {
            unansweredDays = 0
        } else {
            unansweredDays += 1
            miss(day)
            // It has no older days, or none that the maker's app would read.
            if !wasRead, unansweredDays >= Self.mostSilentDays { days.removeAll { $0 < day } }
        }
        return days.isEmpty ? closing(now) : nil
    }

    /// A ring sends nothing of a day without steps and sleep, such as one on which it was not worn. So a day for which
    /// it was silent in two syncs is not requested again, and stays unknown.
    private mutating func miss(_ day: Int) {
        let wasMissed = known[day] == .unanswered || known[day] == .unconfirmed
        gaps[day] = wasMissed ? nil : wasRead ? .unanswered : .unconfirmed
    }

    private func closing(_ now: Timestamp) -> SampleBatch {
        SampleBatch(cursor: cursor(now), notices: converter.notices + expired)
    }

    /// Whether a packet is one of the day that was requested. Near midnight the ring may be on another day by now.
    private func isWanted(_ time: Int, _ wanted: Int, _ now: Timestamp) -> Bool {
        let (day, second) = (DeviceClock(wall: time).day, DeviceClock(wall: converter.wall(now)).secondOfDay)
        return day == wanted || (min(second, 86_400 - second) < Self.midnight && abs(day - wanted) == 1)
    }

    /// - Parameter isComplete: the answer has ended. Otherwise the link was lost, and each packet accounts for its own
    ///   time only.
    private mutating func batch(_ day: Int, _ now: Timestamp, isComplete: Bool) -> SampleBatch {
        var batch = SampleBatch()
        let (times, wall) = (answer.quarters.keys.sorted(), converter.wall(now))
        for time in times {
            for (minute, steps) in (answer.quarters[time] ?? []).enumerated() {
                // A minute of the present quarter of an hour that has not come: the next reading has it.
                guard time > wall || time + minute * 60 <= wall + WallSlotConverter.drift else { continue }
                let record = WallRecord(wall: time + minute * 60, length: 60, steps: Int(steps))
                if let sample = converter.sample(record, now: now) { batch.samples.append(sample) }
            }
        }
        let isWholeDay = isComplete && !answer.isOfOtherDay
        var spans = times.map { $0..<$0 + Self.quarter }
        if isWholeDay {
            // Of today, until the time of the last steps, or until the total was read if there are no others.
            let last = total == sum(of: day) ? converter.wall(began) : (times.last ?? day * 86_400) + Self.quarter
            let end = day == today ? min(last, (day + 1) * 86_400) : (day + 1) * 86_400
            spans =
                [day * 86_400..<max(day * 86_400, end)] + spans.filter { DeviceClock(wall: $0.lowerBound).day != day }
        } else if day != today {
            gaps[day] = .incomplete
        }
        for span in spans.sorted(by: { $0.lowerBound < $1.lowerBound }).flatMap({ converter.spans($0, now: now) }) {
            if let last = batch.coverage.last, last.end >= span.start {
                batch.coverage[batch.coverage.count - 1] = TimeSpan(last.start, max(last.end, span.end))
            } else {
                batch.coverage.append(span)
            }
        }
        unansweredDays = 0
        // If the link is lost from here on, the next sync requests the other days.
        batch.cursor = cursor(now)
        if days.isEmpty { batch.notices = converter.notices + expired }
        return batch
    }

    /// Part of a day, which is requested again. A part of today can be compared with the total only if nothing but the
    /// rest of the day is missing.
    mutating func linkLost(at now: Timestamp) -> SampleBatch? {
        guard case .day(let day) = stage, let last = answer.quarters.keys.max() else { return nil }
        if !isChecked {
            guard day == today, last + 2 * Self.quarter > converter.wall(now), let total, case let sum = sum(of: day),
                sum <= total + Self.minutesTolerance, total <= sum + Self.totalTolerance
            else { return nil }
        }
        var batch = batch(day, now, isComplete: false)
        batch.notices = []  // they are about the whole answer
        return batch
    }

    // MARK: The next sync

    /// The cursor from which the next sync continues, with the days that are missing, and those that are still to be
    /// requested. Nil if the cursor stays as it is.
    ///
    /// A ring that was never read may not have the oldest days that it was asked for. The days that its first reading
    /// has not come to, and those for which it was silent, are requested once more, and not reported as missing.
    private func cursor(_ now: Timestamp) -> PedometerCursor? {
        guard isWhole, converter.isAllPlaced else {
            return converter.isAllPlaced ? nil : converter.cursor(context.pedometer.cursor, through: now, now: now)
        }
        var cursor = context.pedometer.cursor
        var missing = gaps
        for day in days where missing[day] == nil {
            missing[day] = known[day] ?? (wasRead ? .unanswered : .unconfirmed)
        }
        cursor.missing =
            missing.isEmpty
            ? nil : missing.sorted { $0.key < $1.key }.map { DayGap(Day(daysSince1970: $0.key), $0.value) }
        cursor.tail = converter.tail(cursor.tail, now: now)
        return cursor.advanced(to: min(began, now), now: now)
    }

    /// Days that the ring no longer holds: those that were missing after the sync before, and those since then.
    private var expired: [SyncNotice] {
        guard isWhole else { return [] }
        let days = context.pedometer.cursor.reportedGaps.map(\.day).filter {
            $0.daysSince1970 < today - Jring.oldestDay
        }
        return (days.isEmpty ? [] : [.tooOld(days)]) + (lost.map { [$0] } ?? [])
    }

    /// Nothing is stored, and no other day is requested.
    private mutating func doubt(_ doubt: StepDoubt) -> SampleBatch {
        isInDoubt = true
        return SampleBatch(notices: [.stepsInDoubt(doubt)])
    }
}
