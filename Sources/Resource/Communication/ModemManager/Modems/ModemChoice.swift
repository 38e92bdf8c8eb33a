internal import DBus

/// Which of ModemManager's modems is meant.
struct ModemChoice {
    private let wanted: String?

    /// - Parameter wanted: an index, a path on the bus, or the equipment identifier (IMEI); nil for the only one there is.
    init(_ wanted: String?) {
        self.wanted = wanted
    }

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

    /// Never one of several by chance: another SIM means another bill and another sender.
    private func only(_ modems: [Modem]) throws(TextMessageError) -> Modem {
        let able = modems.filter(\.canSendMessages)
        if able.count > 1 { throw .severalModems(able.map(\.title)) }
        guard let modem = able.first ?? modems.first else { throw .noModem(wanted: nil) }
        return modem
    }
}
