internal import StepDomain

struct MoYoungReading: TableReading {
    /// Steps by which the sum may differ from the counter: those made between the two requests, and those of 2 % for a
    /// sum that is rounded.
    static func tolerance(_ sum: Int) -> Int { max(30, sum / 50) }

    /// Steps up to which nothing is reported if the two numbers cannot be distinguished.
    private static let maximumUnreported = 200

    var table: ExchangeTable<Self>
    private var isSecond = false
    private var frames = MoYoungFrames()
    /// The three numbers of FEE1, and when they were read.
    private var numbers: (values: [Int], at: Timestamp)?
    /// The sum of the hours; nil if they did not arrive.
    private var sum: Int?
    /// The three numbers of past days, by the argument of their request.
    private var past: [Int: [Int]] = [:]
    /// What was counted of the past days, once today's steps were read; whether their totals are requested; whether
    /// they were.
    private var days: CountedDays?
    private var isDue = false
    private var hasRequested = false

    init(_ context: SessionContext, isProbe: Bool = false) {
        table = ExchangeTable(context, isProbe: isProbe, Self.probe, Self.rest)
    }

    let notifying = [MoYoung.answers]

    private static let probe: [Step] = [
        Step(
            ProtocolExchange(
                request: .readIfPresent(MoYoung.manufacturer), name: "its manufacturer", answer: .optional)
        ) { reading, bytes, _ in
            reading.isSecond = String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self) == "MOYOUNG-V2"
            return .done
        },
        Step(ProtocolExchange(request: .read(MoYoung.today), name: "the steps of today")) { reading, bytes, now in
            guard let values = Self.numbers(bytes) else {
                return .failed(.undecodable("\(bytes.count) bytes where 9 were expected"))
            }
            reading.numbers = (values, now)
            return .done
        } end: { reading, end, now in
            end == .complete && !reading.isProbe ? reading.endToday(now) : nil
        },
    ]

    private static let rest: [Step] = [
        Step { reading, _ in
            reading.wantsHours ? reading.request(0x59, [0], "the hours of today") : nil
        } decode: { reading, bytes, _ in
            guard let frame = reading.frames.add(bytes) else { return reading.frames.isEmpty ? .other : .more }
            guard frame.command == 0x59, frame.data.first == 0 else { return .other }
            let hours = stride(from: 1, to: frame.data.count - 1, by: 2).compactMap { frame.data.little($0, 2) }
            guard (1...48).contains(hours.count), frame.data.count == 1 + 2 * hours.count else { return .undecodable }
            reading.sum = hours.reduce(0, +)
            return .done
        } end: { reading, _, now in
            reading.isDue = reading.isDue && reading.stepIndex != nil
            return reading.isDue ? nil : reading.batch(now)
        } linkLost: {
            $0.part($1)
        },
        pastDay(1, "a past day") { $0.isDue },
        // If the first is not answered, the second would not be either.
        pastDay(2, "another past day") { $0.past[1] != nil },
        // Near midnight it is not set: the watch counts today's steps, and a clock that is set over midnight would set
        // them to zero.
        .clock(nearMidnight: false) { reading, clock in
            let request = MoYoungFrames.request(0x31, .big(clock.wall - 8 * 3_600, 4) + [8], isSecond: reading.isSecond)
            return ProtocolExchange(writing: request, to: MoYoung.requests, name: "its clock", answer: .none)
        },
    ]

    /// The total of a past day.
    private static func pastDay(
        _ argument: Int, _ name: String, if isWanted: @escaping @Sendable (Self) -> Bool
    ) -> Step {
        Step { reading, _ in
            isWanted(reading) ? reading.request(0x33, [UInt8(argument)], name) : nil
        } decode: { reading, bytes, _ in
            guard let frame = reading.frames.add(bytes) else { return reading.frames.isEmpty ? .other : .more }
            guard frame.command == 0x33, frame.data.first.map(Int.init) == argument else { return .other }
            guard let values = Self.numbers(Array(frame.data.dropFirst())) else { return .undecodable }
            reading.past[argument] = values
            return .done
        } end: { reading, end, now in
            // An answer that was wrong is requested again by the next reading.
            reading.hasRequested = end != .incomplete
            return argument == 1 && reading.past[1] != nil ? nil : reading.batch(now)
        } linkLost: {
            $0.part($1)
        }
    }

    private func request(_ command: UInt8, _ data: [UInt8], _ name: String) -> ProtocolExchange {
        let bytes = MoYoungFrames.request(command, data, isSecond: isSecond)
        return ProtocolExchange(writing: bytes, to: MoYoung.requests, name: name, answer: .optional)
    }

    mutating func begin(at now: Timestamp) { frames = MoYoungFrames() }

    /// Nil if these are not nine bytes.
    private static func numbers(_ bytes: [UInt8]) -> [Int]? {
        bytes.count == 9 ? [0, 3, 6].compactMap { bytes.little($0, 3) } : nil
    }

    /// Whether the hours decide which number is the step count: until they have, and if the distance is first, always.
    private var wantsHours: Bool {
        guard let past = days?.past, !isProbe else { return false }
        return past.isDistanceFirst ?? (past.requested != today)
    }

    /// Whether the watch is on this day for certain. Its clock cannot be read, and a phone may have set it to another
    /// zone: until some hours after midnight, its totals may be those of other days. A counter that has fallen was
    /// reset.
    private func isOnToday(_ now: Timestamp) -> Bool {
        guard let today, let numbers else { return false }
        if now - context.localTime.moment(today) >= MidnightReset.latest { return true }
        return context.pedometer.cursor.counter.map {
            $0.day == today || numbers.values[0] < $0.value && numbers.values[1] < $0.value
        } ?? false
    }

    private var today: Day? { numbers.map { context.localTime.day(of: $0.at) } }

    private mutating func endToday(_ now: Timestamp) -> SampleBatch? {
        guard let today else { return nil }
        days = CountedDays(context, today: today)
        isDue = days?.isDue(at: now) == true && isOnToday(now)
        return wantsHours || isDue ? nil : batch(now)
    }

    private mutating func part(_ now: Timestamp) -> SampleBatch? {
        hasRequested = false
        past = [:]
        return batch(now)
    }

    // MARK: Today

    /// The step count among the two numbers: the one nearer to the sum of the hours, if the other is clearly farther
    /// from it. Nil if that is not certain: a runner's metres can be as many as the steps.
    static func steps(_ first: Int, _ second: Int, sum: Int) -> Int? {
        let (near, far) = abs(first - sum) <= abs(second - sum) ? (first, second) : (second, first)
        guard abs(near - sum) <= tolerance(sum) else { return nil }
        let isCertain = near == far || abs(far - sum) > tolerance(sum) || abs(far - sum) >= 3 * abs(near - sum)
        return isCertain ? near : nil
    }

    /// Which of the numbers is the step count: the first, unless the hours show otherwise. Hours that have fewer steps
    /// may be only a part of the day. Nil for a doubt.
    private var stepIndex: Int? {
        guard let values = numbers?.values else { return nil }
        let isDistanceFirst = days?.past.isDistanceFirst == true
        guard let sum else { return isDistanceFirst ? nil : 0 }
        if let steps = Self.steps(values[0], values[1], sum: sum) {
            if steps == values[0] { return 0 }
            // A few steps do not show which number they are.
            return isDistanceFirst || !isFew ? 1 : nil
        }
        return !isDistanceFirst && sum <= values[0] + Self.tolerance(sum) ? 0 : nil
    }

    /// Whether there are so few steps that a later reading may decide.
    private var isFew: Bool { (numbers?.values.prefix(2).max() ?? 0) <= Self.maximumUnreported }

    private mutating func batch(_ now: Timestamp) -> SampleBatch? {
        guard let numbers, var days else { return nil }
        let values = numbers.values
        guard let index = stepIndex else {
            guard let sum else { return SampleBatch(notices: [.stepsInDoubt(.unchecked)]) }
            if isFew { return SampleBatch() }
            let isNear = abs(values[0] - sum) <= Self.tolerance(sum)
            return SampleBatch(notices: [.stepsInDoubt(.totals(values[0], isNear ? values[1] : sum))])
        }
        if let sum, !isFew, let steps = Self.steps(values[0], values[1], sum: sum), values[0] != values[1] {
            days.isDistanceFirst(steps == values[1])
        }
        let reading = CounterReading(
            at: numbers.at, value: values[index], utcOffset: context.localTime.utcOffset(numbers.at))
        var notices: [SyncNotice] = []
        if hasRequested, context.localTime.day(of: now) == today {
            let totals = MoYoungPast(past.mapValues { $0[index] }, reading.day, days)
            notices = totals.doubt.map { [.stepsInDoubt($0)] } ?? []
            days.complete(totals.reports, before: reading, hasBegun: true)
            days.request(past.isEmpty ? nil : totals.totals, isReversed: totals.isReversed)
        }
        var batch = days.batch(of: reading)
        batch.notices += notices
        return batch
    }
}

