internal import DBus

/// A connected peripheral whose services are known. Valid only inside `withPeripheral`.
public struct Peripheral: Sendable {
    let link: Link
    private let beginRelease: @Sendable () -> Void
    private let central: Central?

    init(link: Link, central: Central? = nil, beginRelease: @escaping @Sendable () -> Void = {}) {
        self.link = link
        self.central = central
        self.beginRelease = beginRelease
    }

    /// The address under which BlueZ knows it.
    public var address: DeviceAddress { link.address }
    /// Where its address comes from.
    public var addressType: AddressType { link.addressType }
    /// The name that it advertises, as received.
    public var name: String? { link.name }
    /// Whether the link was up before `withPeripheral`: made by another program, which may have ended. Such a link may
    /// end at any moment, since BlueZ disconnects up to 2 s after the request.
    public var isTakenOver: Bool { link.isTakenOver }
    /// Measures how long the link has been up; valid also after its end.
    public var timer: LinkTimer { link.timer }

    /// Begins to disconnect and returns at once. Operations that are started later fail with `linkLost`. BlueZ takes
    /// about 2 s, and the end of `withPeripheral` waits for that: work that needs no link can be done meanwhile.
    public func disconnect() { beginRelease() }

    /// Pairs over this link and keeps the bond; returns at once if it is paired already. For a peripheral that shows
    /// only when it is connected that it requires bonding.
    ///
    /// - Throws: `pairingFailed` with the reason, `linkLost`, `timedOut`.
    public func pair(_ delegate: any PairingDelegate) async throws(BluetoothError) {
        guard let central else { throw .unexpected("\(link.addressText) is not connected by a central") }
        try await central.pair(link, delegate)
    }

    /// The address under which BlueZ knows it now. A peripheral that used a private address gives its own when it is
    /// bonded.
    public func identity() async -> (address: DeviceAddress, type: AddressType) {
        let device = await link.daemon.cache.device(link.device)
        return (device?.address ?? address, device?.addressType ?? addressType)
    }

    /// Whether BlueZ holds a bond with it.
    public func isPaired() async -> Bool { await link.daemon.cache.device(link.device)?.isPaired ?? false }

    /// The services, in the order of the peripheral's own table.
    public var services: [GATTService] { link.table.services }

    /// All characteristics with this UUID in services with that one, in the order of the peripheral's own table: mostly
    /// one. If there are several, they are distinguished by their handles, and the operations that take UUIDs use the
    /// first.
    public func characteristics(_ uuid: BluetoothUUID, in service: BluetoothUUID) -> [GATTCharacteristic] {
        services.filter { $0.uuid == service }.flatMap { $0.characteristics.filter { $0.uuid == uuid } }
    }

    /// The charge in per cent, if the peripheral reports it. Sends no packet if BlueZ has read it already.
    public func batteryLevel() async -> Int? {
        var level = await link.daemon.cache.properties(link.device, BlueZName.battery)?["Percentage"]?.intValue
        if level == nil, let value = try? await read(.batteryLevel, of: .batteryService) {
            level = value.first.map(Int.init)
        }
        return level.flatMap { (0...100).contains($0) ? $0 : nil }
    }

    /// Waits until the link ends; returns at once if it has ended.
    ///
    /// - Returns: why it ended: `linkLost`, `adapterLost`, `daemonNotRunning` or `noBus`. Nil if this program ended it,
    ///   or if the waiting task was cancelled.
    public func disconnection() async -> BluetoothError? {
        guard let end = await link.daemon.waitForEndOfLink(link.id), end != .released else { return nil }
        return await link.error(end, during: "connected to \(link.addressText)")
    }
}

// MARK: Reading and writing

extension Peripheral {
    func operation(_ kind: GATTOperation.Kind, _ characteristic: BluetoothUUID) -> GATTOperation {
        GATTOperation(kind: kind, attribute: characteristic, peripheral: link.addressText)
    }

    private func operation(_ kind: GATTOperation.Kind, _ descriptor: GATTDescriptor) -> GATTOperation {
        GATTOperation(
            kind: kind, attribute: descriptor.uuid, peripheral: link.addressText, interface: BlueZName.descriptor)
    }

