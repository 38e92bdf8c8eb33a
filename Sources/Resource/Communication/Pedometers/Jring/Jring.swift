public import BlueZ
public import StepDomain

/// Rings of the "KeepFit" protocol (Jring, SMART_RING): the steps of each minute of 28 days.
///
/// Packets have 20 bytes, numbers are little-endian, and times are those of the ring's clock, which is set to local time, in seconds since 1970.
///
/// | request | answer |
/// |---|---|
/// | `03` | `03`: time u32, steps of today u32, metres u32, kilocalories u32; it also sends this by itself |
/// | `10`, days ago | `10`: time u32 of the first minute, then the steps of 15 minutes, a byte each; a packet for each quarter of an hour, up to 23:45. `90`: refused |
/// | `01`, time u32 | `01`: the clock is set |
/// | `48`, name of an app | the ring may answer nothing before it |
///
/// Source: Gadgetbridge (`KeepFitDeviceSupport.java`) and PulseLoop (`RingDecoder`, `RingEncoder`). PulseLoop takes the times of `10` as UTC and
/// the days as a number of days, of which 0 sends nothing; Gadgetbridge takes the times as local and requests one day each. istep requests
/// one day each; if 0 sends nothing, it requests the number of days. The steps count only if those of today's minutes agree with the total of `03`.
public enum Jring: LinkedPedometerModel {
    public static let key = "jring"
    public static let title = "Jring / KeepFit smart ring"
    public static let caveat: String? =
        "Two other programs disagree on whether its times are local or UTC, and on how to request a day. Steps count only if today's minutes "
        + "agree with the ring's own total."

    static let service: BluetoothUUID = "56ff"
    static let requests = GATTAddress(service, "33f3")
    static let answers = GATTAddress(service, "33f4")
    /// Days before today that it holds.
    static let oldestDay = 27

    /// Some advertise the name SMART_RING, as rings of other protocols do.
    public static func evidence(in discovery: Discovery) -> KindEvidence? {
        discovery.services.contains(service) ? .advertisedService : nil
    }

    public static let characteristicServices = [service]
    public static func holdsTodayOnly(_ pedometer: Pedometer) -> Bool { false }
    public static func session(_ context: SessionContext) -> any PedometerSession { ExchangeSession(JringReading(context)) }
    public static func probe(_ context: SessionContext) -> any PedometerSession { ExchangeSession(JringReading(context, isProbe: true)) }
    public static func live(_ pedometer: Pedometer, known: Int) -> (any LiveSession)? { JringLive() }

    /// A packet of 20 bytes.
    static func packet(_ command: UInt8, _ data: [UInt8] = []) -> [UInt8] {
        let bytes = [command] + data.prefix(19)
        return bytes + [UInt8](repeating: 0, count: 20 - bytes.count)
    }
}

/// The total of today, which the ring sends while its wearer walks.
struct JringLive: LiveSession {
    let address = Jring.answers

    mutating func steps(after value: [UInt8]) -> Int? {
        guard value.count == 20, value[0] == 0x03, let steps = value.little(5, 4), steps <= mostStepsOfADay else { return nil }
        return steps
    }
}

struct JringReading: ExchangeProtocol {
    /// A day is counted since 1970 by the ring's clock, as all days here.
    private enum Stage: Hashable { case total, identifying, totalAgain, day(Int), clock, end }

