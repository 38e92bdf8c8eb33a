public import BlueZ
public import StepDomain

/// Lefun bands: the steps of today and the six days before, in records with a time.
///
/// Requests are `AB length command parameters checksum`, answers `5A length command parameters checksum`: the length of
/// all bytes, a CRC-8 of Maxim over all bytes before it, numbers big-endian, years since 2000, the time of the band's
/// clock.
///
/// | command | parameters | answer |
/// |---|---|---|
/// | `03` | none | battery in per cent |
/// | `04` | `00` | `00`, year, month, day, hour, minute, second: its clock |
/// | `04` | `01` and the same | `01`, then 1 if it was set |
/// | `12` | days ago | days ago, year, month, day, steps u32, metres u32, calories u32 |
/// | `13` | days ago | days ago, records, index from 1, year, month, day, hour, minute, steps u16, distance u16, calories u16; for each record |
///
/// Source: Gadgetbridge, `devices/lefun/commands` and `LefunDeviceSupport.java`. The unit of the records' distance and
/// calories, and the length of a record, are not documented: distance and calories are not read, and the length is the
/// shortest time between two records. A day's records count only if their sum is the day's total of `12`. Gadgetbridge
/// never requests `12` and only decodes it: of a band that does not answer it, a day counts if all of its records have
/// arrived.
public enum Lefun: LinkedPedometerModel {
    public static let key = "lefun"
    public static let title = "Lefun band"
    public static let caveat: String? =
        "Its protocol is known from one other program only. The duration of a record is not known, so the hours of its steps may be wrong. A day does not count "
        + "if its records do not add up to the total that the band reports."

    static let service: BluetoothUUID = "18d0"
    static let requests = GATTAddress(service, "2d01")
    static let answers = GATTAddress(service, "2d00")
    /// Days before today that it holds.
    static let oldestDay = 6

    /// It advertises no service. Its manufacturer data are its address and `TJDR`; the company is the first part of the
    /// address.
    public static func evidence(in discovery: Discovery) -> KindEvidence? {
        let maker = Array("TJDR".utf8)
        let isMarked = discovery.manufacturerData.values.contains { data in
            (0..<max(0, data.count - 3)).contains { Array(data[$0..<$0 + 4]) == maker }
        }
        if isMarked { return .advertisedData }
        // Names under which bands with this protocol were reported.
        return discovery.name.map { ["Lefun", ".bohemic", "IMP-2027"].contains($0) } == true ? .name : nil
    }

    public static let characteristicServices = [service]
    public static func holdsTodayOnly(_ pedometer: Pedometer) -> Bool { false }
    public static func session(_ context: SessionContext) -> any PedometerSession {
        ExchangeSession(LefunReading(context))
    }
    public static func probe(_ context: SessionContext) -> any PedometerSession {
        ExchangeSession(LefunReading(context, isProbe: true))
    }
}

/// A request or an answer of a Lefun band.
struct LefunFrame: Hashable {
    let command: UInt8
    let parameters: [UInt8]

    init(_ command: UInt8, _ parameters: [UInt8] = []) {
        self.command = command
        self.parameters = parameters
    }

    /// Nil if beginning, length or checksum are wrong. Bytes after the length are ignored: the band fills the packet.
    init?(received bytes: [UInt8]) {
        guard bytes.count >= 4, bytes[0] == 0x5a else { return nil }
        let length = Int(bytes[1])
        guard (4...bytes.count).contains(length), Self.checksum(bytes[..<(length - 1)]) == bytes[length - 1] else {
            return nil
        }
        command = bytes[2]
        parameters = Array(bytes[3..<length - 1])
    }

    /// The bytes of a request to the band.
    var request: [UInt8] { bytes(0xab) }

    /// - Parameter first: `AB` for a request, `5A` for an answer.
    func bytes(_ first: UInt8) -> [UInt8] {
        let bytes = [first, UInt8(parameters.count + 4), command] + parameters
        return bytes + [Self.checksum(bytes)]
    }

