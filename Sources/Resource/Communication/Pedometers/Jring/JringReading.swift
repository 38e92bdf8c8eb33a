internal import StepDomain

/// Days are counted since 1970 by the ring's clock.
struct JringReading: TableReading {
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
    private static let maximumSilentDays = 3
    /// Seconds around midnight in which the ring may be on another day than it is taken to be.
    private static let midnight = 300

    /// The answer to the present request for a day.
    private struct Answer {
        /// Packets with steps by their time, of both answers if the day was requested twice.
        var quarters: [Int: ArraySlice<UInt8>] = [:]
        /// A packet with steps of the day that was requested has arrived, or one with sleep. The sleep of a night is of
        /// two days: it can come with the steps of a neighbour.
        var isOfDay: Bool { hasSteps || hasSleep && !isOfNeighbour }
        var hasSteps = false, hasSleep = false
        /// One of the day before or after it has arrived, near midnight: the ring is on another day by now.
        var isOfNeighbour = false
        /// A packet with steps of a day that was not requested has arrived.
        var isOfOtherDay = false
        /// The ring has no such day.
        var isRefused = false
    }

    var table: ExchangeTable<Self>
    private var converter: WallSlotConverter
    /// Today's steps by `03`.
    private var total: Int?
    private var plan = DayPlan.empty
    /// The day of the present request.
    private var day = 0
    private var answer = Answer()
    /// Days whose answer has ended: true if it was taken to have ended because nothing more arrived.
    private var ended: [Int: Bool] = [:]
    /// Whether today's minutes agree with the total.
    private var isChecked = false
    private var isInDoubt = false
    /// Days without an answer since the last one that was answered.
    private var unansweredDays = 0
    /// Whether the ring was read before: then the days since then that it does not send are missing. False until its
    /// first reading, which may take several syncs, has come to its end.
    private var wasRead = false
    /// The time of the first request for a day: newer steps may be missing.
    private var began = Timestamp(0)
    /// When the link was last kept.
    private var kept = Timestamp(0)

    init(_ context: SessionContext, isProbe: Bool = false) {
        table = ExchangeTable(context, isProbe: isProbe, Self.probe, Self.rest)
        converter = WallSlotConverter(context, days: Jring.oldestDay)
    }

    let notifying = [Jring.answers]
    var progress: ReadProgress { plan.progress }

    // MARK: The protocol

    private static let probe: [Step] = [
        Step(
            { reading, now in
                reading.kept = now
                return request(Jring.packet(0x03), "the steps of today", .optional, attempts: 2)
            }, decode: decodeTotal),
        // The ring may belong to another app: it answers the program that has sent its name.
        Step { reading, _ in
            reading.total == nil ? request(Jring.packet(0x48, Array("istep".utf8)), "its owner", .none) : nil
        },
        Step(
            { reading, _ in
                guard reading.total == nil else { return nil }
                let answer: ProtocolExchange.Answer = reading.isProbe ? .required : .optional
                return request(Jring.packet(0x03), "the steps of today", answer, attempts: 2)
            }, decode: decodeTotal),
    ]

    private static let rest: [Step] = [
        Step { reading, now in
            reading.began = now
            reading.plan = DayPlan(
                reading.context, reading.converter, oldestDay: Jring.oldestDay, .newestFirst, at: now)
            reading.wasRead = reading.plan.first != nil && !reading.plan.known.values.contains(.unconfirmed)
            return nil
        },
        Step { reading, now in
            reading.requestDay(now)
        } decode: { reading, bytes, now in
            reading.addPacket(bytes, now)
        } end: { reading, _, now in
            reading.ended[reading.day] = !reading.hasAll(of: reading.day)
            return reading.day == reading.plan.today ? reading.endToday(now) : reading.endDay(now)
        } linkLost: { reading, now in
            reading.part(now)
        }.repeated(followedBy: [
            // A day takes up to half a minute.
            Step { reading, now in
                guard reading.hasMore, now - reading.kept >= Jring.keepAlivePause / 2 else { return nil }
                reading.kept = now
                return request(Jring.keepAlive, "its link", .none)
            }
        ]),
        .clock { _, clock in
            request(Jring.packet(0x01, .little(clock.wall, 4)), "its clock", .optional)
        } decode: { reading, bytes, _ in
            guard bytes.count == 20 else { return .undecodable }
            guard bytes[0] == 0x01 else { return .other }
            reading.confirmClock()
            return .done
        },
    ]

