import DBus
import Dispatch
import Glibc

/// Notify sessions: one for each client and characteristic. A session continues when the link is lost.
extension SimulatedDaemon {
    func startNotify(_ request: Request, _ target: Target) throws(BlueZError) {
        guard target.device.link?.isClosing != true else { throw .notConnected }
        if target.device.notifySockets[target.path] != nil { throw .notPermitted("Notify acquired") }
        guard target.spec.notifies else { throw .notSupported }
        let path = target.device.path
        if target.device.sessions[target.path]?.contains(request.sender) == true {
            // The session of a lost link waits for the next link.
            guard target.device.link != nil else { throw .inProgress }
            return reply(request)
        }
        guard !departed.contains(request.sender) else { return }
        devices[path]?.sessions[target.path, default: []].insert(request.sender)
        // BlueZ subscribes when the peripheral is connected again.
        guard target.device.link != nil else { return reply(request) }
        // The client configuration is written for the first session only.
        if target.device.registered[target.path] != nil {
            register(request.sender, target.path, device: path)
            return reply(request)
        }
        openSession(of: request.sender, target, [request])
    }

    /// Subscribes, then registers the session of a client on the link. If that fails the session ends, and `Notifying`
    /// stays as it was (`register_notify_cb` in `src/gatt-client.c` of 5.66).
    private func openSession(of client: String, _ target: Target, _ requests: [Request]) {
        let path = target.device.path
        let operation = Operation(
            kind: .subscribe, attribute: target.path, requests: requests,
            failed: { $0.removeSession(of: client, target.path, device: path) })
        operate(operation, on: path, secure: demandsEncryption(target.spec, of: target.device)) {
            daemon throws(BlueZError) in
            try daemon.subscribe(target)
            daemon.register(client, target.path, device: path)
            return []
        }
    }

    /// Writes the client configuration, unless a session before has done so.
    func subscribe(_ target: Target) throws(BlueZError) {
        guard devices[target.device.path]?.registered[target.path]?.isEmpty != false else { return }
        do throws(ATTError) {
            if target.id.service != .genericAttribute {
                try target.device.peripheral.subscriptionChanged(target.id, subscribed: true)
            }
        } catch {
            throw .att(error)
        }
        events.add(.subscribed(target.device.address, target.id.characteristic))
    }

    /// Registers the session of a client on the link.
    private func register(_ client: String, _ characteristic: ObjectPath, device path: ObjectPath) {
        // The session may have ended during the request to the peripheral.
        guard devices[path]?.sessions[characteristic]?.contains(client) == true else { return }
        devices[path]?.registered[characteristic, default: []].insert(client)
        set("Notifying", .boolean(true), of: Interface.characteristic, at: characteristic)
    }

