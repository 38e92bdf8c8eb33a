public import BlueZ
public import StepDomain

/// A smart ring with the firmware of the app "Da Rings" (CRP, crrepa): some R11, which others sell under the same name and case as a Colmi
/// ring with another protocol. Its services show which one it is.
///
/// It notifies today's steps by itself: triples of 24 bits, little-endian: steps, metres, kilocalories.
///
/// Its clock cannot be read. It is set by a frame to FDD2, `FD DA 10 length group command data`, of group 1, command 1: seconds u32
/// little-endian, then a zone of 8 hours. The seconds are those at which a clock in this zone shows the local time: the app of the maker
/// sends it so in all zones, as Da Fit does. Whether the ring confirms it is not known.
///
/// Source: PulseLoopAndroid, `CRPProtocol`, `CRPDecoder` and their tests; Gadgetbridge, `devices/moyoungring`, which agrees and has compared
/// the frame of the clock with a capture of that app. Gadgetbridge also has requests for steps of past days (group 2, commands 13 and 18),
/// which istep does not send.
public enum CRP: LinkedPedometerModel {
    public static let key = "crp"
    public static let title = "CRP smart ring (some R11)"
    public static let caveat: String? =
        "Not confirmed: when it sends its steps without its app, and that it resets them at midnight."

    static let service: BluetoothUUID = "fdda"
    static let steps = GATTAddress(service, "fdd1")
    static let requests = GATTAddress(service, "fdd2")

    public static func evidence(in discovery: Discovery) -> KindEvidence? {
        discovery.services.contains(service) ? .advertisedService : nil
    }

    public static let characteristicServices = [service]

    public static func holdsTodayOnly(_ pedometer: Pedometer) -> Bool { true }

    public static func session(_ context: SessionContext) -> any PedometerSession { CRPSession(context, setsClock: true) }

    public static func probe(_ context: SessionContext) -> any PedometerSession { CRPSession(context, setsClock: false) }

    public static func live(_ pedometer: Pedometer, known: Int) -> (any LiveSession)? { CRPLive() }

    /// The frame that sets the clock.
    static func setTime(_ clock: DeviceClock) -> [UInt8] {
        [0xfd, 0xda, 0x10, 11, 1, 1] + .little(clock.wall - 8 * 3_600, 4) + [8]
    }
}

/// The content of a notification of steps.
struct CRPSteps: Hashable {
    var steps: Int
    /// Metres; nil if the notification has none.
    var metres: Int?

    /// Nil if it is not made of one to four triples, or if steps and metres contradict each other: then one of the two is something else.
    init?(_ bytes: [UInt8]) {
        guard (1...4).contains(bytes.count / 3), bytes.count % 3 == 0 else { return nil }
        func number(_ index: Int) -> Int { Int(bytes[index]) | Int(bytes[index + 1]) << 8 | Int(bytes[index + 2]) << 16 }
        steps = number(0)
        guard bytes.count >= 6 else { return }
        metres = number(3)
        guard let metres, Self.isStride(metres, steps) else { return nil }
    }

    /// Metres that one step can have: 0.2 for a shuffle, 2.5 for a sprinter. A few steps are rounded to no metre.
    private static func isStride(_ metres: Int, _ steps: Int) -> Bool { metres * 2 <= steps * 5 && metres * 5 + 20 >= steps }
}

/// A reading: waits for the ring to send its steps, then sets its clock.
///
/// The clock is set after the steps were read, and not near midnight: a clock that is set over midnight may set the steps to zero, or keep
/// them for another day.
struct CRPSession: PedometerSession {
    private enum Stage { case waiting, delivering, settingClock }

    /// Seconds to wait.
    private static let timeout = 20.0
    /// Notifications among which one must have steps.
    private static let most = 20

    private let context: SessionContext
    private let setsClock: Bool
    private var stage = Stage.waiting
    private var received = 0
    /// Start of the wait, as uptime.
    private var start = Duration.zero
    private var setter = ClockSetter()
    private var report = SessionReport()

    init(_ context: SessionContext, setsClock: Bool) {
        self.context = context
        self.setsClock = setsClock
    }

    mutating func next(after event: SessionEvent, at now: Timestamp, uptime: Duration) -> SessionAction {
        switch (stage, event) {
        case (_, .started):
            start = uptime
            return .subscribe(CRP.steps)
        case (.waiting, .done):
            return .receive(seconds: Self.timeout)
        case (.waiting, .value(let bytes)):
            received += 1
            guard let steps = CRPSteps(bytes) else {
                guard received < Self.most, uptime - start < .seconds(Self.timeout) else {
                    return .fail(.undecodable("\(received) values that are not step counts"))
                }
                return .receive(seconds: Self.timeout)
            }
            let reading = CounterReading(at: now, value: steps.steps, utcOffset: context.localTime.utcOffset(now))
            let batch = CounterOfToday(cursor: context.pedometer.cursor, localTime: context.localTime).batch(of: reading)
            stage = .delivering
            return .deliver(batch, progress: .reading(done: 1, of: 1))
        case (.waiting, .silence), (.waiting, .absent):
            guard received == 0 else { return .fail(.undecodable("\(received) values that are not step counts")) }
            return .fail(.sentNoSteps(seconds: Self.timeout))
        case (.delivering, .done) where setsClock && ClockCorrection.isSafe(at: now, context.localTime):
            stage = .settingClock
            // A ring without this characteristic is read, too: only one client is known to use it.
            return .writeIfPresent(CRP.setTime(setter.begin(at: now, context.localTime)), to: CRP.requests)
        case (.settingClock, .done):
            setter.confirm()
            report.clockSet = setter.confirmed
            return .finish(report)
        case (_, .linkLost), (.delivering, _), (.settingClock, _):
            return .finish(report)
        }
    }
}

/// It notifies while its wearer walks.
struct CRPLive: LiveSession {
    let address = CRP.steps

    mutating func steps(after value: [UInt8]) -> Int? {
        CRPSteps(value).flatMap { $0.steps <= mostStepsOfADay ? $0.steps : nil }
    }
}