    private static func request(
        _ packet: [UInt8], _ name: String, _ answer: ProtocolExchange.Answer, attempts: Int = 1,
        timeout: Double = 3
    ) -> ProtocolExchange {
        ProtocolExchange(
            request: .write(packet, to: Jring.requests), name: name, answer: answer, timeout: timeout,
            attempts: attempts)
    }

    private static let decodeTotal: Step.Decoder = { reading, bytes, now in
        guard bytes.count == 20 else { return .undecodable }
        guard bytes[0] == 0x03 else { return .other }
        reading.total = bytes.little(5, 4)
        // The time that its clock shows.
        let clockOffset = (bytes.little(1, 4) ?? 0) - reading.converter.wall(now)
        if abs(clockOffset) > CounterOfToday.clockTolerance {
            reading.report.notices = [.clockWasOff(seconds: clockOffset)]
        }
        reading.converter.observe(ahead: clockOffset, at: now)
        return .done
    }

    /// Whether there is another day to request.
    private var hasMore: Bool { !isInDoubt && !plan.queue.isEmpty }

    private mutating func requestDay(_ now: Timestamp) -> ProtocolExchange? {
        guard hasMore, let next = plan.next() else { return nil }
        (day, answer) = (next, Answer())
        // Midnight may have passed since the day before was requested.
        let packet = Jring.packet(0x10, [UInt8(clamping: converter.today(now) - day)])
        // A silent answer is requested once more, unless that of the day before was silent, too. A second answer adds
        // to the first one. The first reading, in which the ring may not have the day, leaves that to the next sync,
        // and waits no longer than for the end of an answer.
        let isExpected = wasRead || day == plan.today || plan.known[day] != nil
        var request = Self.request(
            packet, "the steps of \(Day(daysSince1970: day))", .optional,
            attempts: isExpected && unansweredDays == 0 ? 2 : 1, timeout: isExpected ? 3 : Jring.silence)
        request.quiet = Jring.silence
        return request
    }

    private mutating func addPacket(_ bytes: [UInt8], _ now: Timestamp) -> ExchangeProgress {
        guard bytes.count == 20 else { return .undecodable }
        switch bytes[0] {
        case 0x90:
            answer.isRefused = true
            return .done
        case 0x11:
            // The sleep of a night is of two days: it shows only that the ring is sending.
            if let time = bytes.little(1, 4), DeviceClock(wall: time).day == day { answer.hasSleep = true }
            return .more
        case 0x10:
            guard let time = bytes.little(1, 4), time % Self.quarter == 0 else { return .undecodable }
            let own = DeviceClock(wall: time).day
            if isWanted(time, now) {
                if own == day { answer.hasSteps = true } else { answer.isOfNeighbour = true }
                answer.quarters[time] = bytes[5..<20]
            } else if let wasQuiet = ended[own] {
                // The rest of an earlier answer, which the present request has cut off.
                if wasQuiet { plan.gaps[own] = .incomplete }
            } else {
                answer.isOfOtherDay = true
            }
            return hasAll(of: day) ? .done : .more
        default: return .other
        }
    }

    /// Whether nothing more can arrive for a day.
    private func hasAll(of day: Int) -> Bool {
        if day == plan.today { return total.map { $0 > 0 && $0 == sum(of: day) } ?? false }
        return answer.quarters.keys.count { DeviceClock(wall: $0).day == day } >= Self.packetsOfADay
    }

    private func sum(of day: Int) -> Int {
        answer.quarters.filter { DeviceClock(wall: $0.key).day == day }.values.joined().reduce(0) { $0 + Int($1) }
    }

    private mutating func endToday(_ now: Timestamp) -> SampleBatch? {
        guard let total, answer.isOfDay || answer.isRefused || !answer.isOfOtherDay else {
            return doubt(.unchecked, now)
        }
        let sum = sum(of: day)
        // Steps of a quarter of an hour that has not ended may not be stored yet.
        guard sum <= total + Self.minutesTolerance, total <= sum + (answer.isRefused ? 0 : Self.totalTolerance) else {
            return doubt(.totals(sum, total), now)
        }
        isChecked = true
        if !answer.isOfDay, total > Self.minutesTolerance { plan.gaps[day] = .unanswered }
        return answer.isOfDay || total == 0 ? batch(now, isComplete: true) : closing(now)
    }

