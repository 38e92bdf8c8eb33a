/// The course of publishing: what the broker says, turned into what to do next. It does nothing itself.
struct Delivery {
    enum Event: Hashable {
        /// An answer to CONNECT.
        case connected(BrokerCode, retains: Bool)
        /// An answer to PUBLISH.
        case acknowledged(Int, BrokerCode)
        /// A DISCONNECT of the broker.
        case disconnected(BrokerCode)
        /// The connection is gone. `mayBeOld`: as a broker may end it that does not know MQTT 5.
        case lost(String, mayBeOld: Bool = false)
    }

    enum Action: Hashable {
        case wait
        /// Publish everything now.
        case publish
        /// Connect anew with MQTT 3.1.1.
        case speakOlder
        case succeed
        case fail(MQTTError)
    }

    private enum Phase { case connecting, publishing, over }

    private let messages: [MQTTMessage]
    private let speaksOlder: Bool
    private let words: (BrokerCode) -> String
    private var phase = Phase.connecting
    /// The topics of what is not acknowledged yet, by the identifiers of their packets.
    private var pending: [Int: String] = [:]
    /// Messages that were given to the library, were answered, and were taken.
    private var given = 0, answered = 0, accepted = 0

    /// - Parameters:
    ///   - speaksOlder: MQTT 3.1.1 is spoken instead of 5.
    ///   - words: a text for a code.
    init(_ messages: [MQTTMessage], speaksOlder: Bool, words: @escaping (BrokerCode) -> String) {
        self.messages = messages
        self.speaksOlder = speaksOlder
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
            case .lost(_, mayBeOld: true) where phase == .connecting && !speaksOlder: .speakOlder
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

    /// Grows with all that a broker does towards the end.
    var progress: Int { answered + (phase == .connecting ? 0 : 1) }

    /// The library is given a message; from then on the broker may have it.
    mutating func willSend() {
        given += 1
    }

    /// The acknowledgement of a message will have this identifier.
    mutating func sent(_ message: MQTTMessage, as identifier: Int) {
        pending[identifier] = message.topic
    }

    /// The library does not take a message, because of what the broker said that it takes.
    mutating func cannotSend(_ message: MQTTMessage, _ reason: String) -> Action {
        phase = .over
        return .fail(.refused(credentials: false, reason: "a message for \(message.topic): \(reason)"))
    }

    private func connected(_ code: BrokerCode, _ retains: Bool) -> Action {
        switch code.onConnecting {
        case .accepted where !retains && messages.contains(where: \.isRetained):
            // The library would publish them without a word, and they would be gone for those who subscribe later.
            .fail(.refused(credentials: false, reason: "it keeps no retained messages"))
        case .accepted: messages.isEmpty ? .succeed : .publish
        case .otherVersion where !speaksOlder: .speakOlder
        case let verdict: refused(code, verdict, "the broker refused the connection")
        }
    }

    private mutating func acknowledged(_ identifier: Int, _ code: BrokerCode) -> Action {
        // Once, and only for what was sent: what else a broker acknowledges counts for nothing.
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
