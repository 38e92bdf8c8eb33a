public import BlueZ
public import StepDomain

/// A Casio watch with a life log: the ABL-100WE, and perhaps the GG-B100.
///
/// - `00 11 00 00 00` to 26EB0023 requests the life log. 26EB0023 announces its length, `00 11 length(3) 00 00`,
///   numbers little-endian; 26EB0024 sends it, in one notification or in several.
/// - `04 11 00 00 00` would acknowledge it. The watch then deletes its hours, and other programs do not get them any
///   more; istep does not send it.
///
/// Sources: gshock_api (izivkov), `step_counter_io.py` and the captures `test_data/btsnoop_hci_ABL.log` and
/// `btsnoop_hci_ABL_2.log`; its pull request 5, for the acknowledgement; casio-abl100 (Lautarocp), `PROTOCOL.md`.
public enum Casio: LinkedPedometerModel {
    public static let key = "casio"
    public static let title = "Casio ABL-100WE or GG-B100 watch"
    public static let caveat: String? =
        "Only today's count is read, and it counts only if the watch sends it twice with the same value. Not confirmed: hours and past days, and all values of a GG-B100."

    /// All Casio watches have this service, also those without a step counter. It is not advertised.
    static let service: BluetoothUUID = "26eb000d-b012-49a8-b1f8-394fb2032b0f"
    static let requests = GATTAddress(service, "26eb0023-b012-49a8-b1f8-394fb2032b0f")
    static let data = GATTAddress(service, "26eb0024-b012-49a8-b1f8-394fb2032b0f")

    public static func evidence(in discovery: Discovery) -> KindEvidence? {
        ["CASIO ABL-100", "CASIO GG-B100"].contains { discovery.name?.hasPrefix($0) == true } ? .name : nil
    }

    public static func services(of pedometer: Pedometer) -> [BluetoothUUID] { [service] }
    public static func holdsTodayOnly(_ pedometer: Pedometer) -> Bool { true }
    public static func session(_ context: SessionContext) -> any PedometerSession {
        ExchangeSession(CasioReading(context))
    }
    /// A reading changes nothing on the watch.
    public static func probe(_ context: SessionContext) -> any PedometerSession { session(context) }

    /// Sources: gshock_api, `src/examples/step_counter.py`, for the buttons and the times; the name of the button is
    /// that of the watch's manual.
    public static let howToConnect: String? = """
        Press and hold its lower left button for 3 seconds, until it shows that it connects, then run `istep sync`. A watch that is paired with \
        this machine also connects when its lower right button is pressed briefly, and by itself at 00:30, 06:30, 12:30 and 18:30.
        """
}

/// A life log of 400 bytes. Numbers are little-endian; numbers without a value are `FFFE` or `FFFFFFFE`.
///
/// | bytes | content |
/// |---|---|
/// | 0 | year, month, day, hour, minute, second of the watch's clock; BCD |
/// | 6 | records of ten bytes: the steps of an hour in five numbers, by their intensity; the first is the hour before the present one |
/// | 246 | distances of hours |
/// | 318 | seven times steps u32 and metres u32, of past days |
/// | 374, 378 | steps and metres of today: u32 |
/// | 382 | steps of the present hour, in three numbers by their intensity |
/// | 392 | metres of the present hour: u32 |
/// | 396 | steps of today once more: BCD, lowest two digits first |
///
/// Sources: gshock_api, `src/examples/lifelog.py` and `KOTLIN_LIFELOG_PORTING_GUIDE.md`; casio-abl100, `PROTOCOL.md`.
/// Earlier versions of gshock_api took bytes 6...293 for 144 hours and 318...373 for 14 days.
struct CasioLog: Hashable {
    static let length = 400
    private static let hours = 6
    private static let today = 374
    private static let presentHour = 382
    private static let check = 396

    /// The watch's clock.
    let clock: DeviceClock
    /// Steps of today; nil if the watch has none, or if the two totals cannot be read.
    let steps: Int?
    /// The figure that contradicts `steps`, if any: the second total, or hours that are more than all of today.
    let contradiction: Int?

