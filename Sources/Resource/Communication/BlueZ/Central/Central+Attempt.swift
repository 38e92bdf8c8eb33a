internal import DBus
internal import Support

/// A single attempt to connect, and disconnecting.
extension Central {
    /// One attempt to connect: calls `Connect`, waits until the link is up and the services are known. After a failure
    /// the link is disconnected (if this program owns it), and another attempt may be made; after a thrown error none
    /// is made.
    ///
    /// - Parameter isContested: whether another program was seen to connect: a link that is up then belongs to it.
    func attempt(
        _ address: DeviceAddress, on adapter: ObjectPath, _ limits: ConnectionLimits, isContested: Bool
    ) async throws(BluetoothError) -> Result<Link, ConnectFailure> {
        let cache = await daemon.cache
        if isClosing { throw .cancelled }
        guard let device = cache.device(address, on: adapter) else { return .failure(ConnectFailure(.vanished)) }
        let use = isContested && device.isConnected ? .shared : LinkOwnership(of: device, in: cache)
        if use == .own { owned.insert(device.path) }
        let isPhantom = device.isConnected && use == .own && undisconnected.contains(device.path)
        let result: Result<Link, ConnectFailure>
        do throws(AttemptError) {
            if isPhantom { throw .failed(ConnectFailure(.stuck)) }
            result = .success(try await bringUp(device, on: adapter, limits, use))
        } catch {
            // Disconnect also cancels a pending Connect: ours must be cancelled, another program's must not.
            if error.isBusy {
                owned.remove(device.path)
            } else if use == .own {
                await disconnect(device.path)
            }
            switch error {
            // Its services were not found over a link that was up before: there may be no link.
            case .failed(let failure)
            where device.isConnected && [.servicesUnresolved, .noServices].contains(failure.reason):
                result = .failure(ConnectFailure(.stuck, detail: failure.detail))
            case .failed(let failure): result = .failure(failure)
            case .fatal(let error): throw error
            }
        }
        return result
    }

    /// How an attempt ends without a link.
    private enum AttemptError: Error {
        case failed(ConnectFailure)
        case fatal(BluetoothError)

        var isBusy: Bool {
            if case .failed(let failure) = self { failure.reason == .busy } else { false }
        }
    }

    /// Time for the services over a link that was up before: they are known, or are being read since then.
    private static let servicesOfOldLink: Duration = .seconds(5)

    private func bringUp(
        _ device: DeviceRecord, on adapter: ObjectPath, _ limits: ConnectionLimits, _ use: LinkOwnership
    ) async throws(AttemptError) -> Link {
        let peripheral = device.address.description
        // `device` is the state from before this attempt.
        let wasConnected = device.isConnected
        let hadServices = await !daemon.cache.attributes(of: device.path).isEmpty
        let disconnections = await daemon.cache.disconnections[device.path]
        if !wasConnected {
            do throws(DBusError) {
                _ = try await daemon.call(device.path, BlueZName.device, "Connect", limit: limits.connect)
            } catch {
                switch ConnectOutcome(error, peripheral: peripheral) {
                case .alreadyConnected: break
                case .failed(let failure): throw .failed(failure)
                case .fatal(let error): throw .fatal(error)
                }
            }
        }
        // BlueZ reports success for a socket that failed with ECONNABORTED: the property is correct.
        try await wait(for: device.path, on: adapter, within: .seconds(3), otherwise: .notConnectedAfterAll) {
            device, cache in
            if device.isConnected { return .success(()) }
            return cache.disconnections[device.path] == disconnections ? nil : .failure(ConnectFailure(.droppedAgain))
        }
        let timer = LinkTimer(clock)
        guard let watch = await daemon.watchLink(device.path, adapter: adapter, timer) else {
            throw .failed(ConnectFailure(.droppedAgain))
        }
        do throws(AttemptError) {
            // For LE, Connect returns once the link is up: the services follow later, or the link drops first.
            try await wait(
                for: device.path, on: adapter,
                within: wasConnected ? min(limits.services, Self.servicesOfOldLink) : limits.services,
                otherwise: .servicesUnresolved
            ) { device, _ in
                guard device.isConnected else { return .failure(ConnectFailure(.droppedAgain)) }
                return device.areServicesResolved ? .success(()) : nil
            }
            let table = try await serviceTable(device.path, isFirst: !hadServices)
            guard !table.isEmpty else { throw AttemptError.failed(ConnectFailure(.noServices)) }
            let now = await daemon.cache.device(device.path) ?? device
            return Link(
                daemon: daemon, id: watch, address: device.address, addressType: now.addressType, name: now.name,
                device: device.path, table: table, limits: limits, use: use, isTakenOver: wasConnected, timer: timer)
        } catch {
            await daemon.releaseLink(watch)
            throw error
        }
    }

