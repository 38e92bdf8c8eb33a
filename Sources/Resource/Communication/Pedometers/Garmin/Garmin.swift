public import BlueZ
public import StepDomain

/// Garmin watches: today's steps, which they send to a program that registers for them by Multi-Link.
///
/// The service has one or more pairs of characteristics: 2810...2814 notify, and 2820...2824 take the requests. `00`
/// begins a message about handles; numbers are little-endian:
///
/// - `00 05 client(8) 00 00` closes all handles of the client. `00 06` answers.
/// - `00 00 client(8) service(2) 00` registers for a service; 7 is that of the steps. `00 01 client(8) service(2)
///   status handle reliable` answers; a status of 0 is success.
/// - `00 02 client(8) service(2) handle` closes a handle.
/// - `handle steps(4) goal(4)` are the steps of today and the goal.
///
/// Sources: Gadgetbridge, `CommunicatorV2.java`; harbour-amazfish, pull request 632, which has read an Epix Pro and a
/// vivosmart 5. Both open the service of the watch's other messages before that of the steps, after the watch was
/// paired with them.
public enum Garmin: LinkedPedometerModel {
    public static let key = "garmin"
    public static let title = "Garmin watch"
    public static let caveat: String? =
        "Only today's count is read. Not confirmed: whether a watch sends it to a program with which it was not paired in its menu, and when it sends it first."

    static func uuid(_ number: String) -> BluetoothUUID { BluetoothUUID("6a4e\(number)-667b-11e3-949a-0800200c9a66")! }
    static let service = uuid("2800")
    static let pairs = (0..<5).map {
        (answers: GATTAddress(service, uuid("281\($0)")), requests: GATTAddress(service, uuid("282\($0)")))
    }

    /// A watch is recognised by its services only: what it advertises is not known to show them.
    public static let characteristicServices: [BluetoothUUID] = [service]
    public static func holdsTodayOnly(_ pedometer: Pedometer) -> Bool { true }
    public static func session(_ context: SessionContext) -> any PedometerSession { GarminSession(context) }
    /// A reading changes nothing on the watch.
    public static func probe(_ context: SessionContext) -> any PedometerSession { session(context) }
    public static func live(_ pedometer: Pedometer, known: Int) -> (any LiveSession)? { GarminLive() }
}

/// The messages of Multi-Link that concern steps.
enum GarminMessage: Hashable {
    /// The number of Gadgetbridge, the only one that is known to be accepted.
    private static let client: [UInt8] = .little(2, 8)
    private static let steps: [UInt8] = [7, 0]

    static let closeAll = [0, 5] + client + [0, 0, 0]
    static let register = [0, 0] + client + steps + [0]
    static func close(_ handle: UInt8) -> [UInt8] { [0, 2] + client + steps + [handle] }

    /// The handle of the steps; nil if the watch refuses, or wants to use another protocol for it.
    case registered(UInt8?)
    /// Steps of today, on a handle.
    case steps(Int, handle: UInt8)

    /// Nil for other messages.
    init?(_ bytes: [UInt8]) {
        if bytes.starts(with: [0, 1] + Self.client + Self.steps), bytes.count >= 13 {
            let isAccepted = bytes[12] == 0 && bytes.count >= 15 && bytes[13] != 0 && bytes[14] == 0
            self = .registered(isAccepted ? bytes[13] : nil)
        } else if let handle = bytes.first, handle != 0, bytes.count == 9, let steps = bytes.little(1, 4) {
            self = .steps(steps, handle: handle)
        } else {
            return nil
        }
    }
}

/// A reading: registers for the steps, waits for the first value, and closes the handle.
struct GarminSession: PedometerSession {
    private enum Stage { case finding, subscribing, registering, waiting, delivering, ending }

    /// Seconds to wait for the registration, and for steps.
    private static let (answer, steps) = (5.0, 20.0)
    /// Messages among which one must have steps.
    private static let most = 50

