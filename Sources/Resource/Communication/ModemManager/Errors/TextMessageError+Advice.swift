extension TextMessageError {
    /// What the user can do next, in one or two sentences.
    public var advice: String {
        switch self {
        case .noBus: "Start the D-Bus service (package dbus), or check DBUS_SYSTEM_BUS_ADDRESS."
        case .notRunning: "Start it with `systemctl enable --now ModemManager` (package modemmanager)."
        case .noModem(nil): "Plug in a modem with a SIM, wait half a minute, and look for it with `mmcli -L`."
        case .noModem: "List the modems with `mmcli -L`, and name one by its number or, better, by its IMEI."
        case .severalModems: "Name the one that shall send, best by its IMEI (`mmcli -m 0`, \"equipment id\")."
        case .noMessaging: "Use another modem: this one, or its driver, has no text messages."
        case .locked(_, let index, _): "Unlock it: `mmcli -m \(index)` names the SIM, `mmcli -i SIM --pin=PIN` takes its PIN."
        case .disabled(_, let index): "Switch it on with `mmcli -m \(index) --enable`. This program does not, as somebody switched it off."
        case .notRegistered(_, let index): "Check antenna, SIM and contract; `mmcli -m \(index)` shows the state."
        case .notReady(_, let index, _): "Look at `mmcli -m \(index)`; if it does not change, plug the modem in anew."
        case .accessDenied:
            "Users that are not logged in at the machine itself need a polkit rule for org.freedesktop.ModemManager1.Messaging."
        case .badNumber: "Write it with the country code, such as +491701234567."
        case .badText: "Change the text."
        case .textTooLong: "Shorten it; one character outside of the GSM alphabet more than halves what fits into a message."
        case .refused: "Check number, credit and the network's message centre; `mmcli -m any` shows the modem."
        case .notNow: "Try again later; `mmcli -m any` shows the modem."
        case .unanswered, .cancelled(wasSent: true): "Ask the receiver, or look at `mmcli -m any --messaging-list-sms`, before sending it again."
        case .cancelled(wasSent: false): "Start again when you like."
        }
    }
}
