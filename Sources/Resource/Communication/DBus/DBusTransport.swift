internal import CDBus
internal import Dispatch
internal import Glibc

/// One libdbus connection with its socket: it sends bytes and receives messages, and uses nothing else of libdbus.
///
/// Unchecked: it is created on one thread, handed over once, and from `start` on used only on the queue given there.
final class DBusTransport: @unchecked Sendable {
    let uniqueName: String
    private var connection: OpaquePointer?
    private var socket: SharedDescriptor?
    private var readSource: (any DispatchSourceRead)?
    private var writeSource: (any DispatchSourceWrite)?
    private let canPassDescriptors: Bool
    private var queue: DispatchQueue?
    private var ready: (@Sendable () -> Void)?

    /// Takes over the only reference to an open, private, authenticated connection.
    init(owning connection: OpaquePointer, uniqueName: String) {
        self.connection = connection
        self.uniqueName = uniqueName
        canPassDescriptors = dbus_connection_can_send_type(connection, TypeCode.fileDescriptor) != 0
        dbus_connection_set_max_message_size(connection, DBusLimits.incomingMessage)
        var descriptor: Int32 = -1
        // The sources watch a duplicate: libdbus closes its own descriptor in the middle of a read or write when the
        // bus goes away, and a number that is still watched could belong to another file by then.
        if dbus_connection_get_unix_fd(connection, &descriptor) != 0 {
            let duplicate = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
            if duplicate >= 0 { socket = SharedDescriptor(duplicate) }
        }
    }

    deinit {
        close()
    }

    /// Watches the socket.
    /// - Parameter ready: called on `queue` when there is something to read, or room to write waiting data.
    /// - Returns: false if the socket cannot be watched (no more file descriptors).
    func start(on queue: DispatchQueue, _ ready: @escaping @Sendable () -> Void) -> Bool {
        guard let socket else { return false }
        let source = DispatchSource.makeReadSource(fileDescriptor: socket.number, queue: queue)
        source.setEventHandler(handler: ready)
        source.setCancelHandler { withExtendedLifetime(socket) {} }
        source.activate()
        readSource = source
        self.queue = queue
        self.ready = ready
        return true
    }

    /// - Returns: the serial under which the message was sent, or waits to be sent.
    func send(_ outgoing: borrowing OutgoingMessage) throws(DBusError) -> UInt32 {
        guard let connection, dbus_connection_get_is_connected(connection) != 0 else { throw .disconnected }
        guard dbus_connection_get_outgoing_size(connection) < DBusLimits.outgoing else {
            throw .invalidMessage("\(DBusLimits.outgoing >> 20) MiB wait to be sent, and the bus does not take them")
        }
        guard outgoing.descriptors == 0 || canPassDescriptors else {
            throw .invalidMessage("this bus does not pass file descriptors")
        }
        var serial: UInt32 = 0
        guard dbus_connection_send(connection, outgoing.message, &serial) != 0 else {
            throw .invalidMessage("out of memory")
        }
        armWriteSource()
        return serial
    }

    /// Reads and writes as much as possible without waiting.
    func transfer() {
        guard let connection else { return }
        dbus_connection_read_write(connection, 0)
        armWriteSource()
    }

    /// The next message that was read completely.
    func nextMessage() -> ReceivedMessage? {
        guard let connection, let message = dbus_connection_pop_message(connection) else { return nil }
        return ReceivedMessage(owning: message)
    }

    /// False once the other end has closed; messages read before that may still wait.
    var isConnected: Bool {
        guard let connection else { return false }
        return dbus_connection_get_is_connected(connection) != 0
    }

    /// Whether more can be read at once; libdbus reads only about 2 KiB at a time.
    var hasInput: Bool {
        guard isConnected, let socket else { return false }
        var descriptor = pollfd(fd: socket.number, events: Int16(POLLIN), revents: 0)
        return poll(&descriptor, 1, 0) > 0
    }

    func close() {
        readSource?.cancel()
        writeSource?.cancel()
        (readSource, writeSource, ready, socket) = (nil, nil, nil, nil)
        guard let connection else { return }
        self.connection = nil
        dbus_connection_close(connection)
        dbus_connection_unref(connection)
    }

    /// A socket is nearly always writable, so it is watched for that only while data waits to be written.
    private func armWriteSource() {
        guard let connection, let socket, let queue, let ready else { return }
        let waiting = isConnected && dbus_connection_has_messages_to_send(connection) != 0
        if waiting, writeSource == nil {
            let source = DispatchSource.makeWriteSource(fileDescriptor: socket.number, queue: queue)
            source.setEventHandler(handler: ready)
            source.setCancelHandler { withExtendedLifetime(socket) {} }
            source.activate()
            writeSource = source
        } else if !waiting, let source = writeSource {
            source.cancel()
            writeSource = nil
        }
    }
}

/// Closed when no source watches it any more: a source may use its descriptor until its cancel handler ran.
private final class SharedDescriptor: Sendable {
    let number: Int32

    init(_ number: Int32) { self.number = number }

    deinit { Glibc.close(number) }
}

/// Runs an actor's jobs on a serial queue, so that event sources of that queue can enter the actor without a switch of
/// threads.
final class QueueExecutor: SerialExecutor {
    let queue: DispatchQueue

    init(label: String) {
        queue = DispatchQueue(label: label)
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }

    func asUnownedSerialExecutor() -> UnownedSerialExecutor {
        UnownedSerialExecutor(ordinary: self)
    }

    func checkIsolated() {
        dispatchPrecondition(condition: .onQueue(queue))
    }
}

extension Duration {
    /// For dispatch: never negative, at most about 292 years.
    var dispatchInterval: DispatchTimeInterval { .nanoseconds(Int(clamping: nanoseconds)) }

    /// Nanoseconds, 0 for a negative duration, capped far below where adding it to a clock would overflow.
    var nanoseconds: UInt64 {
        let limit: UInt64 = 1 << 61
        guard self > .zero else { return 0 }
        let (seconds, fraction) = components
        guard let whole = UInt64(exactly: seconds), whole < limit / 1_000_000_000 else { return limit }
        return whole * 1_000_000_000 + UInt64(clamping: fraction / 1_000_000_000)
    }

    var seconds: Double {
        let (seconds, fraction) = components
        return Double(seconds) + Double(fraction) / 1e18
    }
}
