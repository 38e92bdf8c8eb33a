internal import Foundation
internal import Glibc
internal import Support

/// Carries out on one connection what `Delivery` decides.
final class Conversation {
    private let client: MosquittoClient
    private let messages: [MQTTMessage]
    private let exchange: MQTTExchange
    private var delivery: Delivery
    /// Maximum of bytes that a broker may send: acknowledgements are a tenth of it.
    private let maximumReceived: UInt64

    init(client: MosquittoClient, messages: [MQTTMessage], exchange: MQTTExchange, delivery: Delivery) {
        self.client = client
        self.messages = messages
        self.exchange = exchange
        self.delivery = delivery
        maximumReceived = 64 * 1024 + 64 * UInt64(messages.count)
    }

    /// - Returns: the outcome; nil if the connection must be retried with MQTT 3.1.1.
    func run() -> MQTTExchange.Outcome? {
        while !exchange.isOver {
            for event in waitForEvents() {
                let before = delivery.progress
                var action = delivery.handle(event)
                if action == .publish { action = publish() }
                switch action {
                case .wait, .publish: if delivery.progress != before { exchange.progress() }
                case .useOlderVersion: return nil
                case .succeed: return .success(())
                case .fail(let error): return .failure(error)
                }
            }
        }
        // The exchange has ended otherwise: by a limit or by cancelling. This outcome is ignored.
        return .failure(.cancelled(wasSent: true))
    }

    /// Waits for events. The last messages of the broker come before the end of the connection that they caused.
    private func waitForEvents() -> [Delivery.Event] {
        do throws(MosquittoClient.Failure) {
            try transfer()
            if isFlooded { throw MosquittoClient.Failure.flooded }
            return client.takeEvents()
        } catch {
            // One call of the library reads a whole packet, of up to 256 MB, if its bytes come fast enough. It may then
            // find it invalid.
            let error = isFlooded ? .flooded : error
            let mayBeOld = error.kind == .closed || error.kind == .invalidPacket
            return client.takeEvents() + [.lost(error.text, mayBeOld: mayBeOld)]
        }
    }

    private func transfer() throws(MosquittoClient.Failure) {
        let socket = client.socket
        guard socket >= 0 else { throw .closed }
        let writing = client.wantsToWrite ? POLLOUT : 0
        var descriptors = [
            pollfd(fd: socket, events: Int16(POLLIN | writing), revents: 0),
            pollfd(fd: exchange.wakeup.descriptor, events: Int16(POLLIN), revents: 0),
        ]
        // The library must do work of its own once a second.
        _ = poll(&descriptors, nfds_t(descriptors.count), 1000)
        if exchange.isOver { return }
        if Int32(descriptors[0].revents) & (POLLIN | POLLHUP | POLLERR) != 0 { try client.read() }
        if client.socket >= 0, client.wantsToWrite { try client.write() }
        if client.socket >= 0 { try client.keepAlive() }
    }

    private var isFlooded: Bool {
        guard let received = client.received else { return false }
        return received > maximumReceived
    }

    private func publish() -> Delivery.Action {
        guard exchange.beginSending() else { return .wait }
        for message in messages {
            delivery.willSend()
            do {
                delivery.sent(message, as: try client.publish(message))
            } catch  where error.kind == .unsupported {
                return delivery.cannotSend(message, error.text)
            } catch {
                return delivery.handle(.lost(error.text))
            }
        }
        return .wait
    }
}

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
        case useOlderVersion
        case succeed
        case fail(MQTTError)
    }

    private enum Phase { case connecting, publishing, over }

    private let publication: Publication
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
    init(_ publication: Publication, usesMQTT311: Bool, words: @escaping (BrokerCode) -> String) {
        self.publication = publication
        self.usesMQTT311 = usesMQTT311
        self.words = words
    }

    mutating func handle(_ event: Event) -> Action {
        if phase == .over { return .wait }
        let action: Action =
            switch event {
            case .connected(let code, let retains): phase == .connecting ? connected(code, retains) : .wait
            case .acknowledged(let identifier, let code): acknowledged(identifier, code)
            case .disconnected(let code) where code.isFailure:
                refused(code, code.onPublishing, "the broker ended the connection")
            case .disconnected: .fail(unfinished("the broker ended the connection"))
            case .lost(_, mayBeOld: true) where phase == .connecting && !usesMQTT311: .useOlderVersion
            case .lost(let reason, _): .fail(unfinished(reason))
            }
        phase =
            switch action {
            case .wait: phase
            case .publish: .publishing
            case .useOlderVersion, .succeed, .fail: .over
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
        case .accepted where !retains && publication.isRetained:
            // The library would publish them without an error, and later subscribers would not receive them.
            .fail(.refused(credentials: false, reason: "it does not support retained messages"))
        case .accepted: publication.messages.isEmpty ? .succeed : .publish
        case .otherVersion where !usesMQTT311: .useOlderVersion
        case let verdict: refused(code, verdict, "the broker refused the connection")
        }
    }

    private mutating func acknowledged(_ identifier: Int, _ code: BrokerCode) -> Action {
        // Each sent message counts once; other acknowledgements of a broker are ignored.
        guard let topic = pending.removeValue(forKey: identifier) else { return .wait }
        answered += 1
        if code.isFailure {
            let action = refused(code, code.onPublishing, "the broker rejected a message for \(topic)")
            guard accepted > 0 || given > answered, case .fail(.refused(let credentials, let reason)) = action else {
                return action
            }
            return .fail(.refusedInPart(credentials: credentials, reason: reason))
        }
        accepted += 1
        return accepted == publication.messages.count ? .succeed : .wait
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

/// Publishes on a thread of its own, because the library blocks while it connects.
struct BrokerThread: Sendable {
    let publication: Publication
    let broker: MQTTBroker
    let exchange: MQTTExchange

    func start() {
        Thread.detachNewThread {
            blockBrokenPipeSignal()
            run()
        }
    }

    private func run() {
        if let reason = Mosquitto.failure { return exchange.finish(.failure(.libraryMissing(reason: reason))) }
        for usesMQTT311 in [false, true] {
            // The exchange has ended meanwhile, because a name server or the network did not answer.
            if exchange.isOver { return }
            do {
                let client = try MosquittoClient(broker, usesMQTT311: usesMQTT311)
                try client.connect(broker)
                let delivery = Delivery(publication, usesMQTT311: usesMQTT311, words: Mosquitto.words)
                let conversation = Conversation(
                    client: client, messages: publication.messages, exchange: exchange, delivery: delivery)
                guard let outcome = conversation.run() else { continue }
                exchange.finish(outcome)
                client.disconnect()
                return
            } catch {
                return exchange.finish(.failure(.notSent(reason: error.text)))
            }
        }
    }
}