    /// Reads a characteristic, also a long one (up to 512 bytes); the first one if the UUIDs occur more than once.
    ///
    /// A reader of notifications of the same characteristic gets the value too: BlueZ publishes both in the same way.
    /// - Throws: `serviceNotFound`, `characteristicNotFound`, `readFailed`, `attError`, `notPaired`, `linkLost`,
    ///   `timedOut`.
    public func read(
        _ characteristic: BluetoothUUID, of service: BluetoothUUID
    ) async throws(BluetoothError) -> [UInt8] {
        try await read(try await link.path(service, characteristic), operation(.read, characteristic))
    }

    /// Reads one of `services`' characteristics, also a long one (up to 512 bytes).
    ///
    /// - Throws: `readFailed`, `attError`, `notPaired`, `linkLost`, `timedOut`.
    public func read(_ characteristic: GATTCharacteristic) async throws(BluetoothError) -> [UInt8] {
        let operation = operation(.read, characteristic.uuid)
        return try await read(try link.path(characteristic.handle, operation), operation)
    }

    /// Reads one of `services`' descriptors, also a long one (up to 512 bytes).
    ///
    /// - Throws: `readFailed`, `attError`, `notPaired`, `linkLost`, `timedOut`.
    public func read(_ descriptor: GATTDescriptor) async throws(BluetoothError) -> [UInt8] {
        let operation = operation(.read, descriptor)
        return try await read(try link.path(descriptor.handle, operation), operation)
    }

    private func read(_ path: ObjectPath, _ operation: GATTOperation) async throws(BluetoothError) -> [UInt8] {
        let reply = try await link.call(path, "ReadValue", [.properties([:])], operation)
        guard let value = reply.first?.bytesValue else { throw .unexpected("\(operation.text): no bytes") }
        return value
    }

    /// Writes a characteristic; the first one if the UUIDs occur more than once.
    ///
    /// With a response, a value may have up to 512 bytes: BlueZ sends a long one in parts, and the peripheral receives
    /// it as one value. Without a response it has to fit into one packet, MTU − 3 bytes; `writeInChunks` sends more.
    ///
    /// - Parameters:
    ///   - value: the bytes of the value.
    ///   - characteristic: its UUID.
    ///   - service: the UUID of its service.
    ///   - response: whether the peripheral acknowledges, and can refuse the value. Without a response, a value may be
    ///     lost unnoticed.
    /// - Throws: `serviceNotFound`, `characteristicNotFound`, `writeFailed`, `attError`, `notPaired`, `linkLost`,
    ///   `timedOut`.
    public func write(
        _ value: [UInt8], to characteristic: BluetoothUUID, of service: BluetoothUUID, response: Bool = true
    ) async throws(BluetoothError) {
        try await write(
            value, try await link.path(service, characteristic), operation(.write, characteristic), response: response)
    }

    /// Writes one of `services`' characteristics.
    ///
    /// - Parameters:
    ///   - value: the bytes of the value.
    ///   - characteristic: one of this peripheral.
    ///   - response: whether the peripheral acknowledges, and can refuse the value. Without a response, a value may be
    ///     lost unnoticed, and has to fit into one packet, MTU − 3 bytes.
    /// - Throws: `writeFailed`, `attError`, `notPaired`, `linkLost`, `timedOut`.
    public func write(
        _ value: [UInt8], to characteristic: GATTCharacteristic, response: Bool = true
    ) async throws(BluetoothError) {
        let operation = operation(.write, characteristic.uuid)
        try await write(value, try link.path(characteristic.handle, operation), operation, response: response)
    }

    /// Writes one of `services`' descriptors (up to 512 bytes); the peripheral acknowledges.
    ///
    /// - Throws: `writeFailed`, `attError`, `notPaired`, `linkLost`, `timedOut`.
    public func write(_ value: [UInt8], to descriptor: GATTDescriptor) async throws(BluetoothError) {
        let operation = operation(.write, descriptor)
        let path = try link.path(descriptor.handle, operation)
        _ = try await link.call(path, "WriteValue", [.bytes(value), .properties([:])], operation)
    }

