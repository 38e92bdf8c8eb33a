extension DBusConnection {
    /// Lets `object` answer the calls for `path`, instead of what was exported there before.
    ///
    /// Calls for a path that nobody exported are answered with `org.freedesktop.DBus.Error.UnknownObject`;
    /// `org.freedesktop.DBus.Peer` is answered for every path. On a closed connection this does nothing.
    /// - Parameter subtree: also for all paths below that have no export of their own.
    public func export(_ object: any DBusObject, at path: ObjectPath, subtree: Bool = false) {
        guard link != nil else { return }
        exports.add(Export(object, includesSubtree: subtree), at: path)?.end()
    }

    /// Takes an object back. Calls that still wait for it are answered with `UnknownObject`.
    public func unexport(_ path: ObjectPath) {
        exports.remove(path)?.end()
    }

    func receiveCall(_ message: borrowing ReceivedMessage) {
        let call: DBusMessage
        do throws(BodyReader.TooManyValues) {
            guard let decoded = try message.decoded() else { return }
            call = decoded
        } catch {
            return refuse(message, StandardError.limitsExceeded, ReceivedMessage.tooManyValues)
        }
        if call.interface == PeerInterface.name { return answerPeer(call) }
        guard let path = call.path, let export = exports.export(for: path) else {
            return answer(call, withError: StandardError.unknownObject, "no object at \(call.path?.string ?? "no path")")
        }
        export.deliver(DBusMethodCall(call, on: self))
    }

    func answer(_ call: DBusMessage, with values: [DBusValue]) {
        guard !call.noReplyExpected else { return }
        do throws(DBusError) {
            try post(try OutgoingMessage.reply(to: call.serial, of: call.sender, values))
        } catch .disconnected {
            // Nobody is left to answer to.
        } catch {
            answer(call, withError: StandardError.failed, "the reply \(error.description)")
        }
    }

    func answer(_ call: DBusMessage, withError name: String, _ text: String) {
        guard !call.noReplyExpected else { return }
        refuse(call.serial, call.sender, name, text)
    }

    private func answerPeer(_ call: DBusMessage) {
        switch PeerInterface.answer(call.member) {
        case .success(let values): answer(call, with: values)
        case .failure(let refusal): answer(call, withError: refusal.name, refusal.text)
        }
    }

    private func refuse(_ message: borrowing ReceivedMessage, _ name: String, _ text: String) {
        guard !message.noReplyExpected else { return }
        refuse(message.serial, message.sender, name, text)
    }

    private func refuse(_ serial: UInt32, _ sender: String?, _ name: String, _ text: String) {
        let shown = text.utf8.contains(0) ? text.filter { $0 != "\0" } : text
        do throws(DBusError) {
            try post(try OutgoingMessage.error(to: serial, of: sender, name, shown))
        } catch .invalidMessage where name != StandardError.failed {
            // An answer with a wrong name is better than none.
            refuse(serial, sender, StandardError.failed, "\(name.escapedForMessages): \(shown)")
        } catch {
            // Nobody is left to answer to.
        }
    }
}
