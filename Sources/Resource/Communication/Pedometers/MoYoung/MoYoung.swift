public import BlueZ
public import StepDomain

/// Watches and bands of the app Da Fit, with firmware by MoYoung: today's steps.
///
/// - FEE1 is read: three numbers of 24 bits, little-endian. Two existing decoders disagree about their order: steps, metres, kilocalories
///   (Gadgetbridge, `MoyoungDeviceSupport.handleStepsHistory`), or distance, steps, calories (jphein/moyoung-watch, and the comments of
///   Gadgetbridge).
/// - Frames to FEE2 and from FEE3: `FE EA version length command data`; the version is 0x10, or for "MOYOUNG-V2" 0x20 plus the high byte of the
///   length, which counts all bytes. `59 00` requests the steps of today in hours or half hours: `00`, then numbers of 16 bits, little-endian.
/// - `31 time(4) 08` sets the clock: seconds since 1970, big-endian, as if its local time were that of GMT+8.
///
/// The sum of `59` decides the order of FEE1. If it does not, nothing is counted.
public enum MoYoung: LinkedPedometerModel {
    public static let key = "moyoung"
    public static let title = "MoYoung / Da Fit watch or band"
    public static let caveat: String? =
        "Other programs disagree about which of three numbers is the step count. Steps count only if the hours add up to one of them."

    static let service: BluetoothUUID = "feea"
    static let today = GATTAddress(service, "fee1")
    static let requests = GATTAddress(service, "fee2")
    static let answers = GATTAddress(service, "fee3")
    /// Manufacturer Name String of the Device Information Service: `MOYOUNG` or `MOYOUNG-V2`.
    static let manufacturer = GATTAddress("180a", "2a29")

    public static func evidence(in discovery: Discovery) -> KindEvidence? {
        discovery.services.contains(service) ? .advertisedService : nil
    }

    public static let characteristicServices = [service]
    public static func holdsTodayOnly(_ pedometer: Pedometer) -> Bool { true }
    public static func session(_ context: SessionContext) -> any PedometerSession { ExchangeSession(MoYoungReading(context)) }
    public static func probe(_ context: SessionContext) -> any PedometerSession { ExchangeSession(MoYoungReading(context, isProbe: true)) }
}

/// Assembles frames from notifications.
struct MoYoungFrames {
    /// Bytes: a header, and half hours of a day with some reserve. A longer frame is not an answer.
    private static let longest = 512

    private var pending: [UInt8] = []

    /// Whether no frame has begun.
    var isEmpty: Bool { pending.isEmpty }

    /// The frame that these bytes complete; nil if more are expected, or if they do not belong to one.
    mutating func add(_ bytes: [UInt8]) -> (command: UInt8, data: [UInt8])? {
        // A frame begins with a notification.
        if bytes.starts(with: [0xfe, 0xea]) { pending = [] }
        pending += bytes.prefix(Self.longest)
        guard pending.count >= 5, pending.starts(with: [0xfe, 0xea]) else {
            if pending.count >= 5 { pending = [] }
            return nil
        }
        let length = (pending[2] >= 0x20 ? Int(pending[2] - 0x20) << 8 : 0) | Int(pending[3])
        guard pending[2] == 0x10 || pending[2] >= 0x20, (5...Self.longest).contains(length) else {
            pending = []
            return nil
        }
        guard pending.count >= length else { return nil }
        defer { pending = [] }
        return (pending[4], Array(pending[5..<length]))
    }

    /// - Parameter isSecond: whether the version is that of "MOYOUNG-V2".
    static func request(_ command: UInt8, _ data: [UInt8], isSecond: Bool) -> [UInt8] {
        let length = data.count + 5
        return [0xfe, 0xea, isSecond ? UInt8(0x20 + length >> 8) : 0x10, UInt8(length & 0xff), command] + data
    }
}

struct MoYoungReading: ExchangeProtocol {
    private enum Stage { case manufacturer, today, hours, clock, end }

    /// Steps by which the sum may differ from the counter: those made between the two requests, and those of 2 % for a sum that is rounded.
    static func tolerance(_ sum: Int) -> Int { max(30, sum / 50) }

    /// Steps up to which nothing is reported if the two numbers cannot be distinguished.
    private static let mostUnreported = 200

    private let context: SessionContext
    private let isProbe: Bool
    private var stage: Stage?
    private var isSecond = false
    private var frames = MoYoungFrames()
    /// The three numbers of FEE1, and when they were read.
    private var numbers: (values: [Int], at: Timestamp)?
    private var sum: Int?
    private var setter = ClockSetter()
    private(set) var report = SessionReport()

