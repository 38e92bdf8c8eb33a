/// How long a search for devices takes at most, in seconds, where the user has not chosen it (`timeout`, `--timeout`).
public enum SearchTime {
    /// For the pedometers of a sync or a watch, and the device of `istep gatt`. Pedometers at rest advertise every
    /// second or two (InfiniTime every 1.02 s), and half of the advertisements may be lost.
    public static let reading = 20.0
    /// For all devices in range (`istep scan`).
    public static let scan = 10.0
    /// For the pedometers that a checkup examines (`istep doctor`).
    public static let checkup = 10.0
    /// For one device that is to be added: it is there as a rule, and the search ends when it is heard.
    public static let device = 15.0
    /// For any pedometer that is to be added. The whole time is used, because all in range must be heard.
    public static let anyPedometer = 6.0

    /// What a user may choose.
    public static let range = 1.0...600.0
}
