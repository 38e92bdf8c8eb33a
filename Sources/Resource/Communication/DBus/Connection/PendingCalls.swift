/// Who waits for which reply, and until when.
struct PendingCalls<Waiter> {
    private var calls: [UInt32: (waiter: Waiter, deadline: UInt64)] = [:]

    var isEmpty: Bool { calls.isEmpty }

    /// - Parameter deadline: nanoseconds of any clock that does not go back.
    mutating func add(_ waiter: Waiter, serial: UInt32, deadline: UInt64) {
        calls[serial] = (waiter, deadline)
    }

    /// The waiter for the reply to `serial`, who then no longer waits. Nil for a late, doubled or invented reply.
    mutating func take(_ serial: UInt32) -> Waiter? {
        calls.removeValue(forKey: serial)?.waiter
    }

    /// Those whose time is up, in the order of sending; they no longer wait.
    mutating func takeExpired(at now: UInt64) -> [Waiter] {
        let expired = calls.filter { $0.value.deadline <= now }.keys.sorted()
        return expired.compactMap { take($0) }
    }

    mutating func takeAll() -> [Waiter] {
        defer { calls = [:] }
        return calls.keys.sorted().compactMap { calls[$0]?.waiter }
    }

    var nextDeadline: UInt64? {
        calls.values.map(\.deadline).min()
    }
}
