import DBus

/// Service discovery: the peripheral's attributes become objects.
extension Daemon {
    func resolveServices(_ path: ObjectPath) {
        guard let device = devices[path], let book = Optional(faults[device.address, default: FaultBook()]),
            !book.neverResolves
        else { return }
        let table = device.peripheral.services.filter { !book.missingServices.contains($0.uuid) }
        if quirks.resolvesBeforeExport {
            servicesResolved(path, table)
            return after(timing.services) { daemon in
                guard daemon.devices[path]?.link?.number == device.link?.number else { return }
                daemon.exportAttributes(of: path, table)
            }
        }
        exportAttributes(of: path, table)
        servicesResolved(path, table)
    }

    /// A table that is known already stays exported over connections.
    private func exportAttributes(of path: ObjectPath, _ table: [SimulatedService]) {
        guard let device = devices[path] else { return }
        if device.table != table || device.attributes.isEmpty {
            withdrawAttributes(of: path)
            let layout = AttributeLayout(device: path, mtu: device.peripheral.mtu, quirks: quirks)
            for exported in layout.lay(table) {
                devices[path]?.attributes[exported.path] = exported.attribute
                publish(exported.path, [exported.interface: exported.properties])
            }
            devices[path]?.table = table
        }
        for characteristic in devices[path]?.sessions.keys.sorted() ?? [] { tellPeripheral(characteristic, subscribed: true) }
    }

    private func servicesResolved(_ path: ObjectPath, _ table: [SimulatedService]) {
        guard let device = devices[path] else { return }
        let own: [AttributeUUID] = [.genericAccess, .genericAttribute]
        let uuids = Set(own + table.map(\.uuid) + device.peripheral.advertisement.services).map(\.text).sorted()
        set("UUIDs", .strings(uuids), of: Interface.device, at: path)
        readBattery(path, table)
        set("ServicesResolved", .boolean(true), of: Interface.device, at: path)
        events.add(.servicesResolved(device.address))
    }

    /// BlueZ reads the battery level itself, and follows it.
    private func readBattery(_ path: ObjectPath, _ table: [SimulatedService]) {
        guard let device = devices[path], table.contains(where: { $0.uuid == .battery }),
            let level = try? device.peripheral.read(CharacteristicID(.battery, .batteryLevel)).first
        else { return }
        publish(path, [Interface.battery: ["Percentage": .byte(level)]])
    }

    func withdrawAttributes(of path: ObjectPath) {
        // Below its service each attribute goes before the one that holds it.
        let attributes = devices[path]?.attributes.keys ?? [:].keys
        for attribute in attributes.sorted(by: { $0.string.count > $1.string.count || $0 < $1 }) { withdraw(attribute) }
        devices[path]?.attributes = [:]
        devices[path]?.table = []
        devices[path]?.sessions = [:]
    }
}