    private mutating func endDay(_ now: Timestamp) -> SampleBatch? {
        if answer.isOfDay || answer.isOfNeighbour { return batch(now, isComplete: true) }
        if answer.isRefused {
            unansweredDays = 0
        } else {
            unansweredDays += 1
            // A ring sends nothing of a day without steps and sleep, such as one on which it was not worn. So a day for
            // which it was silent in two syncs is not requested again, and stays unknown.
            plan.silence(day, isExpected: wasRead, believed: [.unanswered, .unconfirmed])
            // It has no older days, or none that the maker's app would read.
            if !wasRead, unansweredDays >= Self.maximumSilentDays { plan.drop(before: day) }
        }
        return closing(now)
    }

    /// After the last day, if it has no batch of its own.
    private func closing(_ now: Timestamp) -> SampleBatch? {
        plan.queue.isEmpty ? SampleBatch(cursor: cursor(now), notices: converter.notices + plan.expired) : nil
    }

    /// Whether a packet is one of the day that was requested. Near midnight the ring may be on another day by now.
    private func isWanted(_ time: Int, _ now: Timestamp) -> Bool {
        let (own, second) = (DeviceClock(wall: time).day, DeviceClock(wall: converter.wall(now)).secondOfDay)
        return own == day || (min(second, 86_400 - second) < Self.midnight && abs(own - day) == 1)
    }

    /// - Parameter isComplete: the answer has ended. Otherwise the link was lost, and each packet accounts for its own
    ///   time only.
    private mutating func batch(_ now: Timestamp, isComplete: Bool) -> SampleBatch {
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
        let isWholeDay = isComplete && !answer.isOfOtherDay && (answer.isOfDay || !answer.isOfNeighbour)
        var spans = times.map { $0..<$0 + Self.quarter }
        if isWholeDay {
            // Of today, until the time of the last steps, or until the total was read if there are no others.
            let last = total == sum(of: day) ? converter.wall(began) : (times.last ?? day * 86_400) + Self.quarter
            let end = day == plan.today ? min(last, (day + 1) * 86_400) : (day + 1) * 86_400
            spans =
                [day * 86_400..<max(day * 86_400, end)] + spans.filter { DeviceClock(wall: $0.lowerBound).day != day }
        } else if day != plan.today {
            plan.gaps[day] = .incomplete
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
        if plan.queue.isEmpty { batch.notices = converter.notices + plan.expired }
        return batch
    }

    /// Part of a day, which is requested again. A part of today can be compared with the total only if nothing but the
    /// rest of the day is missing.
    private mutating func part(_ now: Timestamp) -> SampleBatch? {
        guard let last = answer.quarters.keys.max() else { return nil }
        if !isChecked {
            guard day == plan.today, last + 2 * Self.quarter > converter.wall(now), let total,
                case let sum = sum(of: day),
                sum <= total + Self.minutesTolerance, total <= sum + Self.totalTolerance
            else { return nil }
        }
        var batch = batch(now, isComplete: false)
        batch.notices = []  // they are about the whole answer
        return batch
    }

    /// The cursor from which the next sync continues, with the days that are still to be requested as missing.
    ///
    /// A ring that was never read may not have the oldest days that it was asked for. The days that its first reading
    /// has not come to, and those for which it was silent, are requested once more, and not reported as missing.
    private func cursor(_ now: Timestamp) -> PedometerCursor? {
        plan.cursor(
            context.pedometer.cursor, through: began, rest: wasRead ? .unanswered : .unconfirmed, converter, now: now)
    }

    /// Nothing is stored, and no other day is requested.
    private mutating func doubt(_ doubt: StepDoubt, _ now: Timestamp) -> SampleBatch {
        isInDoubt = true
        let cursor = plan.cursor(context.pedometer.cursor, through: nil, converter, now: now)
        return SampleBatch(cursor: cursor, notices: [.stepsInDoubt(doubt)])
    }
}
