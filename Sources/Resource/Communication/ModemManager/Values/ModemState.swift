/// What a modem is ready for (`MMModemState`).
public enum ModemState: Int, Sendable, Hashable {
    case failed = -1, unknown, initializing, locked, disabled, disabling, enabling, enabled, searching, registered
    case disconnecting, connecting, connected

    /// Whether the network knows the modem, so that it can send.
    public var isRegistered: Bool { rawValue >= Self.registered.rawValue }
}

/// What has to be unlocked before a modem can be used (`MMModemLock`).
public struct ModemLock: Sendable, Hashable, CustomStringConvertible {
    /// ModemManager's number.
    public let rawValue: Int

    /// The name, such as `sim-pin`, as `mmcli` writes it.
    public var description: String {
        Self.names.indices.contains(rawValue) ? Self.names[rawValue] : "lock \(rawValue)"
    }

    /// In the order of the numbers.
    private static let names = [
        "unknown", "none", "sim-pin", "sim-pin2", "sim-puk", "sim-puk2", "ph-sp-pin", "ph-sp-puk", "ph-net-pin", "ph-net-puk",
        "ph-sim-pin", "ph-corp-pin", "ph-corp-puk", "ph-fsim-pin", "ph-fsim-puk", "ph-netsub-pin", "ph-netsub-puk",
    ]
}
