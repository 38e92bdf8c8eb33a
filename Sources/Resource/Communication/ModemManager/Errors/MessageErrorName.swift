/// Error names of the bus and of ModemManager (its reference manual, "Errors").
enum MessageErrorName {
    static let bus = "org.freedesktop.DBus.Error."
    static let core = "org.freedesktop.ModemManager1.Error.Core."
    static let equipment = "org.freedesktop.ModemManager1.Error.MobileEquipment."
    static let message = "org.freedesktop.ModemManager1.Error.Message."
    static let wrongState = core + "WrongState"
    static let unauthorized = core + "Unauthorized"

    /// What passes by itself: storage that is locked, a line in use, a network out of reach, a SIM that is busy.
    static let passing = Set(
        ["Retry", "InProgress", "Connected", "WrongState"].map { core + $0 }
            + ["NoNetwork", "SimBusy", "SmsServiceReserved"].map { message + $0 }
            + ["NoNetwork", "SimBusy"].map { equipment + $0 })
}
