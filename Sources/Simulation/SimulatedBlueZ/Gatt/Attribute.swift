import DBus

/// An exported attribute.
enum Attribute: Sendable {
    case service(AttributeUUID)
    case characteristic(CharacteristicID, SimulatedCharacteristic)
    case descriptor(characteristic: ObjectPath, SimulatedDescriptor)
}

/// One object of the attribute table, as exported.
struct ExportedAttribute {
    let path: ObjectPath
    let attribute: Attribute
    let interface: String
    let properties: ObjectTree.Properties
}

/// Assigns handles to the attributes of a peripheral, as its GATT server would, and object paths, as BlueZ does.
struct AttributeLayout {
    let device: ObjectPath
    let mtu: UInt16
    let quirks: Quirks

    /// GAP uses the handles 0x0001…0x0005 and is not exported; the attribute service follows, then the peripheral's own
    /// services.
    func layOut(_ services: [SimulatedService]) -> [ExportedAttribute] {
        var handle = 6
        let changed = SimulatedCharacteristic(.serviceChanged, [.indicate])
        return ([SimulatedService(.genericAttribute, [changed])] + services).flatMap { layOut($0, &handle) }
    }

    private func layOut(_ service: SimulatedService, _ handle: inout Int) -> [ExportedAttribute] {
        let path = device.appending("service" + hex(handle))
        handle += 1
        let properties: ObjectTree.Properties = [
            "UUID": .string(service.uuid.text), "Device": .objectPath(device), "Primary": .boolean(true),
            "Includes": .array(element: "o", []),
        ]
        let own = ExportedAttribute(
            path: path, attribute: .service(service.uuid), interface: Interface.service, properties: properties)
        return [own] + service.characteristics.flatMap { layOut($0, of: service.uuid, in: path, &handle) }
    }

    private func layOut(
        _ characteristic: SimulatedCharacteristic, of service: AttributeUUID, in parent: ObjectPath, _ handle: inout Int
    ) -> [ExportedAttribute] {
        let path = parent.appending("char" + hex(handle))
        // One handle for the declaration and one for the value.
        handle += 2
        var exported = [
            ExportedAttribute(
                path: path, attribute: .characteristic(CharacteristicID(service, characteristic.uuid), characteristic),
                interface: Interface.characteristic, properties: properties(of: characteristic, in: parent))
        ]
        if characteristic.notifies {
            let configuration = SimulatedDescriptor(.clientConfiguration, value: [])
            if !quirks.hidesClientConfiguration { exported.append(layOut(configuration, of: path, handle)) }
            handle += 1
        }
        for descriptor in characteristic.descriptors {
            exported.append(layOut(descriptor, of: path, handle))
            handle += 1
        }
        return exported
    }

    private func layOut(_ descriptor: SimulatedDescriptor, of path: ObjectPath, _ handle: Int) -> ExportedAttribute {
        ExportedAttribute(
            path: path.appending("desc" + hex(handle)), attribute: .descriptor(characteristic: path, descriptor),
            interface: Interface.descriptor,
            properties: [
                "UUID": .string(descriptor.uuid.text), "Characteristic": .objectPath(path), "Value": .bytes([]),
            ])
    }

    private func properties(of characteristic: SimulatedCharacteristic, in parent: ObjectPath) -> ObjectTree.Properties
    {
        var properties: ObjectTree.Properties = [
            "UUID": .string(characteristic.uuid.text), "Service": .objectPath(parent), "Value": .bytes([]),
            "Flags": .strings(characteristic.flags), "MTU": .uint16(mtu),
        ]
        if characteristic.notifies { properties["Notifying"] = .boolean(false) }
        if !quirks.hasNoAcquire {
            if characteristic.properties.contains(.notify) { properties["NotifyAcquired"] = .boolean(false) }
            if characteristic.properties.contains(.writeWithoutResponse) {
                properties["WriteAcquired"] = .boolean(false)
            }
        }
        return properties
    }

    private func hex(_ handle: Int) -> String {
        let digits = String(handle, radix: 16)
        return String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    }
}

