import DBus

/// Links to peripherals, from `Connect` to `Disconnect`.
extension SimulatedDaemon {
    func deviceMethod(_ request: Request) throws(BlueZError) {
        guard let device = devices[request.path] else { throw .doesNotExist }
        switch request.member {
        case "Connect": try connect(request, device)
        case "Disconnect": disconnect(request, device)
        case "Pair": try pair(request, device)
        case "CancelPairing": try cancelPairing(request, device)
        // Profiles belong to Bluetooth Classic; an LE peripheral has none.
        case "ConnectProfile": throw .failed("br-connection-sdp-search")
        default: throw .invalidArguments
        }
    }

    private func connect(_ request: Request, _ device: Device) throws(BlueZError) {
        if device.link != nil { return reply(request) }
        devices[device.path]?.isTemporary = false
        guard !device.isBlocked else { throw .failed("le-connection-abort-by-local") }
        // The text of EALREADY.
        guard device.attempt == nil else { throw .failed("Operation already in progress") }
        try openLink(device.path, for: request)
    }

    /// Starts to connect.
    /// - Parameter request: the `Connect` to answer; nil if pairing needs the link.
    func openLink(_ path: ObjectPath, for request: Request?) throws(BlueZError) {
        guard let device = devices[path], adapters[device.adapter]?.isPowered == true else {
            throw .failed("Input/output error")
        }
        let number = nextNumber()
        devices[path]?.attempt = ConnectAttempt(number: number, request: request)
        events.add(.connecting(device.address))
        let effects = faults[device.address, default: InjectedFaults()].next(.connect)
        if effects.stalls { return }
        // A connection begins with an advertisement.
        if effects.isUnreachable || !receives(device.address, on: device.adapter) || peripherals[device.address] == nil
        {
            return after(timing.connectTimeout) {
                $0.attemptFailed(path, number, .failed("le-connection-abort-by-local"))
            }
        }
        after(timing.connect + effects.delay) { daemon in
            if let refusal = effects.refusal { return daemon.attemptFailed(path, number, refusal) }
            daemon.attemptSucceeded(path, number, drops: effects.drops)
        }
    }

    private func attemptFailed(_ path: ObjectPath, _ number: Int, _ error: BlueZError) {
        guard let attempt = devices[path]?.attempt, attempt.number == number else { return }
        devices[path]?.attempt = nil
        if let request = attempt.request { fail(request, error) }
        finishPairing(path, .failure(.connectionAttemptFailed))
        if let address = devices[path]?.address { events.add(.connectFailed(address, error.message)) }
    }

    private func attemptSucceeded(_ path: ObjectPath, _ number: Int, drops: Bool) {
        guard let device = devices[path], let attempt = device.attempt, attempt.number == number else { return }
        guard receives(device.address, on: device.adapter) else {
            return attemptFailed(path, number, .failed("le-connection-abort-by-local"))
        }
        devices[path]?.attempt = nil
        devices[path]?.link = SimulatedLink(number: number)
        device.peripheral.linkOpened(peripheralLink(number, of: path))
        set("Connected", .boolean(true), of: Interface.device, at: path)
        if let request = attempt.request { reply(request) }
        events.add(.connected(device.address))
        if drops { return after(.zero) { $0.dropLink(path) } }
        // Before the services are resolved (`btd_gatt_client_connected` in `src/gatt-client.c`).
        registerSessions(path)
        if device.pairing != nil { beginPairing(path) }
        after(timing.services) { daemon in
            guard daemon.devices[path]?.link?.number == number else { return }
            daemon.resolveServices(path)
        }
    }

    // MARK: The end of a link

    private func disconnect(_ request: Request, _ device: Device) {
        finishPairing(device.path, .failure(.authenticationCanceled))
        if let attempt = device.attempt {
            devices[device.path]?.attempt = nil
            if let waiting = attempt.request { fail(waiting, .failed("br-connection-canceled")) }
        }
        guard let link = device.link else { return reply(request) }
        devices[device.path]?.disconnects.append(request)
        guard !link.isClosing else { return }
        devices[device.path]?.link?.isClosing = true
        withdraw(Interface.battery, from: device.path)
        after(timing.disconnect) { daemon in
            guard daemon.devices[device.path]?.link?.number == link.number else { return }
            daemon.dropLink(device.path)
        }
    }

