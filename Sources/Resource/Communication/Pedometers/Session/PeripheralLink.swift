internal import BlueZ
internal import Synchronization

/// A BlueZ peripheral as a session's link.
final class PeripheralLink: SessionLink {
    private let peripheral: Peripheral
    private let pumps = Mutex<[Task<Void, Never>]>([])

    init(peripheral: Peripheral) { self.peripheral = peripheral }

    func subscribe(_ address: GATTAddress, into inbox: Inbox) async throws {
        let notifications = try await peripheral.notifications(address.service, address.characteristic)
        let pump = Task {
            do {
                for try await value in notifications { await inbox.put(value) }
                await inbox.close(CancellationError())
            } catch {
                await inbox.close(error)
            }
        }
        pumps.withLock { $0.append(pump) }
    }

    func write(_ bytes: [UInt8], to address: GATTAddress, response: Bool) async throws {
        try await peripheral.write(bytes, address.service, address.characteristic, response: response)
    }

    func read(_ address: GATTAddress) async throws -> [UInt8] {
        try await peripheral.read(address.service, address.characteristic)
    }

    func batteryLevel() async -> Int? { await peripheral.batteryLevel() }

    /// No more notifications; the link itself is its owner's to drop.
    func end() { pumps.withLock { for pump in $0 { pump.cancel() } } }
}
