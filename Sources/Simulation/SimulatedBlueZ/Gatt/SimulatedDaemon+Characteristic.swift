import DBus

/// org.bluez.GattCharacteristic1: reading and writing.
extension SimulatedDaemon {
    func characteristicMethod(_ request: Request) throws(BlueZError) {
        guard let target = target(at: request.path) else { throw .failed("Not connected") }
        switch request.member {
        case "ReadValue": try readValue(request, target)
        case "WriteValue": try writeValue(request, target)
        case "StartNotify": try startNotify(request, target)
        case "StopNotify": try stopNotify(request, target)
        case "AcquireNotify": try acquireNotify(request, target)
        default: try acquireWrite(request, target)
        }
    }

    /// The characteristic that a call is about.
    struct Target: Sendable {
        let device: Device
        let id: CharacteristicID
        let spec: SimulatedCharacteristic
        let path: ObjectPath
    }

    func target(at path: ObjectPath) -> Target? {
        guard let (device, attribute) = attribute(at: path), case .characteristic(let id, let spec) = attribute else {
            return nil
        }
        return Target(device: device, id: id, spec: spec, path: path)
    }

    private func readValue(_ request: Request, _ target: Target) throws(BlueZError) {
        guard target.device.link != nil else { throw .failed("Not connected") }
        let offset = try request.options(at: 0).offset
        let secure = demandsEncryption(target.spec, of: target.device)
        guard try !joinsRead(request, offset, of: target.device.path) else { return }
        let operation = Operation(kind: .read, attribute: target.path, offset: offset, requests: [request])
        operate(operation, on: target.device.path, secure: secure) { daemon throws(BlueZError) in
            guard target.spec.properties.contains(.read) else { throw .att(.readNotPermitted) }
            let value = try daemon.valueOf(target)
            guard offset <= value.count else { throw .att(.invalidOffset) }
            let part = Array(value.dropFirst(offset))
            daemon.announce("Value", .bytes(part), of: Interface.characteristic, at: target.path)
            daemon.events.add(.read(target.device.address, target.id.characteristic))
            return [.bytes(part)]
        }
    }

    /// Whether the attribute is being read already: the call gets the same answer.
    private func joinsRead(_ request: Request, _ offset: Int, of path: ObjectPath) throws(BlueZError) -> Bool {
        guard let number = pendingOperation(.read, on: request.path, of: path) else { return false }
        guard devices[path]?.link?.operations[number]?.offset == offset else { throw .inProgress }
        devices[path]?.link?.operations[number]?.requests.append(request)
        return true
    }

    private func valueOf(_ target: Target) throws(BlueZError) -> [UInt8] {
        do throws(ATTError) {
            return target.id.service == .genericAttribute ? [] : try target.device.peripheral.read(target.id)
        } catch {
            throw .att(error)
        }
    }

    /// The kind of write: the one that the caller states, else a request if the peripheral supports requests.
    private func writeValue(_ request: Request, _ target: Target) throws(BlueZError) {
        guard target.device.link != nil else { throw .failed("Not connected") }
        guard target.device.writeSockets[target.path] == nil else { throw .notPermitted("Write acquired") }
        guard pendingOperation(.write, on: target.path, of: target.device.path) == nil else { throw .inProgress }
        guard let value = request.arguments.first?.bytesValue else { throw .invalidArguments }
        let (offset, type) = try request.options(at: 1)
        switch type {
        case "request", "reliable": writeRequest(value, request, target)
        case nil where target.spec.properties.contains(.write): writeRequest(value, request, target)
        case nil where target.spec.properties.contains(.writeWithoutResponse) && offset == 0:
            try command(value, request, target)
        case "command" where offset == 0: try command(value, request, target)
        default: throw .notSupported
        }
    }

    /// Bytes of the longest attribute value (Bluetooth Core, Vol 3, Part F, 3.2.9).
    private static let maximumValue = 512

    private func writeRequest(_ value: [UInt8], _ request: Request, _ target: Target) {
        let secure = demandsEncryption(target.spec, of: target.device)
        let operation = Operation(kind: .write, attribute: target.path, requests: [request])
        operate(operation, on: target.device.path, secure: secure) { daemon throws(BlueZError) in
            guard value.count <= Self.maximumValue else { throw .att(.invalidLength) }
            guard target.spec.properties.contains(.write) else { throw .att(.writeNotPermitted) }
            do throws(ATTError) {
                try target.device.peripheral.write(value, to: target.id)
            } catch {
                throw .att(error)
            }
            daemon.events.add(.wrote(target.device.address, target.id.characteristic, value))
            return []
        }
    }

