internal import Glibc

/// Carries out on one connection what `Delivery` decides.
final class Conversation {
    private let client: MosquittoClient
    private let messages: [MQTTMessage]
    private let exchange: MQTTExchange
    private var delivery: Delivery
    /// Maximum of bytes that a broker may send: acknowledgements are a tenth of it.
    private let mostReceived: UInt64
    init(client: MosquittoClient, messages: [MQTTMessage], exchange: MQTTExchange, delivery: Delivery) {
        self.client = client
        self.messages = messages
        self.exchange = exchange
        self.delivery = delivery
        mostReceived = 64 * 1024 + 64 * UInt64(messages.count)
    }

    /// - Returns: the outcome; nil if the connection must be retried with MQTT 3.1.1.
    func run() -> MQTTExchange.Outcome? {
        while !exchange.isOver {
            for event in happened() {
                let before = delivery.progress
                var action = delivery.handle(event)
                if action == .publish { action = publish() }
                switch action {
                case .wait, .publish: if delivery.progress != before { exchange.progress() }
                case .speakOlder: return nil
                case .succeed: return .success(())
                case .fail(let error): return .failure(error)
                }
            }
        }
        // The exchange has ended otherwise: by a limit or by cancelling. This outcome is ignored.
        return .failure(.cancelled(wasSent: true))
    }

    /// Waits for events. The last messages of the broker come before the end of the connection that they caused.
    private func happened() -> [Delivery.Event] {
        do throws(MosquittoClient.Failure) {
            try transfer()
            if isFlooded { throw MosquittoClient.Failure.flooded }
            return client.takeEvents()
        } catch {
            // One call of the library reads a whole packet, of up to 256 MB, if its bytes come fast enough. It may then find it invalid.
            let error = isFlooded ? .flooded : error
            let mayBeOld = error.kind == .closed || error.kind == .garbled
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
        return received > mostReceived
    }

    private func publish() -> Delivery.Action {
        guard exchange.beginSending() else { return .wait }
        for message in messages {
            delivery.willSend()
            do {
                delivery.sent(message, as: try client.publish(message))
            } catch  where error.kind == .tooMuchAsked {
                return delivery.cannotSend(message, error.text)
            } catch {
                return delivery.handle(.lost(error.text))
            }
        }
        return .wait
    }
}