    /// Sends bytes to a characteristic that takes a stream, such as a serial port over Bluetooth, as several values.
    ///
    /// Chunks have the length that one packet carries, MTU − 3 bytes, so that none is split by BlueZ. They arrive in
    /// order. After an error it is not known how many arrived.
    ///
    /// - Parameters:
    ///   - bytes: the stream; an empty one sends nothing.
    ///   - characteristic: its UUID.
    ///   - service: the UUID of its service.
    ///   - size: the longest chunk in bytes, if the peripheral takes less than a packet; at least 1.
    ///   - response: whether the peripheral acknowledges each chunk; it is much faster without.
    /// - Throws: as `write`.
    public func writeInChunks(
        _ bytes: [UInt8], to characteristic: BluetoothUUID, of service: BluetoothUUID, size: Int? = nil,
        response: Bool = false
    ) async throws(BluetoothError) {
        let path = try await link.path(service, characteristic)
        try await writeInChunks(bytes, path, operation(.write, characteristic), size: size, response: response)
    }

    /// Sends bytes to one of `services`' characteristics as several values, like
    /// `writeInChunks(_:to:of:size:response:)`.
    ///
    /// - Throws: as `write`.
    public func writeInChunks(
        _ bytes: [UInt8], to characteristic: GATTCharacteristic, size: Int? = nil, response: Bool = false
    ) async throws(BluetoothError) {
        let operation = operation(.write, characteristic.uuid)
        let path = try link.path(characteristic.handle, operation)
        try await writeInChunks(bytes, path, operation, size: size, response: response)
    }

    private func writeInChunks(
        _ bytes: [UInt8], _ path: ObjectPath, _ operation: GATTOperation, size: Int?, response: Bool
    ) async throws(BluetoothError) {
        precondition(size.map { $0 > 0 } ?? true, "a chunk has at least one byte")
        // No value is longer, on a link with the greatest MTU (Core Specification Vol 3 Part F 3.2.9).
        let length = min(try await mtu() - 3, 512, size ?? .max)
        for start in stride(from: 0, to: bytes.count, by: length) {
            let chunk = Array(bytes[start..<min(start + length, bytes.count)])
            try await write(chunk, path, operation, response: response)
        }
    }

    private func write(
        _ value: [UInt8], _ path: ObjectPath, _ operation: GATTOperation, response: Bool
    ) async throws(BluetoothError) {
        let options: [String: DBusValue] = ["type": .string(response ? "request" : "command")]
        _ = try await link.call(path, "WriteValue", [.bytes(value), .properties(options)], operation)
    }

    /// The smallest MTU, which every link supports (Core Specification Vol 3 Part G 5.2.1).
    private static let smallestMTU = 23

    /// The ATT MTU of this link in bytes, 23...517: the length of the longest packet. A value that is written without
    /// response, or a notification, has at most 3 bytes less.
    ///
    /// BlueZ before 5.62 does not report it: then the result is 23, which is always safe.
    /// - Throws: `linkLost`, `timedOut`.
    public func mtu() async throws(BluetoothError) -> Int {
        let text = "reading the MTU of \(link.addressText)"
        if let end = await link.daemon.endOfLink(link.id) { throw await link.error(end, during: text) }
        // BlueZ shows it at each characteristic. It announces no change, so it is not in the cache after another
        // connection.
        guard let path = link.table.firstCharacteristic else { return Self.smallestMTU }
        do throws(DBusError) {
            let arguments = [DBusValue.string(BlueZName.characteristic), .string("MTU")]
            let reply = try await link.daemon.call(
                path, StandardInterface.properties, "Get", arguments, limit: link.limits.operation)
            return max(Self.smallestMTU, reply.first?.intValue ?? 0)
        } catch {
            if let end = await link.daemon.endOfLink(link.id) { throw await link.error(end, during: text) }
            if error.remoteName != nil { return Self.smallestMTU }
            throw BluetoothError(error, doing: text)
        }
    }
}
