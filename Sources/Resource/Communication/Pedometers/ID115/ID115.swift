public import BlueZ
public import StepDomain

/// An ID115 and other bands of the app VeryFit: today's steps in slots.
///
/// - `08 03 01 00 00` to 0AF1 requests today. Answers of 0AF2: `08 03 number length data`, numbered from 1; `08 EE …`
///   at the end. The first has year u16, month, day, two bytes, and the minutes of a slot; the second is not
///   understood; the others have slots of 5 bytes from midnight on, little-endian bit fields: 2 bits, steps 12 bits,
///   minutes of activity 4, kilocalories 10, metres 12. Remaining bytes of a packet are padding.
/// - `03 01 year u16 month day hour minute second weekday` to 0AF6 sets the clock to local time; Monday is 0.
///
/// Source: Gadgetbridge, `FetchActivityOperation.java` and `ID115Support.java`. No other client and no capture is
/// known.
public enum ID115: ExchangeModel {
    public static let key = "id115"
    public static let title = "ID115 or VeryFit band"
    public static let caveat: String? =
        "Its protocol is known from one other program only. One of its packets is not understood, and it is not known whether it can send earlier days, so only today's "
        + "steps are read."

    static let service: BluetoothUUID = "0af0"
    static let requests = GATTAddress(service, "0af1")
    static let answers = GATTAddress(service, "0af2")
    static let settings = GATTAddress(service, "0af6")

    public static let characteristicServices: [BluetoothUUID] = [service]
    public static func holdsTodayOnly(_ pedometer: Pedometer) -> Bool { true }
    public static func session(_ context: SessionContext, isProbe: Bool) -> any PedometerSession {
        ExchangeSession(ID115Reading(context, isProbe: isProbe))
    }
}

struct ID115Reading: TableReading {
    /// A slot of the data.
    struct Slot: Hashable {
        static let size = 5
        let steps: Int
        let energy: Int
        let metres: Int

        /// - Parameter bytes: five.
        init(_ bytes: ArraySlice<UInt8>) {
            let bits = bytes.reversed().reduce(0) { $0 << 8 | Int($1) }
            steps = bits >> 2 & 0xfff
            energy = bits >> 18 & 0x3ff
            metres = bits >> 28 & 0xfff
        }
    }

    var table: ExchangeTable<Self>
    private var converter: WallSlotConverter
    /// The data of the packets, in order.
    private var packets: [[UInt8]] = []
    /// Whether the answer ended before the present time and was requested again.
    private var wasShort = false

    init(_ context: SessionContext, isProbe: Bool = false) {
        table = ExchangeTable(context, isProbe: isProbe, Self.probe, Self.rest)
        converter = WallSlotConverter(context, days: 1)
    }

    let notifying = [ID115.answers]

    private static let probe: [Step] = [
        Step(
            ProtocolExchange(
                request: .write([0x08, 0x03, 0x01, 0x00, 0x00], to: ID115.requests), name: "the steps of today")
        ) { reading, bytes, now in
            guard bytes.count >= 4, bytes[0] == 0x08 else { return .other }
            if bytes[1] == 0xee {
                // Only this shows that a packet was lost at the end.
                guard reading.isShort(now), !reading.wasShort else { return .done }
                reading.wasShort = true
                return .again
            }
            guard bytes[1] == 0x03 else { return .other }
            guard Int(bytes[2]) == reading.packets.count + 1 else { return .again }
            reading.packets.append(Array(bytes[4...]))
            return .more
        } end: { reading, end, now in
            end == .complete && !reading.isProbe ? reading.batch(now) : nil
        } linkLost: { reading, now in
            reading.part(now)
        }
    ]

    private static let rest: [Step] = [
        // Near midnight its clock is not set: that could set today's steps to zero, or add them to those of yesterday.
        // Whether it confirms this is not known.
        .clock(nearMidnight: false) { _, clock in
            let time = [UInt8].little(clock.fields.year, 2) + clock.timeInYear + [UInt8(clock.weekday)]
            return ProtocolExchange(writing: [0x03, 0x01] + time, to: ID115.settings, name: "its clock", answer: .none)
        }
    ]

