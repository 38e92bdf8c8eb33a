extension Central {
    /// Reads one characteristic: finds the peripheral, connects, reads, disconnects.
    ///
    /// - Throws: `peripheralNotFound`, `connectFailed`, `serviceNotFound`, `characteristicNotFound`, `readFailed`, or
    ///   what else can stand in the way (`BluetoothError`).
    public func readValue(
        peripheral address: DeviceAddress, service: BluetoothUUID, characteristic: BluetoothUUID,
        adapter: String? = nil, limits: ConnectionLimits = ConnectionLimits()
    ) async throws(BluetoothError) -> [UInt8] {
        let link = try await connect(address, adapter: adapter, limits: limits, pairing: nil)
        let result: Result<[UInt8], BluetoothError>
        do throws(BluetoothError) {
            result = .success(try await Peripheral(link: link).read(service, characteristic))
        } catch {
            result = .failure(error)
        }
        await release(link)
        return try result.get()
    }

    /// Writes one characteristic: finds the peripheral, connects, writes, disconnects.
    ///
    /// - Parameter response: whether the peripheral acknowledges. Without, it is not known whether it got the value.
    /// - Throws: as `readValue`, with `writeFailed`.
    public func writeValue(
        _ bytes: [UInt8], peripheral address: DeviceAddress, service: BluetoothUUID, characteristic: BluetoothUUID,
        response: Bool = true, adapter: String? = nil, limits: ConnectionLimits = ConnectionLimits()
    ) async throws(BluetoothError) {
        let link = try await connect(address, adapter: adapter, limits: limits, pairing: nil)
        let result: Result<Void, BluetoothError>
        do throws(BluetoothError) {
            result = .success(try await Peripheral(link: link).write(bytes, service, characteristic, response: response))
        } catch {
            result = .failure(error)
        }
        await release(link)
        return try result.get()
    }

    /// Scans for the first peripheral that a filter lets through.
    ///
    /// - Parameter description: what is looked for, for the error's text.
    /// - Throws: `peripheralNotFound` after `limit`.
    public func find(
        _ filter: ScanFilter, described description: String = "a peripheral as looked for", adapter: String? = nil,
        limit: Duration
    ) async throws(BluetoothError) -> Discovery {
        let adapter = try await usableAdapter(adapter)
        let found = Signal<Discovery>()
        try await listen(filter, on: adapter, limit: limit) { discovery in
            found.send(discovery)
            return true
        }
        guard found.isSent, let discovery = await found.value else {
            throw .peripheralNotFound(description, seconds: limit.inSeconds)
        }
        return discovery
    }
}
