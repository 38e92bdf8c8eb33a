import DBus

/// org.bluez.AgentManager1.
extension Daemon {
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
            removeAgent(of: request.sender)
        }
        reply(request)
        showPairable()
    }

    func removeAgent(of client: String) {
        guard agents.remove(client) else { return }
        for path in devices.keys where devices[path]?.pairing?.agent?.client == client {
            finishPairing(path, .failure(.authenticationCanceled))
        }
        showPairable()
    }

    /// An adapter can be paired with as long as there is somebody to ask.
    private func showPairable() {
        for path in adapters.keys {
            set("Pairable", .boolean(agents.defaultAgent != nil), of: Interface.adapter, at: path)
        }
    }
}
