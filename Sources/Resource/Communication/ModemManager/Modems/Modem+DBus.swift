internal import DBus

extension Modem {
    /// All modems of a reply to `GetManagedObjects`, in the order of their numbers. What is not as documented is left out.
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