    /// Opens the sessions of an earlier link on the new one.
    func registerSessions(_ path: ObjectPath) {
        for (characteristic, clients) in devices[path]?.sessions.sorted(by: { $0.key < $1.key }) ?? [] {
            guard let target = target(at: characteristic) else { continue }
            for client in clients.sorted() { openSession(of: client, target, []) }
        }
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

    /// A client that has left receives no more values.
    func endSubscriptions(of client: String, device path: ObjectPath) {
        for (characteristic, clients) in devices[path]?.sessions ?? [:] where clients.contains(client) {
            endSession(of: client, characteristic, device: path)
        }
    }

    private func endSession(of client: String, _ characteristic: ObjectPath, device path: ObjectPath) {
        let wasRegistered = devices[path]?.registered[characteristic]?.contains(client) == true
        removeSession(of: client, characteristic, device: path)
        guard devices[path]?.registered[characteristic] == nil else { return }
        if wasRegistered, devices[path]?.link != nil { unsubscribe(characteristic) }
        set("Notifying", .boolean(false), of: Interface.characteristic, at: characteristic)
    }

    private func removeSession(of client: String, _ characteristic: ObjectPath, device path: ObjectPath) {
        devices[path]?.sessions[characteristic]?.remove(client)
        devices[path]?.registered[characteristic]?.remove(client)
        if devices[path]?.sessions[characteristic]?.isEmpty == true { devices[path]?.sessions[characteristic] = nil }
        if devices[path]?.registered[characteristic]?.isEmpty == true {
            devices[path]?.registered[characteristic] = nil
        }
    }

    /// Clears the client configuration; the outcome is not awaited.
    func unsubscribe(_ characteristic: ObjectPath) {
        guard let (device, attribute) = attribute(at: characteristic), case .characteristic(let id, _) = attribute,
            id.service != .genericAttribute
        else { return }
        try? device.peripheral.subscriptionChanged(id, subscribed: false)
        events.add(.unsubscribed(device.address, id.characteristic))
    }

    // MARK: Packets from the peripheral

    func receive(_ event: RadioEvent) {
        guard let link = devices[event.device]?.link, link.number == event.link else { return }
        switch event.event {
        case .hangUp: dropLink(event.device)
        case .discard(let id): devices[event.device]?.link?.inbox.removeAll { $0.0 == id }
        case .notification(let id, let value):
            devices[event.device]?.link?.inbox.append((id, value))
            if !link.isDelivering { deliverNext(event.device, link.number) }
        }
    }

    /// Packets are delivered in sequence: a slow one delays those behind it.
    private func deliverNext(_ path: ObjectPath, _ number: Int) {
        guard let device = devices[path], let link = device.link, link.number == number, !link.inbox.isEmpty else {
            devices[path]?.link?.isDelivering = false
            return
        }
        devices[path]?.link?.isDelivering = true
        let (id, value) = link.inbox[0]
        devices[path]?.link?.inbox.removeFirst()
        // One packet, after the opcode and the handle (Bluetooth Core, Vol 3, Part F, 3.4.7.1). Faults may make it
        // longer.
        let packet = Array(value.prefix(Int(device.peripheral.mtu) - 3))
        guard isSubscribed(id, device) else { return after(.zero) { $0.deliverNext(path, number) } }
        let effects = faults[device.address, default: InjectedFaults()].next(.notification)
        after(timing.packet + effects.delay) { daemon in
            guard daemon.devices[path]?.link?.number == number else { return }
            if effects.drops { return daemon.dropLink(path) }
            if !effects.stalls {
                for packet in effects.applied(to: packet) { daemon.deliver(packet, id, path) }
            }
            daemon.deliverNext(path, number)
        }
    }

    private func isSubscribed(_ id: CharacteristicID, _ device: Device) -> Bool {
        if id.characteristic == .batteryLevel { return true }
        guard let path = characteristicPath(id, device) else { return false }
        return device.registered[path] != nil || device.notifySockets[path] != nil
    }

    private func deliver(_ packet: [UInt8], _ id: CharacteristicID, _ path: ObjectPath) {
        guard let device = devices[path], let characteristic = characteristicPath(id, device) else { return }
        if id.characteristic == .batteryLevel, let level = packet.first {
            set("Percentage", .byte(level), of: Interface.battery, at: path)
        }
        if let socket = device.notifySockets[characteristic] { return socket.send(packet) }
        guard device.registered[characteristic] != nil else { return }
        announce("Value", .bytes(packet), of: Interface.characteristic, at: characteristic)
        events.add(.notified(device.address, id.characteristic, packet))
    }

    private func characteristicPath(_ id: CharacteristicID, _ device: Device) -> ObjectPath? {
        device.attributes.first { if case .characteristic(id, _) = $0.value { true } else { false } }?.key
    }
}

/// `AcquireNotify` and `AcquireWrite`: values over a socket instead of the bus.
extension SimulatedDaemon {
    func acquireNotify(_ request: Request, _ target: Target) throws(BlueZError) {
        guard !quirks.hasNoAcquire else { throw .notSupported }
        guard target.device.link != nil else { throw .failed("Not connected") }
        if target.device.notifySockets[target.path] != nil { throw .notPermitted("Notify acquired") }
        if target.device.sessions[target.path] != nil { throw .inProgress }
        // Before 5.80 a characteristic that only indicates is refused.
        guard target.spec.properties.contains(.notify) else { throw .notSupported }
        let secure = demandsEncryption(target.spec, of: target.device)
        let operation = Operation(kind: .subscribe, attribute: target.path, requests: [request])
        operate(operation, on: target.device.path, secure: secure) { daemon throws(BlueZError) in
            try daemon.subscribe(target)
            let (socket, clientEnd) = try daemon.makeSocket(
                received: { _, _ in }, hungUp: { $0.closeNotifySocket(target.path, device: target.device.path) })
            daemon.devices[target.device.path]?.notifySockets[target.path] = socket
            daemon.set("NotifyAcquired", .boolean(true), of: Interface.characteristic, at: target.path)
            return [.fileDescriptor(clientEnd), .uint16(target.device.peripheral.mtu)]
        }
    }

