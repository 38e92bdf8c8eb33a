public import BlueZ
public import StepDomain

/// Smart rings that speak the QRing protocol: Colmi R02, R03, R06, R09, R10, R12 and their namesakes.
///
/// 16-byte packets over a service like a serial line. Requests are written without response, answers come as
/// notifications. The ring keeps today and the seven days before it, in slots of its own wall clock.
///
/// Source: the protocol as read from the clients colmi_r02_client (tahnok) and Gadgetbridge; no vendor document exists.
public enum Colmi: PedometerModel {
    public static let key = "colmi"
    public static let title = "Colmi / QRing smart ring"

    static let service: BluetoothUUID = "6e40fff0-b5a3-f393-e0a9-e50e24dcca9e"
    static let requests = GATTAddress(service, "6e400002-b5a3-f393-e0a9-e50e24dcca9e")
    static let answers = GATTAddress(service, "6e400003-b5a3-f393-e0a9-e50e24dcca9e")

    /// Days before today that a ring holds.
    static let oldestDay = 7

    private static let names = ["R02", "R03", "R06", "R09", "R10", "R12"]

    public static func recognises(_ discovery: Discovery) -> Bool {
        if discovery.services.contains(service) { return true }
        guard let name = discovery.name else { return false }
        // "R02_A1B2", and on some firmware "COLMI R02_A1B2".
        return names.contains { name.hasPrefix($0 + "_") || name.hasPrefix("COLMI \($0)_") }
    }

    public static func services(of pedometer: Pedometer) -> [BluetoothUUID] { [service] }

    /// Rings know no pairing.
    public static func protectedValue(of pedometer: Pedometer) -> GATTAddress? { nil }

    /// The days before are there the next night, too.
    public static func holdsTodayOnly(_ pedometer: Pedometer) -> Bool { false }

    public static func live(_ pedometer: Pedometer, known: Int) -> (any LiveSession)? { ColmiLive(known: known) }

    public static func session(_ context: SessionContext) -> any PedometerSession { ColmiSession(context) }

    public static func look(_ context: SessionContext) -> any PedometerSession { ColmiSession(context, isLook: true) }
}
