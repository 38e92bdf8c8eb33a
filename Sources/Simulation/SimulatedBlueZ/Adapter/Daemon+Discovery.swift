import DBus

/// Looking around: one session for each client, and what is heard meanwhile.
extension Daemon {
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

    /// A client's session is over; its filter stays for the next one.
    func endDiscovery(of client: String, on path: ObjectPath) {
        guard var adapter = adapters[path], let session = adapter.clients[client], session.isActive else { return }
        adapter.clients[client] = session.filter == nil ? nil : DiscoveryClient(filter: session.filter)
        adapters[path] = adapter
        if !adapter.isDiscovering { discoveryEnded(on: path) }
    }

    /// The last session on the adapter is over.
    func discoveryEnded(on path: ObjectPath) {
        adapters[path]?.round += 1
        for device in devices.values where device.adapter == path {
            invalidate(["RSSI", "TxPower"], of: Interface.device, at: device.path)
        }
        set("Discovering", .boolean(false), of: Interface.adapter, at: path)
        events.add(.discovering(false))
    }

    // MARK: Hearing

    /// Starts to listen anew.
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

    /// Everybody who is listening hears the peripheral once.
    func advertise(_ address: String) {
        for adapter in adapters.values {
            if adapter.isDiscovering { advertise(address, on: adapter.path) }
            if !adapter.monitors.isEmpty { tellMonitors(of: address, on: adapter.path) }
        }
    }

    private func advertise(_ address: String, on adapterPath: ObjectPath) {
        guard let adapter = adapters[adapterPath], adapter.isDiscovering, adapter.fault != .deaf, let peripheral = peripherals[address],
            let advertisement = heard(peripheral),
            DiscoveryFilter.anyMatches(adapter.activeFilters, advertisement, address: address)
        else { return }
        appear(
            peripheral, advertisement, at: adapter.devicePath(address), on: adapterPath,
            isFiltered: adapter.activeFilters.allSatisfy { $0 != nil })
    }

    /// What arrives of an advertisement; nil where the peripheral is silent or too far.
    func heard(_ peripheral: any SimulatedPeripheral) -> Advertisement? {
        let address = peripheral.address
        guard faults[address]?.isOutOfRange != true, !isLinked(address) else { return nil }
        var advertisement = faults[address]?.renamed(peripheral.advertisement) ?? peripheral.advertisement
        advertisement.rssi += Int16(dice.roll(-5...5))
        return advertisement
    }

    /// The peripheral's object comes, or tells what is new.
    func appear(
        _ peripheral: any SimulatedPeripheral, _ advertisement: Advertisement, at path: ObjectPath, on adapter: ObjectPath,
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
        // Without a filter BlueZ tells only of changes by 8 dB and more.
        if old.map({ abs($0 - Int(advertisement.rssi)) >= (isFiltered ? 1 : 8) }) ?? true {
            set("RSSI", .int16(advertisement.rssi), of: Interface.device, at: path)
        }
        for (name, value) in Device.advertised(advertisement) where name != "UUIDs" {
            set(name, value, of: Interface.device, at: path)
            if name == "Name", devices[path]?.hasOwnAlias != true { set("Alias", value, of: Interface.device, at: path) }
        }
        let known = tree.value("UUIDs", of: Interface.device, at: path)?.arrayValue?.compactMap(\.stringValue) ?? []
        let all = Set(known).union(advertisement.services.map(\.text)).sorted()
        if all != known { set("UUIDs", .strings(all), of: Interface.device, at: path) }
    }

    private func isLinked(_ address: String) -> Bool {
        devices.values.contains { $0.link != nil && $0.peripheral.address == address }
    }
}