    /// CRC-8 of Maxim (reflected polynomial 0x8C, initial value 0).
    static func checksum(_ bytes: some Sequence<UInt8>) -> UInt8 {
        var checksum: UInt8 = 0
        for byte in bytes {
            checksum ^= byte
            for _ in 0..<8 { checksum = checksum & 1 == 1 ? checksum >> 1 ^ 0x8c : checksum >> 1 }
        }
        return checksum
    }
}

struct LefunReading: ExchangeProtocol {
    /// A day, as days since 1970 by the band's clock, and the days since then when it was requested.
    private struct Wanted: Hashable {
        let day: Int
        let daysAgo: Int
    }

    private enum Stage: Hashable { case battery, clock, records(Wanted), total(Wanted), settingClock, end }

    private let context: SessionContext
    private let isProbe: Bool
    private var stage: Stage?
    private var converter: WallSlotConverter
    private var setter = ClockSetter()
    /// Seconds around midnight in which the band may be on another day than it is taken to be.
    private static let midnight = 300

    /// Days since 1970 by the band's clock, still to be read: the oldest is the last.
    private var days: [Int] = []
    private var planned = 0
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
    /// Whether the band was read before: then the days since then that it does not send are missing.
    private var wasRead = false
    /// Days since 1970 by the band's clock that are missing, or did not arrive completely: `ColmiPlan` has the same
    /// rule. They do not hold up the cursor, and the next syncs request them again until the band no longer holds them.
    private var gaps: [Int: DayGap.Reason] = [:]
    /// Days that the band no longer holds.
    private var expired: [SyncNotice] = []
    /// Whether every day since the last reading was requested, and none is in doubt.
    private var isWhole = true
    private var isClockReported = false
    private(set) var report = SessionReport()

    init(_ context: SessionContext, isProbe: Bool = false) {
        self.context = context
        self.isProbe = isProbe
        converter = WallSlotConverter(context, days: Lefun.oldestDay)
    }

    let notifying = [Lefun.answers]
    var progress: ReadProgress { .reading(done: planned - days.count, of: max(planned, 1)) }

    mutating func next(at now: Timestamp) -> ProtocolExchange? {
        func exchange(_ frame: LefunFrame, _ name: String, timeout: Double = 2, attempts: Int = 1) -> ProtocolExchange {
            ProtocolExchange(
                request: .write(frame.request, to: Lefun.requests), name: name,
                answer: isRequired ? .required : .optional, timeout: timeout,
                attempts: attempts)
        }
        switch stage {
        case nil:
            stage = .battery
            return exchange(LefunFrame(0x03), "its battery")
        case .battery:
            stage = .clock
            return exchange(LefunFrame(0x04, [0]), "its clock")
        case .clock where isProbe:
            stage = .end
            return nil
        case .records(let wanted) where !isMissing && !lacksTotals:
            stage = .total(wanted)
            return exchange(
                LefunFrame(0x12, [UInt8(wanted.daysAgo)]), "the total of \(Day(daysSince1970: wanted.day))", timeout: 5,
                attempts: 2)
        case .clock, .records, .total:
            if stage == .clock { plan(now) }
            // Midnight may have passed since the day before was requested.
            guard let day = days.popLast(), case let daysAgo = converter.today(now) - day, (0...255).contains(daysAgo)
            else {
                return setClock(now)
            }
            stage = .records(Wanted(day: day, daysAgo: daysAgo))
            isMissing = false
            return exchange(
                LefunFrame(0x13, [UInt8(daysAgo)]), "the steps of \(Day(daysSince1970: day))", timeout: 5, attempts: 2)
        case .settingClock, .end:
            stage = .end
            return nil
        }
    }

    /// Whether an answer is required: if the band has answered for no day, the reading fails with the last request for
    /// one.
    private var isRequired: Bool {
        switch stage {
        case .records, .total: days.isEmpty && !hasAnswer
        default: false
        }
    }

