/// How the charge of a pedometer's battery is judged, in per cent.
public enum BatteryLevel {
    /// Below this, it is reported as low.
    public static let low = 15
    /// At this level or above, a battery that was low no longer counts as low.
    public static let recovered = 30
}
