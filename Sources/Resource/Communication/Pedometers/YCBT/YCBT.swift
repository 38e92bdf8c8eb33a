public import BlueZ
public import StepDomain

/// Rings of the app SmartHealth (Colmi R10M, R20, R99, TK5, Ale-Hop and others), which use Yucheng's protocol: steps
/// with their beginning and end.
///
/// A frame is `group command length(2) data checksum(2)`, little-endian: the length counts all bytes, the checksum is a
/// CRC-16/CCITT-FALSE of all bytes before it. Frames arrive in pieces, as indications of two characteristics.
///
/// | request | answer |
/// |---|---|
/// | `02 00`, data `47 43` | `[2]` and `[3]` version, `[5]` battery in per cent |
/// | `03 09`, data `01 00 02` | `03 09`; from then on `06 00` by itself: steps, metres and kilocalories of today u16 |
/// | `05 02` | `05 02`: records u16, packets u16, 2 bytes, bytes u32; then `05 11` with records; then `05 80`: packets u16, bytes u16, checksum |
/// | `05 80`, data `00` | none: the records are accepted; `04`: they did not arrive as the ring has sent them |
/// | `01 00`, year u16, month, day, hour, minute, second, weekday (Monday 0) | `01 00`: the clock is set to local time |
///
/// A record has 14 bytes: beginning u32 and end u32 in seconds since 2000 by the ring's clock, steps, metres,
/// kilocalories u16. One byte of data, `FB` to `FF`, is a refusal; less than 10 bytes of data in the answer to `05 02`,
/// and 0 bytes of records, mean that there are none.
///
/// The number of packets in the first frame of an answer is an estimate: a ring announced 5 and sent 6, with whole
/// records in each (PulseLoopAndroid, issue 69). That of the last frame is the number that was sent. `05 09` has a
/// record of the vital signs of each hour with the day's steps so far; istep does not read it: PulseLoopAndroid found
/// that these steps lag behind (`YCBTHealthRecords`).
///
/// Source: PulseLoop (`YCBTProtocol`, `YCBTHistoryTransfer`, `YCBTHealthRecords`, with captured frames) and the YCBT
/// tests of Gadgetbridge.
public enum YCBT: ExchangeModel {
    public static let key = "ycbt"
    public static let title = "SmartHealth ring (R10M, R20, R99, TK5, Ale-Hop)"
    public static let caveat: String? =
        "The transfer is known from real rings, but no step record of one is published: istep was tested with an artificial one. Some rings "
        + "may send their history only after a login that is not known."

    static let service: BluetoothUUID = "be940000-7333-be46-b7ae-689e71722bd5"
    static let requests = GATTAddress(service, "be940001-7333-be46-b7ae-689e71722bd5")
    static let stream = GATTAddress(service, "be940003-7333-be46-b7ae-689e71722bd5")
    /// Days that a record may be old.
    static let oldestDay = 31

    /// `R10M 1A2B`, `R99 54DC`, `TK5 24AA`: a space, where rings of the QRing protocol have an underscore. `Ale-Hop2211
    /// E1C7` is sold under the name of a shop.
    private static let models = ["R10M", "R20", "R99", "TK5"]
    private static let shop = "Ale-Hop"
    /// The company of their manufacturer data.
    private static let company: UInt16 = 0x7810

    /// Most do not advertise the service, but Heart Rate, FEE7, and data of the company that end with an address of the
    /// ring (PulseLoopAndroid, issue 56). The digits of the name are the end of this address; it changes when the ring
    /// is registered with its app.
    public static func evidence(in discovery: Discovery) -> KindEvidence? {
        if discovery.services.contains(service) { return .advertisedService }
        if let data = discovery.manufacturerData[company] {
            let address = discovery.address.description.split(separator: ":").compactMap { UInt8($0, radix: 16) }
            let isMarked =
                Array(data.suffix(address.count)) == address
                || ["180d", "fee7"].allSatisfy(discovery.services.contains)
            if isMarked { return .advertisedData }
        }
        guard let name = discovery.name else { return nil }
        return name.hasPrefix(shop) || models.contains { name == $0 || name.hasPrefix($0 + " ") } ? .name : nil
    }

