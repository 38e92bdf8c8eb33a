internal import DBus

extension Central {
    /// Scans for LE peripherals in range.
    ///
    /// A peripheral is told when it is first heard and when something of it changes (name, services, data, signal
    /// strength). What BlueZ only remembers is not told; what is connected is, since it is near though silent. Scans may
    /// run at the same time, also on one adapter; while a connection is set up they rest.
    ///
    /// The stream ends after `limit`. The scan also ends, discovery being stopped and the filter taken back, when the
    /// stream is cancelled or dropped. It throws `BluetoothError` when no adapter can be used, or the adapter goes away.
    /// Who does not read loses the oldest of 4,096 entries.
    public func scan(
        _ filter: ScanFilter = ScanFilter(), adapter: String? = nil, limit: Duration
    ) -> AsyncThrowingStream<Discovery, any Error> {
        let (stream, continuation) = AsyncThrowingStream<Discovery, any Error>.makeStream(
            bufferingPolicy: .bufferingNewest(4096))
        let task = Task {
            do {
                let adapter = try await self.usableAdapter(adapter)
                try await self.listen(filter, on: adapter, limit: limit) { discovery in
                    continuation.yield(discovery)
                    return false
                }
                continuation.finish()
            } catch {
                continuation.finish(throwing: error)
            }
        }
        continuation.onTermination = { _ in task.cancel() }
        return stream
    }

    /// Scans until `isEnough` says so, the time is over, or the task is cancelled. Discovery is over on return.
    ///
    /// - Parameter begun: called once BlueZ has taken the scan up.
    func listen(
        _ filter: ScanFilter, on adapter: AdapterRecord, limit: Duration,
        begun: () async -> Void = {}, isEnough: @escaping @Sendable (Discovery) -> Bool
    ) async throws(BluetoothError) {
        let events = await daemon.deviceEvents(on: adapter.path)
        let failed = Signal<BluetoothError>()
        let id = await joinDiscovery(adapter, filter) { failed.send($0) }
        var error: BluetoothError?
        if failed.isSent {
            error = await failed.value
        } else {
            await begun()
            error = await limited(limit, clock) { () async -> BluetoothError? in
                await withTaskGroup(of: BluetoothError?.self) { group in
                    group.addTask { await failed.value }
                    group.addTask { await Self.read(events, filter, adapter.name, isEnough) }
                    defer { group.cancelAll() }
                    return await group.next() ?? nil
                }
            } ?? nil
        }
        await uncancelled { await self.leaveDiscovery(adapter.path, id) }
        if let error { throw await explain(error, adapter) }
        try Self.throwIfCancelled()
    }

    /// Nil when it was enough, or cancelled.
    private static func read(
        _ events: AsyncStream<DeviceEvent>, _ filter: ScanFilter, _ adapter: String,
        _ isEnough: @Sendable (Discovery) -> Bool
    ) async -> BluetoothError? {
        var state = ScanState(filter: filter, adapter: adapter)
        for await event in events {
            if case .adapter(let record) = event {
                guard let record else { return .adapterLost(adapter) }
                guard record.isPowered else { return .adapterDown(adapter) }
            } else if let discovery = state.take(event), isEnough(discovery) {
                return nil
            }
        }
        return Task.isCancelled ? nil : .noBus("the bus went away")
    }

    /// An adapter that is gone or down because `bluetoothd` ended, or a switch was thrown, is told so.
    func explain(_ error: BluetoothError, _ adapter: AdapterRecord) async -> BluetoothError {
        switch error {
        case .adapterLost: return await daemon.cache.owner == nil ? .daemonNotRunning : error
        case .adapterDown:
            let record = await daemon.cache.adapter(adapter.path)
            return Self.fault(adapter.name, known: record, machine: daemon.machine?.read())
        default: return error
        }
    }
}
