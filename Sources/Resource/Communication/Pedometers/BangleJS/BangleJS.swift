public import BlueZ
public import StepDomain

/// A Bangle.js 2 watch, read as Gadgetbridge reads it: by its apps "Android Integration" (id `android`) and "Health
/// Tracking" (`health`).
///
/// The watch runs JavaScript, and its console is a serial port over GATT (Nordic UART). The request is a line of
/// JavaScript; the answer is one JSON document per line, one for each 10 minutes.
///
/// Source: espruino/BangleApps, `apps/android/lib.js` (`actfetch`) and `apps/health/lib.js`.
public enum BangleJS: LinkedPedometerModel {
    public static let key = "banglejs"
    public static let title = "Bangle.js watch"

    static let service: BluetoothUUID = "6e400001-b5a3-f393-e0a9-e50e24dcca9e"
    static let input = GATTAddress(service, "6e400002-b5a3-f393-e0a9-e50e24dcca9e")
    static let output = GATTAddress(service, "6e400003-b5a3-f393-e0a9-e50e24dcca9e")

    /// Seconds of one record.
    static let slot = 600
    /// Days back that the first reading requests. A watch keeps its records for years, but each day takes some 10 kB of
    /// a slow link.
    static let oldestDay = 400

    /// Many devices have the Nordic UART service: only the name shows the model. `Bangle.js a1b2`.
    public static func evidence(in discovery: Discovery) -> KindEvidence? {
        discovery.name?.hasPrefix("Bangle.js") == true ? .name : nil
    }

    public static func services(of pedometer: Pedometer) -> [BluetoothUUID] { [service] }

    public static func session(_ context: SessionContext) -> any PedometerSession { BangleSession(context) }

    /// The records of the last hour: that shows whether the apps are there.
    public static func probe(_ context: SessionContext) -> any PedometerSession {
        BangleSession(context, isProbe: true)
    }
}
