import DBus

/// Discovery: one session for each client, and the advertisements received during it.
extension SimulatedDaemon {
    func adapterMethod(_ request: Request) throws(BlueZError) {
        guard let adapter = adapters[request.path] else { throw .notReady }
        switch request.member {
        case "StartDiscovery": try startDiscovery(request, adapter)
        case "StopDiscovery": try stopDiscovery(request, adapter)
        case "SetDiscoveryFilter": try setDiscoveryFilter(request, adapter)
        case "GetDiscoveryFilters": reply(request, [.strings(DiscoveryFilter.keys)])
        case "RemoveDevice": try removeDevice(request, adapter)
        default: throw .notSupported
        }
    }

    private func startDiscovery(_ request: Request, _ adapter: Adapter) throws(BlueZError) {
        guard adapter.isPowered else { throw .notReady }
        guard adapter.clients[request.sender]?.isActive != true, adapter.fault != .busy else { throw .busy }
        if adapter.fault == .stalled { return unanswered.append(request) }
        reply(request)
        guard !departed.contains(request.sender) else { return }
        adapters[adapter.path]?.clients[request.sender, default: DiscoveryClient()].isActive = true
        set("Discovering", .boolean(true), of: Interface.adapter, at: adapter.path)
        if !adapter.isDiscovering { events.add(.discovering(true)) }
        listen(on: adapter.path)
    }

    private func stopDiscovery(_ request: Request, _ adapter: Adapter) throws(BlueZError) {
        guard adapter.isPowered else { throw .notReady }
        guard adapter.clients[request.sender]?.isActive == true else { throw .failed("No discovery started") }
        reply(request)
        endDiscovery(of: request.sender, on: adapter.path)
    }

    private func setDiscoveryFilter(_ request: Request, _ adapter: Adapter) throws(BlueZError) {
        guard adapter.isPowered else { throw .notReady }
        let filter = try DiscoveryFilter.parse(request.arguments.first?.propertiesValue ?? [:])
        reply(request)
        guard !departed.contains(request.sender) else { return }
        let isActive = adapter.clients[request.sender]?.isActive == true
        let client = DiscoveryClient(filter: filter, isActive: isActive)
        adapters[adapter.path]?.clients[request.sender] = filter == nil && !isActive ? nil : client
        if isActive { listen(on: adapter.path) }
    }

    /// Ends a client's session; its filter is kept for the next one.
    func endDiscovery(of client: String, on path: ObjectPath) {
        guard var adapter = adapters[path], let session = adapter.clients[client], session.isActive else { return }
        adapter.clients[client] = session.filter == nil ? nil : DiscoveryClient(filter: session.filter)
        adapters[path] = adapter
        if !adapter.isDiscovering { discoveryEnded(on: path) }
    }

    /// Ends the last session on the adapter.
    func discoveryEnded(on path: ObjectPath) {
        adapters[path]?.round += 1
        for device in devices.values where device.adapter == path {
            invalidate(["RSSI", "TxPower"], of: Interface.device, at: device.path)
        }
        set("Discovering", .boolean(false), of: Interface.adapter, at: path)
        events.add(.discovering(false))
    }

    // MARK: Received advertisements

    /// Restarts listening.
    private func listen(on path: ObjectPath) {
        adapters[path]?.round += 1
        guard let round = adapters[path]?.round else { return }
        for address in peripherals.keys.sorted() {
            after(timing.discovery) { $0.hear(address, on: path, round: round) }
        }
    }

    private func hear(_ address: String, on path: ObjectPath, round: Int) {
        guard adapters[path]?.round == round else { return }
        advertise(address, on: path)
        guard let interval = timing.advertising else { return }
        after(interval) { $0.hear(address, on: path, round: round) }
    }

    /// Every listener receives one advertisement of the peripheral.
    func advertise(_ address: String) {
        for adapter in adapters.values {
            if adapter.isDiscovering { advertise(address, on: adapter.path) }
            if !adapter.monitors.isEmpty { notifyMonitors(of: address, on: adapter.path) }
        }
    }

    private func advertise(_ address: String, on adapterPath: ObjectPath) {
        guard let adapter = adapters[adapterPath], adapter.isDiscovering, let peripheral = peripherals[address],
            let advertisement = discovered(peripheral, on: adapterPath),
            DiscoveryFilter.anyMatches(adapter.activeFilters, advertisement, address: address)
        else { return }
        appear(
            peripheral, advertisement, at: adapter.devicePath(address), on: adapterPath,
            isFiltered: adapter.activeFilters.allSatisfy { $0 != nil })
    }

    /// The received content of an advertisement; nil if the adapter does not receive it, or the peripheral is linked.
    func discovered(_ peripheral: any SimulatedPeripheral, on adapter: ObjectPath) -> Advertisement? {
        let address = peripheral.address
        guard receives(address, on: adapter), !isLinked(address) else { return nil }
        var advertisement = faults[address]?.renamed(peripheral.advertisement) ?? peripheral.advertisement
        advertisement.rssi += Int16(random.number(in: -5...5))
        return advertisement
    }

