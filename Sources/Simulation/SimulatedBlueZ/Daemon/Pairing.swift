import DBus

/// A pairing in progress.
struct Pairing: Sendable {
    let number: Int
    /// The `Pair` call to answer; nil if an operation needs encryption.
    var request: Request?
    /// The agent that is asked; nil until the question is sent.
    var agent: AgentList.Agent?
    var waiting: [@Sendable (isolated SimulatedDaemon, Bool) -> Void] = []
}

/// `Pair`, and the pairing that BlueZ starts automatically when an attribute requires encryption.
extension SimulatedDaemon {
    func pair(_ request: Request, _ device: Device) throws(BlueZError) {
        devices[device.path]?.isTemporary = false
        guard device.pairing == nil else { throw .inProgress }
        guard adapters[device.adapter]?.isPowered == true else { throw .authenticationFailed }
        let number = nextNumber()
        devices[device.path]?.pairing = Pairing(number: number, request: request)
        // 5.66 tries to pair an LE-paired device over Bluetooth Classic (`pair_device` in src/device.c), and the
        // connection fails.
        if device.isBonded {
            return after(timing.connectTimeout) {
                $0.finishPairing(device.path, number, .failure(.connectionAttemptFailed))
            }
        }
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
        if let agent = pairing.agent { notify(agent.client, agent.path, Interface.agent, "Cancel") }
        finishPairing(device.path, .failure(.authenticationCanceled))
        reply(request)
    }

    /// Encrypts the link, or reports that this failed.
    func secure(_ path: ObjectPath, then: @escaping @Sendable (isolated SimulatedDaemon, Bool) -> Void) {
        if devices[path]?.pairing != nil { return devices[path]?.pairing?.waiting.append(then) ?? () }
        guard agents.defaultAgent != nil else { return pairWithoutAgent(path) }
        devices[path]?.pairing = Pairing(number: nextNumber(), request: nil, waiting: [then])
        beginPairing(path)
    }

    /// Without an agent 5.66 never answers an operation that needs encryption. Half a minute later, when the timeout of
    /// the security manager expires, it removes the device; a trusted device stays. (The ATT timeout expires then too:
    /// if that timer is the first, the operation fails as on a link that drops.)
    private func pairWithoutAgent(_ path: ObjectPath) {
        guard let link = devices[path]?.link else { return }
        after(timing.attTimeout) { daemon in
            guard let device = daemon.devices[path], let open = device.link, open.number == link.number else { return }
            daemon.unanswered += open.operations.values.flatMap(\.requests)
            daemon.devices[path]?.link?.operations = [:]
            if !device.isTrusted { daemon.remove(path) }
        }
    }

