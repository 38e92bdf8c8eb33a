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
    /// The last one asks; when it goes, the one before.
    private var defaults: [String] = []

    func agent(of client: String) -> Agent? { agents[client] }
    var defaultAgent: Agent? { defaults.last.flatMap { agents[$0] } }

    mutating func register(_ client: String, _ path: ObjectPath, capability: String) throws(BlueZError) {
        guard agents[client] == nil else { throw .alreadyExists }
        guard let capability = Self.capability(capability) else { throw .invalidArguments }
        agents[client] = Agent(client: client, path: path, capability: capability)
    }

    mutating func makeDefault(_ client: String, _ path: ObjectPath) throws(BlueZError) {
        guard agents[client]?.path == path else { throw .doesNotExist }
        defaults.removeAll { $0 == client }
        defaults.append(client)
    }

    /// - Returns: false when the client had none.
    @discardableResult
    mutating func remove(_ client: String) -> Bool {
        defaults.removeAll { $0 == client }
        return agents.removeValue(forKey: client) != nil
    }

    private static func capability(_ text: String) -> String? {
        if text.isEmpty { return "KeyboardDisplay" }
        let known = ["DisplayOnly", "DisplayYesNo", "KeyboardOnly", "NoInputNoOutput", "KeyboardDisplay"]
        return known.contains(text) ? text : nil
    }
}