    /// Waits for a state of a device, or for the end of the device or its adapter.
    private func wait(
        for path: ObjectPath, on adapter: ObjectPath, within limit: Duration,
        otherwise reason: ConnectFailure.Reason,
        _ check: @escaping @Sendable (DeviceRecord, ObjectCache) -> Result<Void, ConnectFailure>?
    ) async throws(AttemptError) {
        let result: Result<Void, ConnectFailure>
        do throws(BluetoothError) {
            result = try await daemon.wait(limit: limit, doing: "") { cache in
                if let end = cache.end(ofAdapter: adapter) { return .failure(end) }
                guard let device = cache.device(path) else { return .success(.failure(ConnectFailure(.vanished))) }
                return check(device, cache).map { .success($0) }
            }
        } catch {
            guard case .timedOut = error else { throw .fatal(error) }
            result = .failure(ConnectFailure(reason))
        }
        if case .failure(let failure) = result { throw .failed(failure) }
    }

    /// The device's services.
    ///
    /// Where they have just been found, BlueZ can signal ServicesResolved before it has announced all objects: a method
    /// reply sends what is pending in its own order (`g_dbus_flush`, BlueZ, `gdbus/object.c`). They are requested once
    /// more then: the answer comes after all signals.
    ///
    /// - Parameter isFirst: whether none was known before this link.
    private func serviceTable(_ device: ObjectPath, isFirst: Bool) async throws(AttemptError) -> GATTTable {
        let table = try await knownTable(device)
        guard table.isEmpty || isFirst else { return table }
        do throws(BluetoothError) {
            try await daemon.reload()
        } catch {
            throw .fatal(error)
        }
        return try await knownTable(device)
    }

    private func knownTable(_ device: ObjectPath) async throws(AttemptError) -> GATTTable {
        do throws(ConnectFailure) {
            return try GATTTable(await daemon.cache, device: device)
        } catch {
            throw .failed(error)
        }
    }

    /// Disconnects, or cancels the attempt to connect. Returns when that is done, even if the task was cancelled.
    func disconnect(_ device: ObjectPath) async {
        let daemon = daemon
        let isDown = await uncancelled {
            do throws(DBusError) {
                _ = try await daemon.call(device, BlueZName.device, "Disconnect", limit: .seconds(5))
            } catch {
                if case .timedOut = error { return false }
                // BlueZ answers NotConnected if there is no link; the device may not exist any more.
            }
            // The next attempt must not use the link that is being disconnected.
            return
                (try? await daemon.wait(limit: .seconds(3), doing: "disconnecting") { cache in
                    cache.device(device)?.isConnected == true ? nil : .success(true)
                }) ?? false
        }
        owned.remove(device)
        if isDown { undisconnected.remove(device) } else { undisconnected.insert(device) }
    }
}

extension ObjectCache {
    /// Why an adapter cannot be used any more: `bluetoothd` has ended, or it is gone or switched off. Nil if it can be
    /// used.
    func end(ofAdapter path: ObjectPath) -> BluetoothError? {
        guard let adapter = adapter(path) else {
            return owner == nil ? .daemonNotRunning : .adapterLost(path.lastElement)
        }
        return adapter.isPowered ? nil : .adapterDown(adapter.name)
    }
}
