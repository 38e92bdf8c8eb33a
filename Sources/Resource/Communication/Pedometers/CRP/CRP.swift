public import BlueZ
public import StepDomain

/// A smart ring with the firmware of the app "Da Rings" (CRP, crrepa): some R11, which others sell under the same name and case as a Colmi
/// ring with another protocol. Its services show which one it is.
///
/// It notifies today's steps by itself: triples of 24 bits, little-endian: steps, metres, kilocalories. It keeps no history of steps that
/// any client reads.
///
/// Source: PulseLoopAndroid, `CRPProtocol`, `CRPDecoder` and their tests; no second source.
public enum CRP: LinkedPedometerModel {
    public static let key = "crp"
    public static let title = "CRP smart ring (some R11)"
    public static let caveat: String? =
        "Not confirmed: when it sends its steps without its app, and that it resets them at midnight. Its clock is not set."

    static let service: BluetoothUUID = "fdda"
    static let steps = GATTAddress(service, "fdd1")
    /// One more than its greatest number.
    static let modulus = 1 << 24

    public static func evidence(in discovery: Discovery) -> KindEvidence? {
        discovery.services.contains(service) ? .advertisedService : nil
    }

    public static let characteristicServices = [service]

    public static func services(of pedometer: Pedometer) -> [BluetoothUUID] { [service] }

    public static func holdsTodayOnly(_ pedometer: Pedometer) -> Bool { true }

    public static func session(_ context: SessionContext) -> any PedometerSession { CRPSession(context) }

    public static func probe(_ context: SessionContext) -> any PedometerSession { CRPSession(context) }

    public static func live(_ pedometer: Pedometer, known: Int) -> (any LiveSession)? { CRPLive() }
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

/// A reading: waits for the ring to send its steps.
struct CRPSession: PedometerSession {
    /// Seconds to wait.
    private static let timeout = 20.0
    /// Notifications among which one must have steps.
    private static let most = 20

    private let context: SessionContext
    private var received = 0
    private var start = Timestamp(0)

    init(_ context: SessionContext) { self.context = context }

    mutating func next(after event: SessionEvent, at now: Timestamp) -> SessionAction {
        switch event {
        case .started:
            start = now
            return .subscribe(CRP.steps)
        case .done where received == 0:
            return .receive(seconds: Self.timeout)
        case .value(let bytes):
            received += 1
            guard let steps = CRPSteps(bytes) else {
                guard received < Self.most, now - start < Int(Self.timeout) else {
                    return .fail(.undecodable("\(received) values that are not step counts"))
                }
                return .receive(seconds: Self.timeout)
            }
            let reading = CounterReading(at: now, value: steps.steps, utcOffset: context.localTime.utcOffset(now))
            let batch = CounterDelta(cursor: context.pedometer.cursor, localTime: context.localTime, modulus: CRP.modulus)
                .batch(ofToday: reading)
            return .deliver(batch, progress: .reading(done: 1, of: 1))
        case .silence, .absent:
            guard received == 0 else { return .fail(.undecodable("\(received) values that are not step counts")) }
            return .fail(.sentNoSteps(seconds: Self.timeout))
        case .done, .linkLost:
            return .finish(SessionReport())
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
