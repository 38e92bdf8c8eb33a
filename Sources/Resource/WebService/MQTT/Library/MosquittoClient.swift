internal import CMosquitto
internal import Glibc
internal import Quoting

/// One connection by libmosquitto, used by one thread only. Every call may be followed by events.
final class MosquittoClient {
    struct Failure: Error {
        /// What it means for the course of things.
        enum Kind { case closed, garbled, tooMuchAsked, other }

        let kind: Kind
        let text: String
    }

    private let client: OpaquePointer
    private let notes: Notes

    /// What the library told by calling back, in its order.
    private final class Notes {
        var events: [Delivery.Event] = []
        var complaint: String?
    }

    /// - Throws: `Failure`.
    init(_ broker: MQTTBroker, speaksOlder: Bool) throws(Failure) {
        let notes = Notes()
        let context = Unmanaged.passUnretained(notes).toOpaque()
        let version = speaksOlder ? MQTT_PROTOCOL_V311 : MQTT_PROTOCOL_V5
        guard let client = cmosquitto_new(broker.clientID, version, Self.callbacks, context) else {
            throw Failure(kind: .other, text: String(cString: strerror(errno)))
        }
        self.client = client
        self.notes = notes
        if let username = broker.username {
            try check(cmosquitto_set_login(client, username, broker.password?.reveal()))
        }
        if broker.isEncrypted { try setTLS(broker.authority) }
    }

    deinit {
        cmosquitto_destroy(client)
    }

    /// Blocks until there is a TCP connection. Keep-alive comes from the library too.
    func connect(_ broker: MQTTBroker) throws(Failure) {
        try check(cmosquitto_connect(client, broker.host, Int32(broker.port), Self.keepAlive))
        // The library lets the connection go over to children, which would keep it open.
        _ = fcntl(socket, F_SETFD, FD_CLOEXEC)
        limitBuffer()
    }

    /// - Returns: the identifier that the acknowledgement will have.
    func publish(_ message: MQTTMessage) throws(Failure) -> Int {
        var identifier: Int32 = 0
        try check(
            cmosquitto_publish(
                client, &identifier, message.topic, message.payload, Int32(message.payload.count), message.isRetained))
        return Int(identifier)
    }

    func read() throws(Failure) { try check(cmosquitto_read(client)) }
    func write() throws(Failure) { try check(cmosquitto_write(client)) }
    func keepAlive() throws(Failure) { try check(cmosquitto_misc(client)) }

    /// Says goodbye, if that needs no waiting.
    func disconnect() { _ = cmosquitto_disconnect(client) }

    /// Bytes that came from the broker; nil where the kernel does not count them.
    var received: UInt64? {
        var count: UInt64 = 0
        return cmosquitto_received(client, &count) ? count : nil
    }

    /// -1 if there is none.
    var socket: Int32 { cmosquitto_socket(client) }
    var wantsToWrite: Bool { cmosquitto_wants_write(client) }

    /// A small buffer, so that a broker cannot have much under way before it is noticed. Fails without harm.
    private func limitBuffer() {
        var size: Int32 = 16 * 1024
        setsockopt(socket, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout.size(ofValue: size)))
    }

    /// What happened since this was last asked.
    func takeEvents() -> [Delivery.Event] {
        defer { notes.events = [] }
        return notes.events
    }

    private func setTLS(_ authority: String?) throws(Failure) {
        // The library itself would not say which file, or why.
        if let authority, access(authority, R_OK) != 0 {
            let reason = String(cString: strerror(errno))
            throw Failure(kind: .other, text: "the certificates in \(quoted(authority)) cannot be read: \(reason)")
        }
        try check(cmosquitto_set_tls(client, authority))
    }

    /// In seconds. The limits here are shorter; a broker that wants to be greeted more often says so in MQTT 5.
    private static let keepAlive: Int32 = 600

    private func check(_ code: Int32) throws(Failure) {
        let number = errno
        guard code != MOSQ_ERR_SUCCESS.rawValue else { return }
        throw failure(mosq_err_t(rawValue: code), number)
    }

    private func failure(_ code: mosq_err_t, _ number: Int32) -> Failure {
        switch code {
        // The library leaves errno at 0 when a connection ends within a packet.
        case MOSQ_ERR_CONN_LOST, MOSQ_ERR_NO_CONN: .closed
        case MOSQ_ERR_ERRNO where number == 0: .closed
        case MOSQ_ERR_ERRNO: Failure(kind: .other, text: String(cString: strerror(number)))
        case MOSQ_ERR_EAI: Failure(kind: .other, text: String(cString: gai_strerror(number)))
        case MOSQ_ERR_TLS: Failure(kind: .other, text: "TLS failed: \(notes.complaint ?? "no reason is known")")
        case MOSQ_ERR_PROTOCOL, MOSQ_ERR_MALFORMED_PACKET, MOSQ_ERR_CONN_REFUSED:
            Failure(kind: .garbled, text: "what answers there does not speak MQTT")
        case MOSQ_ERR_OVERSIZE_PACKET: Failure(kind: .tooMuchAsked, text: "it is larger than the broker takes")
        case MOSQ_ERR_QOS_NOT_SUPPORTED: Failure(kind: .tooMuchAsked, text: "the broker acknowledges none (QoS 1)")
        default: Failure(kind: .other, text: Complaint.essence(of: String(cString: cmosquitto_error_text(Int32(code.rawValue)))))
        }
    }
}

extension MosquittoClient.Failure {
    static let closed = Self(kind: .closed, text: "the broker closed the connection")
    /// Nothing that is asked for here needs so many answers.
    static let flooded = Self(kind: .other, text: "the broker sends more than it was asked for")
}

extension MosquittoClient {
    /// Events are bounded by what a broker gets to send; a complaint is kept short.
    private static let callbacks = cmosquitto_callbacks(
        connected: { context, code, retains in
            notes(context)?.events.append(.connected(BrokerCode(number: Int(code)), retains: retains))
        },
        acknowledged: { context, identifier, code in
            notes(context)?.events.append(.acknowledged(Int(identifier), BrokerCode(number: Int(code))))
        },
        disconnected: { context, code in
            // Below that it is an error of the library's, which the call returns as well.
            if code >= 128 { notes(context)?.events.append(.disconnected(BrokerCode(number: Int(code)))) }
        },
        complained: { context, text in
            guard let text, let notes = notes(context), notes.complaint == nil else { return }
            notes.complaint = Complaint.essence(of: String(cString: text))
        })

    private static func notes(_ context: UnsafeMutableRawPointer?) -> Notes? {
        context.map { Unmanaged<Notes>.fromOpaque($0).takeUnretainedValue() }
    }
}