    /// Seconds of a packet.
    private static let quarter = 900
    /// Packets of a day that has ended.
    private static let packetsOfADay = 86_400 / quarter
    /// Steps by which the minutes may exceed the total, which was sent before them.
    private static let minutesTolerance = 255
    /// Steps by which the total may exceed the minutes: those of a quarter of an hour that is not stored yet, at the most that its minutes
    /// can hold.
    private static let totalTolerance = 15 * 255
    /// Days without an answer after which a ring that was never read is not asked for older ones: it has none, or the next reading asks.
    private static let mostSilentDays = 3
    /// Seconds around midnight in which the ring may be on another day than it is taken to be.
    private static let midnight = 300

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
    private var oldestRequested = 0
    /// Packets of the present day by their time, of both answers if it was requested twice.
    private var quarters: [Int: ArraySlice<UInt8>] = [:]
    /// Whether today's minutes agree with the total.
    private var isChecked = false
    private var isInDoubt = false
    /// Whether every day since the last reading is requested.
    private var isWhole = true
    /// Days since 1970 by the ring's clock that are missing, or did not arrive completely: `ColmiPlan` has the same rule. They do not hold up
    /// the cursor, and the next syncs request them again until the ring no longer holds them.
    private var gaps: [Int: DayGap.Reason] = [:]
    /// Days without an answer since the last one that was answered.
    private var unansweredDays = 0
    /// Whether the ring was read before: then the days since then that it does not send are missing. False until its first reading, which
    /// may take several syncs, has come to its end.
    private var wasRead = false
    /// The days that were missing after the sync before.
    private let known: [Int: DayGap.Reason]
    /// The days since then that it no longer holds.
    private var lost: SyncNotice?
    /// The ring's day at the first request.
    private var today = 0
    /// The number of days that are requested at once, because the request for day 0 was not answered; nil if one day each is requested.
    private var count: Int?
    /// The time of the first request: newer steps may be missing.
    private var began = Timestamp(0)
    private(set) var report = SessionReport()

    init(_ context: SessionContext, isProbe: Bool = false) {
        self.context = context
        self.isProbe = isProbe
        converter = WallSlotConverter(context, days: Jring.oldestDay)
        known = Dictionary(
            (context.pedometer.cursor.missing ?? []).map { ($0.day.daysSince1970, $0.reason) }, uniquingKeysWith: { $1 })
    }

    let notifying = [Jring.answers]
    var progress: ReadProgress { .reading(done: done, of: max(planned, 1)) }

    mutating func next(at now: Timestamp) -> ProtocolExchange? {
        func exchange(_ packet: [UInt8], _ name: String, _ answer: ProtocolExchange.Answer, attempts: Int = 1) -> ProtocolExchange {
            ProtocolExchange(request: .write(packet, to: Jring.requests), name: name, answer: answer, timeout: 3, attempts: attempts)
        }
        switch stage {
        case nil:
            stage = .total
            return exchange(Jring.packet(0x03), "the steps of today", .optional, attempts: 2)
        case .total where total == nil:
            // The ring may belong to another app: it answers the program that has sent its name.
            stage = .identifying
            return exchange(Jring.packet(0x48, Array("istep".utf8)), "its owner", .none)
        case .identifying:
            stage = .totalAgain
            return exchange(Jring.packet(0x03), "the steps of today", isProbe ? .required : .optional, attempts: 2)
        case .total, .totalAgain, .day:
            if stage == .total || stage == .totalAgain {
                if isProbe { return finish() }
                plan(now)
            }
            guard !isInDoubt, let day = days.popLast() else { return setClock(now, exchange(_:_:_:attempts:)) }
            stage = .day(day)
            quarters = [:]
            done += 1
            oldestRequested = min(oldestRequested, day)
            // Midnight may have passed since the day before was requested.
            let request = Jring.packet(0x10, [UInt8(clamping: count ?? (converter.today(now) - day))])
            // A silent or incomplete answer is requested once more, until several days in a row were silent.
            let attempts = unansweredDays < Self.mostSilentDays ? 2 : 1
            return exchange(request, "the steps of \(Day(daysSince1970: day))", count == nil ? .optional : .required, attempts: attempts)
        case .clock, .end:
            return finish()
        }
    }

    private mutating func finish() -> ProtocolExchange? {
        stage = .end
        return nil
    }

