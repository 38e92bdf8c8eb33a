public import BlueZ
public import StepDomain

/// A No.1 F1 and its namesakes (X-RUN, MH30): the steps of each hour.
///
/// - `B2 FA` requests the steps: for each hour `B2 year(2) month day hour steps(2)`, numbers big-endian; at the end `B2
///   FD checksum`, the exclusive or of all bytes of the steps.
/// - `A2` battery, `A1` firmware, `A3 year(2) month day hour minute second` sets the clock, which is local time.
///
/// Source: Gadgetbridge, `No1F1Support.java` and `No1F1Constants.java`. No other client and no capture is known.
public enum No1F1: ExchangeModel {
    public static let key = "no1f1"
    public static let title = "No.1 F1 band"
    public static let caveat: String? =
        "Its protocol is known from one other program only. Not confirmed: how many days it keeps, and whether its answer leaves out hours without steps."

    static let service: BluetoothUUID = "55ff"
    static let requests = GATTAddress(service, "33f1")
    static let answers = GATTAddress(service, "33f2")
    /// Days that a record may be old.
    static let oldestDay = 31

    public static func evidence(in discovery: Discovery) -> KindEvidence? {
        if discovery.services.contains(service) { return .advertisedService }
        return ["X-RUN", "MH30"].contains { discovery.name?.hasPrefix($0) == true } ? .name : nil
    }

    public static let characteristicServices = [service]
    public static func session(_ context: SessionContext, isProbe: Bool) -> any PedometerSession {
        ExchangeSession(No1F1Reading(context, isProbe: isProbe))
    }
}

struct No1F1Reading: TableReading {
    var table: ExchangeTable<Self>
    private var converter: WallSlotConverter
    /// Steps of each hour, by its time on the band's clock.
    private var hours: [Int: Int] = [:]
    /// The times of `hours`, in the order in which they arrived.
    private var order: [Int] = []
    private var checksum: UInt8 = 0
    /// Records at times that do not exist, in the present answer.
    private var undated = 0

    init(_ context: SessionContext, isProbe: Bool = false) {
        table = ExchangeTable(context, isProbe: isProbe, Self.probe, Self.rest)
        converter = WallSlotConverter(context, days: No1F1.oldestDay)
    }

    let notifying = [No1F1.answers]

    private static let probe: [Step] = [
        Step(request([0xa2], "its battery")) { reading, bytes, _ in
            guard bytes.first == 0xa2 else { return .other }
            if bytes.count > 1, bytes[1] <= 100 { reading.report.battery = Int(bytes[1]) }
            return .done
        },
        Step(request([0xa1], "its firmware")) { reading, bytes, _ in
            guard bytes.first == 0xa1 else { return .other }
            let text = bytes.dropFirst().prefix(SessionReport.maximumFirmware).prefix { $0 != 0 }
            if !text.isEmpty { reading.report.firmware = String(decoding: text, as: UTF8.self) }
            return .done
        },
    ]

    private static let rest: [Step] = [
        Step(request([0xb2, 0xfa], "its steps", .required)) { reading, bytes, _ in
            guard bytes.first == 0xb2 else { return .other }
            guard bytes.count > 2 else { return .undecodable }
            // `FD` in the place of the year's first byte.
            if bytes[1] == 0xfd { return bytes[2] == reading.checksum ? .done : .again }
            return reading.add(bytes)
        } end: { reading, end, now in
            end == .complete ? reading.batch(now) : nil
        } linkLost: { reading, now in
            reading.part(now)
        },
        .clock { _, clock in
            request([0xa3] + .big(clock.fields.year, 2) + clock.timeInYear, "its clock")
        } decode: { reading, bytes, _ in
            guard bytes.first == 0xa3 else { return .other }
            reading.confirmClock()
            return .done
        },
    ]

    private static func request(_ bytes: [UInt8], _ name: String, _ answer: ProtocolExchange.Answer = .optional)
        -> ProtocolExchange
    {
        ProtocolExchange(writing: bytes, to: No1F1.requests, name: name, answer: answer)
    }

    mutating func begin(at now: Timestamp) { (hours, order, checksum, undated) = ([:], [], 0, 0) }

    private mutating func add(_ bytes: [UInt8]) -> ExchangeProgress {
        guard let year = bytes.big(1, 2), let steps = bytes.big(6, 2) else { return .undecodable }
        // The band's checksum covers all records, including those with impossible times.
        checksum ^= bytes[6] ^ bytes[7]
        guard let time = DeviceClock(year: year, month: Int(bytes[3]), day: Int(bytes[4]), hour: Int(bytes[5])) else {
            undated += 1
            return .more
        }
        if hours[time.wall] == nil { order.append(time.wall) }
        hours[time.wall] = max(hours[time.wall] ?? 0, steps)
        return .more
    }

    private mutating func batch(_ now: Timestamp) -> SampleBatch {
        let undecodable: [SyncNotice] = undated > 0 ? [.undecodable(frames: undated)] : []
        guard !areRunningTotals else { return SampleBatch(notices: [.stepsInDoubt(.runningTotals)] + undecodable) }
        var batch = SampleBatch()
        let records = hours.sorted { $0.key < $1.key }.map { WallRecord(wall: $0.key, length: 3_600, steps: $0.value) }
        batch.samples = records.compactMap { converter.sample($0, now: now) }
        // All records of the band since its first one have arrived. The current hour may be missing.
        let hour = converter.wall(now) / 3_600 * 3_600
        let received = order.map { WallRecord(wall: $0, length: 3_600, steps: hours[$0] ?? 0) }
        // A record whose time is not known may be of any hour.
        if undated == 0, let first = converter.beginning(of: received, now: now), first < hour {
            let last = received.filter { converter.isPlaced($0, now: now) }.map(\.wall).max() ?? first
            batch.coverage = converter.spans(first..<max(hour, last + 3_600), now: now)
        }
        if !records.isEmpty { batch.cursor = converter.cursor(context.pedometer.cursor, through: now, now: now) }
        batch.notices = converter.notices + undecodable
        return batch
    }

    /// The hours that have arrived. They account for no time, since their checksum has not arrived, and all of them are
    /// sent again. A part may be too small to show running totals: it is stored if an hour has fewer steps than an
    /// earlier one of its day.
    private mutating func part(_ now: Timestamp) -> SampleBatch? {
        guard stepsOfDays.contains(where: { zip($0, $0.dropFirst()).contains { $0 > $1 } }) else { return nil }
        let records = hours.sorted { $0.key < $1.key }.map { WallRecord(wall: $0.key, length: 3_600, steps: $0.value) }
        let samples = records.compactMap { converter.sample($0, now: now) }
        return samples.isEmpty ? nil : SampleBatch(samples: samples)
    }

    /// The hours with steps of each day, in order.
    private var stepsOfDays: [[Int]] {
        Dictionary(grouping: hours.filter { $0.value > 0 }) { DeviceClock(wall: $0.key).day }.values
            .map { $0.sorted { $0.key < $1.key }.map(\.value) }
    }

    /// Whether the hours of each day only grow: then they are running totals of the day, and not the steps of each
    /// hour. Six hours with steps, each with more than the one before, have a chance of 1 in 720.
    private var areRunningTotals: Bool {
        let days = stepsOfDays
        guard days.contains(where: { $0.count >= 6 }) else { return false }
        return days.allSatisfy { day in zip(day, day.dropFirst()).allSatisfy { $0 <= $1 } }
    }
}
