public import BlueZ
public import StepDomain

/// Watches and bands of the app Da Fit, with firmware by MoYoung: today's steps, and the totals of the two days before.
///
/// - FEE1 is read: three numbers of 24 bits, little-endian: steps, metres, kilocalories. A reading of a Marv Neo
///   (firmware MOY-BJQ3-2.3.5) in this order agrees with Da Fit itself: 8,319 steps, 6.90 km, 345 kcal
///   (arklnd/DaFitDesktop). Gadgetbridge (`MoyoungDeviceSupport.handleStepsHistory`) reads it so, too.
///   jphein/moyoung-watch takes the distance first, after a comment in Gadgetbridge.
/// - Frames to FEE2 and from FEE3: `FE EA version length command data`; the version is 0x10, or for "MOYOUNG-V2" 0x20
///   plus the high byte of the length, which counts all bytes.
/// - `33 argument` requests the total of a past day: the argument, then nine bytes as of FEE1. Whether 1 is yesterday
///   and 2 the day before, or the reverse, differs: earlier versions of Gadgetbridge (`FetchDataOperation`) note that
///   their watch has it reversed, later ones do not reverse it. What was read before decides (`MoYoungPast`).
/// - `59 00` requests the steps of today in hours or half hours: `00`, then numbers of 16 bits, little-endian. Other
///   clients do not send it, and an answer may be only a part of the day. It is a check: a watch whose hours add up to
///   the second number of FEE1 sends the distance first.
/// - `31 time(4) 08` sets the clock: seconds since 1970, big-endian, as if its local time were that of GMT+8.
public enum MoYoung: ExchangeModel {
    public static let key = "moyoung"
    public static let title = "MoYoung / Da Fit watch or band"
    public static let caveat: String? =
        "Programs disagree about its numbers: their order is confirmed by one watch, and which of two totals is that of yesterday differs "
        + "between watches. A total counts only if earlier readings show its day."

    static let service: BluetoothUUID = "feea"
    static let today = GATTAddress(service, "fee1")
    static let requests = GATTAddress(service, "fee2")
    static let answers = GATTAddress(service, "fee3")
    /// Manufacturer Name String of the Device Information Service: `MOYOUNG` or `MOYOUNG-V2`.
    static let manufacturer = GATTAddress("180a", "2a29")

    public static let characteristicServices: [BluetoothUUID] = [service]
    public static func holdsTodayOnly(_ pedometer: Pedometer) -> Bool { true }
    public static func session(_ context: SessionContext, isProbe: Bool) -> any PedometerSession {
        ExchangeSession(MoYoungReading(context, isProbe: isProbe))
    }
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