    /// Nil if it has another length, or does not begin with a time.
    init?(_ bytes: [UInt8]) {
        let time = bytes.prefix(6).compactMap(Self.decimal)
        guard bytes.count == Self.length, time.count == 6,
            let clock = DeviceClock(
                year: 2000 + time[0], month: time[1], day: time[2], hour: time[3], minute: time[4], second: time[5])
        else { return nil }
        self.clock = clock
        let digits = bytes[Self.check...].compactMap(Self.decimal)
        guard let steps = bytes.little(Self.today, 4), digits.count == 4 else {
            (self.steps, contradiction) = (nil, nil)
            return
        }
        let second = digits.reversed().reduce(0) { $0 * 100 + $1 }
        var recent = Self.sum(bytes, Self.presentHour, 3)
        // Before 7:00 and after 18:00 the first record is another one.
        if (7..<18).contains(time[3]) { recent += Self.sum(bytes, Self.hours, 5) }
        self.steps = steps == 0xffff_fffe ? nil : steps
        contradiction = second != steps ? second : recent > steps ? recent : nil
    }

    /// The value of two decimal digits; nil if they are none.
    private static func decimal(_ byte: UInt8) -> Int? {
        byte >> 4 < 10 && byte & 15 < 10 ? Int(byte >> 4) * 10 + Int(byte & 15) : nil
    }

    private static func sum(_ bytes: [UInt8], _ start: Int, _ count: Int) -> Int {
        (0..<count).compactMap { bytes.little(start + 2 * $0, 2) }.filter { $0 != 0xfffe }.reduce(0, +)
    }
}

struct CasioReading: ExchangeProtocol {
    private let context: SessionContext
    private var isRequested = false
    /// Bytes that were announced; nil before that.
    private var length: Int?
    private var received: [UInt8] = []
    let report = SessionReport()

    init(_ context: SessionContext) { self.context = context }

    let notifying = [Casio.requests, Casio.data]

    mutating func next(at now: Timestamp) -> ProtocolExchange? {
        guard !isRequested else { return nil }
        isRequested = true
        return ProtocolExchange(request: .write([0, 0x11, 0, 0, 0], to: Casio.requests), name: "its life log")
    }

    mutating func begin(at now: Timestamp) { (length, received) = (nil, []) }

    mutating func receive(_ bytes: [UInt8], at now: Timestamp) -> ExchangeProgress {
        guard let length else {
            guard bytes.starts(with: [0, 0x11]), let announced = bytes.little(2, 3) else { return .other }
            guard announced == CasioLog.length else {
                return .failed(.undecodable("a life log of \(announced) bytes where \(CasioLog.length) were expected"))
            }
            length = announced
            return .more
        }
        received += bytes.prefix(length + 1 - received.count)
        if received.count < length { return bytes.isEmpty ? .other : .more }
        // A notification that is not part of it is among them.
        return received.count == length ? .done : .again
    }

    mutating func end(_ end: ExchangeEnd, at now: Timestamp) -> SampleBatch? {
        guard end == .complete else { return nil }
        guard let log = CasioLog(received), let steps = log.steps else {
            return SampleBatch(notices: [.stepsInDoubt(.unchecked)])
        }
        if let other = log.contradiction { return SampleBatch(notices: [.stepsInDoubt(.totals(steps, other))]) }
        let reading = CounterReading(at: now, value: steps, utcOffset: context.localTime.utcOffset(now))
        var batch = CounterOfToday(context).batch(of: reading, clock: log.clock)
        let clockOffset = log.clock.offset(from: reading)
        let isReported = batch.notices.contains { if case .clockWasOff = $0 { true } else { false } }
        // istep does not set it: that needs several of the watch's settings to be written back.
        if !isReported, abs(clockOffset) > CounterOfToday.clockTolerance {
            batch.notices.append(.clockWasOff(seconds: clockOffset))
        }
        return batch
    }
}