    private let context: SessionContext
    private var stage = Stage.finding
    /// The pair of characteristics.
    private var pair = 0
    private var handle: UInt8?
    private var received = 0
    /// Start of the wait, as uptime.
    private var start = Duration.zero

    init(_ context: SessionContext) { self.context = context }

    mutating func next(after event: SessionEvent, at now: Timestamp, uptime: Duration) -> SessionAction {
        switch (stage, event) {
        case (_, .linkLost), (.ending, _):
            return .finish(SessionReport())
        case (.finding, .started):
            return .writeIfPresent(GarminMessage.closeAll, to: Garmin.pairs[pair].requests)
        case (.finding, .absent):
            pair += 1
            guard pair < Garmin.pairs.count else {
                return .fail(.refused("every request; it may have to be paired first"))
            }
            return .writeIfPresent(GarminMessage.closeAll, to: Garmin.pairs[pair].requests)
        case (.finding, _):
            stage = .subscribing
            return .subscribe(Garmin.pairs[pair].answers)
        case (.subscribing, _):
            stage = .registering
            start = uptime
            return .write(GarminMessage.register, to: Garmin.pairs[pair].requests, response: false)
        case (.registering, .done):
            return .receive(seconds: Self.answer)
        case (.registering, .value(let bytes)):
            return register(bytes, uptime)
        case (.registering, _):
            return .fail(.noAnswer(to: "the request for its steps", attempts: 1, seconds: Self.answer))
        case (.waiting, .value(let bytes)):
            return count(bytes, now, uptime)
        case (.waiting, _):
            return .fail(.sentNoSteps(seconds: Self.steps))
        case (.delivering, _):
            stage = .ending
            return .write(GarminMessage.close(handle ?? 0), to: Garmin.pairs[pair].requests, response: false)
        }
    }

    private mutating func register(_ bytes: [UInt8], _ uptime: Duration) -> SessionAction {
        received += 1
        switch GarminMessage(bytes) {
        case .registered(nil): return .fail(.refused("the request for its steps"))
        case .registered(let handle):
            (self.handle, stage, start) = (handle, .waiting, uptime)
            return .receive(seconds: Self.steps)
        case .steps, nil:
            guard received < Self.most, uptime - start < .seconds(Self.answer) else {
                return .fail(.noAnswer(to: "the request for its steps", attempts: 1, seconds: Self.answer))
            }
            return .receive(seconds: Self.answer)
        }
    }

    private mutating func count(_ bytes: [UInt8], _ now: Timestamp, _ uptime: Duration) -> SessionAction {
        received += 1
        guard case .steps(let value, handle) = GarminMessage(bytes) else {
            guard received < Self.most, uptime - start < .seconds(Self.steps) else {
                return .fail(.sentNoSteps(seconds: Self.steps))
            }
            return .receive(seconds: Self.steps)
        }
        let reading = CounterReading(at: now, value: value, utcOffset: context.localTime.utcOffset(now))
        let batch = CounterOfToday(context).batch(of: reading)
        stage = .delivering
        return .deliver(batch, progress: .reading(done: 1, of: 1))
    }
}

/// It sends its steps while its wearer walks.
struct GarminLive: LiveSession {
    private var pair = 0
    private var handle: UInt8?

    var address: GATTAddress { Garmin.pairs[pair].answers }

    mutating func begin(_ has: (GATTAddress) -> Bool) -> [(request: [UInt8], to: GATTAddress)] {
        pair = Garmin.pairs.firstIndex { has($0.answers) && has($0.requests) } ?? 0
        return [GarminMessage.closeAll, GarminMessage.register].map { ($0, Garmin.pairs[pair].requests) }
    }

    mutating func steps(after value: [UInt8]) -> Int? {
        switch GarminMessage(value) {
        case .registered(let handle):
            self.handle = handle
            return nil
        case .steps(let steps, handle) where steps <= maximumStepsOfADay: return steps
        default: return nil
        }
    }
}
