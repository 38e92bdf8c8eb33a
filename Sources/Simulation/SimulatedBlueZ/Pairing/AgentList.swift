import DBus

/// Who answers questions about pairing.
struct AgentList: Sendable {
    struct Agent: Sendable, Hashable {
        let client: String
        let path: ObjectPath
        let capability: String

        /// Neither screen nor keys: numbers are out of the question.
        var isDumb: Bool { capability == "NoInputNoOutput" }
        var canType: Bool { ["KeyboardOnly", "KeyboardDisplay"].contains(capability) }
    }

    private var agents: [String: Agent] = [:]
    /// Clients in the order in which they are the default: the first to come stays first until another asks for it.
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

    /// - Returns: false when the client had none.
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
