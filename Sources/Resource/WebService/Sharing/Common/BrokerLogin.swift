internal import MQTT
internal import Settings
internal import StepDomain
internal import Support

/// A broker of the configuration, and what destinations do there.
struct BrokerLogin: Sendable {
    /// Checked, but without the password.
    let broker: MQTTBroker
    let password: SecretSource?
    let environment: DestinationEnvironment

    /// Reasons why the password cannot be used.
    func problems() -> [String] {
        ShareFailure.reasons { () throws(ShareFailure) in _ = try loggedIn() }
    }

    /// What `publish` would send.
    func preview(of messages: [MQTTMessage]) -> String {
        let login = broker.username.map { " as \($0)" + (password == nil ? "" : ", password \(Secret(""))") } ?? ""
        let texts = messages.map {
            let kind = $0.payload.isEmpty ? "retained, empty: removes what is there" : "retained"
            return "\($0.topic) (\(kind))\n\(String(decoding: $0.payload, as: UTF8.self))"
        }
        return (["To \(broker)\(login)"] + texts).joined(separator: "\n\n")
    }

    /// Returns when the broker has acknowledged all messages.
    func publish(_ messages: [MQTTMessage]) async throws(ShareFailure) {
        try await asking { (broker) throws(MQTTError) in try await MQTT.publish(messages, to: broker) }
    }

    func check() async throws(ShareFailure) -> String {
        try await asking { (broker) throws(MQTTError) in try await MQTT.check(broker) }
        return "the broker \(broker) accepts the login; publishing was not tested"
    }

    private func asking(_ body: (MQTTBroker) async throws(MQTTError) -> Void) async throws(ShareFailure) {
        let broker = try loggedIn()
        do throws(MQTTError) {
            try await body(broker)
        } catch {
            let kind: ShareFailure.Kind =
                switch error {
                case .notSent, .cancelled(wasSent: false): .unreachable
                case .unanswered, .cancelled(wasSent: true): .unanswered
                case .refused(credentials: true, _), .refusedInPart(credentials: true, _): .credentials
                // What it refuses is the same for every day: another version, no retained messages, a name.
                case .refused(credentials: false, _), .refusedInPart(credentials: false, _), .libraryMissing:
                    .misconfigured
                }
            let isPartial = if case .refusedInPart = error { true } else { false }
            throw ShareFailure(kind, error.description, advice: error.advice, isPartial: isPartial)
        }
    }

    private func loggedIn() throws(ShareFailure) -> MQTTBroker {
        guard let password else { return broker }
        let secret = try password.secret(environment.variables)
        do {
            return try broker.with(password: secret)
        } catch {
            throw ShareFailure(.misconfigured, error.description)
        }
    }
}

/// A destination that publishes messages, which the broker keeps.
protocol BrokerDestination: ConfiguredDestination {
    var login: BrokerLogin { get }
    func messages(_ payloads: [SharePayload]) throws(ShareFailure) -> [MQTTMessage]
}

extension BrokerDestination {
    func problems() -> [String] { login.problems() }

    func preview(_ payloads: [SharePayload]) throws(ShareFailure) -> String {
        login.preview(of: try messages(payloads))
    }

    func deliver(_ payloads: [SharePayload]) async throws(ShareFailure) -> [ShareReceipt] {
        try await login.publish(try messages(payloads))
        return payloads.map { _ in ShareReceipt() }
    }

    func check() async throws(ShareFailure) -> String { try await login.check() }
}

extension MQTTMessage {
    /// A message that the broker keeps.
    static func retained(_ topic: String, _ payload: String) throws(ShareFailure) -> MQTTMessage {
        do {
            return try MQTTMessage(topic: topic, payload: Array(payload.utf8))
        } catch {
            throw ShareFailure(.misconfigured, error.description)
        }
    }
}

extension TableReader {
    /// The keys `host`, `port`, `tls`, `ca_file`, `insecure`, `username` and `password_…`.
    mutating func brokerLogin(_ context: DestinationContext) -> BrokerLogin? {
        let host = requireText("host", "the name or address of the broker, such as homeassistant.local")
        let port = integer("port", in: 1...65_535, "a port")
        let isEncrypted = flag("tls") ?? false
        let authorities = authorities()
        if authorities != nil, !isEncrypted { refuse("ca_file", expected: "left out without tls = true") }
        let isInsecure = flag("insecure") ?? false
        let username = text("username", "the user's name at the broker")
        let password = secret("password", isRequired: false)
        guard let host else { return nil }
        do {
            let broker = try MQTTBroker(
                host: host, port: port, tls: isEncrypted, username: username, authorities: authorities,
                insecure: isInsecure)
            return BrokerLogin(broker: broker, password: password, environment: context.environment)
        } catch {
            refuse("host", expected: "a broker (\(error.description))")
            return nil
        }
    }
}
