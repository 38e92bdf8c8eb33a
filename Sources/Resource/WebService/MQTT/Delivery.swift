/// The state machine of publishing: it turns the broker's answers into the next action. It performs no action itself.
struct Delivery {
    enum Event: Hashable {
        /// An answer to CONNECT.
        case connected(BrokerCode, retains: Bool)
        /// An answer to PUBLISH.
        case acknowledged(Int, BrokerCode)
        /// A DISCONNECT of the broker.
        case disconnected(BrokerCode)
        /// The connection is lost. `mayBeOld`: a broker that does not know MQTT 5 may end it like this.
        case lost(String, mayBeOld: Bool = false)
    }

    enum Action: Hashable {
        case wait
        /// Publish everything now.
        case publish
        /// Connect again with MQTT 3.1.1.
        case speakOlder
        case succeed
        case fail(MQTTError)
    }

    private enum Phase { case connecting, publishing, over }

    private let messages: [MQTTMessage]
    private let usesMQTT311: Bool
    private let words: (BrokerCode) -> String
    private var phase = Phase.connecting
    /// The topics of messages that are not acknowledged yet, by packet identifier.
    private var pending: [Int: String] = [:]
    /// Numbers of messages that were given to the library, answered, and accepted.
    private var given = 0, answered = 0, accepted = 0

    /// - Parameters:
    ///   - usesMQTT311: MQTT 3.1.1 is used instead of 5.
    ///   - words: a text for a code.
    init(_ messages: [MQTTMessage], usesMQTT311: Bool, words: @escaping (BrokerCode) -> String) {
        self.messages = messages
        self.usesMQTT311 = usesMQTT311
        self.words = words
    }

    mutating func handle(_ event: Event) -> Action {
        if phase == .over { return .wait }
        let action: Action =
            switch event {
            case .connected(let code, let retains): phase == .connecting ? connected(code, retains) : .wait
            case .acknowledged(let identifier, let code): acknowledged(identifier, code)
            case .disconnected(let code) where code.isFailure: refused(code, code.onPublishing, "the broker ended the connection")
            case .disconnected: .fail(unfinished("the broker ended the connection"))
            case .lost(_, mayBeOld: true) where phase == .connecting && !usesMQTT311: .speakOlder
            case .lost(let reason, _): .fail(unfinished(reason))
            }
        phase =
            switch action {
            case .wait: phase
            case .publish: .publishing
            case .speakOlder, .succeed, .fail: .over
            }
        return action
    }

    /// Increases with each step of the broker towards the end.
    var progress: Int { answered + (phase == .connecting ? 0 : 1) }

    /// The library is about to get a message; from then on the broker may have it.
    mutating func willSend() {
        given += 1
    }

    /// The acknowledgement of a message will have this identifier.
    mutating func sent(_ message: MQTTMessage, as identifier: Int) {
        pending[identifier] = message.topic
    }

    /// The library refuses a message because the broker has announced that it does not accept such messages.
    mutating func cannotSend(_ message: MQTTMessage, _ reason: String) -> Action {
        phase = .over
        return .fail(.refused(credentials: false, reason: "a message for \(message.topic): \(reason)"))
    }

    private func connected(_ code: BrokerCode, _ retains: Bool) -> Action {
        switch code.onConnecting {
        case .accepted where !retains && messages.contains(where: \.isRetained):
            // The library would publish them without an error, and later subscribers would not receive them.
            .fail(.refused(credentials: false, reason: "it keeps no retained messages"))
        case .accepted: messages.isEmpty ? .succeed : .publish
        case .otherVersion where !usesMQTT311: .speakOlder
        case let verdict: refused(code, verdict, "the broker refused the connection")
        }
    }

    private mutating func acknowledged(_ identifier: Int, _ code: BrokerCode) -> Action {
        // Each sent message counts once; other acknowledgements of a broker are ignored.
        guard let topic = pending.removeValue(forKey: identifier) else { return .wait }
        answered += 1
        if code.isFailure { return refused(code, code.onPublishing, "the broker did not take a message for \(topic)") }
        accepted += 1
        return accepted == messages.count ? .succeed : .wait
    }

    private func refused(_ code: BrokerCode, _ verdict: BrokerCode.Verdict, _ what: String) -> Action {
        let reason = "\(what): \(words(code))"
        return switch verdict {
        case .refused(let credentials): .fail(.refused(credentials: credentials, reason: reason))
        case .otherVersion: .fail(.refused(credentials: false, reason: reason))
        case .accepted, .busy: .fail(unfinished(reason))
        }
    }

    private func unfinished(_ reason: String) -> MQTTError {
        accepted == 0 && given == answered ? .notSent(reason: reason) : .unanswered(reason: reason)
    }
}
