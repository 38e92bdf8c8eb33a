internal import StepDomain

struct LefunReading: TableReading {
    /// Seconds around midnight in which the band may be on another day than it is taken to be.
    private static let midnight = 300

    var table: ExchangeTable<Self>
    private var converter: WallSlotConverter
    /// Days since 1970 by the band's clock. One that was missing before is among them.
    private var plan = DayPlan.empty
    /// The day that is requested, and the days since then.
    private var day = 0, daysAgo = 0
    /// Steps of the present day's records, by their time on the band's clock, and the number of records by their index.
    private var records: [Int: Int] = [:]
    private var indices: Set<Int> = []
    /// The day of records that are not of the day that was requested.
    private var wrongDay: Int?
    /// All steps of the present day, as the band reports them.
    private var total: Int?
    /// Whether the band has answered a request for a total, or has not answered the first one: then none are requested
    /// any more.
    private var hasTotals = false, lacksTotals = false
    /// Whether the present day was not received: then its total is not requested.
    private var isMissing = false
    /// Whether any day was answered.
    private var hasAnswer = false
    /// Whether a day is in doubt.
    private var isInDoubt = false
    private var isClockReported = false
    /// As far as this sync has come.
    private var cursor: PedometerCursor

    init(_ context: SessionContext, isProbe: Bool = false) {
        table = ExchangeTable(context, isProbe: isProbe, Self.probe, Self.rest)
        converter = WallSlotConverter(context, days: Lefun.oldestDay)
        cursor = context.pedometer.cursor
    }

    let notifying = [Lefun.answers]
    var progress: ReadProgress { plan.progress }

    // MARK: The protocol

    private static let probe: [Step] = [
        Step(
            request(LefunFrame(0x03), "its battery"),
            decode: answer(0x03) { reading, fields, _ in
                guard fields.count == 1 else { return .other }
                if fields[0] <= 100 { reading.report.battery = Int(fields[0]) }
                return .done
            }),
        Step(
            request(LefunFrame(0x04, [0]), "its clock"),
            decode: answer(0x04) { reading, fields, now in
                guard fields.count == 7, fields[0] == 0 else { return .other }
                reading.observeClock(fields, now)
                return .done
            }),
    ]

    private static let rest: [Step] = [
        Step { reading, now in
            reading.plan = DayPlan(
                reading.context, reading.converter, oldestDay: Lefun.oldestDay, .oldestFirst, at: now)
            return nil
        },
        Step(
            { $0.requestDay($1) },
            decode: answer(0x13) { reading, fields, _ in
                guard fields.count == 14, Int(fields[0]) == reading.daysAgo else { return .other }
                return reading.add(fields)
            },
            begin: { reading in (reading.records, reading.indices, reading.wrongDay) = ([:], [], nil) },
            end: { $0.endRecords($1, $2) }
        ).repeated(followedBy: [
            Step(
                { reading, _ in reading.isMissing || reading.lacksTotals ? nil : reading.dayRequest(0x12, "the total")
                },
                decode: answer(0x12) { reading, fields, now in
                    // The band also sends the total of today by itself.
                    guard fields.count == 16, Int(fields[0]) == reading.daysAgo else { return .other }
                    // An answer without records has no date of its own.
                    if let date = Self.time(Array(fields[1...3]) + [0, 0], 0)?.day, reading.isNeighbour(date, now) {
                        reading.wrongDay = date
                    }
                    reading.total = fields.big(4, 4)
                    return .done
                },
                end: { $0.endTotal($1, $2) })
        ]),
        .clock(
            { _, clock in
                let year = UInt8(truncatingIfNeeded: clock.fields.year - 2000)
                return request(LefunFrame(0x04, [1, year] + clock.timeInYear), "its clock")
            },
            decode: answer(0x04) { reading, fields, _ in
                guard fields.count == 2, fields[0] == 1 else { return .other }
                if fields[1] == 1 { reading.confirmClock() }
                return .done
            }),
    ]

    private static func request(_ frame: LefunFrame, _ name: String) -> ProtocolExchange {
        ProtocolExchange(writing: frame.request, to: Lefun.requests, name: name, answer: .optional)
    }

    /// A request about the present day. If the band has answered for no day, the reading fails with the last one.
    private func dayRequest(_ command: UInt8, _ what: String) -> ProtocolExchange {
        ProtocolExchange(
            request: .write(LefunFrame(command, [UInt8(daysAgo)]).request, to: Lefun.requests),
            name: "\(what) of \(Day(daysSince1970: day))",
            answer: plan.queue.isEmpty && !hasAnswer ? .required : .optional, timeout: 5, attempts: 2)
    }

    /// - Parameter decode: of the parameters of an answer with this command.
    private static func answer(_ command: UInt8, _ decode: @escaping Step.Decoder) -> Step.Decoder {
        { reading, bytes, now in
            guard let frame = LefunFrame(received: bytes) else { return .undecodable }
            return frame.command == command ? decode(&reading, frame.parameters, now) : .other
        }
    }

