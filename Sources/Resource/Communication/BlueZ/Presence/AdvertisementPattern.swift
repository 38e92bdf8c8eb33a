internal import DBus

/// Bytes by which BlueZ recognises an advertisement without showing every other one: `AdvertisementMonitor1.Patterns`.
///
/// An address is nothing that a monitor can look for. So it looks for what the peripheral is known to advertise, and whose it
/// was is checked when something was found.
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

    /// Of the content in the field.
    let offset: UInt8
    let field: UInt8
    let content: [UInt8]

    init(_ field: UInt8, _ content: [UInt8], offset: UInt8 = 0) {
        self.offset = offset
        self.field = field
        self.content = content
    }

    var value: DBusValue { .structure([.byte(offset), .byte(field), .bytes(content)]) }

    /// As many as the kernel takes for one monitor (`HCI_MAX_ADV_MONITOR_NUM_PATTERNS`).
    static let most = 16

    /// What tells a peripheral, by what BlueZ knows of it: the narrowest first.
    ///
    /// - Parameter device: nil for one that BlueZ does not know: then it is whatever can be found and connected to.
    static func patterns(of device: DeviceRecord?) -> [AdvertisementPattern] {
        guard let device else { return anybody }
        var patterns: [AdvertisementPattern] = []
        if let name = device.name.map({ Array($0.utf8) }), !name.isEmpty {
            // 31 bytes are on the air, two of them this field's length and type, and three the flags.
            patterns.append(AdvertisementPattern(Field.name, Array(name.prefix(26))))
            patterns.append(AdvertisementPattern(Field.shortName, Array(name.prefix(8))))
        }
        let services = device.services.filter { !everybodys.contains($0) }
        for service in services where service.shortValue == nil {
            for field in [Field.allServices128, Field.someServices128] {
                patterns.append(AdvertisementPattern(field, service.littleEndianBytes))
            }
        }
        for company in device.manufacturerData.keys.sorted() { patterns.append(AdvertisementPattern(Field.manufacturer, bytes(company))) }
        for service in services {
            guard let short = service.shortValue else { continue }
            for field in [Field.allServices16, Field.someServices16] {
                for offset: UInt8 in [0, 2] { patterns.append(AdvertisementPattern(field, bytes(short), offset: offset)) }
            }
        }
        return patterns.isEmpty ? anybody : Array(patterns.prefix(most))
    }

    /// General or limited discoverable, with or without BR/EDR: what nearly every peripheral says of itself.
    private static let anybody: [AdvertisementPattern] = [0x06, 0x05, 0x04, 0x02, 0x01, 0x1a].map { AdvertisementPattern(Field.flags, [$0]) }

    /// Found on every peripheral once connected, and hardly ever advertised.
    private static let everybodys: Set<BluetoothUUID> = ["1800", "1801", "180a"]

    private static func bytes(_ number: UInt16) -> [UInt8] { [UInt8(number & 0xff), UInt8(number >> 8)] }
}
