extension DBusConnection {
    /// How often the socket is read in one go, each time about 2 KiB, before other jobs of the actor get their turn.
    private static let readsAtOnce = 64

    /// Moves bytes, and handles every message that is complete.
    func transfer() {
        for _ in 0..<Self.readsAtOnce {
            guard let link else { return }
            link.transfer()
            while let message = link.nextMessage() { handle(message) }
            guard link.isConnected else { return close() }
            guard link.hasInput else { return }
        }
    }

    /// Sends a message that nobody waits for.
    func post(_ outgoing: borrowing OutgoingMessage) throws(DBusError) {
        guard let link else { throw .disconnected }
        _ = try link.send(outgoing)
    }

    private func handle(_ message: borrowing ReceivedMessage) {
        switch message.kind {
        case .methodReturn, .error: receiveReply(message)
        case .signal: receiveSignal(message)
        case .methodCall: receiveCall(message)
        case nil: break
        }
    }

    private func receiveReply(_ message: borrowing ReceivedMessage) {
        // Nobody: it came too late, after a time-out or a cancellation, or answers what was never asked.
        guard let call = pending.take(message.replySerial) else { return }
        call.finish(message.result())
    }
}