    public static let characteristicServices = [service]
    public static func session(_ context: SessionContext, isProbe: Bool) -> any PedometerSession {
        ExchangeSession(YCBTReading(context, isProbe: isProbe))
    }
}

struct YCBTReading: TableReading {
    private static let recordSize = 14
    /// Bytes of an answer: a record for each quarter of an hour of a month, with a reserve of half.
    private static let maximumBytes = 64 * 1_024
    /// Seconds from 1970 to 2000.
    private static let epoch = 946_684_800

    var table: ExchangeTable<Self>
    private var converter: WallSlotConverter
    private var frames = YCBTFrames()
    /// Packets with records of the present answer; nil until it has begun.
    private var packets: Int?
    private var records: [UInt8] = []
    /// Steps of today as the ring counts them; nil if it has not sent them.
    private var counted: Int?

    init(_ context: SessionContext, isProbe: Bool = false) {
        table = ExchangeTable(context, isProbe: isProbe, Self.probe, Self.rest)
        converter = WallSlotConverter(context, days: YCBT.oldestDay)
    }

    let notifying = [YCBT.requests, YCBT.stream]

    private static let probe: [Step] = [
        Step(
            request(YCBTFrame(0x02, 0x00, [0x47, 0x43]), "its version", .optional),
            decode: byFrames { reading, frame in
                guard (frame.group, frame.command) == (0x02, 0x00) else { return .other }
                let data = frame.data
                if data.count > 5, data[5] <= 100 { reading.report.battery = Int(data[5]) }
                if data.count > 3 { reading.report.firmware = "\(data[3]).\(data[2] < 10 ? "0" : "")\(data[2])" }
                return .done
            })
    ]

    private static let rest: [Step] = [
        Step(
            request(YCBTFrame(0x03, 0x09, [0x01, 0x00, 0x02]), "its count of today", .optional),
            decode: byFrames { _, frame in
                switch (frame.group, frame.command) {
                case (0x06, 0x00): .done
                case (0x03, 0x09): frame.isRefusal ? .done : .more
                default: .other
                }
            }),
        Step(
            // Without the rejection, the ring waits, and does not send them again.
            request(YCBTFrame(0x05, 0x02), "its steps", .required, rejection: YCBTFrame(0x05, 0x80, [0x04])),
            decode: byFrames { $0.add($1) },
            begin: { reading in (reading.packets, reading.records) = (nil, []) },
            end: { reading, end, now in end == .complete ? reading.batch(now) : nil },
            linkLost: { $0.part($1) }),
        // The records are stored by now.
        Step { reading, _ in
            reading.packets == nil ? nil : request(YCBTFrame(0x05, 0x80, [0x00]), "its steps", .none)
        },
        .clock(
            { _, clock in
                let time = [UInt8].little(clock.fields.year, 2) + clock.timeInYear + [UInt8(clock.weekday)]
                return request(YCBTFrame(0x01, 0x00, time), "its clock", .optional)
            },
            decode: byFrames { reading, frame in
                guard (frame.group, frame.command) == (0x01, 0x00) else { return .other }
                if frame.data.first == 0 { reading.confirmClock() }
                return .done
            }),
    ]

    private static func request(
        _ frame: YCBTFrame, _ name: String, _ answer: ProtocolExchange.Answer, rejection: YCBTFrame? = nil
    ) -> ProtocolExchange {
        ProtocolExchange(
            writing: frame.bytes, to: YCBT.requests, name: name, answer: answer, rejection: rejection?.bytes)
    }

    /// The meaning of an answer by that of its frames.
    private static func byFrames(_ decode: @escaping @Sendable (inout Self, YCBTFrame) -> ExchangeProgress)
        -> Step.Decoder
    {
        { reading, bytes, _ in
            var progress = ExchangeProgress.more
            for frame in reading.frames.add(bytes) {
                if let frame {
                    if (frame.group, frame.command) == (0x06, 0x00) {
                        guard let steps = frame.data.little(0, 2) else { return .undecodable }
                        reading.counted = steps
                    }
                    progress = decode(&reading, frame)
                } else {
                    // A frame of records that is wrong is missing at the end of the answer.
                    progress = reading.packets == nil ? .undecodable : .more
                }
                if progress != .more, progress != .other { return progress }
            }
            return progress
        }
    }