    mutating func begin(at now: Timestamp) { packets = [] }

    /// The day of the slots, as days since 1970, by the band's clock.
    private var day: Int? {
        packets.first.flatMap { header in
            guard header.count >= 7, let year = header.little(0, 2) else { return nil }
            return DeviceClock(year: year, month: Int(header[2]), day: Int(header[3]), hour: 0)?.day
        }
    }

    private var slots: [Slot] {
        packets.dropFirst(2).flatMap { data in
            stride(from: 0, through: data.count - Slot.size, by: Slot.size).map { Slot(data[$0..<$0 + Slot.size]) }
        }
    }

    /// Minutes of a slot; nil for an impossible number.
    private var minutes: Int? {
        packets.first.flatMap { $0.count >= 7 && (1...60).contains(Int($0[6])) ? Int($0[6]) : nil }
    }

    /// The time by the band's clock up to which it has sent slots; nil if they cannot be decoded.
    private var sentThrough: Int? {
        guard let day, let minutes else { return nil }
        return day * 86_400 + min(86_400, slots.count * minutes * 60)
    }

    /// Whether slots are missing between the last one and the present time, or the end of their day. The one that runs
    /// may not be sent yet.
    private func isShort(_ now: Timestamp) -> Bool {
        guard let day, let minutes, let sentThrough, abs(day - converter.today(now)) <= 1 else { return false }
        return sentThrough < min(converter.wall(now) - minutes * 60 - WallSlotConverter.drift, (day + 1) * 86_400)
    }

    /// The slots from midnight on that have arrived; the number of a slot shows its time.
    private mutating func part(_ now: Timestamp) -> SampleBatch? {
        guard !isProbe, !slots.isEmpty else { return nil }
        var batch = batch(now, isTruncated: true)
        // The other notices are about the whole answer, which is requested again.
        batch.notices = batch.notices.filter { if case .dayNotClosed = $0 { true } else { false } }
        return batch.coverage.isEmpty ? nil : batch
    }

    /// - Parameter isTruncated: whether the answer has not ended.
    private mutating func batch(_ now: Timestamp, isTruncated: Bool = false) -> SampleBatch {
        var batch = SampleBatch()
        let slots = slots
        guard let day, let minutes, let sentThrough, slots.count * minutes <= 1_440 + 60 else {
            // Without any record it may have sent only the end: then there is nothing to decode.
            if !packets.isEmpty { batch.notices = [.undecodable(frames: packets.count)] }
            return batch
        }
        let dayOffset = day - converter.today(now)
        guard dayOffset == 0 || (abs(dayOffset) == 1 && !ClockCorrection.isSafe(at: now, context.localTime)) else {
            // Its date is wrong, so it is not known when its slots were. Its clock is set now.
            batch.notices = [.clockWasOff(seconds: dayOffset * 86_400)]
            return batch
        }
        batch.samples = slots.enumerated().compactMap { index, slot in
            let record = WallRecord(
                wall: day * 86_400 + index * minutes * 60, length: minutes * 60, steps: slot.steps, metres: slot.metres,
                energy: Double(slot.energy))
            return index * minutes < 1_440 ? converter.sample(record, now: now) : nil
        }
        let through = isTruncated || isShort(now) ? sentThrough : (day + 1) * 86_400
        batch.coverage = converter.spans(day * 86_400..<through, now: now)
        let cursor = context.pedometer.cursor
        batch.cursor = converter.cursor(cursor, through: min(converter.clock.moment(wall: through), now), now: now)
        if converter.isAllPlaced {
            // What it counted on an earlier day after the last reading of that day is lost.
            if let last = cursor.readThrough, case let read = context.localTime.day(of: last), read.daysSince1970 < day,
                !CounterOfToday.isClosed(read, by: last, context.localTime)
            {
                batch.notices.append(.dayNotClosed(read))
            }
        }
        batch.notices += converter.notices
        return batch
    }
}
