public import BlueZ
public import StepDomain

/// A smart ring with the firmware of the app "Da Rings" (CRP, crrepa): some R11, which others sell under the same name
/// and case as a Colmi ring with another protocol. Its services show which one it is.
///
/// - FDD1 is read, and notifies by itself while its wearer walks: triples of 24 bits, little-endian. The first is the
///   steps of today. PulseLoopAndroid takes the second for metres and the third for kilocalories; Gadgetbridge takes
///   the second for calories and the third for the distance. Only the steps are stored.
/// - Frames to FDD2 and from FDD3: `FD DA 10 length group command data`, the length of all bytes. `02 0D day` requests
///   the total of a day (0 is today, 1 yesterday, at most 7): the day, then steps as u32 little-endian, and other
///   figures. `02 12 day` requests its half hours: the day, then 48 numbers of 16 bits, little-endian.
/// - Group 1, command 1 sets the clock, which cannot be read: seconds u32 little-endian, then a zone of 8 hours. The
///   seconds are those at which a clock in this zone shows the local time: the app of the maker sends it so in all
///   zones, as Da Fit does. Whether the ring confirms it is not known.
///
/// Source: PulseLoopAndroid, `CRPProtocol`, `CRPDecoder` and their tests; Gadgetbridge, `devices/moyoungring`,
/// `MoyoungRingPacket` and its tests, which has compared the frame of the clock with a capture of that app. No capture
/// of a past day is published.
public enum CRP: LinkedPedometerModel {
    public static let key = "crp"
    public static let title = "CRP smart ring (some R11)"
    public static let caveat: String? =
        "Not confirmed: that it resets its steps at midnight, and its half hours of past days. A past day counts only if its half hours add up "
        + "to the total that the ring reports."

    static let service: BluetoothUUID = "fdda"
    static let steps = GATTAddress(service, "fdd1")
    static let requests = GATTAddress(service, "fdd2")
    static let answers = GATTAddress(service, "fdd3")

    public static let characteristicServices: [BluetoothUUID] = [service]

    /// It is read before midnight, too: its history is not confirmed.
    public static func holdsTodayOnly(_ pedometer: Pedometer) -> Bool { true }

    public static func session(_ context: SessionContext) -> any PedometerSession {
        CRPSession(context, setsClock: true)
    }

    public static func probe(_ context: SessionContext) -> any PedometerSession {
        CRPSession(context, setsClock: false)
    }

    public static func live(_ pedometer: Pedometer, known: Int) -> (any LiveSession)? { CRPLive() }

    /// The frame that sets the clock.
    static func setTime(_ clock: DeviceClock) -> [UInt8] {
        frame(1, 1, .little(clock.wall - 8 * 3_600, 4) + [8])
    }

    static func frame(_ group: UInt8, _ command: UInt8, _ data: [UInt8]) -> [UInt8] {
        [0xfd, 0xda, 0x10, UInt8(data.count + 6), group, command] + data
    }
}

/// A value of FDD1.
struct CRPSteps: Hashable {
    var steps: Int
    /// Metres; nil if the value has none.
    var metres: Int?

    /// Nil if it is not made of one to four triples, or if steps and metres contradict each other: then one of the two
    /// is something else.
    init?(_ bytes: [UInt8]) {
        guard (1...4).contains(bytes.count / 3), bytes.count % 3 == 0 else { return nil }
        func number(_ index: Int) -> Int {
            Int(bytes[index]) | Int(bytes[index + 1]) << 8 | Int(bytes[index + 2]) << 16
        }
        steps = number(0)
        guard bytes.count >= 6 else { return }
        metres = number(3)
        guard let metres, Self.isStride(metres, steps) else { return nil }
    }

    /// Metres that one step can have: 0.2 for a shuffle, 2.5 for a sprinter. A few steps are rounded to no metre.
    private static func isStride(_ metres: Int, _ steps: Int) -> Bool {
        metres * 2 <= steps * 5 && metres * 5 + 20 >= steps
    }
}

/// It notifies while its wearer walks.
struct CRPLive: LiveSession {
    let address = CRP.steps

    mutating func steps(after value: [UInt8]) -> Int? {
        CRPSteps(value).flatMap { $0.steps <= maximumStepsOfADay ? $0.steps : nil }
    }
}