    /// Whether an adapter receives what a peripheral without a link sends.
    func receives(_ address: String, on adapter: ObjectPath) -> Bool {
        faults[address]?.isOutOfRange != true && adapters[adapter]?.fault != .receivesNothing
    }

    /// Publishes the peripheral's object, or updates it.
    func appear(
        _ peripheral: any SimulatedPeripheral, _ advertisement: Advertisement, at path: ObjectPath,
        on adapter: ObjectPath,
        isFiltered: Bool
    ) {
        if devices[path] == nil {
            let device = Device(path: path, adapter: adapter, peripheral: peripheral)
            devices[path] = device
            publish(path, [Interface.device: device.properties(advertisement)])
            events.add(.found(peripheral.address))
        } else {
            update(path, advertisement, isFiltered: isFiltered)
        }
        keepTemporary(path)
    }

    private func update(_ path: ObjectPath, _ advertisement: Advertisement, isFiltered: Bool) {
        let old = tree.value("RSSI", of: Interface.device, at: path)?.intValue
        // Without a filter BlueZ reports only changes by 8 dB or more.
        if old.map({ abs($0 - Int(advertisement.rssi)) >= (isFiltered ? 1 : 8) }) ?? true {
            set("RSSI", .int16(advertisement.rssi), of: Interface.device, at: path)
        }
        for (name, value) in Device.advertised(advertisement) where name != "UUIDs" {
            set(name, value, of: Interface.device, at: path)
            if name == "Name", devices[path]?.hasOwnAlias != true {
                set("Alias", value, of: Interface.device, at: path)
            }
        }
        let known = tree.value("UUIDs", of: Interface.device, at: path)?.arrayValue?.compactMap(\.stringValue) ?? []
        let all = Set(known).union(advertisement.services.map(\.text)).sorted()
        if all != known { set("UUIDs", .strings(all), of: Interface.device, at: path) }
    }

    private func isLinked(_ address: String) -> Bool {
        devices.values.contains { $0.link != nil && $0.peripheral.address == address }
    }
}

/// The advertisements that a client wants (`SetDiscoveryFilter`).
struct DiscoveryFilter: Sendable, Hashable {
    var uuids: Set<AttributeUUID>?
    var rssi: Int?
    var pathloss: Int?
    var transport = "auto"
    var duplicateData = false
    var discoverable = false
    var pattern: String?

    /// In the order of `GetDiscoveryFilters`.
    static let keys = ["UUIDs", "RSSI", "Pathloss", "Transport", "DuplicateData", "Discoverable", "Pattern"]

    /// - Returns: nil if the filter restricts nothing, which is the same as no filter.
    /// - Throws: `InvalidArguments` for an unknown key, a wrong type, a bad UUID, or RSSI and path loss together.
    static func parse(_ options: [String: DBusValue]) throws(BlueZError) -> DiscoveryFilter? {
        var filter = DiscoveryFilter()
        for (key, value) in options {
            switch (key, value) {
            case ("UUIDs", .array(element: "s", let texts)): filter.uuids = try uuids(texts)
            case ("RSSI", .int16(let number)) where (-127...20).contains(number): filter.rssi = Int(number)
            case ("Pathloss", .uint16(let number)) where number <= 137: filter.pathloss = Int(number)
            case ("Transport", .string(let transport)) where ["auto", "bredr", "le"].contains(transport):
                filter.transport = transport
            case ("DuplicateData", .boolean(let duplicates)): filter.duplicateData = duplicates
            case ("Discoverable", .boolean(let discoverable)): filter.discoverable = discoverable
            case ("Pattern", .string(let pattern)): filter.pattern = pattern
            default: throw .invalidArguments
            }
        }
        if filter.rssi != nil, filter.pathloss != nil { throw .invalidArguments }
        return filter == DiscoveryFilter() ? nil : filter
    }

    private static func uuids(_ texts: [DBusValue]) throws(BlueZError) -> Set<AttributeUUID>? {
        var uuids: Set<AttributeUUID> = []
        for text in texts {
            guard let uuid = text.stringValue.flatMap({ AttributeUUID($0) }) else { throw .invalidArguments }
            uuids.insert(uuid)
        }
        return uuids.isEmpty ? nil : uuids
    }

    /// Whether one of the clients that are discovering wants this advertisement. A client without a filter wants
    /// everything; a pattern only counts while every client has one.
    static func anyMatches(_ filters: [DiscoveryFilter?], _ advertisement: Advertisement, address: String) -> Bool {
        let patterns = filters.allSatisfy { $0?.pattern != nil }
        return filters.contains { filter in
            guard let filter else { return true }
            return filter.matches(advertisement, address: address, usingPattern: patterns)
        }
    }

    private func matches(_ advertisement: Advertisement, address: String, usingPattern: Bool) -> Bool {
        guard transport != "bredr" else { return false }
        if let uuids, uuids.isDisjoint(with: advertisement.services) { return false }
        if let rssi, advertisement.rssi < rssi { return false }
        if let pathloss {
            guard let power = advertisement.txPower, Int(power - advertisement.rssi) <= pathloss else { return false }
        }
        guard usingPattern, let pattern else { return true }
        return address.hasPrefix(pattern) || advertisement.name?.hasPrefix(pattern) == true
    }
}
