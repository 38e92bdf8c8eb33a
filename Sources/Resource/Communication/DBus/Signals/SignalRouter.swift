/// Which stream gets which signal.
struct SignalRouter {
    typealias Stream = AsyncStream<DBusMessage>.Continuation

    private var streams: [(id: UInt64, rule: MatchRule, stream: Stream)] = []
    private var lastID: UInt64 = 0
    var owners = NameOwners()

    mutating func add(_ rule: MatchRule, _ stream: Stream) -> UInt64 {
        lastID += 1
        streams.append((lastID, rule, stream))
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

    /// Hands a signal to all streams that want it; `decode` is asked at most once, and not at all if none does.
    func deliver(_ header: SignalHeader, decode: () -> DBusMessage?) {
        var decoded: DBusMessage?
        for (_, rule, stream) in streams where rule.matches(header, owner: owners.owner(of:)) {
            if decoded == nil { decoded = decode() }
            guard let decoded else { return }
            if rule.matches(arguments: decoded.body) { stream.yield(decoded) }
        }
    }
}
