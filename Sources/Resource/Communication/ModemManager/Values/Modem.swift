internal import Quoting

/// A modem as ModemManager describes it.
public struct Modem: Sendable, Hashable {
    /// The path on the bus, such as `/org/freedesktop/ModemManager1/Modem/0`.
    public let path: String
    /// The number that `mmcli -m` takes. It changes whenever the modem is plugged in anew.
    public let index: String
    /// The maker's name, as the modem says; untrusted text. Empty if not known.
    public let manufacturer: String
    /// The model's name, as the modem says; untrusted text. Empty if not known.
    public let model: String
    /// The IMEI or the like, which stays the same. Empty if not known, as on a modem that is still locked.
    public let equipmentIdentifier: String
    /// What it is ready for.
    public let state: ModemState
    /// What it waits for to be unlocked, such as the PIN of the SIM.
    public let lock: ModemLock
    /// Whether it can send text messages at all.
    public let canSendMessages: Bool

    /// One line: `modem 0 (SIMCOM SIM7600E-H)`. The identity of the device is not in it.
    public var title: String {
        let name = [manufacturer, model].filter { !$0.isEmpty }.joined(separator: " ")
        return name.isEmpty ? "modem \(index)" : "modem \(index) (\(Self.shown(name)))"
    }

    /// What a modem says of itself goes to terminals: cut, and without what a terminal would obey.
    private static func shown(_ text: String) -> String {
        String(String.UnicodeScalarView(text.unicodeScalars.lazy.filter { !$0.isUnfitForTerminals }.prefix(60)))
    }
}
