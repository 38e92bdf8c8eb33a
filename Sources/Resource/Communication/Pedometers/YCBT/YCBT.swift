public import BlueZ
public import StepDomain

/// Rings of the app SmartHealth (Colmi R10M, R99, TK5 and others), which use Yucheng's protocol: steps with their beginning and end.
///
/// A frame is `group command length(2) data checksum(2)`, little-endian: the length counts all bytes, the checksum is a CRC-16/CCITT-FALSE of
/// all bytes before it. Frames arrive in pieces, as indications of two characteristics.
///
/// | request | answer |
/// |---|---|
/// | `02 00`, data `47 43` | `[2]` and `[3]` version, `[5]` battery in per cent |
/// | `05 02` | `05 02`: records u16, packets u16, 2 bytes, bytes u32; then `05 11` with records; then `05 80`: packets u16, bytes u16, checksum |
/// | `05 80`, data `00` | none: the records are accepted; `04`: their checksum is wrong |
/// | `01 00`, year u16, month, day, hour, minute, second, weekday (Monday 0) | `01 00`: the clock is set to local time |
///
/// A record has 14 bytes: beginning u32 and end u32 in seconds since 2000 by the ring's clock, steps, metres, kilocalories u16. One byte of
/// data, `FB` to `FF`, is a refusal.
///
/// Source: PulseLoop (`YCBTProtocol`, `YCBTHistoryTransfer`, `YCBTHealthRecords`, with captured frames) and the YCBT tests of Gadgetbridge.
public enum YCBT: LinkedPedometerModel {
    public static let key = "ycbt"
    public static let title = "SmartHealth ring (R10M, R99, TK5)"
    public static let caveat: String? =
        "No step record of a real ring is published: istep was tested with an artificial one. Some rings may send their history only after a "
        + "login that is not known."

    static let service: BluetoothUUID = "be940000-7333-be46-b7ae-689e71722bd5"
    static let requests = GATTAddress(service, "be940001-7333-be46-b7ae-689e71722bd5")
    static let stream = GATTAddress(service, "be940003-7333-be46-b7ae-689e71722bd5")
    /// Days that a record may be old.
    static let oldestDay = 31

    /// `R10M 1A2B`, `R99 54DC`, `TK5 24AA`: a space, where rings of the QRing protocol have an underscore.
    private static let models = ["R10M", "R99", "TK5"]

    public static func evidence(in discovery: Discovery) -> KindEvidence? {
        if discovery.services.contains(service) { return .advertisedService }
        return models.contains { discovery.name == $0 || discovery.name?.hasPrefix($0 + " ") == true } ? .name : nil
    }

    public static let characteristicServices = [service]
    public static func holdsTodayOnly(_ pedometer: Pedometer) -> Bool { false }
    public static func session(_ context: SessionContext) -> any PedometerSession { ExchangeSession(YCBTReading(context)) }
    public static func probe(_ context: SessionContext) -> any PedometerSession { ExchangeSession(YCBTReading(context, isProbe: true)) }
}

struct YCBTFrame: Hashable {
    /// The most bytes of a frame; no longer one is known.
    static let longest = 1_024

    let group: UInt8
    let command: UInt8
    let data: [UInt8]

    init(_ group: UInt8, _ command: UInt8, _ data: [UInt8] = []) {
        self.group = group
        self.command = command
        self.data = data
    }

    /// Nil if the length or the checksum is wrong.
    init?(received bytes: [UInt8]) {
        guard bytes.count >= 6, bytes.little(2, 2) == bytes.count, bytes.little(bytes.count - 2, 2) == Self.checksum(bytes.dropLast(2)) else {
            return nil
        }
        self.init(bytes[0], bytes[1], Array(bytes[4..<bytes.count - 2]))
    }

    var bytes: [UInt8] {
        let bytes = [group, command] + .little(data.count + 6, 2) + data
        return bytes + .little(Self.checksum(bytes), 2)
    }

    /// CRC-16/CCITT-FALSE: polynomial 0x1021, initial value 0xFFFF.
    static func checksum(_ bytes: some Sequence<UInt8>) -> Int {
        var checksum: UInt16 = 0xffff
        for byte in bytes {
            checksum ^= UInt16(byte) << 8
            for _ in 0..<8 { checksum = checksum & 0x8000 == 0 ? checksum << 1 : checksum << 1 ^ 0x1021 }
        }
        return Int(checksum)
    }
}

