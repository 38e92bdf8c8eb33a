internal import CMosquitto
internal import Glibc
internal import Support

/// One connection by libmosquitto, used by one thread only. Every call may be followed by events.
final class MosquittoClient {
    struct Failure: Error {
        /// What it means for the delivery.
        enum Kind { case closed, invalidPacket, unsupported, other }

        let kind: Kind
        let text: String
    }

    private let client: OpaquePointer
    private let reports: Reports
    /// A second descriptor of the connection, for `received`; the library closes its own when a packet is invalid. -1
    /// if there is none.
    private var counted: Int32 = -1

    /// What the library's callbacks have reported, in order.
    private final class Reports {
        var events: [Delivery.Event] = []
        /// The first error or warning that it logged.
        var logged: String?
    }

    /// - Throws: `Failure`.
    init(_ broker: MQTTBroker, usesMQTT311: Bool) throws(Failure) {
        let reports = Reports()
        let context = Unmanaged.passUnretained(reports).toOpaque()
        let version = usesMQTT311 ? MQTT_PROTOCOL_V311 : MQTT_PROTOCOL_V5
        guard let client = cmosquitto_new(version, Self.callbacks, context) else {
            throw Failure(kind: .other, text: String(cString: strerror(errno)))
        }
        self.client = client
        self.reports = reports
        if let username = broker.username {
            try check(cmosquitto_set_login(client, username, broker.password?.reveal()))
        }
        if broker.isEncrypted { try setTLS(broker.authorities) }
    }

    deinit {
        cmosquitto_destroy(client)
        if counted >= 0 { close(counted) }
    }

    private func setTLS(_ authorities: String?) throws(Failure) {
        let code = cmosquitto_set_tls(client, authorities)
        if let authorities, code == MOSQ_ERR_INVAL.rawValue {
            throw Failure(
                kind: .other, text: "the certificates in \(quoted(authorities)) cannot be read: check `ca_file`")
        }
        try check(code)
    }

    /// Blocks until there is a TCP connection. The library also handles keep-alive.
    func connect(_ broker: MQTTBroker) throws(Failure) {
        try check(cmosquitto_connect(client, broker.host, Int32(broker.port), Self.keepAlive))
        // Child processes would inherit the library's connection and keep it open.
        _ = fcntl(socket, F_SETFD, FD_CLOEXEC)
        counted = fcntl(socket, F_DUPFD_CLOEXEC, 0)
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

    /// Sends DISCONNECT, if that needs no waiting.
    func disconnect() { _ = cmosquitto_disconnect(client) }

    /// Bytes that came from the broker, also after the connection has ended; nil if the kernel does not count them.
    var received: UInt64? {
        var count: UInt64 = 0
        return cmosquitto_received(counted, &count) ? count : nil
    }

    /// -1 if there is none.
    var socket: Int32 { cmosquitto_socket(client) }
    var wantsToWrite: Bool { cmosquitto_wants_write(client) }

    /// A small buffer, so that a broker cannot send much before it is noticed. A failure does no harm.
    private func limitBuffer() {
        var size: Int32 = 16 * 1024
        setsockopt(socket, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout.size(ofValue: size)))
    }

    /// The events since the last call.
    func takeEvents() -> [Delivery.Event] {
        defer { reports.events = [] }
        return reports.events
    }

    /// In seconds. The limits here are shorter; a broker that requires a shorter interval states it in MQTT 5.
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
        case MOSQ_ERR_TLS:
            Failure(
                kind: .other,
                text: """
                    TLS failed: \(reports.logged ?? "no reason is known"); check `host` and `port`, or name the file of its \
                    authority in `ca_file`
                    """)
        case MOSQ_ERR_PROTOCOL, MOSQ_ERR_MALFORMED_PACKET, MOSQ_ERR_CONN_REFUSED:
            Failure(kind: .invalidPacket, text: "the server does not speak MQTT")
        case MOSQ_ERR_OVERSIZE_PACKET: Failure(kind: .unsupported, text: "it is larger than the broker accepts")
        case MOSQ_ERR_QOS_NOT_SUPPORTED: Failure(kind: .unsupported, text: "the broker does not support QoS 1")
        default:
            Failure(
                kind: .other, text: LogLine.reason(of: String(cString: cmosquitto_error_text(Int32(code.rawValue)))))
        }
    }
}

