import DBus

/// What a client wants to hear of without a discovery: an `AdvertisementMonitor1` object of its own.
struct AdvertisementMonitor: Sendable, Hashable {
    let application: MonitorApplication
    let path: ObjectPath
    let patterns: [Pattern]

    /// Bytes that stand somewhere in a field of the advertisement.
    struct Pattern: Sendable, Hashable {
        let offset: Int
        let type: UInt8
        let content: [UInt8]
    }

    /// Nil where BlueZ refuses it: of a kind that it does not know, or without a pattern, or with a bad one.
    init?(_ application: MonitorApplication, _ path: ObjectPath, _ properties: [String: DBusValue]) {
        guard properties["Type"]?.stringValue == "or_patterns",
            case .array("(yyay)", let values)? = properties["Patterns"], !values.isEmpty
        else { return nil }
        var patterns: [Pattern] = []
        for value in values {
            guard let members = value.structureValue, case .byte(let offset) = members[0], case .byte(let type) = members[1],
                let content = members[2].bytesValue, !content.isEmpty, Int(offset) + content.count <= 31,
                (0x01...0x3d).contains(type) || type == 0xff
            else { return nil }
            patterns.append(Pattern(offset: Int(offset), type: type, content: content))
        }
        self.application = application
        self.path = path
        self.patterns = patterns
    }

    func matches(_ advertisement: Advertisement) -> Bool {
        let fields = advertisement.fields
        return patterns.contains { pattern in
            fields.contains { $0.type == pattern.type && $0.content.dropFirst(pattern.offset).starts(with: pattern.content) }
        }
    }
}

/// A client's tree of monitors, under the path that it registered.
struct MonitorApplication: Sendable, Hashable {
    let client: String
    let path: ObjectPath
}

extension Advertisement {
    /// As they are on the air (Core Specification Supplement, part A): type and content.
    var fields: [(type: UInt8, content: [UInt8])] {
        var fields: [(type: UInt8, content: [UInt8])] = [(0x01, [0x06])]
        let short = services.compactMap(\.short)
        if !short.isEmpty { fields.append((0x03, short.flatMap { [UInt8($0 & 0xff), UInt8($0 >> 8)] })) }
        let long = services.filter { $0.short == nil }
        if !long.isEmpty { fields.append((0x07, long.flatMap { Array($0.bytes.reversed()) })) }
        if let name { fields.append((0x09, Array(name.utf8))) }
        for (company, data) in manufacturerData { fields.append((0xff, [UInt8(company & 0xff), UInt8(company >> 8)] + data)) }
        return fields
    }
}

extension AttributeUUID {
    /// The 16 bits of one of the Bluetooth SIG's own.
    fileprivate var short: UInt16? {
        text.hasPrefix("0000") && text.hasSuffix("-0000-1000-8000-00805f9b34fb") ? UInt16(text.dropFirst(4).prefix(4), radix: 16) : nil
    }

    /// 16, the most significant first.
    fileprivate var bytes: [UInt8] {
        let digits = Array(text.utf8.filter { $0 != UInt8(ascii: "-") })
        return stride(from: 0, to: digits.count, by: 2).map { UInt8(String(decoding: digits[$0..<$0 + 2], as: UTF8.self), radix: 16) ?? 0 }
    }
}
