/// Distributes signals to streams.
struct SignalRouter {
    typealias Stream = AsyncStream<DBusSignals.Waiting>.Continuation

    private struct Entry {
        let id: UInt64
        let rule: MatchRule
        let stream: Stream
        let backlog: SignalBacklog
        let intercept: DBusSignals.Interceptor?
    }

    private var streams: [Entry] = []
    private var lastID: UInt64 = 0
    var owners = NameOwners()

    mutating func add(
        _ rule: MatchRule, _ stream: Stream, _ backlog: SignalBacklog, intercept: DBusSignals.Interceptor? = nil
    ) -> UInt64 {
        lastID += 1
        streams.append(Entry(id: lastID, rule: rule, stream: stream, backlog: backlog, intercept: intercept))
        return lastID
    }

    /// - Returns: false if it was removed before.
    mutating func remove(_ id: UInt64) -> Bool {
        guard let index = streams.firstIndex(where: { $0.id == id }) else { return false }
        streams.remove(at: index)
        return true
    }

    mutating func removeAll() -> [Stream] {
        defer { streams = [] }
        return streams.map(\.stream)
    }

    /// Hands a signal to all streams that match it; `decode` is called at most once, and not at all if none matches.
    ///
    /// - Parameter decode: returns nil for a signal beyond the limits. Each of those streams then counts it as missed.
    func deliver(_ header: SignalHeader, decode: () -> DBusMessage?) {
        var decoded: DBusSignals.Waiting?
        var isDecoded = false
        for entry in streams where entry.rule.matches(header, owner: owners.owner(of:)) {
            if !isDecoded {
                decoded = decode().map { DBusSignals.Waiting(message: $0, memory: $0.memory) }
                isDecoded = true
            }
            guard let decoded else {
                entry.backlog.miss()
                continue
            }
            guard entry.rule.matches(arguments: decoded.message.body) else { continue }
            if let intercept = entry.intercept, intercept(decoded.message) { continue }
            guard entry.backlog.admit(decoded) else { continue }
            if case .dropped(let dropped) = entry.stream.yield(decoded) { entry.backlog.drop(dropped) }
        }
    }
}

/// The owners of the well-known names in match rules.
struct NameOwners {
    private struct Entry {
        var owner: String?
        var users = 0
        var changes = 0
    }

    private var entries: [String: Entry] = [:]

    func owner(of name: String) -> String? { entries[name]?.owner }

    mutating func follow(_ name: String) {
        entries[name, default: Entry()].users += 1
    }

    mutating func unfollow(_ name: String) {
        guard var entry = entries[name] else { return }
        entry.users -= 1
        entries[name] = entry.users > 0 ? entry : nil
    }

    /// The bus reported a change.
    /// - Parameter owner: nil or empty if the name has no owner any more.
    mutating func didChange(_ name: String, to owner: String?) {
        guard var entry = entries[name] else { return }
        entry.owner = owner?.isEmpty == true ? nil : owner
        entry.changes += 1
        entries[name] = entry
    }

    /// Must be read before the bus is asked for the owner, and passed on with its answer.
    func changes(of name: String) -> Int { entries[name]?.changes ?? 0 }

    /// The bus answered. A change that was handled in the meantime is newer than the answer, or says the same.
    mutating func didAnswer(_ name: String, owner: String?, askedAfter changes: Int) {
        guard var entry = entries[name], entry.changes == changes else { return }
        entry.owner = owner
        entries[name] = entry
    }
}