    /// Called when the link is up: the peripheral and the agent are asked.
    func beginPairing(_ path: ObjectPath) {
        guard let device = devices[path], let pairing = device.pairing else { return }
        if let refusal = faults[device.address]?.pairingRefusal {
            return after(timing.operation) { daemon in
                guard daemon.devices[path]?.pairing?.number == pairing.number else { return }
                daemon.finishPairing(path, .failure(refusal))
                // The kernel ends a link on which the peripheral refused to pair.
                if pairing.request != nil { daemon.dropLink(path) }
            }
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
        case .comparison(let passkey) where !agent.hasNoInputNoOutput:
            put("RequestConfirmation", [object, .uint32(passkey)], to: agent, path, pairing) { _ in true }
        case .entry(let passkey) where agent.canType:
            put("RequestPasskey", [object], to: agent, path, pairing) { $0.first?.intValue == Int(passkey) }
        case .entry:
            // The peripheral requires its number to be entered, and there is no agent for it.
            finishPairing(path, .failure(.authenticationFailed))
        case .justWorks, .comparison, .unsupported:
            // A client that calls Pair has confirmed its intent; otherwise the user is asked.
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

    /// Shows a pairing that has succeeded, and answers its caller.
    func showPaired(_ path: ObjectPath) {
        guard let pairing = devices[path]?.paired else { return }
        devices[path]?.paired = nil
        set("Paired", .boolean(true), of: Interface.device, at: path)
        if let request = pairing.request { reply(request) }
    }

    private func finishPairing(_ path: ObjectPath, _ number: Int, _ outcome: Result<Void, BlueZError>) {
        guard devices[path]?.pairing?.number == number else { return }
        finishPairing(path, outcome)
    }

    /// Ends the pairing in progress, if there is one.
    func finishPairing(_ path: ObjectPath, _ outcome: Result<Void, BlueZError>) {
        guard let device = devices[path], let pairing = device.pairing else { return }
        devices[path]?.pairing = nil
        switch outcome {
        case .success:
            devices[path]?.isBonded = true
            devices[path]?.isTemporary = false
            // The link is encrypted, and the operations that waited for it are answered, before the keys have arrived.
            for waiting in pairing.waiting { waiting(self, true) }
            set("Bonded", .boolean(true), of: Interface.device, at: path)
            // The object keeps its path (`device_update_addr` in src/device.c).
            if let identity = device.peripheral.identityAddress {
                set("Address", .string(identity), of: Interface.device, at: path)
            }
            devices[path]?.paired = pairing
            // 5.66 shows the pairing, and answers, when it knows the services.
            if tree.value("ServicesResolved", of: Interface.device, at: path) == .boolean(true) { showPaired(path) }
            events.add(.paired(device.address))
        case .failure(let error):
            if let request = pairing.request { fail(request, error) }
            for waiting in pairing.waiting { waiting(self, false) }
        }
    }
}

/// org.bluez.AgentManager1.
extension SimulatedDaemon {
    func agentManagerMethod(_ request: Request) throws(BlueZError) {
        guard let path = request.arguments.first?.pathValue else { throw .invalidArguments }
        switch request.member {
        case "RegisterAgent":
            try agents.register(request.sender, path, capability: request.arguments[1].stringValue ?? "")
            if departed.contains(request.sender) { agents.remove(request.sender) }
        case "RequestDefaultAgent":
            try agents.makeDefault(request.sender, path)
        default:
            guard agents.agent(of: request.sender)?.path == path else { throw .doesNotExist }
            endAgent(of: request.sender)
        }
        reply(request)
        showPairable()
    }

    /// A client with an agent has left the bus.
    func removeAgent(of client: String) {
        endAgent(of: client)
        showPairable()
    }

    private func endAgent(of client: String) {
        guard agents.remove(client) else { return }
        for path in devices.keys where devices[path]?.pairing?.agent?.client == client {
            finishPairing(path, .failure(.authenticationCanceled))
        }
    }

    /// An adapter is pairable as long as there is an agent.
    private func showPairable() {
        for path in adapters.keys {
            set("Pairable", .boolean(agents.defaultAgent != nil), of: Interface.adapter, at: path)
        }
    }
}

/// The agents that answer questions about pairing.
struct AgentList: Sendable {
    struct Agent: Sendable, Hashable {
        let client: String
        let path: ObjectPath
        let capability: String

        /// Neither screen nor keys: it cannot show or enter numbers.
        var hasNoInputNoOutput: Bool { capability == "NoInputNoOutput" }
        var canType: Bool { ["KeyboardOnly", "KeyboardDisplay"].contains(capability) }
    }

    private var agents: [String: Agent] = [:]
    /// Clients in the order in which they are the default: the first client stays first until another requests to be
    /// the default.
    private var order: [String] = []

    func agent(of client: String) -> Agent? { agents[client] }
    var defaultAgent: Agent? { order.first.flatMap { agents[$0] } }

    mutating func register(_ client: String, _ path: ObjectPath, capability: String) throws(BlueZError) {
        guard agents[client] == nil else { throw .alreadyExists }
        guard let capability = Self.capability(capability) else { throw .invalidArguments }
        agents[client] = Agent(client: client, path: path, capability: capability)
        order.append(client)
    }

    mutating func makeDefault(_ client: String, _ path: ObjectPath) throws(BlueZError) {
        guard agents[client]?.path == path else { throw .doesNotExist }
        order = [client] + order.filter { $0 != client }
    }

    /// - Returns: false if the client had none.
    @discardableResult
    mutating func remove(_ client: String) -> Bool {
        order.removeAll { $0 == client }
        return agents.removeValue(forKey: client) != nil
    }

    private static func capability(_ text: String) -> String? {
        if text.isEmpty { return "KeyboardDisplay" }
        let known = ["DisplayOnly", "DisplayYesNo", "KeyboardOnly", "NoInputNoOutput", "KeyboardDisplay"]
        return known.contains(text) ? text : nil
    }
}
