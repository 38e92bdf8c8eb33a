/// A task that waits for a reply.
struct WaitingCall {
    struct Title: CustomStringConvertible {
        let path: ObjectPath
        let interface: String
        let member: String

        var description: String { "\(interface).\(member) on \(path)" }
    }

    let title: Title
    let timeout: Duration
    let continuation: CheckedContinuation<Result<[DBusValue], DBusError>, Never>

    func finish(_ result: Result<[DBusValue], DBusError>) {
        continuation.resume(returning: result)
    }
}

/// The calls that wait for a reply, and their deadlines.
struct PendingCalls<Waiter> {
    private var calls: [UInt32: (waiter: Waiter, deadline: UInt64)] = [:]

    /// - Parameter deadline: nanoseconds of any clock that does not go back.
    mutating func add(_ waiter: Waiter, serial: UInt32, deadline: UInt64) {
        calls[serial] = (waiter, deadline)
    }

    /// Removes and returns the waiter for the reply to `serial`. Nil for a late, duplicate or made-up reply.
    mutating func take(_ serial: UInt32) -> Waiter? {
        calls.removeValue(forKey: serial)?.waiter
    }

    /// Removes and returns the waiters whose deadline has passed, in the order of sending.
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
