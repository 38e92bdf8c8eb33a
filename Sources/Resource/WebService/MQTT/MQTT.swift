/// Publishing by MQTT 5, or 3.1.1 with brokers that do not know 5.
public enum MQTT {
    /// The most messages of one call, each of which needs an identifier of 16 bits.
    public static let mostMessages = 65_535

    /// Connects, publishes all messages in their order, waits until the broker acknowledged each, and disconnects.
    ///
    /// With MQTT 5 an acknowledgement says that the broker took the message. With 3.1.1 brokers also acknowledge what they throw
    /// away because the user may not write the topic; nothing tells.
    /// - Parameter timeout: how long nothing may move: until the broker has answered at all, then from one acknowledgement to the
    ///   next.
    /// - Throws: `MQTTError`; its reasons never have a password in them.
    public static func publish(
        _ messages: [MQTTMessage], to broker: MQTTBroker, timeout: Duration = .seconds(30)
    ) async throws(MQTTError) {
        guard messages.count <= mostMessages else {
            throw .refused(credentials: false, reason: "\(messages.count) messages at once, and \(mostMessages) are the limit")
        }
        let exchange = Exchange()
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

    /// Connects, logs in and disconnects: whether the broker answers.
    /// - Throws: `MQTTError`.
    public static func check(_ broker: MQTTBroker, timeout: Duration = .seconds(30)) async throws(MQTTError) {
        try await publish([], to: broker, timeout: timeout)
    }
}
