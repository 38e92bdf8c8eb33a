internal import Synchronization

/// A method call that wants an answer. It is answered once; if it is dropped without, the caller gets `org.freedesktop.DBus.Error.Failed`.
public struct DBusMethodCall: Sendable {
    /// The call: path, interface, member, sender and arguments.
    public let message: DBusMessage

    private let answer: Answer

    init(_ message: DBusMessage, on connection: DBusConnection) {
        self.message = message
        answer = Answer(message, connection)
    }

    /// Answers with results. Values that cannot be sent become an error reply. After an answer was given this does nothing.
    public func reply(_ values: [DBusValue] = []) async {
        guard answer.claim() else { return }
        await answer.connection.answer(message, with: values)
    }

    /// Answers with an error. After an answer was given this does nothing.
    /// - Parameters:
    ///   - name: an error name, such as `org.bluez.Error.NotReady`.
    ///   - text: what happened, for people.
    public func fail(_ name: String, _ text: String) async {
        guard answer.claim() else { return }
        await answer.connection.answer(message, withError: name, text)
    }
}

/// Knows whether a call was answered, and answers it when it goes away without.
private final class Answer: Sendable {
    let connection: DBusConnection
    private let message: DBusMessage
    private let isGiven = Atomic(false)

    init(_ message: DBusMessage, _ connection: DBusConnection) {
        self.message = message
        self.connection = connection
    }

    /// True for the first who asks.
    func claim() -> Bool {
        !isGiven.exchange(true, ordering: .relaxed)
    }

    deinit {
        guard claim() else { return }
        connection.enqueue { [message] in
            $0.answer(message, withError: StandardError.failed, "the call was dropped without an answer")
        }
    }
}
