public import BlueZ
public import StepDomain

/// Bands of the app FitPro: the steps of quarters of an hour.
///
/// - Group 15, command 06 with 01 requests what the band has stored. It answers with frames of group 15, the next one
///   perhaps only after the acknowledgement of the last one: 02 steps, 03 sleep, 0C the total of today, and 07, 08 and
///   10, after which it sends data. No frame is known to be the last one.
/// - The requests before that are those with which Gadgetbridge begins, and without which it got no steps; only the
///   language is left out.
/// - Group 12, command 01 sets the clock, which is local time: year since 2000, month, day, hour, minute, second in 6,
///   4, 5, 5, 6, 6 bits. Gadgetbridge sets it before it requests the steps. istep sets it after they are stored.
///
/// Source: Gadgetbridge, `FitProDeviceSupport.java` and `FitProConstants.java`, and the captured frame of
/// `FitProTests.testStepPacket`.
public enum FitPro: ExchangeModel {
    public static let key = "fitpro"
    public static let title = "FitPro band"
    public static let caveat: String? =
        "How its steps are requested is known from one other program only. Not confirmed: how many days it keeps, where its answer ends, and whether it deletes what was acknowledged."

    /// A variant of the Nordic UART Service, which devices with other protocols have, too. It is not known whether it
    /// is advertised.
    static let service: BluetoothUUID = "6e400001-b5a3-f393-e0a9-e50e24dcca9d"
    static let requests = GATTAddress(service, "6e400002-b5a3-f393-e0a9-e50e24dcca9d")
    static let answers = GATTAddress(service, "6e400003-b5a3-f393-e0a9-e50e24dcca9d")
    /// Days that a record may be old.
    static let oldestDay = 31

    /// Gadgetbridge also recognises each name that begins with `M4` or `M6`. Other devices may have such a name.
    private static let names: Set = ["M4", "M6", "LH716", "Sunset 6", "Watch7", "Fit1900", "ColaCao21", "ColaCao23"]

    public static func evidence(in discovery: Discovery) -> KindEvidence? {
        discovery.name.map(names.contains) == true ? .name : nil
    }

    public static func services(of pedometer: Pedometer) -> [BluetoothUUID] { [service] }
    public static func session(_ context: SessionContext, isProbe: Bool) -> any PedometerSession {
        ExchangeSession(FitProReading(context, isProbe: isProbe))
    }
}

struct FitProReading: ExchangeProtocol {
    private enum Stage { case greeting, steps, clock, end }

    /// What the answer to a request is part of, and what its frames acknowledge.
    private static let stored: UInt8 = 0x15
    /// Groups whose frames are acknowledged; not acknowledgements themselves.
    private static let acknowledged: Set<UInt8> = [0x1a, 0x20]
    /// Commands of group 15 whose frames are acknowledged.
    private static let transferred: Set<UInt8> = [0x02, 0x03, 0x07, 0x08, 0x0c, 0x10]
    /// Frames that a reading acknowledges: a month of a day's steps and sleep needs fewer.
    private static let maximumFrames = 1_000
    /// Steps that can be made during a reading.
    private static let tolerance = 30

    private let context: SessionContext
    private var greetings: [(group: UInt8, command: UInt8, data: [UInt8])]
    private var stage = Stage.greeting
    private var frames = FitProFrames()
    private var acknowledgements: [[UInt8]] = []
    private var acknowledgedFrames = 0
    private var isRequested = false
    private var isAnswered = false
    private var converter: WallSlotConverter
    private var setter = ClockSetter()
    /// Records that have arrived since the last batch, and all.
    private var new: [WallRecord] = []
    private var records: [Int: WallRecord] = [:]
    /// The first one that arrived, and the latest.
    private var order: [WallRecord] = []
    /// Today's steps as the band counts them.
    private var total: Int?
    private(set) var report = SessionReport()

    init(_ context: SessionContext, isProbe: Bool = false) {
        self.context = context
        converter = WallSlotConverter(context, days: FitPro.oldestDay)
        let information: (UInt8, UInt8, [UInt8]) = (0x20, 2, [])
        greetings =
            isProbe
            ? [information]
            : [
                (0x12, 0x0a, [2]), (0x1a, 0x0a, []), (0x1a, 0x0c, []), (0x12, 0xff, [1]), (0x1a, 1, []),
                (0x1a, 0x0f, []), (0x1a, 0x10, []),
                information,
            ]
        if isProbe { isRequested = true }
    }

