internal import DBus

extension TextMessages {
    /// Makes a message and sends it.
    ///
    /// After an error that says `mayHaveBeenSent` the message stays with ModemManager, for `find` and for the user; after all others
    /// it is taken away again.
    /// - Parameters:
    ///   - text: at most `maximumParts` parts long (`MessageSize`); line feeds are the only control characters in it.
    ///   - number: `PhoneNumber`.
    /// - Returns: the path of the message on the bus, which names it as long as ModemManager runs.
    /// - Throws: `TextMessageError`.
    public func send(_ text: String, to number: String) async throws(TextMessageError) -> String {
        let draft = try MessageDraft(text, to: number)
        try await modem().requireReady()
        let message = try await create(draft)
        // From here on the outcome is in doubt, unless the answer says otherwise.
        if Task.isCancelled {
            await delete(message)
            throw .cancelled(wasSent: false)
        }
        do {
            _ = try await call(message, ModemManagerName.message, "Send", timeout: limits.send)
            return message.string
        } catch {
            let failure = SendFailure(error, parts: draft.size.parts).error
            if !failure.mayHaveBeenSent { await delete(message) }
            throw failure
        }
    }

    /// Takes a message away from ModemManager, once nobody needs to find it any more; not from the network or the receiver.
    /// - Parameter identity: what `send` returned. What is not there, or cannot be deleted, is left.
    public func forget(_ identity: String) async {
        guard let path = ObjectPath(identity) else { return }
        await delete(path)
    }

    private func create(_ draft: MessageDraft) async throws(TextMessageError) -> ObjectPath {
        let properties: [String: DBusValue] = [
            "number": .string(draft.number.description), "text": .string(draft.text),
        ]
        let reply: [DBusValue]
        do {
            reply = try await call(path, ModemManagerName.messaging, "Create", [.properties(properties)])
        } catch {
            throw TextMessageError(error, doing: "making a text message")
        }
        guard let message = reply.first?.pathValue else {
            throw .refused(reason: "ModemManager made a text message and did not say which")
        }
        return message
    }

    private func delete(_ message: ObjectPath) async {
        // Also for a task that was cancelled; and a message too many in the list harms nobody.
        let bus = bus, daemon = daemon, path = path, limit = limits.call
        await Task {
            _ = try? await bus.call(
                daemon, path, ModemManagerName.messaging, "Delete", [.objectPath(message)], timeout: limit)
        }.value
    }
}