    /// Oldest day first, so that the next sync can continue where this one is cut off. A day that was missing before is
    /// among them.
    private mutating func plan(_ now: Timestamp) {
        let (today, cursor) = (converter.today(now), context.pedometer.cursor)
        let read = converter.daysSinceRead(cursor, now: now)
        wasRead = read != nil
        let since = read ?? Lefun.oldestDay
        let limit = min(Lefun.oldestDay, (context.days ?? Int.max) - 1)
        let old = (cursor.missing ?? []).map { ($0.day.daysSince1970, $0.reason) }
        gaps = Dictionary(old.filter { (0...Lefun.oldestDay).contains(today - $0.0) }, uniquingKeysWith: { $1 })
        let earlier = gaps.keys.filter { today - $0 <= limit }
        days = Set((0...max(0, min(since, limit))).map { today - $0 } + earlier).sorted(by: >)
        planned = days.count
        isWhole = context.days.map { $0 > since } ?? true
        guard isWhole else { return }
        let tooOld = cursor.reportedGaps.map(\.day).filter { $0.daysSince1970 < today - Lefun.oldestDay }
        if !tooOld.isEmpty { expired.append(.tooOld(tooOld)) }
        if let lost = converter.lost(cursor, oldestDay: Lefun.oldestDay, now: now) { expired.append(lost) }
    }

    private mutating func setClock(_ now: Timestamp) -> ProtocolExchange? {
        stage = context.setsClock ? .settingClock : .end
        guard context.setsClock else { return nil }
        let time = setter.begin(at: now, context.localTime).fields
        let fields = [time.year - 2000, time.month, time.day, time.hour, time.minute, time.second].map {
            UInt8(truncatingIfNeeded: $0)
        }
        return ProtocolExchange(
            request: .write(LefunFrame(0x04, [1] + fields).request, to: Lefun.requests), name: "its clock",
            answer: .optional, timeout: 2,
            attempts: 1)
    }

    mutating func begin(at now: Timestamp) {
        guard case .records = stage else { return }
        (records, indices, wrongDay) = ([:], [], nil)
    }

    mutating func receive(_ bytes: [UInt8], at now: Timestamp) -> ExchangeProgress {
        guard let frame = LefunFrame(received: bytes) else { return .undecodable }
        let fields = frame.parameters
        switch (stage, frame.command) {
        case (.battery, 0x03) where fields.count == 1:
            if fields[0] <= 100 { report.battery = Int(fields[0]) }
            return .done
        case (.clock, 0x04) where fields.count == 7 && fields[0] == 0:
            if let clock = Self.time(fields, 1) {
                let lead = clock.wall + min(Int(fields[6]), 59) - converter.wall(now)
                if abs(lead) > CounterOfToday.clockTolerance {
                    report.notices.append(.clockWasOff(seconds: lead))
                    isClockReported = true
                }
                converter.observe(ahead: lead, at: now)
            }
            return .done
        case (.settingClock, 0x04) where fields.count == 2 && fields[0] == 1:
            if fields[1] == 1 { setter.confirm() }
            return .done
        case (.records(let wanted), 0x13) where fields.count == 14 && Int(fields[0]) == wanted.daysAgo:
            return add(fields, wanted.day)
        // The band also sends the total of today by itself.
        case (.total(let wanted), 0x12) where fields.count == 16 && Int(fields[0]) == wanted.daysAgo:
            total = fields.big(4, 4)
            return .done
        default: return .other
        }
    }

