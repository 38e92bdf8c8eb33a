internal import Foundation
internal import Glibc

/// Publishing by MQTT 5, or 3.1.1 with brokers that do not know 5.
public enum MQTT {
    /// The most messages of one call, each of which needs an identifier of 16 bits.
    public static let mostMessages = 65_535

    /// Connects, publishes all messages in their order, waits until the broker acknowledged each, and disconnects.
    ///
    /// With MQTT 5 an acknowledgement means that the broker accepted the message. With 3.1.1 brokers also acknowledge messages that they
    /// discard because the user may not write the topic; this cannot be detected.
    /// - Parameter timeout: maximum time without progress: until the broker's first answer, then from one acknowledgement to the next.
    /// - Throws: `MQTTError`; its reasons never have a password in them.
    public static func publish(
        _ messages: [MQTTMessage], to broker: MQTTBroker, timeout: Duration = .seconds(30)
    ) async throws(MQTTError) {
        guard messages.count <= mostMessages else {
            throw .refused(credentials: false, reason: "\(messages.count) messages at once, and \(mostMessages) are the limit")
        }
        let exchange = MQTTExchange()
        let watch = Task {
            while let left = exchange.expire(after: timeout) { try await Task.sleep(for: left) }
        }
        defer { watch.cancel() }
        let outcome = await withTaskCancellationHandler {
            await exchange.outcome {
                BrokerThread(messages: messages, broker: broker, exchange: exchange).start()
            }
        } onCancel: {
            exchange.cancel()
        }
        try outcome.get()
    }

    /// Connects, logs in and disconnects, to check whether the broker answers.
    /// - Throws: `MQTTError`.
    public static func check(_ broker: MQTTBroker, timeout: Duration = .seconds(30)) async throws(MQTTError) {
        try await publish([], to: broker, timeout: timeout)
    }
}

/// Publishes on a thread of its own, because the library blocks while it connects.
struct BrokerThread: Sendable {
    let messages: [MQTTMessage]
    let broker: MQTTBroker
    let exchange: MQTTExchange

    func start() {
        Thread.detachNewThread {
            // The library writes to sockets that may be closed; SIGPIPE is blocked here, so that it is not delivered.
            var pipe = sigset_t()
            sigemptyset(&pipe)
            sigaddset(&pipe, SIGPIPE)
            pthread_sigmask(SIG_BLOCK, &pipe, nil)
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
                let delivery = Delivery(messages, usesMQTT311: usesMQTT311, words: Mosquitto.words)
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
    /// Adds the broker to the reason.
    func at(_ broker: MQTTBroker) -> MQTTError {
        switch self {
        case .notSent(let reason): .notSent(reason: "\(broker): \(reason)")
        case .unanswered(let reason): .unanswered(reason: "\(broker): \(reason)")
        case .refused(let credentials, let reason): .refused(credentials: credentials, reason: "\(broker): \(reason)")
        case .libraryMissing, .cancelled: self
        }
    }
}

/// A descriptor that becomes readable once, from any thread, and stays so.
final class Wakeup: Sendable {
    /// For poll(2); -1 if no descriptor was available, which poll(2) ignores.
    let descriptor: Int32
    private let other: Int32

    init() {
        var pair: [Int32] = [-1, -1]
        let made = socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &pair) == 0
        descriptor = made ? pair[0] : -1
        other = made ? pair[1] : -1
    }

    deinit {
        for end in [descriptor, other] where end >= 0 { close(end) }
    }

    func wake() {
        if other >= 0 { shutdown(other, Int32(SHUT_RDWR)) }
    }
}
