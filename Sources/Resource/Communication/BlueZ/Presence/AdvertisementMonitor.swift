internal import DBus

/// Bytes by which BlueZ recognises an advertisement without showing every other one: `AdvertisementMonitor1.Patterns`.
///
/// A monitor cannot look for an address. So it looks for data that the peripheral is known to advertise, and the
/// address is checked when an advertisement was found.
struct AdvertisementPattern: Sendable, Hashable {
    /// Assigned Numbers 2.3, Common Data Types.
    enum Field {
        static let flags: UInt8 = 0x01
        static let someServices16: UInt8 = 0x02
        static let allServices16: UInt8 = 0x03
        static let someServices128: UInt8 = 0x06
        static let allServices128: UInt8 = 0x07
        static let shortName: UInt8 = 0x08
        static let name: UInt8 = 0x09
        static let manufacturer: UInt8 = 0xff
    }

    /// Offset in the content of the field.
    let offset: UInt8
    let field: UInt8
    let content: [UInt8]

    init(_ field: UInt8, _ content: [UInt8], offset: UInt8 = 0) {
        self.offset = offset
        self.field = field
        self.content = content
    }

    var value: DBusValue { .structure([.byte(offset), .byte(field), .bytes(content)]) }

    /// The maximum that the kernel takes for one monitor (`HCI_MAX_ADV_MONITOR_NUM_PATTERNS`).
    static let most = 16

    /// Patterns that identify a peripheral, from the data that BlueZ has about it: the narrowest first.
    ///
    /// - Parameter device: nil for one that BlueZ does not know: then the patterns match every device that is
    ///   discoverable and connectable.
    static func patterns(of device: DeviceRecord?) -> [AdvertisementPattern] {
        guard let device else { return anyDevice }
        var patterns: [AdvertisementPattern] = []
        if let name = device.name.map({ Array($0.utf8) }), !name.isEmpty {
            // 31 bytes are transmitted: two of them are this field's length and type, and three the flags.
            patterns.append(AdvertisementPattern(Field.name, Array(name.prefix(26))))
            patterns.append(AdvertisementPattern(Field.shortName, Array(name.prefix(8))))
        }
        let services = device.services.filter { !commonServices.contains($0) }
        for service in services where service.shortValue == nil {
            for field in [Field.allServices128, Field.someServices128] {
                patterns.append(AdvertisementPattern(field, service.littleEndianBytes))
            }
        }
        for company in device.manufacturerData.keys.sorted() {
            patterns.append(AdvertisementPattern(Field.manufacturer, bytes(company)))
        }
        for service in services {
            guard let short = service.shortValue else { continue }
            for field in [Field.allServices16, Field.someServices16] {
                for offset: UInt8 in [0, 2] {
                    patterns.append(AdvertisementPattern(field, bytes(short), offset: offset))
                }
            }
        }
        return patterns.isEmpty ? anyDevice : Array(patterns.prefix(most))
    }

    /// General or limited discoverable, with or without BR/EDR: nearly every peripheral advertises this.
    private static let anyDevice: [AdvertisementPattern] = [0x06, 0x05, 0x04, 0x02, 0x01, 0x1a].map {
        AdvertisementPattern(Field.flags, [$0])
    }

    /// Services that every peripheral has, and that are hardly ever advertised.
    private static let commonServices: Set<BluetoothUUID> = ["1800", "1801", "180a"]

    private static func bytes(_ number: UInt16) -> [UInt8] { [UInt8(number & 0xff), UInt8(number >> 8)] }
}

/// The objects that make BlueZ listen for advertisements without a discovery (`org.bluez.AdvertisementMonitor1`): a
/// root that lists them, and below it one for each peripheral.
actor MonitorApplication: DBusObject {
    enum Event: Sendable {
        case found(ObjectPath)
        /// BlueZ no longer listens, or never did.
        case released
    }

    nonisolated let root: ObjectPath

    private let daemon: Daemon
    private let monitors: [ObjectPath: [AdvertisementPattern]]
    nonisolated let events: AsyncStream<Event>
    private let continuation: AsyncStream<Event>.Continuation

    /// - Parameter number: the number of this registration in this program. Each has paths of its own: BlueZ releases
    ///   the monitors of a registration after it has answered that it ended, when the next one may exist already.
    init(daemon: Daemon, number: Int, _ patterns: [[AdvertisementPattern]]) {
        let root = ("/bluez/monitors" as ObjectPath).appending("\(number)")
        self.daemon = daemon
        self.root = root
        monitors = Dictionary(
            uniqueKeysWithValues: patterns.enumerated().map { (root.appending("monitor\($0)"), $1) })
        // A device that advertises is found again and again: the newest events are enough.
        (events, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(64))
    }

    func receive(_ call: DBusMethodCall) async {
        // On the system bus any client may send messages to any other.
        guard let owner = await daemon.cache.owner, call.message.sender == owner else {
            return await call.fail("org.freedesktop.DBus.Error.AccessDenied", "only bluetoothd may ask")
        }
        switch (call.message.interface, call.message.member) {
        case (StandardInterface.objectManager?, "GetManagedObjects"): await call.reply([objects])
        case (StandardInterface.properties?, "GetAll"): await answerProperties(call)
        case (BlueZName.monitor?, "DeviceFound"):
            // A device is found again; the end of the monitor is signalled only once.
            if let device = call.message.body.first?.pathValue,
                case .dropped(.released) = continuation.yield(.found(device))
            {
                continuation.yield(.released)
            }
            await call.reply()
        case (BlueZName.monitor?, "Release"):
            continuation.yield(.released)
            await call.reply()
        // No thresholds for the signal strength are set: a device is never reported as lost.
        case (BlueZName.monitor?, "Activate"), (BlueZName.monitor?, "DeviceLost"): await call.reply()
        default: await call.fail("org.freedesktop.DBus.Error.UnknownMethod", "no such method")
        }
    }

    private func answerProperties(_ call: DBusMethodCall) async {
        guard let path = call.message.path, let patterns = monitors[path] else {
            return await call.fail("org.freedesktop.DBus.Error.UnknownObject", "no such monitor")
        }
        await call.reply([Self.properties(patterns)])
    }

    private var objects: DBusValue {
        var objects: [DBusValue: DBusValue] = [:]
        for (path, patterns) in monitors {
            objects[.objectPath(path)] = .dictionary(
                key: "s", value: "a{sv}", [.string(BlueZName.monitor): Self.properties(patterns)])
        }
        return .dictionary(key: "o", value: "a{sa{sv}}", objects)
    }

    /// Without thresholds for the signal strength: with them BlueZ waits until it hears a peripheral twice, and a
    /// controller that filters duplicates reports it once.
    private static func properties(_ patterns: [AdvertisementPattern]) -> DBusValue {
        .properties(["Type": .string("or_patterns"), "Patterns": .array(element: "(yyay)", patterns.map(\.value))])
    }
}
