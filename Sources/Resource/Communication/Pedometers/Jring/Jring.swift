public import BlueZ
public import StepDomain

/// Rings of the "KeepFit" protocol (Jring, SMART_RING): the steps of each minute of 28 days.
///
/// Packets have 20 bytes, numbers are little-endian, and times are those of the ring's clock, which is set to local
/// time, in seconds since 1970.
///
/// | request | answer |
/// |---|---|
/// | `03` | `03`: time u32, steps of today u32, metres u32, kilocalories u32; it also sends this by itself |
/// | `10`, days ago | `10`: time u32 of the first minute, then the steps of 15 minutes, a byte each; `11`: the same with stages of sleep. `90`: refused |
/// | `01`, time u32 | `01`: the clock is set |
/// | `48`, name of an app | the ring may answer nothing before it |
/// | `3A` | none: the ring ends a link on which this was not sent for about 20 seconds |
///
/// An answer to `10` has no end: some rings send nothing for quarters without steps, and the next request cuts off what
/// they still have to send. So one day is requested at a time, and its answer ends after two seconds of silence, as
/// with the maker's app (PulseLoopAndroid, issue 73, `JringHistorySync`, and `RingBLEClient` for `3A`). That the byte
/// of a request is a day, and not a number of days, was found there with an SR08 ring. The times are local in
/// Gadgetbridge (`KeepFitDeviceSupport.java`) and in PulseLoop (`JringClock`). The steps count only if those of today's
/// minutes agree with the total of `03`.
public enum Jring: ExchangeModel {
    public static let key = "jring"
    public static let title = "Jring / KeepFit smart ring"
    public static let caveat: String? =
        "No step packet of a real ring is published. Steps count only if today's minutes agree with the ring's own total."

    static let service: BluetoothUUID = "56ff"
    static let requests = GATTAddress(service, "33f3")
    static let answers = GATTAddress(service, "33f4")
    /// Seconds without a packet after which an answer is over.
    static let silence = 2.0
    /// Days before today that it holds.
    static let oldestDay = 27

    /// It has no name of its own: some advertise SMART_RING, as rings of other protocols do.
    public static let characteristicServices: [BluetoothUUID] = [service]
    public static func session(_ context: SessionContext, isProbe: Bool) -> any PedometerSession {
        ExchangeSession(JringReading(context, isProbe: isProbe))
    }
    public static func live(_ pedometer: Pedometer, known: Int) -> (any LiveSession)? { JringLive() }

    /// Keeps the link: the ring does not answer it.
    static let keepAlive = packet(0x3a)
    /// Seconds between two of these; the other program that sends it takes as many.
    static let keepAlivePause = 15

    /// A packet of 20 bytes.
    static func packet(_ command: UInt8, _ data: [UInt8] = []) -> [UInt8] {
        let bytes = [command] + data.prefix(19)
        return bytes + [UInt8](repeating: 0, count: 20 - bytes.count)
    }
}

/// The total of today, which the ring sends while its wearer walks.
struct JringLive: LiveSession {
    let address = Jring.answers
    let keepAlive: KeepAlive? = KeepAlive(Jring.keepAlive, to: Jring.requests, every: .seconds(Jring.keepAlivePause))

    mutating func steps(after value: [UInt8]) -> Int? {
        guard value.count == 20, value[0] == 0x03, let steps = value.little(5, 4), steps <= maximumStepsOfADay else {
            return nil
        }
        return steps
    }
}