    private func command(_ value: [UInt8], _ request: Request, _ target: Target) throws(BlueZError) {
        // It must fit into one packet, after the opcode and the handle.
        guard value.count <= Int(target.device.peripheral.mtu) - 3 else { throw .failed("Failed to initiate write") }
        let effects = faults[target.device.address, default: InjectedFaults()].next(.write)
        if let refusal = effects.refusal { throw refusal }
        reply(request)
        command(value, target, effects)
    }

    /// A write without response over a socket.
    func command(_ value: [UInt8], _ target: Target) {
        command(value, target, faults[target.device.address, default: InjectedFaults()].next(.write))
    }

    /// A write without response: the sender does not learn whether it arrives.
    private func command(_ value: [UInt8], _ target: Target, _ effects: FaultEffects) {
        let path = target.device.path
        let link = devices[path]?.link?.number
        after(effects.delay) { daemon in
            guard let device = daemon.devices[path], device.link?.number == link else { return }
            if effects.drops { return daemon.dropLink(path) }
            guard !effects.stalls, effects.error == nil, daemon.faults[device.address]?.hasStaleHandles != true,
                target.spec.properties.contains(.writeWithoutResponse),
                device.isBonded || !daemon.demandsEncryption(target.spec, of: device)
            else { return }
            // An error cannot be returned; the packet is dropped.
            try? device.peripheral.write(value, to: target.id)
            daemon.events.add(.wrote(device.address, target.id.characteristic, value))
        }
    }
}

/// Operations over a link: each can be slow, fail, never end, or break the link.
extension SimulatedDaemon {
    /// The attribute behind an object path, and its device.
    func attribute(at path: ObjectPath) -> (Device, Attribute)? {
        guard let device = devices.values.first(where: { path.isInside($0.path) && $0.path != path }),
            let attribute = device.attributes[path]
        else { return nil }
        return (device, attribute)
    }

    /// Performs an operation after the operations before it and the time that it takes.
    /// - Parameters:
    ///   - operation: includes the call that starts it.
    ///   - secure: it needs an encrypted link; BlueZ pairs automatically if an agent permits it.
    ///   - body: what happens at the peripheral; returns the reply to all callers.
    func operate(
        _ operation: Operation, on path: ObjectPath, secure: Bool,
        _ body: @escaping @Sendable (isolated SimulatedDaemon) throws(BlueZError) -> [DBusValue]
    ) {
        guard devices[path]?.link != nil else {
            for request in operation.requests { fail(request, .failed("Not connected")) }
            return
        }
        let number = nextNumber()
        var operation = operation
        operation.send = { $0.sendRequest(number, on: path, secure: secure, body) }
        devices[path]?.link?.operations[number] = operation
        sendNext(path)
    }

    /// ATT carries one request at a time (Bluetooth Core, Vol 3, Part F, 3.3.2): BlueZ keeps the others until that one
    /// is answered, or its timeout ends the link (`pick_next_send_op` in `src/shared/att.c`).
    private func sendNext(_ path: ObjectPath) {
        guard let (number, operation) = devices[path]?.link?.operations.min(by: { $0.key < $1.key }), !operation.isSent
        else { return }
        devices[path]?.link?.operations[number]?.isSent = true
        operation.send(self)
    }

    private func sendRequest(
        _ number: Int, on path: ObjectPath, secure: Bool,
        _ body: @escaping @Sendable (isolated SimulatedDaemon) throws(BlueZError) -> [DBusValue]
    ) {
        guard let device = devices[path], let operation = device.link?.operations[number] else { return }
        let effects = faults[device.address, default: InjectedFaults()].next(operation.kind)
        if effects.stalls {
            return after(timing.attTimeout) { if $0.isPending(number, path) { $0.timeOut(path) } }
        }
        after(timing.operation + effects.delay) { daemon in
            guard daemon.isPending(number, path) else { return }
            if effects.drops { return daemon.dropLink(path) }
            if let refusal = effects.refusal {
                return daemon.finish(number, path) { _ throws(BlueZError) in throw refusal }
            }
            let isStale = daemon.faults[device.address]?.hasStaleHandles == true
            // 0x01: invalid handle (Bluetooth Core, Vol 3, Part F, 3.4.1.1).
            if let error = isStale ? ATTError(0x01) : effects.error {
                return daemon.finish(number, path) { _ throws(BlueZError) in throw .att(error) }
            }
            guard secure, daemon.devices[path]?.isBonded != true else { return daemon.finish(number, path, body) }
            daemon.secure(path) { daemon, isSecure in
                guard daemon.isPending(number, path) else { return }
                guard isSecure else {
                    return daemon.finish(number, path) { _ throws(BlueZError) in throw .att(.insufficientAuthentication)
                    }
                }
                daemon.finish(number, path, body)
            }
        }
    }

