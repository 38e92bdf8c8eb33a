internal import BlueZ
internal import Synchronization

/// The operations that a session needs on the link to a connected pedometer.
protocol SessionLink: Sendable {
    /// Turns notifications on. They replace the notifications of the characteristic that was subscribed to before.
    func subscribe(_ address: GATTAddress) async throws
    /// Turns the notifications of several characteristics of one service on, as one sequence. They replace those
    /// before.
    func subscribeAll(_ addresses: [GATTAddress]) async throws
    /// The next notification, or nil if none arrived in time. None is lost while the session does something else; if
    /// more wait than the link keeps, it throws.
    ///
    /// - Throws: why the link ended, once all notifications before the end are read.
    func next(within limit: Duration) async throws -> [UInt8]?
    func write(_ bytes: [UInt8], to address: GATTAddress, response: Bool) async throws
    /// Sends bytes without response, in chunks that the link carries.
    func stream(_ bytes: [UInt8], to address: GATTAddress) async throws
    func read(_ address: GATTAddress) async throws -> [UInt8]
    /// Nil if the peripheral has no such characteristic, or does not let it be read.
    func readIfPresent(_ address: GATTAddress) async throws -> [UInt8]?
    /// False if the peripheral has no such characteristic, or does not let it be written.
    func writeIfPresent(_ bytes: [UInt8], to address: GATTAddress) async throws -> Bool
    /// The level in per cent from the Battery Service, if there is one.
    func batteryLevel() async -> Int?
}

/// A BlueZ peripheral as a session's link.
final class PeripheralLink: SessionLink {
    private let peripheral: Peripheral
    private let notifications = Mutex<Notifications?>(nil)

    init(peripheral: Peripheral) { self.peripheral = peripheral }

    func subscribe(_ address: GATTAddress) async throws {
        let new = try await peripheral.notifications(of: address.characteristic, in: address.service)
        notifications.withLock { $0 = new }
    }

    func subscribeAll(_ addresses: [GATTAddress]) async throws {
        guard let service = addresses.first?.service else { return }
        let new = try await peripheral.notifications(of: addresses.map(\.characteristic), in: service)
        notifications.withLock { $0 = new }
    }

    func next(within limit: Duration) async throws -> [UInt8]? {
        guard var iterator = notifications.withLock({ $0?.makeAsyncIterator() }) else { throw NotSubscribed() }
        do {
            guard let value = try await iterator.next(within: limit) else { throw CancellationError() }
            return value
        } catch BluetoothError.timedOut {
            return nil
        } catch BluetoothError.cancelled {
            throw CancellationError()
        }
    }

    /// Devices with the same protocol differ in whether they accept a write with a response.
    func write(_ bytes: [UInt8], to address: GATTAddress, response: Bool) async throws {
        let response = peripheral.writesWithResponse(response, address.characteristic, in: address.service)
        try await peripheral.write(bytes, to: address.characteristic, of: address.service, response: response)
    }

    func read(_ address: GATTAddress) async throws -> [UInt8] {
        try await peripheral.read(address.characteristic, of: address.service)
    }

    func stream(_ bytes: [UInt8], to address: GATTAddress) async throws {
        try await peripheral.writeInChunks(bytes, to: address.characteristic, of: address.service)
    }

    func readIfPresent(_ address: GATTAddress) async throws -> [UInt8]? {
        try await ifPresent(address) { peripheral throws(BluetoothError) in
            try await peripheral.read(address.characteristic, of: address.service)
        }
    }

    func writeIfPresent(_ bytes: [UInt8], to address: GATTAddress) async throws -> Bool {
        let flags = peripheral.characteristics(address.characteristic, in: address.service).first?.flags ?? []
        return try await ifPresent(address) { peripheral throws(BluetoothError) in
            try await peripheral.write(
                bytes, to: address.characteristic, of: address.service, response: flags.contains(.write))
        } != nil
    }

    /// Nil if there is no such characteristic, or it refuses, or demands pairing: the value does not justify pairing.
    private func ifPresent<R>(
        _ address: GATTAddress, _ body: (Peripheral) async throws(BluetoothError) -> R
    ) async throws(BluetoothError) -> R? {
        guard !peripheral.characteristics(address.characteristic, in: address.service).isEmpty else { return nil }
        do throws(BluetoothError) {
            return try await body(peripheral)
        } catch {
            if error.endsLink { throw error }
            return nil
        }
    }

    func batteryLevel() async -> Int? { await peripheral.batteryLevel() }

    /// A session that waits for notifications before it has subscribed to any.
    private struct NotSubscribed: Error {}
}

extension Peripheral {
    /// Whether to write with a response: as wanted, except for a characteristic that can only be written in the other
    /// way.
    func writesWithResponse(_ wanted: Bool, _ characteristic: BluetoothUUID, in service: BluetoothUUID) -> Bool {
        let flags = characteristics(characteristic, in: service).first?.flags ?? []
        let other: GATTCharacteristic.Flags = wanted ? .writeWithoutResponse : .write
        return flags.intersection([.write, .writeWithoutResponse]) == other ? !wanted : wanted
    }
}