    private mutating func requestDay(_ now: Timestamp) -> ProtocolExchange? {
        // Midnight may have passed since the day before was requested.
        guard let next = plan.next(), case let ago = converter.today(now) - next, (0...255).contains(ago) else {
            return nil
        }
        (day, daysAgo, isMissing) = (next, ago, false)
        return dayRequest(0x13, "the steps")
    }

    // MARK: Answers

    private mutating func observeClock(_ fields: [UInt8], _ now: Timestamp) {
        guard let clock = Self.time(fields, 1) else { return }
        let clockOffset = clock.wall + min(Int(fields[6]), 59) - converter.wall(now)
        if abs(clockOffset) > CounterOfToday.clockTolerance {
            report.notices.append(.clockWasOff(seconds: clockOffset))
            isClockReported = true
        }
        converter.observe(ahead: clockOffset, at: now)
    }

    private mutating func add(_ fields: [UInt8]) -> ExchangeProgress {
        let (count, index) = (Int(fields[1]), Int(fields[2]))
        guard count > 0 else { return .done }
        guard (1...count).contains(index), let time = Self.time(fields, 3), let steps = fields.big(8, 2) else {
            return .undecodable
        }
        indices.insert(index)
        if time.day != day { wrongDay = time.day }
        records[time.wall] = max(records[time.wall] ?? 0, steps)
        guard index == count else { return .more }
        return indices.count == count ? .done : .again
    }

    /// - Parameter index: the index of the year; month, day, hour and minute follow.
    private static func time(_ fields: [UInt8], _ index: Int) -> DeviceClock? {
        let numbers = fields[index..<index + 5].map(Int.init)
        return DeviceClock(
            year: 2000 + numbers[0], month: numbers[1], day: numbers[2], hour: numbers[3], minute: numbers[4])
    }

    private mutating func endRecords(_ end: ExchangeEnd, _ now: Timestamp) -> SampleBatch? {
        guard end == .complete else { return miss(end, now) }
        (hasAnswer, total) = (true, nil)
        return lacksTotals ? batch(now) : nil
    }

    private mutating func endTotal(_ end: ExchangeEnd, _ now: Timestamp) -> SampleBatch {
        if total != nil {
            hasTotals = true
        } else if end == .silent, !hasTotals {
            lacksTotals = true
        } else {
            // A band that sends totals, and one whose answer was wrong, are asked for this one again by the next sync.
            return miss(.incomplete, now)
        }
        return batch(now)
    }

    /// The present day was not received. Only when a band that was never read was silent for it in two syncs does it
    /// count as not existing.
    private mutating func miss(_ end: ExchangeEnd, _ now: Timestamp) -> SampleBatch {
        isMissing = true
        if end == .incomplete {
            hasAnswer = true
            plan.gaps[day] = .incomplete
        } else {
            plan.silence(day, isExpected: plan.first != nil || hasAnswer, believed: [.unconfirmed])
        }
        return SampleBatch(cursor: nextCursor(now), notices: closing)
    }

    /// Where the next sync continues if this one ends after the present day; nil if the cursor stays as it is.
    private mutating func nextCursor(_ now: Timestamp) -> PedometerCursor? {
        let through = day >= converter.today(now) ? now : converter.clock.moment(wall: (day + 1) * 86_400)
        let next = plan.cursor(cursor, through: hasAnswer && !isInDoubt ? through : nil, converter, now: now)
        if let next { cursor = next }
        return next
    }

    /// The notices of the last batch.
    private var closing: [SyncNotice] { plan.queue.isEmpty ? converter.notices + plan.expired : [] }

    /// Whether another day is the band's present one because midnight is near.
    private func isNeighbour(_ other: Int, _ now: Timestamp) -> Bool {
        let time = DeviceClock(wall: converter.wall(now)).secondOfDay
        return min(time, 86_400 - time) < Self.midnight && abs(other - day) == 1
    }

    private mutating func batch(_ now: Timestamp) -> SampleBatch {
        var batch = SampleBatch()
        if let wrongDay {
            // Near midnight the band may have gone on to the next day before it answered.
            isInDoubt = true
            if !isNeighbour(wrongDay, now), !isClockReported {
                batch.notices = [.clockWasOff(seconds: (wrongDay - day) * 86_400)]
                isClockReported = true
            }
            batch.cursor = nextCursor(now)
            batch.notices += closing
            return batch
        }
        let isToday = day >= converter.today(now)
        let sum = records.values.reduce(0, +)
        // That all records have arrived is known from their indices.
        let total = total ?? sum
        // Today's total may have grown since, and the record of the present time may be missing.
        guard sum == total || (isToday && sum < total) else {
            isInDoubt = true
            return SampleBatch(
                cursor: nextCursor(now), notices: [.stepsInDoubt(.totals(sum, total))] + closing)
        }
        let times = records.keys.sorted()
        let length = zip(times, times.dropFirst()).map { $1 - $0 }.min().map { min($0, 3_600) } ?? 3_600
        batch.samples = times.compactMap { time in
            converter.sample(WallRecord(wall: time, length: length, steps: records[time] ?? 0), now: now)
        }
        batch.coverage = converter.spans(day * 86_400..<(day + 1) * 86_400, now: now)
        batch.cursor = nextCursor(now)
        batch.notices = closing
        return batch
    }
}