    /// The number of an operation of this kind that waits for an answer of the attribute.
    func pendingOperation(_ kind: Fault.Operation, on attribute: ObjectPath, of path: ObjectPath) -> Int? {
        devices[path]?.link?.operations.first { $0.value.kind == kind && $0.value.attribute == attribute }?.key
    }

    private func isPending(_ number: Int, _ path: ObjectPath) -> Bool { devices[path]?.link?.operations[number] != nil }

    private func finish(
        _ number: Int, _ path: ObjectPath,
        _ body: @Sendable (isolated SimulatedDaemon) throws(BlueZError) -> [DBusValue]
    ) {
        guard let operation = devices[path]?.link?.operations.removeValue(forKey: number) else { return }
        do throws(BlueZError) {
            let values = try body(self)
            for request in operation.requests { reply(request, values) }
        } catch {
            operation.failed(self)
            for request in operation.requests { fail(request, error) }
        }
        sendNext(path)
    }

    /// Whether a characteristic requires an encrypted link.
    func demandsEncryption(_ characteristic: SimulatedCharacteristic, of device: Device) -> Bool {
        characteristic.security == .encrypted || faults[device.address]?.demandsPairing == true
    }
}

/// org.bluez.GattDescriptor1.
extension SimulatedDaemon {
    func descriptorMethod(_ request: Request) throws(BlueZError) {
        guard let (device, attribute) = attribute(at: request.path), device.link != nil,
            case .descriptor(let characteristic, let descriptor) = attribute
        else { throw .failed("Not connected") }
        if request.member == "WriteValue" { return try writeDescriptor(request, device, descriptor) }
        let offset = try request.options(at: 0).offset
        guard try !joinsRead(request, offset, of: device.path) else { return }
        let operation = Operation(kind: .read, attribute: request.path, offset: offset, requests: [request])
        operate(operation, on: device.path, secure: false) { daemon throws(BlueZError) in
            var value = daemon.devices[device.path]?.writtenDescriptors[request.path] ?? descriptor.value
            if descriptor.uuid == .clientConfiguration {
                let isSubscribed = daemon.devices[device.path]?.registered[characteristic]?.isEmpty == false
                value = [isSubscribed ? daemon.configuration(of: characteristic) : 0, 0]
            }
            guard offset <= value.count else { throw .att(.invalidOffset) }
            let part = Array(value.dropFirst(offset))
            daemon.announce("Value", .bytes(part), of: Interface.descriptor, at: request.path)
            return [.bytes(part)]
        }
    }

    /// `descriptor_write_value` in `src/gatt-client.c` of 5.66: always a request, in parts if it is long.
    private func writeDescriptor(_ request: Request, _ device: Device, _ descriptor: SimulatedDescriptor)
        throws(BlueZError)
    {
        guard pendingOperation(.write, on: request.path, of: device.path) == nil else { throw .inProgress }
        guard let value = request.arguments.first?.bytesValue else { throw .invalidArguments }
        _ = try request.options(at: 1)
        // The client configuration belongs to StartNotify and StopNotify.
        guard descriptor.uuid != .clientConfiguration else { throw .notPermitted("Write not permitted") }
        let operation = Operation(kind: .write, attribute: request.path, requests: [request])
        operate(operation, on: device.path, secure: false) { daemon throws(BlueZError) in
            guard value.count <= Self.maximumValue else { throw .att(.invalidLength) }
            guard descriptor.isWritable else { throw .att(.writeNotPermitted) }
            daemon.devices[device.path]?.writtenDescriptors[request.path] = value
            return []
        }
    }

    /// 1 for notifications, 2 for indications (Bluetooth Core, Vol 3, Part G, 3.3.3.3).
    private func configuration(of path: ObjectPath) -> UInt8 {
        guard case .characteristic(_, let spec)? = attribute(at: path)?.1 else { return 0 }
        return spec.properties.contains(.notify) ? 1 : 2
    }
}
