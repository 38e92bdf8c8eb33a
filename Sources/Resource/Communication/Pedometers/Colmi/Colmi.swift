public import BlueZ
public import StepDomain

/// Smart rings with the QRing protocol: Colmi R02, R03, R05 to R10, R12, some R11 and their namesakes.
///
/// 16-byte packets over a service that works like a serial line. Requests are written without response, answers arrive
/// as notifications. The ring keeps today and the seven days before it, in slots of its own wall clock.
///
/// Source: the protocol as read from the clients colmi_r02_client (tahnok) and Gadgetbridge; no vendor document exists.
public enum Colmi: LinkedPedometerModel {
    public static let key = "colmi"
    public static let title = "Colmi / QRing smart ring"

    static let service: BluetoothUUID = "6e40fff0-b5a3-f393-e0a9-e50e24dcca9e"
    static let requests = GATTAddress(service, "6e400002-b5a3-f393-e0a9-e50e24dcca9e")
    static let answers = GATTAddress(service, "6e400003-b5a3-f393-e0a9-e50e24dcca9e")

    private static let names = ["R02", "R03", "R05", "R06", "R07", "R08", "R09", "R10", "R12"]
    /// R11 and H59: some firmware of these uses another protocol, which is known only after connecting.
    private static let otherNames = ["R11_", "R11C_", "COLMI R11_", "SMART_RING", "H59_"]

    public static func evidence(in discovery: Discovery) -> KindEvidence? {
        if discovery.services.contains(service) { return .advertisedService }
        guard let name = discovery.name else { return nil }
        // "R02_A1B2", and on some firmware "COLMI R02_A1B2".
        let isKnown = names.contains { name.hasPrefix($0 + "_") || name.hasPrefix("COLMI \($0)_") }
        return isKnown || otherNames.contains(where: name.hasPrefix) ? .name : nil
    }

    public static let characteristicServices = [service]

    /// `3C`, what the ring supports: bit 3 of byte 2 of the answer asks for a bond. R09 and R11 set it, and without a
    /// bond some of these are not found again after their first connection. Most rings answer with an error, or not at
    /// all.
    ///
    /// Contested: the maker's app pairs with every ring that sets the bit; a client (PulseLoop) does so for R09 and R11
    /// alone, because its system asks the user each time. An earlier version of that client took byte 1.
    ///
    /// Source: PulseLoopAndroid, `docs/qring-ble-adoption.md` and `ColmiDecoder`.
    public static var bondQuestion: BondQuestion? {
        BondQuestion(request: ColmiPacket(ColmiPacket.Command.support).bytes, requests: requests, answers: answers) {
            value in
            guard let packet = ColmiPacket(received: value), packet.command == ColmiPacket.Command.support else {
                return nil
            }
            return !packet.isError && packet[2] & 0x08 != 0
        }
    }

    public static func live(_ pedometer: Pedometer, known: Int) -> (any LiveSession)? { ColmiLive() }

    public static func session(_ context: SessionContext) -> any PedometerSession { ColmiSession(context) }

    public static func probe(_ context: SessionContext) -> any PedometerSession { ColmiSession(context, isProbe: true) }
}

/// A ring's unsolicited packets `73 12`: today's steps, calories and metres, 24 bits each, big-endian, while its wearer
/// walks.
///
/// Source: PulseLoopAndroid, `ColmiDecoder` ("verified against on-ring frames"), and Gadgetbridge.
struct ColmiLive: LiveSession {
    let address = Colmi.answers

    mutating func steps(after value: [UInt8]) -> Int? {
        guard let packet = ColmiPacket(received: value), packet.command == ColmiPacket.Command.unasked, !packet.isError,
            packet[1] == ColmiPacket.unaskedSteps
        else { return nil }
        let steps = Int(packet[2]) << 16 | Int(packet[3]) << 8 | Int(packet[4])
        return steps <= maximumStepsOfADay ? steps : nil
    }
}
