extension DBusConnection {
    /// Subscribes to signals. From the return of this on none is missed.
    ///
    /// The bus is asked for the signals only once for equal rules, and told to stop when the last of their streams ended.
    /// Whatever the bus delivers is checked against the rule again, sender included, so nobody can slip in a signal in another's name.
    /// - Parameters:
    ///   - rule: which signals.
    ///   - buffering: what to keep while nobody asks for the next one.
    /// - Throws: `DBusError.invalidMessage` for a bad rule; the failures of `call`.
    public func signals(
        _ rule: MatchRule, keeping buffering: DBusSignals.Buffering = .all
    ) async throws(DBusError) -> DBusSignals {
        let text = try rule.text()
        let (stream, continuation) = AsyncStream.makeStream(of: DBusMessage.self, bufferingPolicy: buffering.policy)
        if let name = rule.followedName { try await follow(name) }
        // Before the bus is asked, because signals may come in the same read as its answer.
        let id = router.add(rule, continuation)
        do throws(DBusError) {
            try await addMatch(text)
        } catch {
            _ = router.remove(id)
            if let name = rule.followedName { unfollow(name) }
            throw error
        }
        continuation.onTermination = { _ in
            self.enqueue { $0.endSignals(id, rule, text) }
        }
        // Closed since the bus answered: the stream was finished when it had no handler yet, which is all there was to do.
        return DBusSignals(stream: stream)
    }

    /// Emits a signal to everybody who subscribed to it.
    /// - Throws: `DBusError.invalidMessage`, `.disconnected`.
    public func emit(
        _ path: ObjectPath, _ interface: String, _ member: String, _ arguments: [DBusValue] = []
    ) throws(DBusError) {
        try post(try OutgoingMessage.signal(path, interface, member, arguments))
    }

    func receiveSignal(_ message: borrowing ReceivedMessage) {
        let header = SignalHeader(
            sender: message.sender, path: message.path, interface: message.interface, member: message.member)
        // libdbus tells of the end of a connection this way (and admits it from nobody else); streams simply finish.
        guard header.interface != "org.freedesktop.DBus.Local" else { return }
        if header.sender == BusDriver.name, header.member == "NameOwnerChanged", let body = try? message.body(), body.count == 3,
            let name = body[0].stringValue
        {
            router.owners.didChange(name, to: body[2].stringValue)
        }
        // A signal beyond all bounds is nobody's.
        router.deliver(header) { try? message.decoded() }
    }

    private func endSignals(_ id: UInt64, _ rule: MatchRule, _ text: String) {
        guard router.remove(id) else { return }
        removeMatch(text)
        if let name = rule.followedName { unfollow(name) }
    }

    /// Learns who owns `name`, and of every change, until `unfollow`.
    private func follow(_ name: String) async throws(DBusError) {
        let rule = Self.ownerRule(name)
        router.owners.follow(name)
        do throws(DBusError) {
            try await addMatch(rule)
        } catch {
            router.owners.unfollow(name)
            throw error
        }
        let changes = router.owners.changes(of: name)
        do throws(DBusError) {
            let owner = try await owner(of: name)
            router.owners.didAnswer(name, owner: owner, askedAfter: changes)
        } catch {
            unfollow(name)
            throw error
        }
    }

    private func unfollow(_ name: String) {
        router.owners.unfollow(name)
        removeMatch(Self.ownerRule(name))
    }

    private static func ownerRule(_ name: String) -> String {
        "type='signal',sender='\(BusDriver.name)',interface='\(BusDriver.interface)',member='NameOwnerChanged',arg0='\(name)'"
    }

    private func addMatch(_ rule: String) async throws(DBusError) {
        guard matches.use(rule) else { return }
        do throws(DBusError) {
            _ = try await call(BusDriver.name, BusDriver.path, BusDriver.interface, "AddMatch", [.string(rule)])
            matches.didAcknowledge(rule)
        } catch {
            if error.remoteName != nil { matches.didRefuse(rule) }
            removeMatch(rule)
            throw error
        }
    }

    private func removeMatch(_ rule: String) {
        for _ in 0..<matches.release(rule) {
            // Nobody is left to care: a connection that is closed has no rules.
            try? send(BusDriver.name, BusDriver.path, BusDriver.interface, "RemoveMatch", [.string(rule)])
        }
    }
}

extension DBusSignals.Buffering {
    fileprivate var policy: AsyncStream<DBusMessage>.Continuation.BufferingPolicy {
        switch self {
        case .all: .unbounded
        case .newest(let count): .bufferingNewest(max(count, 0))
        }
    }
}
