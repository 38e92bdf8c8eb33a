import DBus

/// `AcquireNotify` and `AcquireWrite`: values over a socket instead of the bus.
extension Daemon {
    func acquireNotify(_ request: Request, _ target: Target) throws(BlueZError) {
        guard !quirks.hasNoAcquire else { throw .notSupported }
        guard target.device.link != nil else { throw .failed("Not connected") }
        if target.device.notifySockets[target.path] != nil { throw .notPermitted("Notify acquired") }
        if target.device.sessions[target.path] != nil { throw .inProgress }
        // Before 5.80 a characteristic that only indicates is refused.
        guard target.spec.properties.contains(.notify) else { throw .notSupported }
        let secure = demandsEncryption(target.spec, of: target.device)
        operate(.subscribe, request, on: target.device.path, secure: secure) { daemon throws(BlueZError) in
            try daemon.subscribe(target)
            let (socket, clientEnd) = try daemon.makeSocket(
                received: { _, _ in }, hungUp: { $0.closeNotifySocket(target.path, device: target.device.path) })
            daemon.devices[target.device.path]?.notifySockets[target.path] = socket
            daemon.reply(request, [.fileDescriptor(clientEnd), .uint16(target.device.peripheral.mtu)])
            daemon.set("NotifyAcquired", .boolean(true), of: Interface.characteristic, at: target.path)
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
        reply(request, [.fileDescriptor(clientEnd), .uint16(target.device.peripheral.mtu)])
        set("WriteAcquired", .boolean(true), of: Interface.characteristic, at: target.path)
    }

    private func makeSocket(
        received: @escaping @Sendable (isolated Daemon, [UInt8]) -> Void, hungUp: @escaping Action
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
        Task {
            for await packet in events {
                if let packet { self.perform { received($0, packet) } } else { self.perform(hungUp) }
            }
        }
        return pair
    }

    func closeNotifySocket(_ characteristic: ObjectPath, device path: ObjectPath) {
        guard let socket = devices[path]?.notifySockets.removeValue(forKey: characteristic) else { return }
        socket.close()
        if devices[path]?.link != nil { tellPeripheral(characteristic, subscribed: false) }
        set("NotifyAcquired", .boolean(false), of: Interface.characteristic, at: characteristic)
    }

    func closeWriteSocket(_ characteristic: ObjectPath, device path: ObjectPath) {
        guard let socket = devices[path]?.writeSockets.removeValue(forKey: characteristic) else { return }
        socket.close()
        set("WriteAcquired", .boolean(false), of: Interface.characteristic, at: characteristic)
    }

    /// With the link, the sockets end.
    func closeSockets(_ path: ObjectPath) {
        for characteristic in devices[path]?.notifySockets.keys.sorted() ?? [] {
            closeNotifySocket(characteristic, device: path)
        }
        for characteristic in devices[path]?.writeSockets.keys.sorted() ?? [] {
            closeWriteSocket(characteristic, device: path)
        }
    }
}