    mutating func begin(at now: Timestamp) {
        frames = YCBTFrames()
        table.present?.begin(&self)
    }

    /// A frame of the answer with the steps.
    private mutating func add(_ frame: YCBTFrame) -> ExchangeProgress {
        let data = frame.data
        switch (frame.group, frame.command) {
        case (0x05, _) where frame.isRefusal:
            return .failed(.refused("the request for its steps"))
        case (0x05, 0x02):
            guard data.count >= 10, let bytes = data.little(6, 4), bytes > 0 else { return .done }  // no records
            guard bytes <= Self.maximumBytes else { return .failed(.undecodable("\(bytes) bytes of records")) }
            (packets, records) = (0, [])
            return .more
        case (0x05, 0x11):
            // Without its beginning it is the rest of an earlier answer.
            guard let received = packets else { return .other }
            guard records.count + data.count <= Self.maximumBytes else {
                return .failed(.undecodable("more than \(Self.maximumBytes) bytes of records"))
            }
            packets = received + 1
            records += data
            return .more
        case (0x05, 0x80):
            // The end of an earlier answer.
            guard let packets else { return .other }
            let isWhole =
                data.count >= 6 && data.little(0, 2) == packets && data.little(2, 2) == records.count & 0xffff
                && data.little(4, 2) == YCBTFrame.checksum(records)
            return isWhole ? .done : .again
        default: return .other
        }
    }

    /// The records that have arrived: each frame has a checksum of its own. They account for no time, since it is not
    /// known what is missing between them, and all of them are sent again. The last one may overlap the next, which may
    /// have more steps.
    private mutating func part(_ now: Timestamp) -> SampleBatch? {
        let samples = Self.distinct(decoded().known).records.dropLast().compactMap { converter.sample($0, now: now) }
        return samples.isEmpty ? nil : SampleBatch(samples: samples)
    }

    /// The records that have arrived, and how many are invalid.
    private func decoded() -> (known: [WallRecord], invalid: Int) {
        var (known, invalid) = ([WallRecord](), 0)
        for start in stride(from: 0, through: records.count - Self.recordSize, by: Self.recordSize) {
            guard let from = records.little(start, 4), let to = records.little(start + 4, 4),
                let steps = records.little(start + 8, 2),
                let metres = records.little(start + 10, 2), let energy = records.little(start + 12, 2),
                (1...86_400).contains(to - from)
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
        let check = YCBTCountCheck(
            context, converter, distinct.filter { converter.isPlaced($0, now: now) }, counted: counted, at: now)
        // All records of the ring since its first one have arrived, and their checksum was right. Whether it has
        // recorded anything since its last one is certain only if it counts no more steps.
        if !known.isEmpty, invalid == 0 {
            if let first = converter.beginning(of: known, now: now) {
                let end = check.isRecorded ? converter.wall(now) : known.map { $0.wall + $0.length }.max() ?? first
                batch.coverage = converter.spans(first..<max(first, end), now: now)
            }
            batch.cursor = converter.cursor(context.pedometer.cursor, through: now, now: now)
        }
        if let mark = check.mark {
            var cursor = batch.cursor ?? context.pedometer.cursor
            cursor.counter = mark
            batch.cursor = cursor
        }
        let notices = converter.notices.filter { if case .implausible = $0 { false } else { true } }
        let apart = converter.misplaced + overlapping
        batch.notices = check.notices + notices + (apart > 0 ? [.implausible(samples: apart)] : [])
        if invalid > 0 { batch.notices.append(.undecodable(frames: invalid)) }
        return batch
    }

    /// The records with steps, by their beginning, without those that overlap another: of two, the one with more steps
    /// counts, since the ring cannot have counted them twice at the same time.
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
