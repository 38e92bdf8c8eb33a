internal import DBus

/// One connection of this program to a peripheral whose services are known.
struct Link: Sendable {
    let daemon: Daemon
    /// The number under which the daemon watches it.
    let id: Int
    let address: DeviceAddress
    let addressType: AddressType
    let name: String?
    let device: ObjectPath
    let table: GATTTable
    let limits: ConnectionLimits
    let use: LinkOwnership
    /// It was up before: another program uses it, or a program that ended left it, maybe while BlueZ was disconnecting
    /// already.
    let isTakenOver: Bool
    /// Runs from `Connected` true to false.
    let timer: LinkTimer

    var addressText: String { address.description }
}

/// The owner of a link. It decides whether the link is disconnected at the end.
enum LinkOwnership: Sendable, Hashable {
    /// This program disconnects it.
    case own
    /// Another program uses it: BlueZ has one link for all programs, and disconnecting it would disconnect theirs.
    case shared

    /// Determines the owner from the state of a device before this program used it.
    ///
    /// A link was left by a program that was killed, usually this one, if it is up without any subscription and its
    /// device is not marked as trusted (trusted devices connect by themselves). BlueZ would keep it for ever, and it
    /// would drain the peripheral's battery. Such a link is taken over.
    init(of device: DeviceRecord, in cache: ObjectCache) {
        guard device.isConnected else {
            self = .own
            return
        }
        let isListenedTo = cache.attributes(of: device.path).contains { path in
            guard let properties = cache.properties(path, BlueZName.characteristic) else { return false }
            return ["Notifying", "NotifyAcquired", "WriteAcquired"].contains { properties[$0]?.boolValue == true }
        }
        self = isListenedTo || device.isTrusted ? .shared : .own
    }
}

extension Link {
    /// The path of a characteristic by its UUIDs. Before it is reported as missing, BlueZ's objects are read once more:
    /// BlueZ has been observed to set ServicesResolved before it announced all objects.
    func path(
        _ service: BluetoothUUID, _ characteristic: BluetoothUUID
    ) async throws(BluetoothError) -> ObjectPath {
        if let path = try? Self.path(service, characteristic, in: table, addressText) { return path }
        if let end = await daemon.endOfLink(id) {
            throw await error(end, during: "looking for \(characteristic) of \(addressText)")
        }
        try await daemon.reload()
        let table: GATTTable
        do throws(ConnectFailure) {
            table = try GATTTable(await daemon.cache, device: device)
        } catch {
            throw .connectFailed(addressText, reason: error)
        }
        return try Self.path(service, characteristic, in: table, addressText)
    }

    private static func path(
        _ service: BluetoothUUID, _ uuid: BluetoothUUID, in table: GATTTable, _ peripheral: String
    ) throws(BluetoothError) -> ObjectPath {
        let characteristic = try table.characteristic(uuid, of: service, peripheral: peripheral)
        guard let path = table.path(characteristic.handle, uuid) else {
            throw .characteristicNotFound(uuid, service: service, peripheral: peripheral)
        }
        return path
    }

    /// The path of a characteristic or descriptor by its handle.
    func path(_ handle: UInt16, _ operation: GATTOperation) throws(BluetoothError) -> ObjectPath {
        guard let path = table.path(handle, operation.attribute) else {
            throw operation.failed("it has no such attribute with the handle \(handle)")
        }
        return path
    }

    func error(_ end: LinkEnd, during operation: String) async -> BluetoothError {
        await daemon.reason(id, end).error(during: operation)
    }

    /// One GATT operation. It ends early with the end of the link or the limit.
    func call(
        _ path: ObjectPath, _ member: String, _ arguments: [DBusValue], _ operation: GATTOperation
    ) async throws(BluetoothError) -> [DBusValue] {
        // BlueZ does one operation per characteristic at a time, for all clients: InProgress passes.
        var waits: [Duration] = [.milliseconds(100), .milliseconds(300), .seconds(1)]
        while true {
            switch try await callOnce(path, member, arguments, operation) {
            case .success(let values): return values
            case .failure(let error):
                guard operation.mayPass(error), !waits.isEmpty else {
                    throw await explain(operation.error(error), operation)
                }
                try? await daemon.clock.sleep(for: waits.removeFirst())
            }
        }
    }

    private enum Event: Sendable {
        case reply(Result<[DBusValue], DBusError>)
        case end(LinkEnd?)
    }

    private func callOnce(
        _ path: ObjectPath, _ member: String, _ arguments: [DBusValue], _ operation: GATTOperation
    ) async throws(BluetoothError) -> Result<[DBusValue], DBusError> {
        if let end = await daemon.endOfLink(id) { throw await error(end, during: operation.text) }
        let event = await withTaskGroup(of: Event.self) { [self] group in
            group.addTask {
                do throws(DBusError) {
                    return .reply(
                        .success(
                            try await daemon.call(
                                path, operation.interface, member, arguments, limit: limits.operation)))
                } catch {
                    return .reply(.failure(error))
                }
            }
            group.addTask { .end(await daemon.waitForEndOfLink(id)) }
            defer { group.cancelAll() }
            for await event in group {
                // Cancelled with the caller: the result of the call counts.
                if case .end(nil) = event { continue }
                return event
            }
            return .end(nil)
        }
        // Cancelling the task also starts the disconnection; the end of the link is then reported as the cancellation.
        if case .end = event, Task.isCancelled { throw .cancelled }
        switch event {
        case .reply(let reply): return reply
        case .end(let end?): throw await error(end, during: operation.text)
        case .end(nil): throw .cancelled
        }
    }

    /// BlueZ answers with the code of "unlikely error" when the link drops in the middle, and signals the drop only
    /// later (measured: 1 s). An error that the end of the link explains is reported as that.
    private func explain(_ error: BluetoothError, _ operation: GATTOperation) async -> BluetoothError {
        switch error {
        case .attError(ATTErrorCode.unlikely, _):
            let end = await limited(.seconds(2), daemon.clock) { [daemon, id] in await daemon.waitForEndOfLink(id) }
            guard let end = end ?? nil else { return error }
            return await self.error(end, during: operation.text)
        case .linkLost:
            return await self.error(await daemon.endOfLink(id) ?? .dropped, during: operation.text)
        default: return error
        }
    }
}
