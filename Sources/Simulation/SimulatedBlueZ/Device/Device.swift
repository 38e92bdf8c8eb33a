import DBus

/// BlueZ's record of a peripheral.
struct Device: Sendable {
    let path: ObjectPath
    let adapter: ObjectPath
    let peripheral: any SimulatedPeripheral
    /// No client has connected to it or paired with it: its object is removed when it is no longer received.
    var isTemporary = true
    var isTrusted = false
    var isBlocked = false
    var isBonded = false
    var attempt: ConnectAttempt?
    var link: SimulatedLink?
    var pairing: Pairing?
    /// A pairing that succeeded before the services were resolved.
    var paired: Pairing?
    /// Callers that wait for the link to end.
    var disconnects: [Request] = []
    /// The exported attributes by object path; kept between connections, like BlueZ's cache.
    var attributes: [ObjectPath: Attribute] = [:]
    var table: [SimulatedService] = []
    /// Values of descriptors that were written, by object path.
    var writtenDescriptors: [ObjectPath: [UInt8]] = [:]
    /// Clients with a notify session, by characteristic. Sessions outlive the link.
    var sessions: [ObjectPath: Set<String>] = [:]
    /// The sessions that are registered on the current link.
    var registered: [ObjectPath: Set<String>] = [:]
    /// Sockets handed out by AcquireNotify and AcquireWrite, by characteristic.
    var notifySockets: [ObjectPath: AcquiredSocket] = [:]
    var writeSockets: [ObjectPath: AcquiredSocket] = [:]
    /// Reset whenever an advertisement of it is received.
    var temporaryTimer = 0
    var hasOwnAlias = false

    var address: String { peripheral.address }

    /// Restores the state that is stored on disk.
    mutating func reset() {
        if link != nil { peripheral.linkClosed() }
        for socket in Array(notifySockets.values) + Array(writeSockets.values) { socket.close() }
        (attempt, link, pairing, paired) = (nil, nil, nil, nil)
        (disconnects, attributes, table, notifySockets, writeSockets) = ([], [:], [], [:], [:])
        (sessions, registered) = ([:], [:])
    }

    // MARK: Properties

    func properties(_ advertisement: Advertisement) -> ObjectTree.Properties {
        var properties = storedProperties
        properties.merge(Self.advertised(advertisement)) { $1 }
        properties["RSSI"] = .int16(advertisement.rssi)
        properties["Alias"] = properties["Name"] ?? properties["Alias"]
        return properties
    }

    var storedProperties: ObjectTree.Properties {
        var properties: ObjectTree.Properties = [
            "Address": .string(address), "AddressType": .string(peripheral.addressKind.rawValue),
            "Alias": .string(address.replacing(":", with: "-")), "Paired": .boolean(isBonded),
            "Bonded": .boolean(isBonded), "Trusted": .boolean(isTrusted), "Blocked": .boolean(isBlocked),
            "LegacyPairing": .boolean(false), "Connected": .boolean(false), "UUIDs": .strings([]),
            "Adapter": .objectPath(adapter), "ServicesResolved": .boolean(false),
        ]
        if !isTemporary, let name = Self.clean(peripheral.advertisement.name) {
            properties["Name"] = .string(name)
            properties["Alias"] = .string(name)
        }
        return properties
    }

    /// The properties from an advertisement; parts that it lacks are missing, as in BlueZ.
    static func advertised(_ advertisement: Advertisement) -> ObjectTree.Properties {
        var properties: ObjectTree.Properties = [
            "UUIDs": .strings(advertisement.services.map(\.text).sorted())
        ]
        if let name = clean(advertisement.name) { properties["Name"] = .string(name) }
        if let power = advertisement.txPower { properties["TxPower"] = .int16(power) }
        if advertisement.appearance != 0 { properties["Appearance"] = .uint16(advertisement.appearance) }
        if !advertisement.manufacturerData.isEmpty {
            properties["ManufacturerData"] = .dictionary(
                key: "q", value: "v",
                Dictionary(
                    uniqueKeysWithValues: advertisement.manufacturerData.map { (.uint16($0), .variant(.bytes($1))) }))
        }
        if !advertisement.serviceData.isEmpty {
            properties["ServiceData"] = .properties(
                Dictionary(uniqueKeysWithValues: advertisement.serviceData.map { ($0.text, .bytes($1)) }))
        }
        return properties
    }

    /// A D-Bus text cannot contain a NUL; in an advertisement a NUL ends the name.
    private static func clean(_ name: String?) -> String? {
        name.map { String($0.prefix { $0 != "\0" }) }
    }
}

/// A `Connect` in progress.
struct ConnectAttempt: Sendable {
    let number: Int
    /// Nil if pairing needs the link.
    var request: Request?
}

/// An operation on an attribute that the peripheral has not answered.
struct Operation: Sendable {
    let kind: Fault.Operation
    let attribute: ObjectPath
    var offset = 0
    /// The calls that get the answer: BlueZ reads once for all callers that ask meanwhile.
    var requests: [Request]
    /// Called before the calls get an error.
    var failed: SimulatedDaemon.Action = { _ in }
    /// Sends the request to the peripheral.
    var send: SimulatedDaemon.Action = { _ in }
    var isSent = false
}

/// An open link to a peripheral.
struct SimulatedLink: Sendable {
    let number: Int
    var isClosing = false
    /// Operations that wait for the peripheral, in the order of their numbers; when the link drops they fail. Only the
    /// first one is sent.
    var operations: [Int: Operation] = [:]
    /// Packets in transit, in sequence.
    var inbox: [(CharacteristicID, [UInt8])] = []
    var isDelivering = false
}
