import DBus

/// A pairing under way.
struct Pairing: Sendable {
    let number: Int
    /// The `Pair` to answer; nil when an operation needs encryption.
    var request: Request?
    /// Who is asked; nil until the question is put.
    var agent: AgentList.Agent?
    var waiting: [@Sendable (isolated Daemon, Bool) -> Void] = []
}

/// `Pair`, and the pairing that BlueZ begins by itself when an attribute demands encryption.
extension Daemon {
    func pair(_ request: Request, _ device: Device) throws(BlueZError) {
        devices[device.path]?.isTemporary = false
        guard device.pairing == nil else { throw .inProgress }
        guard !device.isBonded else { throw .alreadyExists }
        devices[device.path]?.pairing = Pairing(number: nextNumber(), request: request)
        if device.link != nil { return beginPairing(device.path) }
        guard device.attempt == nil else { return }
        do throws(BlueZError) {
            try openLink(device.path, for: nil)
        } catch {
            devices[device.path]?.pairing = nil
            throw error
        }
    }

    func cancelPairing(_ request: Request, _ device: Device) throws(BlueZError) {
        guard let pairing = device.pairing else { throw .doesNotExist }
        if let agent = pairing.agent { ask(agent.client, agent.path, Interface.agent, "Cancel", []) }
        finishPairing(device.path, .failure(.authenticationCanceled))
        reply(request)
    }

    /// Makes the link secure, or says that it could not be done.
    func secure(_ path: ObjectPath, then: @escaping @Sendable (isolated Daemon, Bool) -> Void) {
        if devices[path]?.pairing != nil { return devices[path]?.pairing?.waiting.append(then) ?? () }
        guard agents.defaultAgent != nil else { return pairWithoutAgent(path) }
        devices[path]?.pairing = Pairing(number: nextNumber(), request: nil, waiting: [then])
        beginPairing(path)
    }

    /// 5.66 never answers an operation that needs encryption when there is no agent; half a minute later it drops the
    /// device altogether.
    private func pairWithoutAgent(_ path: ObjectPath) {
        guard let link = devices[path]?.link else { return }
        after(timing.attTimeout) { daemon in
            guard let open = daemon.devices[path]?.link, open.number == link.number else { return }
            daemon.unanswered += open.operations.values
            daemon.devices[path]?.link?.operations = [:]
            daemon.remove(path)
        }
    }

    /// The link is up: the peripheral and the agent are asked.
    func beginPairing(_ path: ObjectPath) {
        guard let device = devices[path], let pairing = device.pairing else { return }
        if let refusal = faults[device.address]?.pairingRefusal {
            return after(timing.operation) { $0.finishPairing(path, pairing.number, .failure(refusal)) }
        }
        let own = pairing.request.flatMap { agents.agent(of: $0.sender) }
        guard let agent = own ?? agents.defaultAgent, device.peripheral.pairing != .unsupported else {
            return after(timing.operation) { $0.finishPairing(path, pairing.number, .failure(.authenticationFailed)) }
        }
        devices[path]?.pairing?.agent = agent
        after(timing.operation) { $0.askAgent(agent, path, pairing) }
    }

    private func askAgent(_ agent: AgentList.Agent, _ path: ObjectPath, _ pairing: Pairing) {
        guard let device = devices[path], device.pairing?.number == pairing.number else { return }
        let object = DBusValue.objectPath(path)
        switch device.peripheral.pairing {
        case .comparison(let passkey) where !agent.isDumb:
            put("RequestConfirmation", [object, .uint32(passkey)], to: agent, path, pairing) { _ in true }
        case .entry(let passkey) where agent.canType:
            put("RequestPasskey", [object], to: agent, path, pairing) { $0.first?.intValue == Int(passkey) }
        case .entry:
            // The peripheral insists on its number, and there is nobody to type it.
            finishPairing(path, .failure(.authenticationFailed))
        case .justWorks, .comparison, .unsupported:
            // A client that calls Pair has shown that it means it; otherwise the user is asked.
            if pairing.request != nil { return finishPairing(path, .success(())) }
            put("RequestAuthorization", [object], to: agent, path, pairing) { _ in true }
        }
    }

    private func put(
        _ question: String, _ arguments: [DBusValue], to agent: AgentList.Agent, _ path: ObjectPath, _ pairing: Pairing,
        accept: @escaping @Sendable ([DBusValue]) -> Bool
    ) {
        ask(agent.client, agent.path, Interface.agent, question, arguments) { daemon, answer in
            var isAccepted = false
            if case .success(let values) = answer { isAccepted = accept(values) }
            daemon.finishPairing(path, pairing.number, isAccepted ? .success(()) : .failure(.authenticationFailed))
        }
    }

    private func finishPairing(_ path: ObjectPath, _ number: Int, _ outcome: Result<Void, BlueZError>) {
        guard devices[path]?.pairing?.number == number else { return }
        finishPairing(path, outcome)
    }

    /// Ends the pairing that is under way, if there is one.
    func finishPairing(_ path: ObjectPath, _ outcome: Result<Void, BlueZError>) {
        guard let device = devices[path], let pairing = device.pairing else { return }
        devices[path]?.pairing = nil
        switch outcome {
        case .success:
            devices[path]?.isBonded = true
            devices[path]?.isTemporary = false
            set("Bonded", .boolean(true), of: Interface.device, at: path)
            set("Paired", .boolean(true), of: Interface.device, at: path)
            if let request = pairing.request { reply(request) }
            events.add(.paired(device.address))
        case .failure(let error):
            if let request = pairing.request { fail(request, error) }
        }
        let isSecure = if case .success = outcome { true } else { false }
        for waiting in pairing.waiting { waiting(self, isSecure) }
    }
}