extension MosquittoClient.Failure {
    static let closed = Self(kind: .closed, text: "the broker closed the connection")
    /// Nothing that istep requests here needs so many answers.
    static let flooded = Self(kind: .other, text: "the broker sends unrequested packets")
}

extension MosquittoClient {
    /// Events are limited by the bytes that a broker may send; a log line is kept short.
    private static let callbacks = cmosquitto_callbacks(
        connected: { context, code, retains in
            reports(context)?.events.append(.connected(BrokerCode(number: Int(code)), retains: retains))
        },
        acknowledged: { context, identifier, code in
            reports(context)?.events.append(.acknowledged(Int(identifier), BrokerCode(number: Int(code))))
        },
        disconnected: { context, code in
            // A lower code is an error of the library, which the call returns as well.
            if code >= 128 { reports(context)?.events.append(.disconnected(BrokerCode(number: Int(code)))) }
        },
        logged: { context, text in
            guard let text, let reports = reports(context), reports.logged == nil else { return }
            reports.logged = LogLine.reason(of: String(cString: text))
        })

    private static func reports(_ context: UnsafeMutableRawPointer?) -> Reports? {
        context.map { Unmanaged<Reports>.fromOpaque($0).takeUnretainedValue() }
    }
}

/// libmosquitto, loaded at most once.
enum Mosquitto {
    /// Why it cannot be used; nil if it can.
    static let failure: String? = load("libmosquitto.so.1")

    /// - Returns: why it cannot be loaded; nil if it is.
    static func load(_ name: String) -> String? {
        cmosquitto_load(name).map { String(cString: $0) }
    }

    /// The text for a code of a broker.
    static func words(_ code: BrokerCode) -> String {
        // Codes up to 5 are those of MQTT 3.1.1; MQTT 5 has none of them.
        let text =
            code.number < 128 ? cmosquitto_refusal_text(Int32(code.number)) : cmosquitto_reason_text(Int32(code.number))
        guard let text else { return "code \(code.number)" }
        let words = String(cString: text)
        return words.hasSuffix(".") ? String(words.dropLast()) : words
    }
}

/// A broker's answer, by its number.
///
/// MQTT 5.0, sections 2.4, 3.2.2.2 and 3.4.2.1 (128 and above are failures); for connections also MQTT 3.1.1, table
/// 3.1.
struct BrokerCode: Hashable {
    enum Verdict: Hashable {
        case accepted
        /// MQTT 5 is too new for this broker.
        case otherVersion
        case refused(credentials: Bool)
        /// Temporarily not accepted.
        case busy
    }

    let number: Int

    var isFailure: Bool { number != 0 && !(16..<128).contains(number) }

    /// The meaning of the code in an answer to CONNECT.
    var onConnecting: Verdict {
        switch number {
        case 0: .accepted
        case 1, 0x84: .otherVersion
        case 3: .busy
        // Bad user name or password, not authorized; also banned and bad authentication method.
        case 4, 5, 0x86, 0x87, 0x8A, 0x8C: .refused(credentials: true)
        default: Self.temporary.contains(number) ? .busy : .refused(credentials: false)
        }
    }

    /// The meaning of the code in an answer to PUBLISH, or in a DISCONNECT.
    var onPublishing: Verdict {
        switch number {
        // 16 means that there are no subscribers.
        case 0..<128: .accepted
        case 0x87: .refused(credentials: true)
        default: Self.temporary.contains(number) ? .busy : .refused(credentials: false)
        }
    }

    /// Unspecified, specific to the implementation, unavailable, busy, shutting down, keep alive, taken over, quota
    /// exceeded, administrative action, another server, connection rate exceeded, maximum connect time.
    private static let temporary: Set = [0x80, 0x83, 0x88, 0x89, 0x8B, 0x8D, 0x8E, 0x97, 0x98, 0x9C, 0x9F, 0xA0]
}

/// A log line of the library, shortened for an error text.
enum LogLine {
    /// The last part of a line such as `OpenSSL Error[0]: error:0A000086:SSL routines::certificate verify failed`.
    static func reason(of line: String) -> String {
        let last = line.split(separator: ":").last { !$0.allSatisfy(\.isWhitespace) } ?? ""
        let text = String(stripped(String(last)).unicodeScalars.prefix(120)).trimmingPrefix(" ")
        return text.hasSuffix(".") ? String(text.dropLast()) : String(text)
    }
}
