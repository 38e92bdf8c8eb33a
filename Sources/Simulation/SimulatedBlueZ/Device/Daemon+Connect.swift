import DBus

/// Links to peripherals, from `Connect` to `Disconnect`.
extension Daemon {
    func deviceMethod(_ request: Request) throws(BlueZError) {
        guard let device = devices[request.path] else { throw .doesNotExist }
        switch request.member {
        case "Connect": try connect(request, device)
        case "Disconnect": disconnect(request, device)
        case "Pair": try pair(request, device)
        case "CancelPairing": try cancelPairing(request, device)
        // The profiles of a LE peripheral are served by BlueZ itself.
        default: throw .notAvailable
        }
    }

    private func connect(_ request: Request, _ device: Device) throws(BlueZError) {
        if device.link != nil { return reply(request) }
        devices[device.path]?.isTemporary = false
        // EALREADY, as text.
        guard device.attempt == nil else { throw .failed("Operation already in progress") }
        try openLink(device.path, for: request)
    }

    /// Begins to connect.
    /// - Parameter request: the `Connect` to answer; nil when pairing needs the link.
    func openLink(_ path: ObjectPath, for request: Request?) throws(BlueZError) {
        guard let device = devices[path], adapters[device.adapter]?.isPowered == true else {
            throw .failed("Input/output error")
        }
        let number = nextNumber()
        devices[path]?.attempt = ConnectAttempt(number: number, request: request)
        events.add(.connecting(device.address))
        let disturbance = faults[device.address, default: FaultBook()].next(.connect)
        if disturbance.stalls { return }
        if faults[device.address]?.isOutOfRange == true || peripherals[device.address] == nil {
            return after(timing.connectTimeout) { $0.attemptFailed(path, number, .failed("le-connection-abort-by-local")) }
        }
        after(timing.connect + disturbance.delay) { daemon in
            if let refusal = disturbance.refusal { return daemon.attemptFailed(path, number, refusal) }
            daemon.attemptSucceeded(path, number, drops: disturbance.drops)
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
        guard faults[device.address]?.isOutOfRange != true else {
            return attemptFailed(path, number, .failed("le-connection-abort-by-local"))
        }
        devices[path]?.attempt = nil
        devices[path]?.link = Link(number: number)
        device.peripheral.linkOpened(peripheralLink(number, of: path))
        set("Connected", .boolean(true), of: Interface.device, at: path)
        if let request = attempt.request { reply(request) }
        events.add(.connected(device.address))
        if drops { return after(.zero) { $0.dropLink(path) } }
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

    /// The link is gone, whatever the reason.
    func dropLink(_ path: ObjectPath) {
        guard let device = devices[path], let link = device.link else { return }
        device.peripheral.linkClosed()
        devices[path]?.link = nil
        devices[path]?.disconnects = []
        for request in link.operations.sorted(by: { $0.key < $1.key }).map(\.value) { fail(request, .att(.unlikelyError)) }
        closeSockets(path)
        finishPairing(path, .failure(.authenticationCanceled))
        withdraw(Interface.battery, from: path)
        set("ServicesResolved", .boolean(false), of: Interface.device, at: path)
        for request in device.disconnects { reply(request) }
        set("Connected", .boolean(false), of: Interface.device, at: path)
        events.add(.disconnected(device.address))
        after(.zero) { $0.advertise(device.address) }
    }

    // MARK: The end of a device

    func removeDevice(_ request: Request, _ adapter: Adapter) throws(BlueZError) {
        guard let path = request.arguments.first?.pathValue else { throw .invalidArguments }
        guard let device = devices[path], device.adapter == adapter.path else { throw .doesNotExist }
        guard adapter.isPowered else { throw .notReady }
        guard let link = device.link else {
            remove(path)
            return reply(request)
        }
        devices[path]?.link?.isClosing = true
        after(timing.disconnect) { daemon in
            if daemon.devices[path]?.link?.number == link.number { daemon.dropLink(path) }
            daemon.remove(path)
            daemon.reply(request)
        }
    }

    /// BlueZ forgets the device, its bond included.
    func remove(_ path: ObjectPath) {
        guard let device = devices[path] else { return }
        if let request = device.attempt?.request { fail(request, .failed("br-connection-canceled")) }
        finishPairing(path, .failure(.authenticationCanceled))
        dropLink(path)
        withdrawObjects(of: path)
        devices[path] = nil
        events.add(.forgotten(device.address))
        after(.zero) { $0.advertise(device.address) }
    }

    func withdrawObjects(of path: ObjectPath) {
        withdrawAttributes(of: path)
        withdraw(path)
    }

    /// Starts the time anew after which a device that nobody uses disappears.
    func keepTemporary(_ path: ObjectPath) {
        guard devices[path]?.isTemporary == true else { return }
        let number = nextNumber()
        devices[path]?.temporaryTimer = number
        after(timing.temporaryTimeout) { daemon in
            guard let device = daemon.devices[path], device.isTemporary, device.temporaryTimer == number else { return }
            let adapter = daemon.adapters[device.adapter]
            let isHeard = (adapter?.isDiscovering == true || adapter?.monitors.isEmpty == false)
                && daemon.faults[device.address]?.isOutOfRange != true
            isHeard ? daemon.keepTemporary(path) : daemon.remove(path)
        }
    }
}
