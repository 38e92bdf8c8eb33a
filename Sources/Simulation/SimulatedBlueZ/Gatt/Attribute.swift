import DBus

/// An exported attribute.
enum Attribute: Sendable {
    case service(AttributeUUID)
    case characteristic(CharacteristicID, SimulatedCharacteristic)
    case descriptor(characteristic: ObjectPath, SimulatedDescriptor)
}

/// One object of the attribute table as it is to be exported.
struct ExportedAttribute {
    let path: ObjectPath
    let attribute: Attribute
    let interface: String
    let properties: ObjectTree.Properties
}

/// Lays the attributes of a peripheral out over handles, as its GATT server would, and over object paths, as BlueZ does.
struct AttributeLayout {
    let device: ObjectPath
    let mtu: UInt16
    let quirks: Quirks

    /// GAP takes the handles 0x0001…0x0005 and is not exported; the attribute service follows, then the peripheral's own.
    func lay(_ services: [SimulatedService]) -> [ExportedAttribute] {
        var handle = 6
        let changed = SimulatedCharacteristic(.serviceChanged, [.indicate])
        return ([SimulatedService(.genericAttribute, [changed])] + services).flatMap { lay($0, &handle) }
    }

    private func lay(_ service: SimulatedService, _ handle: inout Int) -> [ExportedAttribute] {
        let path = device.appending("service" + hex(handle))
        handle += 1
        let properties: ObjectTree.Properties = [
            "UUID": .string(service.uuid.text), "Device": .objectPath(device), "Primary": .boolean(true),
            "Includes": .array(element: "o", []),
        ]
        let own = ExportedAttribute(
            path: path, attribute: .service(service.uuid), interface: Interface.service, properties: properties)
        return [own] + service.characteristics.flatMap { lay($0, of: service.uuid, in: path, &handle) }
    }

    private func lay(
        _ characteristic: SimulatedCharacteristic, of service: AttributeUUID, in parent: ObjectPath, _ handle: inout Int
    ) -> [ExportedAttribute] {
        let path = parent.appending("char" + hex(handle))
        // The declaration, and the value that it announces.
        handle += 2
        var exported = [
            ExportedAttribute(
                path: path, attribute: .characteristic(CharacteristicID(service, characteristic.uuid), characteristic),
                interface: Interface.characteristic, properties: properties(of: characteristic, in: parent))
        ]
        if characteristic.notifies {
            let configuration = SimulatedDescriptor(.clientConfiguration, value: [])
            if !quirks.hidesClientConfiguration { exported.append(lay(configuration, of: path, handle)) }
            handle += 1
        }
        for descriptor in characteristic.descriptors {
            exported.append(lay(descriptor, of: path, handle))
            handle += 1
        }
        return exported
    }

    private func lay(_ descriptor: SimulatedDescriptor, of path: ObjectPath, _ handle: Int) -> ExportedAttribute {
        ExportedAttribute(
            path: path.appending("desc" + hex(handle)), attribute: .descriptor(characteristic: path, descriptor),
            interface: Interface.descriptor,
            properties: [
                "UUID": .string(descriptor.uuid.text), "Characteristic": .objectPath(path), "Value": .bytes([]),
            ])
    }

    private func properties(of characteristic: SimulatedCharacteristic, in parent: ObjectPath) -> ObjectTree.Properties {
        var properties: ObjectTree.Properties = [
            "UUID": .string(characteristic.uuid.text), "Service": .objectPath(parent), "Value": .bytes([]),
            "Flags": .strings(characteristic.flags), "MTU": .uint16(mtu),
        ]
        if characteristic.notifies { properties["Notifying"] = .boolean(false) }
        if !quirks.hasNoAcquire {
            if characteristic.properties.contains(.notify) { properties["NotifyAcquired"] = .boolean(false) }
            if characteristic.properties.contains(.writeWithoutResponse) { properties["WriteAcquired"] = .boolean(false) }
        }
        return properties
    }

    private func hex(_ handle: Int) -> String {
        let digits = String(handle, radix: 16)
        return String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    }
}
