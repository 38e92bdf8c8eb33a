import DBus

/// Notify sessions: one for each client and characteristic, kept over a lost link.
extension Daemon {
    func startNotify(_ request: Request, _ target: Target) throws(BlueZError) {
        guard target.device.link?.isClosing != true else { throw .notConnected }
        if target.device.notifySockets[target.path] != nil { throw .notPermitted("Notify acquired") }
        guard target.spec.notifies else { throw .notSupported }
        let path = target.device.path
        if target.device.sessions[target.path]?.contains(request.sender) == true { return reply(request) }
        guard target.device.link != nil else {
            // BlueZ subscribes when the peripheral is connected again.
            beginSession(of: request.sender, target)
            return reply(request)
        }
        let secure = demandsEncryption(target.spec, of: target.device)
        operate(.subscribe, request, on: path, secure: secure) { daemon throws(BlueZError) in
            try daemon.subscribe(target)
            daemon.beginSession(of: request.sender, target)
            daemon.reply(request)
        }
    }

    /// The client configuration is written for the first session only.
    func subscribe(_ target: Target) throws(BlueZError) {
        guard devices[target.device.path]?.sessions[target.path]?.isEmpty != false else { return }
        do throws(ATTError) {
            if target.id.service != .genericAttribute {
                try target.device.peripheral.subscriptionChanged(target.id, subscribed: true)
            }
        } catch {
            throw .att(error)
        }
        events.add(.subscribed(target.device.address, target.id.characteristic))
    }

    private func beginSession(of client: String, _ target: Target) {
        guard !departed.contains(client) else { return }
        devices[target.device.path]?.sessions[target.path, default: []].insert(client)
        set("Notifying", .boolean(true), of: Interface.characteristic, at: target.path)
    }

    func stopNotify(_ request: Request, _ target: Target) throws(BlueZError) {
        if target.device.notifySockets[target.path] != nil {
            closeNotifySocket(target.path, device: target.device.path)
            return reply(request)
        }
        guard target.device.sessions[target.path]?.contains(request.sender) == true else {
            throw .failed("No notify session started")
        }
        endSession(of: request.sender, target.path, device: target.device.path)
        reply(request)
    }

    /// A client that has left hears nothing any more.
    func endSubscriptions(of client: String, device path: ObjectPath) {
        for (characteristic, clients) in devices[path]?.sessions ?? [:] where clients.contains(client) {
            endSession(of: client, characteristic, device: path)
        }
    }

    private func endSession(of client: String, _ characteristic: ObjectPath, device path: ObjectPath) {
        devices[path]?.sessions[characteristic]?.remove(client)
        guard devices[path]?.sessions[characteristic]?.isEmpty == true else { return }
        devices[path]?.sessions[characteristic] = nil
        if devices[path]?.link != nil { tellPeripheral(characteristic, subscribed: false) }
        set("Notifying", .boolean(false), of: Interface.characteristic, at: characteristic)
    }

    /// Writes the client configuration without anybody waiting for the outcome.
    func tellPeripheral(_ characteristic: ObjectPath, subscribed: Bool) {
        guard let (device, attribute) = attribute(at: characteristic), case .characteristic(let id, _) = attribute,
            id.service != .genericAttribute
        else { return }
        try? device.peripheral.subscriptionChanged(id, subscribed: subscribed)
        events.add(subscribed ? .subscribed(device.address, id.characteristic) : .unsubscribed(device.address, id.characteristic))
    }

    // MARK: Packets from the air

    func receive(_ event: AirEvent) {
        guard let link = devices[event.device]?.link, link.number == event.link else { return }
        switch event.event {
        case .hangUp: dropLink(event.device)
        case .notification(let id, let value):
            devices[event.device]?.link?.inbox.append((id, value))
            if !link.isDelivering { deliverNext(event.device, link.number) }
        }
    }

    /// Packets come one after the other: a slow one holds up those behind it.
    private func deliverNext(_ path: ObjectPath, _ number: Int) {
        guard let device = devices[path], let link = device.link, link.number == number, !link.inbox.isEmpty else {
            devices[path]?.link?.isDelivering = false
            return
        }
        devices[path]?.link?.isDelivering = true
        let (id, value) = link.inbox[0]
        devices[path]?.link?.inbox.removeFirst()
        guard isHeard(id, device) else { return after(.zero) { $0.deliverNext(path, number) } }
        let disturbance = faults[device.address, default: FaultBook()].next(.notification)
        after(timing.packet + disturbance.delay) { daemon in
            guard daemon.devices[path]?.link?.number == number else { return }
            if disturbance.drops { return daemon.dropLink(path) }
            if !disturbance.stalls {
                for packet in disturbance.applied(to: value) { daemon.deliver(packet, id, path) }
            }
            daemon.deliverNext(path, number)
        }
    }

    private func isHeard(_ id: CharacteristicID, _ device: Device) -> Bool {
        if id.characteristic == .batteryLevel { return true }
        guard let path = characteristicPath(id, device) else { return false }
        return device.sessions[path] != nil || device.notifySockets[path] != nil
    }

    private func deliver(_ packet: [UInt8], _ id: CharacteristicID, _ path: ObjectPath) {
        guard let device = devices[path], let characteristic = characteristicPath(id, device) else { return }
        if id.characteristic == .batteryLevel, let level = packet.first {
            set("Percentage", .byte(level), of: Interface.battery, at: path)
        }
        if let socket = device.notifySockets[characteristic] { return socket.send(packet) }
        guard device.sessions[characteristic] != nil else { return }
        announce("Value", .bytes(packet), of: Interface.characteristic, at: characteristic)
        events.add(.notified(device.address, id.characteristic, packet))
    }

    private func characteristicPath(_ id: CharacteristicID, _ device: Device) -> ObjectPath? {
        device.attributes.first { if case .characteristic(id, _) = $0.value { true } else { false } }?.key
    }
}
