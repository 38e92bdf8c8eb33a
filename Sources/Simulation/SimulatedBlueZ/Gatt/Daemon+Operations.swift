import DBus

/// Operations over a link: each can be slow, fail, never end, or break the link.
extension Daemon {
    /// The attribute behind an object path, and its device.
    func attribute(at path: ObjectPath) -> (Device, Attribute)? {
        guard let device = devices.values.first(where: { path.isInside($0.path) && $0.path != path }),
            let attribute = device.attributes[path]
        else { return nil }
        return (device, attribute)
    }

    /// Carries an operation out after the time that it takes.
    /// - Parameters:
    ///   - secure: it needs an encrypted link; BlueZ pairs by itself if an agent lets it.
    ///   - body: what happens at the peripheral, and the answer to the caller.
    func operate(
        _ kind: Fault.Operation, _ request: Request, on path: ObjectPath, secure: Bool,
        _ body: @escaping @Sendable (isolated Daemon) throws(BlueZError) -> Void
    ) {
        guard let device = devices[path], device.link != nil else { return fail(request, .failed("Not connected")) }
        let number = nextNumber()
        devices[path]?.link?.operations[number] = request
        let disturbance = faults[device.address, default: FaultBook()].next(kind)
        if disturbance.stalls {
            return after(timing.attTimeout) { if $0.isPending(number, path) { $0.dropLink(path) } }
        }
        after(timing.operation + disturbance.delay) { daemon in
            guard daemon.isPending(number, path) else { return }
            if disturbance.drops { return daemon.dropLink(path) }
            if let error = disturbance.error { return daemon.finish(number, path) { _ throws(BlueZError) in throw .att(error) } }
            guard secure, daemon.devices[path]?.isBonded != true else { return daemon.finish(number, path, body) }
            daemon.secure(path) { daemon, isSecure in
                guard daemon.isPending(number, path) else { return }
                guard isSecure else {
                    return daemon.finish(number, path) { _ throws(BlueZError) in throw .att(.insufficientAuthentication) }
                }
                daemon.finish(number, path, body)
            }
        }
    }

    private func isPending(_ number: Int, _ path: ObjectPath) -> Bool { devices[path]?.link?.operations[number] != nil }

    private func finish(
        _ number: Int, _ path: ObjectPath, _ body: @Sendable (isolated Daemon) throws(BlueZError) -> Void
    ) {
        guard let request = devices[path]?.link?.operations.removeValue(forKey: number) else { return }
        do throws(BlueZError) {
            try body(self)
        } catch {
            fail(request, error)
        }
    }

    /// Whether a characteristic is only for encrypted links.
    func demandsEncryption(_ characteristic: SimulatedCharacteristic, of device: Device) -> Bool {
        characteristic.security == .encrypted || faults[device.address]?.demandsPairing == true
    }
}
