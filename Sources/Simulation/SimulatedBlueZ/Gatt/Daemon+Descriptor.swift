import DBus

/// org.bluez.GattDescriptor1.
extension Daemon {
    func descriptorMethod(_ request: Request) throws(BlueZError) {
        guard let (device, attribute) = attribute(at: request.path), device.link != nil,
            case .descriptor(let characteristic, let descriptor) = attribute
        else { throw .failed("Not connected") }
        if request.member == "WriteValue" {
            _ = try request.options(at: 1)
            // The client configuration belongs to StartNotify and StopNotify; the others have fixed values here.
            throw .notPermitted("Write not permitted")
        }
        let offset = try request.options(at: 0).offset
        operate(.read, request, on: device.path, secure: false) { daemon throws(BlueZError) in
            var value = descriptor.value
            if descriptor.uuid == .clientConfiguration {
                let isSubscribed = daemon.devices[device.path]?.sessions[characteristic]?.isEmpty == false
                value = [isSubscribed ? daemon.configuration(of: characteristic) : 0, 0]
            }
            guard offset <= value.count else { throw .att(.invalidOffset) }
            let part = Array(value.dropFirst(offset))
            daemon.announce("Value", .bytes(part), of: Interface.descriptor, at: request.path)
            daemon.reply(request, [.bytes(part)])
        }
    }

    /// 1 for notifications, 2 for indications (Bluetooth Core, Vol 3, Part G, 3.3.3.3).
    private func configuration(of path: ObjectPath) -> UInt8 {
        guard case .characteristic(_, let spec)? = attribute(at: path)?.1 else { return 0 }
        return spec.properties.contains(.notify) ? 1 : 2
    }
}