    /// Removes the link, whatever the reason.
    func dropLink(_ path: ObjectPath) {
        guard let device = devices[path], device.link != nil else { return }
        device.peripheral.linkClosed()
        set("ServicesResolved", .boolean(false), of: Interface.device, at: path)
        for request in device.disconnects { reply(request) }
        devices[path]?.disconnects = []
        set("Connected", .boolean(false), of: Interface.device, at: path)
        endGatt(path)
        devices[path]?.link = nil
        devices[path]?.registered = [:]
        setMTU(nil, path)
        showPaired(path)
        finishPairing(path, .failure(.authenticationCanceled))
        events.add(.disconnected(device.address))
        after(.zero) { $0.advertise(device.address) }
    }

    /// BlueZ gives up a link on which an operation was never answered; it reports the loss of the link only later.
    func timeOut(_ path: ObjectPath) {
        endGatt(path)
        announceAll()
        dropLink(path)
    }

    /// Fails all operations that wait for an attribute of the peripheral.
    func endGatt(_ path: ObjectPath) {
        let operations = devices[path]?.link?.operations.sorted { $0.key < $1.key }.map(\.value) ?? []
        devices[path]?.link?.operations = [:]
        for operation in operations {
            operation.failed(self)
            for request in operation.requests { fail(request, .att(.unlikelyError)) }
        }
        withdraw(Interface.battery, from: path)
        closeSockets(path)
    }

    // MARK: The end of a device

    func removeDevice(_ request: Request, _ adapter: Adapter) throws(BlueZError) {
        guard let path = request.arguments.first?.pathValue else { throw .invalidArguments }
        guard let device = devices[path], device.adapter == adapter.path else { throw .doesNotExist }
        guard adapter.isPowered else { throw .notReady }
        faults[device.address]?.dropStored()
        guard let link = device.link else {
            remove(path)
            return reply(request)
        }
        devices[path]?.disconnects.append(request)
        devices[path]?.link?.isClosing = true
        withdraw(Interface.battery, from: path)
        after(timing.disconnect) { daemon in
            if daemon.devices[path]?.link?.number == link.number { daemon.dropLink(path) }
            daemon.announceAll()
            daemon.remove(path)
        }
    }

    /// BlueZ removes the device, including its bond.
    func remove(_ path: ObjectPath) {
        guard let device = devices[path] else { return }
        // 5.66 never answers a `Connect` to a device that is removed during the call.
        if let request = device.attempt?.request { unanswered.append(request) }
        showPaired(path)
        finishPairing(path, .failure(.authenticationCanceled))
        if device.link != nil {
            device.peripheral.linkClosed()
            endGatt(path)
            devices[path]?.link = nil
            events.add(.disconnected(device.address))
        }
        for request in device.disconnects { reply(request) }
        withdrawObjects(of: path)
        devices[path] = nil
        events.add(.forgotten(device.address))
        after(.zero) { $0.advertise(device.address) }
    }

    func withdrawObjects(of path: ObjectPath) {
        withdrawAttributes(of: path)
        withdraw(path)
    }

    /// Restarts the timer after which an unused device is removed.
    func keepTemporary(_ path: ObjectPath) {
        guard devices[path]?.isTemporary == true else { return }
        let number = nextNumber()
        devices[path]?.temporaryTimer = number
        after(timing.temporaryTimeout) { daemon in
            guard let device = daemon.devices[path], device.isTemporary, device.temporaryTimer == number else { return }
            let adapter = daemon.adapters[device.adapter]
            let isDiscovered =
                (adapter?.isDiscovering == true || adapter?.monitors.isEmpty == false)
                && daemon.receives(device.address, on: device.adapter)
            isDiscovered ? daemon.keepTemporary(path) : daemon.remove(path)
        }
    }
}