    init(_ context: SessionContext, isProbe: Bool = false) {
        self.context = context
        self.isProbe = isProbe
    }

    let notifying = [MoYoung.answers]

    mutating func next(at now: Timestamp) -> ProtocolExchange? {
        switch stage {
        case nil:
            stage = .manufacturer
            return ProtocolExchange(request: .readIfPresent(MoYoung.manufacturer), name: "its manufacturer", answer: .optional)
        case .manufacturer:
            stage = .today
            return ProtocolExchange(request: .read(MoYoung.today), name: "the steps of today")
        case .today where !isProbe:
            stage = .hours
            let request = MoYoungFrames.request(0x59, [0], isSecond: isSecond)
            return ProtocolExchange(request: .write(request, to: MoYoung.requests), name: "the hours of today", answer: .optional, attempts: 2)
        // It counts today's steps: a clock that is set over midnight would set them to zero.
        case .hours where ClockCorrection.isSafe(at: now, context.localTime):
            stage = .clock
            let time = setter.begin(at: now, context.localTime).wall - 8 * 3_600
            let request = MoYoungFrames.request(0x31, .big(time, 4) + [8], isSecond: isSecond)
            return ProtocolExchange(request: .write(request, to: MoYoung.requests), name: "its clock", answer: .none)
        case .today, .hours, .clock, .end:
            stage = .end
            return nil
        }
    }

    mutating func begin(at now: Timestamp) { frames = MoYoungFrames() }

    mutating func receive(_ bytes: [UInt8], at now: Timestamp) -> ExchangeProgress {
        switch stage {
        case .manufacturer:
            let name = String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            isSecond = name == "MOYOUNG-V2"
            return .done
        case .today:
            let values = stride(from: 0, to: 9, by: 3).compactMap { bytes.little($0, 3) }
            guard bytes.count == 9, values.count == 3 else {
                return .failed(.undecodable("\(bytes.count) bytes where 9 were expected"))
            }
            numbers = (values, now)
            return .done
        case .hours:
            guard let frame = frames.add(bytes) else { return frames.isEmpty ? .other : .more }
            guard frame.command == 0x59, frame.data.first == 0 else { return .other }
            let hours = stride(from: 1, to: frame.data.count - 1, by: 2).compactMap { frame.data.little($0, 2) }
            guard (1...48).contains(hours.count), frame.data.count == 1 + 2 * hours.count else { return .undecodable }
            sum = hours.reduce(0, +)
            return .done
        case nil, .clock, .end: return .other
        }
    }

    mutating func end(_ end: ExchangeEnd, at now: Timestamp) -> SampleBatch? {
        switch stage {
        case .hours: return batch()
        case .clock:
            setter.confirm()
            report.clockSet = setter.confirmed
            return nil
        case nil, .manufacturer, .today, .end: return nil
        }
    }

    /// The step count among the two numbers: the one nearer to the sum of the hours, if the other is clearly farther from it. Nil if that is
    /// not certain: a runner's metres can be as many as the steps.
    static func steps(_ first: Int, _ second: Int, sum: Int) -> Int? {
        let (near, far) = abs(first - sum) <= abs(second - sum) ? (first, second) : (second, first)
        guard abs(near - sum) <= tolerance(sum) else { return nil }
        let isCertain = near == far || abs(far - sum) > tolerance(sum) || abs(far - sum) >= 3 * abs(near - sum)
        return isCertain ? near : nil
    }

    private func batch() -> SampleBatch? {
        guard let numbers else { return nil }
        guard let sum else { return SampleBatch(notices: [.stepsInDoubt(.unchecked)]) }
        guard let steps = Self.steps(numbers.values[0], numbers.values[1], sum: sum) else {
            // If there are only a few steps, both numbers are near the sum: a later reading decides.
            if max(numbers.values[0], numbers.values[1]) <= Self.mostUnreported { return SampleBatch() }
            let isNear = abs(numbers.values[0] - sum) <= Self.tolerance(sum)
            return SampleBatch(notices: [.stepsInDoubt(.totals(numbers.values[0], isNear ? numbers.values[1] : sum))])
        }
        let reading = CounterReading(at: numbers.at, value: steps, utcOffset: context.localTime.utcOffset(numbers.at))
        return CounterOfToday(cursor: context.pedometer.cursor, localTime: context.localTime).batch(of: reading)
    }
}
