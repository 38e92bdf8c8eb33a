internal import Dispatch

extension DBusConnection {
    /// Calls a method and waits for the reply.
    /// - Parameters:
    ///   - destination: a bus name, well-known or unique. A service that does not run is started if the bus knows how.
    ///   - timeout: how long to wait for the reply.
    /// - Returns: the values of the reply; none for a method without results.
    /// - Throws: `DBusError`: `.remote` for an error reply, `.timedOut`, `.cancelled` when the calling task was cancelled, `.disconnected`
    ///   when the connection is or gets closed, `.invalidMessage` when it cannot be sent. A reply that comes later is dropped.
    public func call(
        _ destination: String, _ path: ObjectPath, _ interface: String, _ member: String,
        _ arguments: [DBusValue] = [], timeout: Duration = .seconds(25)
    ) async throws(DBusError) -> [DBusValue] {
        let outgoing = try OutgoingMessage.call(destination, path, interface, member, arguments)
        let title = WaitingCall.Title(path: path, interface: interface, member: member)
        guard let link else { throw .disconnected }
        // Only after the message is known to be good, so that a mistake shows however the task fares.
        if Task.isCancelled { throw .cancelled(call: title.description) }
        let serial = try link.send(outgoing)
        return try await reply(to: serial, title, timeout).get()
    }

    /// Calls a method without asking for a reply: nothing tells whether it worked.
    /// - Throws: `DBusError.invalidMessage`, `.disconnected`.
    public func send(
        _ destination: String, _ path: ObjectPath, _ interface: String, _ member: String, _ arguments: [DBusValue] = []
    ) throws(DBusError) {
        try post(try OutgoingMessage.call(destination, path, interface, member, arguments, noReply: true))
    }

    /// Waits for a reply. The continuation is stored before the queue can read the reply: nothing suspends in between.
    private func reply(
        to serial: UInt32, _ title: WaitingCall.Title, _ timeout: Duration
    ) async -> Result<[DBusValue], DBusError> {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let deadline = DispatchTime.now().uptimeNanoseconds + timeout.nanoseconds
                let call = WaitingCall(title: title, timeout: timeout, continuation: continuation)
                pending.add(call, serial: serial, deadline: deadline)
                arm(deadline)
            }
        } onCancel: {
            enqueue { $0.cancelCall(serial) }
        }
    }

    private func cancelCall(_ serial: UInt32) {
        guard let call = pending.take(serial) else { return }
        call.finish(.failure(.cancelled(call: call.title.description)))
    }

    /// Lets the one timer of the connection fire at `deadline` at the latest.
    private func arm(_ deadline: UInt64) {
        guard deadline < armedDeadline else { return }
        armedDeadline = deadline
        let timer = deadlineTimer ?? makeTimer()
        timer.schedule(deadline: DispatchTime(uptimeNanoseconds: deadline), leeway: .milliseconds(1))
    }

    private func makeTimer() -> any DispatchSourceTimer {
        let timer = DispatchSource.makeTimerSource(queue: executor.queue)
        timer.setEventHandler { [weak self] in
            self?.assumeIsolated { $0.expireCalls() }
        }
        timer.activate()
        deadlineTimer = timer
        return timer
    }

    /// A reply does not disarm the timer, which costs more than firing once for nothing.
    private func expireCalls() {
        armedDeadline = .max
        for call in pending.takeExpired(at: DispatchTime.now().uptimeNanoseconds) {
            call.finish(.failure(.timedOut(call: call.title.description, seconds: call.timeout.seconds)))
        }
        if let next = pending.nextDeadline { arm(next) }
    }
}

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
