internal import DBus

/// The services of one device, with the objects of their characteristics and descriptors.
struct GATTTable: Sendable, Hashable {
    /// A characteristic or descriptor as an object.
    private struct Object: Sendable, Hashable {
        let uuid: BluetoothUUID
        let path: ObjectPath
    }

    private(set) var services: [GATTService] = []
    /// Characteristics and descriptors by handle.
    private var objects: [UInt16: Object] = [:]

    var isEmpty: Bool { services.isEmpty }

    /// Services, characteristics and descriptors that a table may have. Known peripherals have fewer than 200; a table
    /// that is larger than this is a fault or an attack, and each entry costs memory in this process and in
    /// `bluetoothd`.
    static let limit = 4096

    /// Paths end in the attribute's handle, so their order is that of the peripheral's table. Linear except for the
    /// sorting.
    ///
    /// - Throws: `tableTooLarge` beyond `limit` attributes.
    init(_ cache: ObjectCache, device: ObjectPath) throws(ConnectFailure) {
        let attributes = cache.attributes(of: device)
        guard attributes.count <= Self.limit else {
            throw ConnectFailure(
                .tableTooLarge,
                detail: "\(attributes.count) services, characteristics and descriptors, at most \(Self.limit)")
        }
        var reader = Reader(cache)
        // In this order the characteristics of a service follow it, and the descriptors of a characteristic: '/' sorts
        // before all characters that can continue a name.
        for path in attributes.sorted() { reader.read(path) }
        reader.endService()
        (services, objects) = (reader.services, reader.objects)
    }

    /// The first characteristic with this UUID, in the first service with that UUID that has it.
    func characteristic(
        _ uuid: BluetoothUUID, of service: BluetoothUUID, peripheral: String
    ) throws(BluetoothError) -> GATTCharacteristic {
        let candidates = services.filter { $0.uuid == service }
        guard !candidates.isEmpty else { throw .serviceNotFound(service, peripheral: peripheral) }
        for candidate in candidates {
            if let found = candidate.characteristics.first(where: { $0.uuid == uuid }) { return found }
        }
        throw .characteristicNotFound(uuid, service: service, peripheral: peripheral)
    }

    var firstCharacteristic: ObjectPath? {
        services.lazy.flatMap(\.characteristics).first.flatMap { path($0.handle, $0.uuid) }
    }

    /// The object of a characteristic or descriptor. Nil if this table has no such attribute.
    func path(_ handle: UInt16, _ uuid: BluetoothUUID) -> ObjectPath? {
        objects[handle].flatMap { $0.uuid == uuid ? $0.path : nil }
    }

    /// Collects the attributes in the order of their paths.
    private struct Reader {
        private let cache: ObjectCache
        var services: [GATTService] = []
        var objects: [UInt16: Object] = [:]
        private var service: (path: ObjectPath, attribute: Attribute, isPrimary: Bool)?
        private var characteristic: (path: ObjectPath, attribute: Attribute, flags: GATTCharacteristic.Flags)?
        private var characteristics: [GATTCharacteristic] = []
        private var descriptors: [GATTDescriptor] = []

        init(_ cache: ObjectCache) { self.cache = cache }

        private struct Attribute {
            let uuid: BluetoothUUID
            let handle: UInt16

            /// Nil for an object without a UUID, or whose path does not end in a handle as BlueZ writes it.
            init?(_ path: ObjectPath, _ properties: Properties) {
                guard let uuid = properties["UUID"]?.stringValue.flatMap({ BluetoothUUID($0) }),
                    let handle = UInt16(path.lastElement.suffix(4), radix: 16)
                else { return nil }
                (self.uuid, self.handle) = (uuid, handle)
            }
        }

        mutating func read(_ path: ObjectPath) {
            if let properties = cache.properties(path, BlueZName.gattService) {
                endService()
                service = Attribute(path, properties).map { (path, $0, properties["Primary"]?.boolValue ?? true) }
            } else if let properties = cache.properties(path, BlueZName.characteristic) {
                endCharacteristic()
                guard let service, path.isInside(service.path), let attribute = Attribute(path, properties) else {
                    return
                }
                let words = properties["Flags"]?.arrayValue?.compactMap(\.stringValue) ?? []
                characteristic = (path, attribute, GATTCharacteristic.Flags(words: words))
                register(attribute, path)
            } else if let properties = cache.properties(path, BlueZName.descriptor) {
                guard let characteristic, path.isInside(characteristic.path),
                    let attribute = Attribute(path, properties),
                    attribute.uuid != .clientConfiguration
                else { return }
                descriptors.append(GATTDescriptor(uuid: attribute.uuid, handle: attribute.handle))
                register(attribute, path)
            }
        }

        /// A handle is unique; if a `bluetoothd` uses one twice, the first counts.
        private mutating func register(_ attribute: Attribute, _ path: ObjectPath) {
            if objects[attribute.handle] == nil { objects[attribute.handle] = Object(uuid: attribute.uuid, path: path) }
        }

        private mutating func endCharacteristic() {
            if let (_, attribute, flags) = characteristic {
                characteristics.append(
                    GATTCharacteristic(
                        uuid: attribute.uuid, handle: attribute.handle, flags: flags, descriptors: descriptors))
            }
            (characteristic, descriptors) = (nil, [])
        }

        mutating func endService() {
            endCharacteristic()
            if let (_, attribute, isPrimary) = service {
                services.append(
                    GATTService(
                        uuid: attribute.uuid, handle: attribute.handle, isPrimary: isPrimary,
                        characteristics: characteristics))
            }
            (service, characteristics) = (nil, [])
        }
    }
}
