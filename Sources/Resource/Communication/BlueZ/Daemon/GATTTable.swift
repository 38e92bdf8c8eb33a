internal import DBus

/// The services of one device with the paths of their characteristics.
struct GATTTable: Sendable, Hashable {
    struct Entry: Sendable, Hashable {
        let path: ObjectPath
        let service: GATTService
        /// In the order of `service.characteristics`.
        let characteristicPaths: [ObjectPath]
    }

    let entries: [Entry]

    var services: [GATTService] { entries.map(\.service) }
    var isEmpty: Bool { entries.isEmpty }

    /// Paths end in the attribute's handle, so that their order is that of the peripheral's table.
    init(_ cache: ObjectCache, device: ObjectPath) {
        let inside = cache.objects.filter { $0.key.isInside(device) }.sorted { $0.key < $1.key }
        entries = inside.compactMap { path, interfaces in
            guard let properties = interfaces[BlueZName.gattService], let uuid = Self.uuid(properties) else { return nil }
            let members = inside.compactMap { inner, interfaces -> (ObjectPath, GATTCharacteristic)? in
                guard inner.isInside(path), let properties = interfaces[BlueZName.characteristic],
                    let uuid = Self.uuid(properties)
                else { return nil }
                let flags = properties["Flags"]?.arrayValue?.compactMap(\.stringValue) ?? []
                return (inner, GATTCharacteristic(uuid: uuid, flags: Set(flags)))
            }
            return Entry(
                path: path,
                service: GATTService(
                    uuid: uuid, isPrimary: properties["Primary"]?.boolValue ?? true, characteristics: members.map(\.1)),
                characteristicPaths: members.map(\.0))
        }
    }

    /// The path of a characteristic; when a service is there several times, of the first that has it.
    func path(
        _ service: BluetoothUUID, _ characteristic: BluetoothUUID, peripheral: String
    ) throws(BluetoothError) -> ObjectPath {
        let candidates = entries.filter { $0.service.uuid == service }
        guard !candidates.isEmpty else { throw .serviceNotFound(service, peripheral: peripheral) }
        for entry in candidates {
            if let index = entry.service.characteristics.firstIndex(where: { $0.uuid == characteristic }) {
                return entry.characteristicPaths[index]
            }
        }
        throw .characteristicNotFound(characteristic, service: service, peripheral: peripheral)
    }

    private static func uuid(_ properties: Properties) -> BluetoothUUID? {
        properties["UUID"]?.stringValue.flatMap { BluetoothUUID($0) }
    }
}