/// Assembles frames from notifications.
struct YCBTFrames {
    private var pending: [UInt8] = []

    /// The frames that these bytes complete. One with a wrong checksum is nil.
    mutating func add(_ bytes: [UInt8]) -> [YCBTFrame?] {
        pending += bytes
        var frames: [YCBTFrame?] = []
        var start = 0
        while pending.count - start >= 4, let length = pending.little(start + 2, 2) {
            // What cannot be the beginning of a frame is skipped.
            guard (1...6).contains(pending[start]), (6...YCBTFrame.longest).contains(length) else {
                start += 1
                continue
            }
            guard pending.count - start >= length else { break }
            frames.append(YCBTFrame(received: Array(pending[start..<start + length])))
            start += length
        }
        pending.removeFirst(start)
        return frames
    }
}

struct YCBTReading: ExchangeProtocol {
    private enum Stage { case information, steps, accepting, clock, end }

    private static let recordSize = 14
    /// Bytes of an answer: a record for each quarter of an hour of a month, with a reserve of half.
    private static let mostBytes = 64 * 1_024
    /// Seconds from 1970 to 2000.
    private static let epoch = 946_684_800

    private let context: SessionContext
    private let isProbe: Bool
    private var stage: Stage?
    private var converter: WallSlotConverter
    private var setter = ClockSetter()
    private var frames = YCBTFrames()
    /// Packets and bytes that the ring has announced.
    private var announced: (packets: Int, bytes: Int)?
    private var records: [UInt8] = []
    private(set) var report = SessionReport()

    init(_ context: SessionContext, isProbe: Bool = false) {
        self.context = context
        self.isProbe = isProbe
        converter = WallSlotConverter(context, days: YCBT.oldestDay)
    }

    let notifying = [YCBT.requests, YCBT.stream]

    mutating func next(at now: Timestamp) -> ProtocolExchange? {
        func exchange(_ frame: YCBTFrame, _ name: String, _ answer: ProtocolExchange.Answer) -> ProtocolExchange {
            ProtocolExchange(writing: frame.bytes, to: YCBT.requests, name: name, answer: answer)
        }
        switch stage {
        case nil:
            stage = .information
            return exchange(YCBTFrame(0x02, 0x00, [0x47, 0x43]), "its version", .optional)
        case .information where !isProbe:
            stage = .steps
            return exchange(YCBTFrame(0x05, 0x02), "its steps", .required)
        case .steps where announced != nil:
            // The records are stored by now.
            stage = .accepting
            return exchange(YCBTFrame(0x05, 0x80, [0x00]), "its steps", .none)
        case .steps, .accepting:
            stage = .clock
            let clock = setter.begin(at: now, context.localTime)
            let time = clock.fields
            let rest = [time.month, time.day, time.hour, time.minute, time.second, clock.weekday].map { UInt8($0) }
            return exchange(YCBTFrame(0x01, 0x00, .little(time.year, 2) + rest), "its clock", .optional)
        case .information, .clock, .end:
            stage = .end
            return nil
        }
    }

    mutating func begin(at now: Timestamp) {
        frames = YCBTFrames()
        if stage == .steps { (announced, records) = (nil, []) }
    }

    mutating func receive(_ bytes: [UInt8], at now: Timestamp) -> ExchangeProgress {
        var progress = ExchangeProgress.more
        for frame in frames.add(bytes) {
            guard let frame else { return stage == .steps ? .again : .undecodable }
            progress = receive(frame)
            if progress != .more, progress != .other { return progress }
        }
        return progress
    }