    /// Today first, because it is compared with the total; then those since the last sync, newest first, until the ring has no more; then
    /// those that were missing before. A day of which a part has arrived comes last: over a link that always ends at the same place, it
    /// would keep the others from being read.
    private mutating func plan(_ now: Timestamp) {
        (began, today) = (now, converter.today(now))
        oldestRequested = today
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
            if daysAgo <= oldest { ranks[day] = daysAgo + (reason == .incomplete ? Jring.oldestDay : 0) } else { gaps[day] = reason }
        }
        days = ranks.sorted { ($0.value, $0.key) > ($1.value, $1.key) }.map(\.key)
        planned = days.count
        isWhole = context.days.map { $0 > since } ?? true
    }

    private mutating func setClock(
        _ now: Timestamp, _ exchange: ([UInt8], String, ProtocolExchange.Answer, Int) -> ProtocolExchange
    ) -> ProtocolExchange? {
        stage = .clock
        let wall = setter.begin(at: now, context.localTime).wall
        return exchange(Jring.packet(0x01, .little(wall, 4)), "its clock", .optional, 1)
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
        case (.day, 0x90): return .done  // it has no such day
        case (.day, 0x10):
            guard let time = bytes.little(1, 4), time % Self.quarter == 0 else { return .undecodable }
            quarters[time] = bytes[5..<20]
            let isLast = time % 86_400 == 86_400 - Self.quarter
            guard isLast, count == nil || DeviceClock(wall: time).day >= converter.today(now) else { return .more }
            return isComplete ? .done : .again
        default: return .other
        }
    }

    /// Whether all packets of the requested day have arrived. Always true for today, which has not ended, and if several days were
    /// requested, because it is not known which of them the ring has.
    private var isComplete: Bool {
        guard case .day(let day) = stage, day != today, count == nil else { return true }
        return quarters.keys.count { DeviceClock(wall: $0).day == day } >= Self.packetsOfADay
    }

    mutating func end(_ end: ExchangeEnd, at now: Timestamp) -> SampleBatch? {
        switch (stage, end) {
        case (.day(let day), _) where day == today && quarters.isEmpty && count == nil:
            if total == 0 {
                isChecked = true
            } else if end == .silent {
                count = min(today - (days.min() ?? today) + 1, Jring.oldestDay)
                (days, done, planned) = ([today], 0, 1)
            } else {
                return doubt(total.map { .totals(0, $0) } ?? .unchecked)
            }
            return days.isEmpty ? closing(now) : nil
        case (.day(let day), _) where quarters.isEmpty:
            switch end {
            case .complete: unansweredDays = 0  // it has no such day
            case .silent, .incomplete:
                unansweredDays += 1
                gaps[day] = .unanswered
                // It has no older days, or the next reading asks.
                if !wasRead, unansweredDays >= Self.mostSilentDays { days.removeAll { $0 < day } }
            }
            if count != nil { isWhole = false }
            return days.isEmpty ? closing(now) : nil
        // Without its last packet a day may end with the present time.
        case (.day(let day), _):
            // If several days were requested, it is not known which of them did not arrive.
            if count != nil, end != .complete { isWhole = false }
            return batch(day, now)
        case (.clock, .complete):
            report.clockSet = setter.confirmed
            return nil
        default: return nil
        }
    }

    private func closing(_ now: Timestamp) -> SampleBatch {
        SampleBatch(cursor: cursor(now), notices: converter.notices + expired)
    }

    /// Whether a packet is one of the day that was requested.
    private func isWanted(_ time: Int, _ wanted: Int, _ now: Timestamp) -> Bool {
        let (day, second) = (DeviceClock(wall: time).day, DeviceClock(wall: converter.wall(now)).secondOfDay)
        if count != nil { return (today - Jring.oldestDay...today + 1).contains(day) }
        // Today's packets are compared with the ring's total, and the ring may be on another day by now.
        return day == wanted || (min(second, 86_400 - second) < Self.midnight && abs(day - wanted) == 1)
    }

    private mutating func batch(_ day: Int, _ now: Timestamp) -> SampleBatch {
        var batch = SampleBatch()
        let times = quarters.keys.filter { isWanted($0, day, now) }.sorted()
        if !isChecked {
            let sum = times.filter { DeviceClock(wall: $0).day == today }.reduce(0) { $0 + (quarters[$1] ?? []).reduce(0) { $0 + Int($1) } }
            guard let total, times.contains(where: { DeviceClock(wall: $0).day == today }) || total == 0 else { return doubt(.unchecked) }
            guard sum <= total + Self.minutesTolerance, total <= sum + Self.totalTolerance else { return doubt(.totals(sum, total)) }
            isChecked = true
        }
        for time in times {
            for (minute, steps) in (quarters[time] ?? []).enumerated() {
                let record = WallRecord(wall: time + minute * 60, length: 60, steps: Int(steps))
                if let sample = converter.sample(record, now: now) { batch.samples.append(sample) }
            }
            // Each packet accounts for its own time.
            let spans = converter.spans(time..<time + Self.quarter, now: now)
            if let last = batch.coverage.last, let next = spans.first, last.end == next.start {
                batch.coverage[batch.coverage.count - 1] = TimeSpan(last.start, next.end)
                batch.coverage += spans.dropFirst()
            } else {
                batch.coverage += spans
            }
        }
        let packets = Dictionary(grouping: times) { DeviceClock(wall: $0).day }.mapValues(\.count)
        for (day, count) in packets where day < today && count < Self.packetsOfADay { gaps[day] = .incomplete }
        if count == nil, day != today, packets[day] == nil { gaps[day] = .incomplete }
        unansweredDays = 0
        // If the link is lost from here on, the next sync requests the other days.
        batch.cursor = cursor(now)
        if days.isEmpty { batch.notices = converter.notices + expired }
        return batch
    }

    /// Part of a day, which is requested again. A part of today can be compared with the total only if nothing but the rest of the day is
    /// missing.
    mutating func linkLost(at now: Timestamp) -> SampleBatch? {
        guard case .day(let day) = stage, count == nil, let last = quarters.keys.max(),
            isChecked || (day == today && last + 2 * Self.quarter > converter.wall(now))
        else { return nil }
        var batch = batch(day, now)
        batch.notices = []  // they are about the whole answer
        return isInDoubt ? nil : batch
    }

    // MARK: The next sync

    /// The cursor from which the next sync continues, with the days that are missing, and those that are still to be requested. Nil if the
    /// cursor stays as it is.
    ///
    /// A ring that was never read may not have the oldest days that it was asked for. Only when it was silent for them in two syncs in a row
    /// do they count as not existing; until then all days are requested again. The days that its first reading has not come to are not
    /// reported as missing, and the next sync continues with them.
    private func cursor(_ now: Timestamp) -> PedometerCursor? {
        guard isWhole, converter.lead == nil else { return nil }
        var cursor = context.pedometer.cursor
        var missing = gaps
        for day in days where missing[day] == nil { missing[day] = known[day] ?? (wasRead ? .unanswered : .unconfirmed) }
        var mustAskAgain = false
        if !wasRead {
            let silent = oldestSilent
            // With a time up to which it was read, the days that are not confirmed are those that were not requested.
            let isConfirmed = cursor.readThrough == nil && silent.contains { known[$0] == .unconfirmed }
            for day in silent { missing[day] = isConfirmed && days.isEmpty ? nil : .unconfirmed }
            mustAskAgain = days.isEmpty && !silent.isEmpty && !isConfirmed
        }
        cursor.missing = missing.isEmpty ? nil : missing.sorted { $0.key < $1.key }.map { DayGap(Day(daysSince1970: $0.key), $0.value) }
        if let mark = converter.mark { cursor.tail = mark }
        guard mustAskAgain else { return cursor.advanced(to: min(began, now), now: now) }
        cursor.readThrough = nil
        return cursor
    }

    /// The silent days that are older than every day that was answered.
    private var oldestSilent: [Int] { Array((oldestRequested...max(oldestRequested, today)).prefix { gaps[$0] == .unanswered }) }

    /// Days that the ring no longer holds: those that were missing after the sync before, and those since then.
    private var expired: [SyncNotice] {
        guard isWhole else { return [] }
        let days = context.pedometer.cursor.reportedGaps.map(\.day).filter { $0.daysSince1970 < today - Jring.oldestDay }
        return (days.isEmpty ? [] : [.tooOld(days)]) + (lost.map { [$0] } ?? [])
    }

    /// Nothing is stored, and no other day is requested.
    private mutating func doubt(_ doubt: StepDoubt) -> SampleBatch {
        isInDoubt = true
        return SampleBatch(notices: [.stepsInDoubt(doubt)])
    }
}
