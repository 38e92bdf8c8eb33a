import DBus

/// What the daemon sends, in the order in which it decided. The daemon itself never waits for the bus, so nothing can
/// come between two of its steps.
struct Outbox: Sendable {
    enum Message: Sendable {
        case signal(ObjectPath, interface: String, member: String, [DBusValue])
        case reply(DBusMethodCall, [DBusValue])
        case failure(DBusMethodCall, BlueZError)
        /// A call to a client; the outcome goes to the closure.
        case call(
            destination: String, ObjectPath, interface: String, member: String, [DBusValue],
            then: @Sendable (Result<[DBusValue], DBusError>) async -> Void)
    }

    private let continuation: AsyncStream<Message>.Continuation
    let messages: AsyncStream<Message>

    init() { (messages, continuation) = AsyncStream.makeStream() }

    func send(_ message: Message) { continuation.yield(message) }
    func close() { continuation.finish() }

    /// Sends until the outbox is closed.
    func deliver(to connection: DBusConnection) async {
        for await message in messages {
            switch message {
            case .signal(let path, let interface, let member, let arguments):
                // On a connection that is gone nobody listens.
                try? await connection.emit(path, interface, member, arguments)
            case .reply(let call, let values): await call.reply(values)
            case .failure(let call, let error): await call.fail(error.name, error.message)
            case .call(let destination, let path, let interface, let member, let arguments, let then):
                Task {
                    do throws(DBusError) {
                        // BlueZ gives an agent a minute.
                        let values = try await connection.call(
                            destination, path, interface, member, arguments, timeout: .seconds(60))
                        await then(.success(values))
                    } catch {
                        await then(.failure(error))
                    }
                }
            }
        }
    }
}
