internal import DBus
internal import Support

/// A modem as ModemManager describes it.
public struct Modem: Sendable, Hashable {
    /// The path on the bus, such as `/org/freedesktop/ModemManager1/Modem/0`.
    public let path: String
    /// The number that `mmcli -m` takes. It changes whenever the modem is plugged in anew.
    public let index: String
    /// The maker's name, as the modem reports it; untrusted text. Empty if not known.
    public let manufacturer: String
    /// The model's name, as the modem reports it; untrusted text. Empty if not known.
    public let model: String
    /// The IMEI or the like, which stays the same. Empty if not known, as on a modem that is still locked.
    public let equipmentIdentifier: String
    /// The modem's state of readiness.
    public let state: ModemState
    /// What has to be unlocked first, such as the PIN of the SIM.
    public let lock: ModemLock
    /// Whether it can send text messages at all.
    public let canSendMessages: Bool

    /// One line: `modem 0 (SIMCOM SIM7600E-H)`. It does not contain the equipment identifier.
    public var title: String {
        let name = [manufacturer, model].filter { !$0.isEmpty }.joined(separator: " ")
        return name.isEmpty ? "modem \(index)" : "modem \(index) (\(Self.shown(name)))"
    }

    /// Text from a modem is printed on terminals: it is cut, and characters that control a terminal are removed.
    private static func shown(_ text: String) -> String {
        String(stripped(text).unicodeScalars.prefix(60))
    }
}

/// How far a modem is ready (`MMModemState`).
public enum ModemState: Int, Sendable, Hashable {
    case failed = -1, unknown, initializing, locked, disabled, disabling, enabling, enabled, searching, registered
    case disconnecting, connecting, connected
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
        "unknown", "none", "sim-pin", "sim-pin2", "sim-puk", "sim-puk2", "ph-sp-pin", "ph-sp-puk", "ph-net-pin",
        "ph-net-puk",
        "ph-sim-pin", "ph-corp-pin", "ph-corp-puk", "ph-fsim-pin", "ph-fsim-puk", "ph-netsub-pin", "ph-netsub-puk",
    ]
}

/// Selects one of ModemManager's modems.
struct ModemChoice {
    /// An index, a path on the bus, or the equipment identifier (IMEI); nil for the only one there is.
    let wanted: String?

    /// - Throws: `TextMessageError.noModem`, `.severalModems`, `.noMessaging`.
    func choose(from modems: [Modem]) throws(TextMessageError) -> Modem {
        let modem = if let wanted { try named(wanted, modems) } else { try only(modems) }
        guard modem.canSendMessages else { throw .noMessaging(modem: modem.title) }
        return modem
    }

    private func named(_ name: String, _ modems: [Modem]) throws(TextMessageError) -> Modem {
        let found = modems.first { modem in
            modem.path == name || modem.index == name
                || !modem.equipmentIdentifier.isEmpty && modem.equipmentIdentifier.lowercased() == name.lowercased()
        }
        guard let found else { throw .noModem(wanted: name) }
        return found
    }

    /// Never picks one of several at random: another SIM means another bill and another sender.
    private func only(_ modems: [Modem]) throws(TextMessageError) -> Modem {
        let able = modems.filter(\.canSendMessages)
        if able.count > 1 { throw .severalModems(able.map(\.title)) }
        guard let modem = able.first ?? modems.first else { throw .noModem(wanted: nil) }
        return modem
    }
}

extension Modem {
    /// All modems of a reply to `GetManagedObjects`, in the order of their numbers. Entries that differ from the
    /// documentation are left out.
    static func all(in reply: [DBusValue]) -> [Modem] {
        guard let objects = reply.first?.dictionaryValue else { return [] }
        return objects.compactMap { path, interfaces in
            guard let path = path.pathValue, let interfaces = interfaces.dictionaryValue else { return nil }
            return Modem(path, interfaces)
        }.sorted { ($0.index.utf8.count, $0.index) < ($1.index.utf8.count, $1.index) }
    }

    private init?(_ path: ObjectPath, _ interfaces: [DBusValue: DBusValue]) {
        guard path.parent == ModemManagerName.modems,
            let properties = interfaces[.string(ModemManagerName.modem)]?.propertiesValue
        else { return nil }
        self.init(path, properties, canSendMessages: interfaces[.string(ModemManagerName.messaging)] != nil)
    }

    init(_ path: ObjectPath, _ properties: [String: DBusValue], canSendMessages: Bool) {
        self.path = path.string
        index = path.lastElement
        manufacturer = properties["Manufacturer"]?.stringValue ?? ""
        model = properties["Model"]?.stringValue ?? ""
        equipmentIdentifier = properties["EquipmentIdentifier"]?.stringValue ?? ""
        state = properties["State"]?.intValue.flatMap(ModemState.init) ?? .unknown
        lock = ModemLock(rawValue: properties["UnlockRequired"]?.intValue ?? 0)
        self.canSendMessages = canSendMessages
    }

    /// - Throws: why the modem cannot send now.
    func requireReady() throws(TextMessageError) {
        switch state {
        case .failed: throw .notReady(modem: title, index: index, state: "it failed (no SIM, or a broken one?)")
        case .unknown, .initializing: throw .notReady(modem: title, index: index, state: "it is starting")
        case .locked: throw .locked(modem: title, index: index, lock: lock.description)
        case .disabled, .disabling: throw .disabled(modem: title, index: index)
        case .enabling: throw .notReady(modem: title, index: index, state: "it is being switched on")
        case .enabled, .searching: throw .notRegistered(modem: title, index: index)
        case .registered, .disconnecting, .connecting, .connected: break
        }
    }
}