    private mutating func add(_ fields: [UInt8], _ day: Int) -> ExchangeProgress {
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

    mutating func end(_ end: ExchangeEnd, at now: Timestamp) -> SampleBatch? {
        switch (stage, end) {
        case (.records(let wanted), .complete):
            (hasAnswer, total) = (true, nil)
            return lacksTotals ? batch(wanted, now) : nil
        case (.total(let wanted), _):
            guard total == nil else {
                hasTotals = true
                return batch(wanted, now)
            }
            // A band that sends totals, and one whose answer was wrong, are asked for this one again by the next sync.
            guard end == .silent, !hasTotals else {
                miss(wanted.day, .incomplete)
                return SampleBatch(
                    cursor: cursor(after: wanted.day, now), notices: days.isEmpty ? converter.notices + expired : [])
            }
            lacksTotals = true
            return batch(wanted, now)
        case (.records(let wanted), _):
            miss(wanted.day, end)
            return SampleBatch(
                cursor: cursor(after: wanted.day, now), notices: days.isEmpty ? converter.notices + expired : [])
        case (.settingClock, .complete):
            report.clockSet = setter.confirmed
            return nil
        default: return nil
        }
    }

    /// A day was not received. A band that was never read may have no record of the oldest days, and may not answer for
    /// them. Only when it was silent for them in two syncs do they count as not existing.
    private mutating func miss(_ day: Int, _ end: ExchangeEnd) {
        isMissing = true
        if end == .incomplete {
            hasAnswer = true
            gaps[day] = .incomplete
        } else if gaps[day] == .unconfirmed {
            gaps[day] = nil
        } else {
            gaps[day] = wasRead || hasAnswer ? .unanswered : .unconfirmed
        }
    }

    /// Where the next sync continues if this one ends after a day; nil if the cursor stays as it is.
    private func cursor(after day: Int, _ now: Timestamp) -> PedometerCursor? {
        guard isWhole, hasAnswer, converter.isAllPlaced else {
            return converter.isAllPlaced ? nil : converter.cursor(context.pedometer.cursor, through: now, now: now)
        }
        let through = day >= converter.today(now) ? now : converter.clock.moment(wall: (day + 1) * 86_400)
        var cursor = context.pedometer.cursor.advanced(to: min(through, now), now: now)
        cursor.missing =
            gaps.isEmpty ? nil : gaps.sorted { $0.key < $1.key }.map { DayGap(Day(daysSince1970: $0.key), $0.value) }
        cursor.tail = converter.tail(cursor.tail, now: now)
        return cursor
    }

    private mutating func batch(_ wanted: Wanted, _ now: Timestamp) -> SampleBatch {
        var batch = SampleBatch()
        if let wrongDay {
            // Near midnight the band may have gone on to the next day before it answered.
            isWhole = false
            let time = DeviceClock(wall: converter.wall(now)).secondOfDay
            let isNearMidnight = min(time, 86_400 - time) < Self.midnight && abs(wrongDay - wanted.day) == 1
            if !isNearMidnight, !isClockReported {
                batch.notices = [.clockWasOff(seconds: (wrongDay - wanted.day) * 86_400)]
                isClockReported = true
            }
            if days.isEmpty { batch.notices += converter.notices + expired }
            return batch
        }
        let isToday = wanted.day >= converter.today(now)
        let sum = records.values.reduce(0, +)
        // That all records have arrived is known from their indices.
        let total = total ?? sum
        // Today's total may have grown since, and the record of the present time may be missing.
        guard sum == total || (isToday && sum < total) else {
            isWhole = false
            batch.notices = [.stepsInDoubt(.totals(sum, total))] + (days.isEmpty ? converter.notices + expired : [])
            return batch
        }
        let times = records.keys.sorted()
        let length = zip(times, times.dropFirst()).map { $1 - $0 }.min().map { min($0, 3_600) } ?? 3_600
        batch.samples = times.compactMap { time in
            converter.sample(WallRecord(wall: time, length: length, steps: records[time] ?? 0), now: now)
        }
        let day = wanted.day * 86_400..<(wanted.day + 1) * 86_400
        batch.coverage = converter.spans(day, now: now)
        gaps[wanted.day] = nil
        batch.cursor = cursor(after: wanted.day, now)
        if days.isEmpty { batch.notices = converter.notices + expired }
        return batch
    }
}
