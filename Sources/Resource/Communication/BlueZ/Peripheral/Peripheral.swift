internal import DBus

/// A connected peripheral with its services known. Good inside of `withPeripheral` only.
public struct Peripheral: Sendable {
    let link: Link

    /// The address under which BlueZ knows it.
    public var address: DeviceAddress { link.address }
    /// How it came by its address.
    public var addressType: AddressType { link.addressType }
    /// The name that it gives itself, as received.
    public var name: String? { link.name }
    /// In the order of the peripheral's own table.
    public var services: [GATTService] { link.table.services }

    /// Reads a characteristic, also a long one (up to 512 bytes).
    ///
    /// A reader of notifications of the same characteristic sees the value too: BlueZ publishes both in one way.
    /// - Throws: `serviceNotFound`, `characteristicNotFound`, `readFailed`, `attError`, `notPaired`, `linkLost`, `timedOut`.
    public func read(
        _ service: BluetoothUUID, _ characteristic: BluetoothUUID
    ) async throws(BluetoothError) -> [UInt8] {
        let path = try await link.path(service, characteristic)
        let operation = GATTOperation(kind: .read, characteristic: characteristic, peripheral: link.peripheral)
        let reply = try await link.call(path, "ReadValue", [.properties([:])], operation)
        guard let value = reply.first?.bytesValue else { throw .unexpected("\(operation.text): no bytes") }
        return value
    }

    /// Writes a characteristic; with a response also more than fits into one packet (up to 512 bytes).
    ///
    /// - Parameter response: whether the peripheral acknowledges, and refuses what it does not like. Without, a value
    ///   may be lost unnoticed.
    /// - Throws: as `read`, with `writeFailed`.
    public func write(
        _ bytes: [UInt8], _ service: BluetoothUUID, _ characteristic: BluetoothUUID, response: Bool = true
    ) async throws(BluetoothError) {
        let path = try await link.path(service, characteristic)
        let operation = GATTOperation(kind: .write, characteristic: characteristic, peripheral: link.peripheral)
        let options: [String: DBusValue] = ["type": .string(response ? "request" : "command")]
        _ = try await link.call(path, "WriteValue", [.bytes(bytes), .properties(options)], operation)
    }

    /// The charge in per cent, if the peripheral tells. Without a packet where BlueZ has read it already.
    public func batteryLevel() async -> Int? {
        var level = await link.daemon.cache.properties(link.device, BlueZName.battery)?["Percentage"]?.intValue
        if level == nil, let value = try? await read(.batteryService, .batteryLevel) { level = value.first.map(Int.init) }
        return level.flatMap { (0...100).contains($0) ? $0 : nil }
    }
}
