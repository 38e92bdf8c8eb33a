internal import CDBus
internal import Dispatch
internal import Glibc

/// One libdbus connection with its socket: bytes out, messages in, nothing else of libdbus.
///
/// Unchecked: it is made by one thread, handed over once, and from `start` on used only on the queue given there.
final class Link: @unchecked Sendable {
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
        var descriptor: Int32 = -1
        // The sources watch a duplicate: libdbus closes its own descriptor in the middle of a read or write when the
        // bus goes away, and a number still watched could by then belong to somebody else.
        if dbus_connection_get_unix_fd(connection, &descriptor) != 0 {
            let duplicate = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
            if duplicate >= 0 { socket = SharedDescriptor(duplicate) }
        }
    }

    deinit {
        close()
    }

    /// Watches the socket.
    /// - Parameter ready: called on `queue` when there is something to read, or room to write what waits.
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

    /// - Returns: the serial under which the message went out, or waits to go out.
    func send(_ outgoing: borrowing OutgoingMessage) throws(DBusError) -> UInt32 {
        guard let connection, dbus_connection_get_is_connected(connection) != 0 else { throw .disconnected }
        guard outgoing.descriptors == 0 || canPassDescriptors else {
            throw .invalidMessage("this bus does not pass file descriptors")
        }
        var serial: UInt32 = 0
        guard dbus_connection_send(connection, outgoing.message, &serial) != 0 else { throw .invalidMessage("out of memory") }
        watchForRoom()
        return serial
    }

    /// Reads and writes what is possible without waiting.
    func transfer() {
        guard let connection else { return }
        dbus_connection_read_write(connection, 0)
        watchForRoom()
    }

    /// The next message that was read completely.
    func nextMessage() -> ReceivedMessage? {
        guard let connection, let message = dbus_connection_pop_message(connection) else { return nil }
        return ReceivedMessage(owning: message)
    }

    /// False once the other end is gone; messages read before that may still wait.
    var isConnected: Bool {
        guard let connection else { return false }
        return dbus_connection_get_is_connected(connection) != 0
    }

    /// Whether there is more to read at once; libdbus reads only about 2 KiB at a time.
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

    /// A socket is nearly always writable, so it is watched for that only while something waits to be written.
    private func watchForRoom() {
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

/// Closed when nobody watches it any more: a source may look at its descriptor until its cancel handler ran.
private final class SharedDescriptor: Sendable {
    let number: Int32

    init(_ number: Int32) { self.number = number }

    deinit { Glibc.close(number) }
}