    func acquireWrite(_ request: Request, _ target: Target) throws(BlueZError) {
        guard !quirks.hasNoAcquire else { throw .notSupported }
        guard target.device.link != nil else { throw .failed("Not connected") }
        if target.device.writeSockets[target.path] != nil { throw .notPermitted("Write acquired") }
        guard target.spec.properties.contains(.writeWithoutResponse) else { throw .notSupported }
        let (socket, clientEnd) = try makeSocket(
            received: { $0.command($1, target) },
            hungUp: { $0.closeWriteSocket(target.path, device: target.device.path) })
        devices[target.device.path]?.writeSockets[target.path] = socket
        set("WriteAcquired", .boolean(true), of: Interface.characteristic, at: target.path)
        reply(request, [.fileDescriptor(clientEnd), .uint16(target.device.peripheral.mtu)])
    }

    private func makeSocket(
        received: @escaping @Sendable (isolated SimulatedDaemon, [UInt8]) -> Void, hungUp: @escaping Action
    ) throws(BlueZError) -> (AcquiredSocket, DBusFileDescriptor) {
        // One stream keeps the packets in their order on the way into the actor.
        let (events, sink) = AsyncStream.makeStream(of: [UInt8]?.self)
        let pair = AcquiredSocket.make(
            received: { sink.yield($0) },
            hungUp: {
                sink.yield(nil)
                sink.finish()
            })
        guard let pair else { throw .failed("Too many open files") }
        Task(executorPreference: executor) {
            for await packet in events {
                if let packet { await self.perform { received($0, packet) } } else { await self.perform(hungUp) }
            }
        }
        return pair
    }

    func closeNotifySocket(_ characteristic: ObjectPath, device path: ObjectPath) {
        guard let socket = devices[path]?.notifySockets.removeValue(forKey: characteristic) else { return }
        socket.close()
        if devices[path]?.link != nil { unsubscribe(characteristic) }
        set("NotifyAcquired", .boolean(false), of: Interface.characteristic, at: characteristic)
    }

    func closeWriteSocket(_ characteristic: ObjectPath, device path: ObjectPath) {
        guard let socket = devices[path]?.writeSockets.removeValue(forKey: characteristic) else { return }
        socket.close()
        set("WriteAcquired", .boolean(false), of: Interface.characteristic, at: characteristic)
    }

    /// The sockets end with the link.
    func closeSockets(_ path: ObjectPath) {
        for characteristic in devices[path]?.notifySockets.keys.sorted() ?? [] {
            closeNotifySocket(characteristic, device: path)
        }
        for characteristic in devices[path]?.writeSockets.keys.sorted() ?? [] {
            closeWriteSocket(characteristic, device: path)
        }
    }
}

/// The daemon's end of a socket that `AcquireNotify` or `AcquireWrite` handed out: one packet for each value.
final class AcquiredSocket: Sendable {
    private let descriptor: Int32
    /// All use of the descriptor is on this queue, so that it is closed after the last use.
    private let queue = DispatchQueue(label: "acquired socket")
    // Dispatch sources may be used from any thread; their Swift declaration on Linux lacks `Sendable`.
    private nonisolated(unsafe) let source: any DispatchSourceRead

    /// - Parameters:
    ///   - received: called for each packet from the client.
    ///   - hungUp: called once when the client has closed its end, but not after `close`.
    /// - Returns: the socket and the client's end; nil if the system has no descriptors left.
    static func make(
        received: @escaping @Sendable ([UInt8]) -> Void, hungUp: @escaping @Sendable () -> Void
    ) -> (AcquiredSocket, DBusFileDescriptor)? {
        var ends: [Int32] = [-1, -1]
        let type = Int32(SOCK_SEQPACKET.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        guard socketpair(AF_UNIX, type, 0, &ends) == 0 else { return nil }
        return (AcquiredSocket(ends[0], received, hungUp), DBusFileDescriptor(owning: ends[1]))
    }

    private init(
        _ descriptor: Int32, _ received: @escaping @Sendable ([UInt8]) -> Void, _ hungUp: @escaping @Sendable () -> Void
    ) {
        self.descriptor = descriptor
        let source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
        self.source = source
        source.setEventHandler {
            var buffer = [UInt8](repeating: 0, count: 512)
            let count = recv(descriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT))
            if count > 0 { return received(Array(buffer.prefix(count))) }
            if count < 0, errno == EAGAIN || errno == EINTR { return }
            // Level-triggered: a closed end stays readable forever.
            source.cancel()
            hungUp()
        }
        source.setCancelHandler { _ = Glibc.close(descriptor) }
        source.activate()
    }

    /// A client that does not read loses packets, as with BlueZ.
    func send(_ packet: [UInt8]) {
        queue.async { [self] in
            guard !source.isCancelled else { return }
            _ = Glibc.send(descriptor, packet, packet.count, Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL))
        }
    }

    /// The client sees the end, after the packets that were sent before.
    func close() {
        queue.async { [self] in source.cancel() }
    }
}