/// Service discovery: the peripheral's attributes become objects.
extension SimulatedDaemon {
    func resolveServices(_ path: ObjectPath) {
        guard let device = devices[path], let injected = Optional(faults[device.address, default: InjectedFaults()]),
            !injected.neverResolves
        else { return }
        let effects = faults[device.address, default: InjectedFaults()].next(.resolve)
        if effects.drops { return dropLink(path) }
        if effects.stalls { return }
        let table = device.peripheral.services.filter { !injected.missingServices.contains($0.uuid) }
        if quirks.resolvesBeforeExport {
            servicesResolved(path, table)
            return after(timing.services) { daemon in
                guard daemon.devices[path]?.link?.number == device.link?.number else { return }
                daemon.exportAttributes(of: path, table)
                daemon.readInformation(path, table)
            }
        }
        // If the table is known, the battery is announced first: its driver exists from the start.
        let isKnown = device.table == table && !device.attributes.isEmpty
        if isKnown { readInformation(path, table) }
        // A pairing that waits for the services is announced with them, before the attributes.
        if device.paired != nil { markChanged("Paired", of: Interface.device, at: path) }
        exportAttributes(of: path, table)
        servicesResolved(path, table)
        guard !isKnown else { return }
        after(timing.operation) { daemon in
            guard daemon.devices[path]?.link?.number == device.link?.number else { return }
            daemon.readInformation(path, table)
        }
    }

    /// A known table stays exported between connections.
    private func exportAttributes(of path: ObjectPath, _ table: [SimulatedService]) {
        guard let device = devices[path] else { return }
        if device.table != table || device.attributes.isEmpty {
            withdrawAttributes(of: path)
            let layout = AttributeLayout(device: path, mtu: device.peripheral.mtu, quirks: quirks)
            for exported in layout.layOut(table) {
                devices[path]?.attributes[exported.path] = exported.attribute
                publish(exported.path, [exported.interface: exported.properties])
            }
            devices[path]?.table = table
        }
        setMTU(.uint16(device.peripheral.mtu), path)
    }

    /// Characteristics have an MTU while there is a link; it is not announced by a signal.
    func setMTU(_ mtu: DBusValue?, _ path: ObjectPath) {
        for attribute in devices[path]?.attributes.keys ?? [:].keys {
            tree.set("MTU", mtu, of: Interface.characteristic, at: attribute)
        }
    }

    private func servicesResolved(_ path: ObjectPath, _ table: [SimulatedService]) {
        guard let device = devices[path] else { return }
        let own: [AttributeUUID] = [.genericAccess, .genericAttribute]
        let uuids = Set(own + table.map(\.uuid) + device.peripheral.advertisement.services).map(\.text).sorted()
        set("UUIDs", .strings(uuids), of: Interface.device, at: path)
        set("ServicesResolved", .boolean(true), of: Interface.device, at: path)
        showPaired(path)
        events.add(.servicesResolved(device.address))
    }

    /// The values that BlueZ reads itself: the PnP ID, and the battery level, to which it also subscribes.
    private func readInformation(_ path: ObjectPath, _ table: [SimulatedService]) {
        guard let device = devices[path] else { return }
        func value(_ service: AttributeUUID, _ characteristic: AttributeUUID) -> [UInt8]? {
            guard let service = table.first(where: { $0.uuid == service }),
                service.characteristics.contains(where: { $0.uuid == characteristic })
            else { return nil }
            return try? device.peripheral.read(CharacteristicID(service.uuid, characteristic))
        }
        if let modalias = value(.deviceInformation, .pnpID).flatMap(Self.modalias) {
            set("Modalias", .string(modalias), of: Interface.device, at: path)
            // Each answer of the peripheral has its own signal.
            announceAll()
        }
        if let level = value(.battery, .batteryLevel)?.first {
            publish(path, [Interface.battery: ["Percentage": .byte(level)]])
        }
    }

    /// `bluetooth:v…p…d…` of a PnP ID: the source of the vendor number (1: Bluetooth SIG, 2: USB), then vendor, product
    /// and version, little endian (Device Information Service 1.1, 3.9).
    private static func modalias(_ value: [UInt8]) -> String? {
        guard value.count >= 7, let source = [1: "bluetooth", 2: "usb"][value[0]] else { return nil }
        func number(_ index: Int) -> String {
            let digits = String(UInt16(value[index]) | UInt16(value[index + 1]) << 8, radix: 16, uppercase: true)
            return String(repeating: "0", count: 4 - digits.count) + digits
        }
        return "\(source):v\(number(1))p\(number(3))d\(number(5))"
    }

    func withdrawAttributes(of path: ObjectPath) {
        // In the order of their handles, but each before its parent: "~" sorts after "/".
        let attributes = devices[path]?.attributes.keys ?? [:].keys
        for attribute in attributes.sorted(by: { $0.string + "~" < $1.string + "~" }) { withdraw(attribute) }
        devices[path]?.attributes = [:]
        devices[path]?.table = []
        devices[path]?.writtenDescriptors = [:]
        devices[path]?.sessions = [:]
        devices[path]?.registered = [:]
    }
}
