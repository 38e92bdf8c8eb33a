internal import DBus

extension Link {
    /// The path of a characteristic. Before it is said to be missing, BlueZ is asked once more: ServicesResolved has been
    /// seen before all objects were there.
    func path(
        _ service: BluetoothUUID, _ characteristic: BluetoothUUID
    ) async throws(BluetoothError) -> ObjectPath {
        if let path = try? table.path(service, characteristic, peripheral: peripheral) { return path }
        if let end = await daemon.endOfLink(id) {
            throw await error(end, during: "looking for \(characteristic) of \(peripheral)")
        }
        try await daemon.reload()
        return try GATTTable(await daemon.cache, device: device).path(service, characteristic, peripheral: peripheral)
    }

    func error(_ end: LinkEnd, during operation: String) async -> BluetoothError {
        await daemon.reason(id, end).error(during: operation)
    }

    /// One GATT operation, racing the end of the link and the limit.
    func call(
        _ path: ObjectPath, _ member: String, _ arguments: [DBusValue], _ operation: GATTOperation
    ) async throws(BluetoothError) -> [DBusValue] {
        // BlueZ does one operation a characteristic at a time, whoever asks: InProgress passes.
        var waits: [Duration] = [.milliseconds(100), .milliseconds(300), .seconds(1)]
        while true {
            do throws(BluetoothError) {
                return try await callOnce(path, member, arguments, operation)
            } catch {
                guard case .busy = error, !waits.isEmpty else { throw error }
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
    ) async throws(BluetoothError) -> [DBusValue] {
        if let end = await daemon.endOfLink(id) { throw await error(end, during: operation.text) }
        let event = await withTaskGroup(of: Event.self) { [self] group in
            group.addTask {
                do throws(DBusError) {
                    return .reply(
                        .success(
                            try await daemon.call(
                                path, BlueZName.characteristic, member, arguments, limit: limits.operation)))
                } catch {
                    return .reply(.failure(error))
                }
            }
            group.addTask { .end(await daemon.waitForEndOfLink(id)) }
            defer { group.cancelAll() }
            for await event in group {
                // Cancelled with the caller: what the call makes of it counts.
                if case .end(nil) = event { continue }
                return event
            }
            return .end(nil)
        }
        switch event {
        case .reply(.success(let values)): return values
        case .reply(.failure(let error)): throw await explain(operation.error(error), operation)
        case .end(let end?): throw await error(end, during: operation.text)
        case .end(nil): throw .cancelled
        }
    }

    /// BlueZ answers with the code of "unlikely error" when the link drops in the middle, and tells of the drop only
    /// later (measured: 1 s). What the link's end explains is told so.
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