    let notifying = [FitPro.answers]

    mutating func next(at now: Timestamp) -> ProtocolExchange? {
        func exchange(_ bytes: [UInt8], _ name: String, _ answer: ProtocolExchange.Answer, _ timeout: Double)
            -> ProtocolExchange
        {
            ProtocolExchange(
                request: .write(bytes, to: FitPro.requests), name: name, answer: answer, timeout: timeout,
                attempts: answer == .required ? 3 : 1)
        }
        if !acknowledgements.isEmpty {
            let bytes = acknowledgements.removeFirst()
            // The next frame may come at once, or after all of them.
            let waits = acknowledgements.isEmpty && stage == .steps
            return exchange(bytes, "more of its steps", waits ? .optional : .none, 2)
        }
        switch stage {
        case .greeting where !greetings.isEmpty:
            let request = greetings.removeFirst()
            return exchange(
                FitProFrames.request(request.group, request.command, request.data), "its state", .optional, 1)
        case .greeting where !isRequested:
            (stage, isRequested) = (.steps, true)
            // A band that has answered before, and has nothing new, may be silent.
            let request = FitProFrames.request(Self.stored, 6, [1])
            return exchange(request, "its steps", isAnswered ? .optional : .required, 5)
        case .steps where context.setsClock:
            stage = .clock
            let time = setter.begin(at: now, context.localTime).fields
            let date = (time.year - 2_000) << 26 | time.month << 22 | time.day << 17
            let value = date | time.hour << 12 | time.minute << 6 | time.second
            return exchange(FitProFrames.request(0x12, 1, .big(value, 4)), "its clock", .none, 1)
        case .greeting, .steps, .clock, .end:
            stage = .end
            return nil
        }
    }

    mutating func begin(at now: Timestamp) {}

    mutating func receive(_ bytes: [UInt8], at now: Timestamp) -> ExchangeProgress {
        guard let complete = frames.add(bytes) else { return .other }
        var progress = ExchangeProgress.more
        for frame in complete {
            isAnswered = true
            let isTransferred = frame.group == Self.stored && Self.transferred.contains(frame.command)
            if stage == .greeting, frame.group != Self.stored { progress = .done }
            guard frame.isAnswered, isTransferred || Self.acknowledged.contains(frame.group) else { continue }
            acknowledgedFrames += 1
            guard acknowledgedFrames <= Self.maximumFrames else { return .failed(.undecodable("too many packets")) }
            if isTransferred, frame.command == 2 {
                // What cannot be decoded stays on the band, and what may have its time still to come.
                guard let records = Self.records(frame.data) else { return .undecodable }
                guard !records.contains(where: { converter.mustStay($0, now: now) }) else {
                    for record in records { _ = converter.sample(record, now: now) }
                    return .other
                }
                add(records)
            }
            if isTransferred, frame.command == 0x0c { total = frame.data.big(2, 4) }
            acknowledgements.append(frame.acknowledgement)
            progress = .done
        }
        return progress
    }

    /// A frame of steps: year since 2000, month, day in 7, 4, 5 bits; the number of records; for each 64 bits: steps in
    /// 12, 4 unknown bits, metres in 16, the quarter of the day in 11, two unknown bits, and energy in 19 bits whose
    /// unit is not confirmed. The captured frame has more than 2,047 steps in a record: the number has no sign.
    ///
    /// - Returns: nil if it cannot be decoded.
    private static func records(_ data: [UInt8]) -> [WallRecord]? {
        guard let date = data.big(0, 2), let count = data.big(2, 2), data.count == 4 + 8 * count,
            let midnight = DeviceClock(year: 2_000 + date >> 9, month: date >> 5 & 15, day: date & 31, hour: 0)
        else { return nil }
        var added: [WallRecord] = []
        for start in stride(from: 4, to: data.count, by: 8) {
            guard let head = data.big(start, 4), let tail = data.big(start + 4, 4), tail >> 21 < 96 else { return nil }
            let (steps, metres) = (head >> 20, head & 0xffff)
            // No step is longer than 2.5 m.
            let isPossible = metres * 2 <= steps * 5
            added.append(
                WallRecord(
                    wall: midnight.wall + (tail >> 21) * 900, length: 900, steps: steps,
                    metres: isPossible ? metres : nil))
        }
        return added
    }

