import DBus

/// What a client wants to hear of (`SetDiscoveryFilter`).
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

    /// - Returns: nil when the filter asks for nothing, which is as good as none.
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

    /// Whether one of the clients that are looking wants to hear of this. A client without a filter wants everything; a
    /// pattern only counts while every client has one.
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
