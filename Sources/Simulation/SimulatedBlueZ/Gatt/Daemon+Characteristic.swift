import DBus

/// org.bluez.GattCharacteristic1: reading and writing.
extension Daemon {
    func characteristicMethod(_ request: Request) throws(BlueZError) {
        guard let (device, attribute) = attribute(at: request.path), case .characteristic(let id, let spec) = attribute
        else { throw .failed("Not connected") }
        let target = Target(device: device, id: id, spec: spec, path: request.path)
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

    private func readValue(_ request: Request, _ target: Target) throws(BlueZError) {
        guard target.device.link != nil else { throw .failed("Not connected") }
        let offset = try request.options(at: 0).offset
        let secure = demandsEncryption(target.spec, of: target.device)
        operate(.read, request, on: target.device.path, secure: secure) { daemon throws(BlueZError) in
            guard target.spec.properties.contains(.read) else { throw .att(.readNotPermitted) }
            let value = try daemon.valueOf(target)
            guard offset <= value.count else { throw .att(.invalidOffset) }
            let part = Array(value.dropFirst(offset))
            daemon.announce("Value", .bytes(part), of: Interface.characteristic, at: target.path)
            daemon.reply(request, [.bytes(part)])
            daemon.events.add(.read(target.device.address, target.id.characteristic))
        }
    }

    private func valueOf(_ target: Target) throws(BlueZError) -> [UInt8] {
        do throws(ATTError) {
            return target.id.service == .genericAttribute ? [] : try target.device.peripheral.read(target.id)
        } catch {
            throw .att(error)
        }
    }

    /// Which kind of write it is: what the caller says, else a request where the peripheral takes requests.
    private func writeValue(_ request: Request, _ target: Target) throws(BlueZError) {
        guard target.device.link != nil else { throw .failed("Not connected") }
        guard target.device.writeSockets[target.path] == nil else { throw .notPermitted("Write acquired") }
        guard let value = request.arguments.first?.bytesValue else { throw .invalidArguments }
        let (offset, type) = try request.options(at: 1)
        switch type {
        case "request", "reliable": writeRequest(value, request, target)
        case nil where target.spec.properties.contains(.write): writeRequest(value, request, target)
        case nil where target.spec.properties.contains(.writeWithoutResponse) && offset == 0: command(value, request, target)
        case "command" where offset == 0: command(value, request, target)
        default: throw .notSupported
        }
    }

    private func writeRequest(_ value: [UInt8], _ request: Request, _ target: Target) {
        let secure = demandsEncryption(target.spec, of: target.device)
        operate(.write, request, on: target.device.path, secure: secure) { daemon throws(BlueZError) in
            guard target.spec.properties.contains(.write) else { throw .att(.writeNotPermitted) }
            do throws(ATTError) {
                try target.device.peripheral.write(value, to: target.id)
            } catch {
                throw .att(error)
            }
            daemon.reply(request)
            daemon.events.add(.wrote(target.device.address, target.id.characteristic, value))
        }
    }

    private func command(_ value: [UInt8], _ request: Request, _ target: Target) {
        reply(request)
        command(value, target)
    }

    /// A write without response: nobody hears whether it arrives.
    func command(_ value: [UInt8], _ target: Target) {
        let path = target.device.path
        let link = devices[path]?.link?.number
        let disturbance = faults[target.device.address, default: FaultBook()].next(.write)
        after(disturbance.delay) { daemon in
            guard let device = daemon.devices[path], device.link?.number == link else { return }
            if disturbance.drops { return daemon.dropLink(path) }
            guard !disturbance.stalls, disturbance.error == nil,
                target.spec.properties.contains(.writeWithoutResponse),
                device.isBonded || !daemon.demandsEncryption(target.spec, of: device)
            else { return }
            // An error has no way back; the packet is simply not heard.
            try? device.peripheral.write(value, to: target.id)
            daemon.events.add(.wrote(device.address, target.id.characteristic, value))
        }
    }
}