    private mutating func add(_ added: [WallRecord]) {
        // The frame may have been sent again, and the present quarter has grown since.
        for record in added where records[record.wall].map({ $0.steps < record.steps }) ?? true {
            records[record.wall] = record
            new.append(record)
        }
        order += added
    }

    mutating func end(_ end: ExchangeEnd, at now: Timestamp) -> SampleBatch? {
        switch stage {
        case .steps:
            let isLast = acknowledgements.isEmpty
            guard isLast || !new.isEmpty else { return nil }
            defer { new = [] }
            var batch = SampleBatch(samples: new.compactMap { converter.sample($0, now: now) })
            if isLast { finish(&batch, now) }
            return batch
        case .clock:
            setter.confirm()
            report.clockSet = setter.confirmed
            return nil
        case .greeting:
            // Steps that the band sends before they are requested are stored before they are acknowledged.
            defer { new = [] }
            return new.isEmpty ? nil : SampleBatch(samples: new.compactMap { converter.sample($0, now: now) })
        case .end: return nil
        }
    }

    /// The answer has ended. It accounts for the time of its records. If those of today add up to the band's own total,
    /// it is complete, and accounts for all of the time since its first record.
    private func finish(_ batch: inout SampleBatch, _ now: Timestamp) {
        batch.notices = converter.notices
        guard !records.isEmpty else { return }
        let (midnight, clock) = (converter.today(now) * 86_400, converter.wall(now))
        let sum = records.values.filter { (midnight..<midnight + 86_400).contains($0.wall) }.reduce(0) { $0 + $1.steps }
        if let total, abs(total - sum) <= Self.tolerance, let first = converter.beginning(of: order, now: now) {
            batch.coverage = converter.spans(min(first, midnight)..<max(clock, min(first, midnight)), now: now)
        } else {
            batch.coverage = records.keys.sorted().filter {
                records[$0].map { converter.isPlaced($0, now: now) } == true
            }
            .flatMap { converter.spans($0..<$0 + 900, now: now) }
        }
        batch.cursor = converter.cursor(context.pedometer.cursor, through: now, now: now)
    }
}

/// Frames: `CD length(2) group 01 command length(2) data`, numbers big-endian. The first length counts what follows it,
/// the second one the data. A frame may come in several notifications. `DC 00 05 group 01 length(2) 01` acknowledges
/// one; the length is that of the whole frame.
///
/// Sources: Gadgetbridge; without the acknowledgement, an independent client for the LY735 (`WatchProtocol.kt`), after
/// the app SuperBand.
struct FitProFrames {
    struct Frame: Hashable {
        var group: UInt8
        var command: UInt8
        var data: [UInt8]
        /// Whether it is not an acknowledgement itself.
        var isAnswered: Bool

        var acknowledgement: [UInt8] { [0xdc, 0, 5, group, 1] + .big(data.count + 8, 2) + [1] }
    }

    /// Bytes of a frame: a day of quarters needs 780.
    private static let longest = 2_048

    private var pending: [UInt8] = []

    /// The frames that these bytes complete; nil if they belong to none.
    mutating func add(_ bytes: [UInt8]) -> [Frame]? {
        if pending.isEmpty, bytes.first != 0xcd, bytes.first != 0xdc { return nil }
        pending += bytes
        var complete: [Frame] = []
        while let rest = pending.big(1, 2) {
            let length = rest + 3
            guard pending[0] == 0xcd || pending[0] == 0xdc, (8...Self.longest).contains(length) else {
                pending = []
                return complete.isEmpty ? nil : complete
            }
            guard pending.count >= length else { break }
            let frame = Array(pending[..<length])
            pending.removeFirst(length)
            let isAcknowledgement = frame[0] == 0xdc
            guard isAcknowledgement || frame.big(6, 2) == length - 8 else { continue }
            complete.append(
                Frame(group: frame[3], command: frame[5], data: Array(frame[8...]), isAnswered: !isAcknowledgement))
        }
        return complete
    }

    static func request(_ group: UInt8, _ command: UInt8, _ data: [UInt8]) -> [UInt8] {
        [0xcd] + .big(data.count + 5, 2) + [group, 1, command] + .big(data.count, 2) + data
    }
}
