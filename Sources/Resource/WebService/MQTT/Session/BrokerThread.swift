internal import Foundation
internal import Glibc

/// Publishes on a thread of its own, because the library blocks while it connects.
struct BrokerThread: Sendable {
    let messages: [MQTTMessage]
    let broker: MQTTBroker
    let exchange: Exchange

    func start() {
        Thread.detachNewThread {
            // The library writes to sockets that may be closed; blocked here, the signal of that reaches nobody.
            var pipe = sigset_t()
            sigemptyset(&pipe)
            sigaddset(&pipe, SIGPIPE)
            pthread_sigmask(SIG_BLOCK, &pipe, nil)
            run()
        }
    }

    private func run() {
        if let reason = Mosquitto.failure { return exchange.finish(.failure(.libraryMissing(reason: reason))) }
        for speaksOlder in [false, true] {
            // Abandoned meanwhile, in a name server or in a network that answers nothing.
            if exchange.isOver { return }
            do {
                let client = try MosquittoClient(broker, speaksOlder: speaksOlder)
                try client.connect(broker)
                let delivery = Delivery(messages, speaksOlder: speaksOlder, words: Mosquitto.words)
                let conversation = Conversation(client: client, messages: messages, exchange: exchange, delivery: delivery)
                guard let outcome = conversation.run() else { continue }
                exchange.finish(outcome.mapError { $0.at(broker) })
                client.disconnect()
                return
            } catch {
                return exchange.finish(.failure(.notSent(reason: "\(broker): \(error.text)")))
            }
        }
    }
}

extension MQTTError {
    /// Says of whom the reason tells.
    func at(_ broker: MQTTBroker) -> MQTTError {
        switch self {
        case .notSent(let reason): .notSent(reason: "\(broker): \(reason)")
        case .unanswered(let reason): .unanswered(reason: "\(broker): \(reason)")
        case .refused(let credentials, let reason): .refused(credentials: credentials, reason: "\(broker): \(reason)")
        case .libraryMissing, .cancelled: self
        }
    }
}