    private mutating func receive(_ frame: YCBTFrame) -> ExchangeProgress {
        let data = frame.data
        switch (stage, frame.group, frame.command) {
        case (.information, 0x02, 0x00):
            if data.count > 5, data[5] <= 100 { report.battery = Int(data[5]) }
            if data.count > 3 { report.firmware = "\(data[3]).\(data[2] < 10 ? "0" : "")\(data[2])" }
            return .done
        case (.clock, 0x01, 0x00):
            if data.first == 0 { setter.confirm() }
            return .done
        case (.steps, 0x05, _) where data.count == 1 && data[0] >= 0xfb:
            return .failed(.refused("the request for its steps"))
        case (.steps, 0x05, 0x02):
            guard data.count >= 10, let packets = data.little(2, 2), let bytes = data.little(6, 4) else { return .done }  // no records
            guard bytes <= Self.mostBytes else { return .failed(.undecodable("\(bytes) bytes of records")) }
            (announced, records) = ((packets, bytes), [])
            return .more
        case (.steps, 0x05, 0x11):
            guard let announced, records.count + data.count <= announced.bytes else { return .again }
            records += data
            return .more
        case (.steps, 0x05, 0x80):
            // The end of an earlier answer.
            guard let announced else { return .other }
            let isWhole =
                data.count >= 6 && data.little(0, 2) == announced.packets && records.count == announced.bytes
                && data.little(2, 2) == announced.bytes & 0xffff && data.little(4, 2) == YCBTFrame.checksum(records)
            return isWhole ? .done : .again
        default: return .other
        }
    }

    mutating func end(_ end: ExchangeEnd, at now: Timestamp) -> SampleBatch? {
        switch (stage, end) {
        case (.steps, .complete): return batch(now)
        case (.clock, .complete):
            report.clockSet = setter.confirmed
            return nil
        default: return nil
        }
    }

    /// The records that have arrived: each frame has a checksum of its own. They account for no time, since it is not known what is missing
    /// between them, and all of them are sent again. The last one may overlap the next, which may have more steps.
    mutating func linkLost(at now: Timestamp) -> SampleBatch? {
        guard stage == .steps else { return nil }
        let samples = Self.distinct(decoded().known).records.dropLast().compactMap { converter.sample($0, now: now) }
        return samples.isEmpty ? nil : SampleBatch(samples: samples)
    }

    /// The records that have arrived, and how many are invalid.
    private func decoded() -> (known: [WallRecord], invalid: Int) {
        var (known, invalid) = ([WallRecord](), 0)
        for start in stride(from: 0, through: records.count - Self.recordSize, by: Self.recordSize) {
            guard let from = records.little(start, 4), let to = records.little(start + 4, 4), let steps = records.little(start + 8, 2),
                let metres = records.little(start + 10, 2), let energy = records.little(start + 12, 2), (1...86_400).contains(to - from)
            else {
                invalid += 1
                continue
            }
            let record = WallRecord(
                wall: Self.epoch + from, length: to - from, steps: steps, metres: metres, energy: Double(energy))
            known.append(record)
        }
        return (known, invalid)
    }

    private mutating func batch(_ now: Timestamp) -> SampleBatch {
        var batch = SampleBatch()
        let (known, invalid) = decoded()
        let (distinct, overlapping) = Self.distinct(known)
        batch.samples = distinct.compactMap { converter.sample($0, now: now) }
        // All records of the ring since its first one have arrived, and their checksum was right.
        if !known.isEmpty, invalid == 0 {
            if let first = converter.beginning(of: known, now: now) {
                batch.coverage = converter.spans(first..<max(first, converter.wall(now)), now: now)
            }
            if converter.lead == nil {
                batch.cursor = context.pedometer.cursor.advanced(to: now, now: now)
            }
        }
        let notices = converter.notices.filter { if case .implausible = $0 { false } else { true } }
        let apart = converter.misplaced + overlapping
        batch.notices = notices + (apart > 0 ? [.implausible(samples: apart)] : []) + (invalid > 0 ? [.undecodable(frames: invalid)] : [])
        return batch
    }

    /// The records with steps, by their beginning, without those that overlap another: of two, the one with more steps counts, since the ring
    /// cannot have counted them twice at the same time.
    ///
    /// - Returns: also how many were left out, except copies.
    private static func distinct(_ records: [WallRecord]) -> (records: [WallRecord], overlapping: Int) {
        let all = Set(records.filter { $0.steps > 0 })
        var (kept, end) = ([WallRecord](), 0)
        for record in all.sorted(by: { ($0.wall, $0.length, $0.steps) < ($1.wall, $1.length, $1.steps) }) {
            // The seconds in which one ends and the next begins do not count as an overlap.
            if kept.isEmpty || record.wall >= end - min(60, record.length / 2) {
                kept.append(record)
            } else if let last = kept.last, record.steps > last.steps {
                kept[kept.count - 1] = record
            } else {
                continue
            }
            end = record.wall + record.length
        }
        return (kept, all.count - kept.count)
    }
}