/// The totals of the two days before today: which is which.
///
/// An order is possible if no total is lower than what was counted of its day, none has more than can have been walked
/// since, and the day before yesterday has the total that yesterday had when it was last requested. If one order is
/// possible and the other is not, it is kept, as that of the watch.
struct MoYoungPast {
    /// By the argument of the request.
    let totals: [Int: Int]
    /// The order of the watch, as far as it is known now.
    private(set) var isReversed: Bool?
    /// What can be counted; empty if the order is not certain.
    private(set) var reports: [CountedDays.Report] = []
    /// If neither order is possible.
    private(set) var doubt: StepDoubt?

    init(_ totals: [Int: Int], _ today: Day, _ days: CountedDays) {
        self.totals = totals
        isReversed = days.past.isReversed
        guard !totals.isEmpty else { return }
        let orders = isReversed.map { [$0] } ?? [false, true]
        let possible = orders.filter { Self.isPossible(Self.reports(totals, today, $0), today, days, isReversed: $0) }
        if possible.count == 1 { isReversed = possible[0] }
        // Two equal totals are the same in both orders.
        guard let order = possible.first, possible.count == 1 || (totals.count == 2 && totals[1] == totals[2]) else {
            if possible.isEmpty {
                isReversed = nil
                let yesterday = today.advanced(by: -1)
                if let counted = days.counted(yesterday), let total = totals[1] {
                    doubt = .totals(counted.steps, total)
                }
            }
            return
        }
        reports = Self.reports(totals, today, order)
    }

    private static func reports(_ totals: [Int: Int], _ today: Day, _ isReversed: Bool) -> [CountedDays.Report] {
        totals.sorted { $0.key < $1.key }.map { argument, total in
            CountedDays.Report(day: today.advanced(by: isReversed ? argument - 3 : -argument), total: total)
        }
    }

    private static func isPossible(_ reports: [CountedDays.Report], _ today: Day, _ days: CountedDays, isReversed: Bool)
        -> Bool
    {
        let before = days.past.requested == today.advanced(by: -1) ? days.past.totals?[isReversed ? 2 : 1] : nil
        return reports.allSatisfy { report in
            if let before, report.day == today.advanced(by: -2), report.total != before { return false }
            return days.counted(report.day) == nil || !days.isSteady(report.day)
                || days.isPossible(report.total, report.day)
        }
    }
}
