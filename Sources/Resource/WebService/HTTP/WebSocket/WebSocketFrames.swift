/// The frames of WebSocket as a client sends and receives them (RFC 6455, section 5). Uses no socket.
///
/// Anything that a server may not send is a violation, after which the connection must not be used: the bytes that
/// follow may not begin at the start of a frame.
struct WebSocketFrames {
    enum Event: Hashable {
        case text(String)
        /// Must be answered by a pong with the same bytes.
        case ping([UInt8])
        /// The server's status, such as 1000, and its reason; nil and empty if it gave none.
        case close(code: Int?, reason: String)
    }

    struct Violation: Error, Hashable {
        /// What the server did, as the end of a sentence about it.
        var reason: String

        init(_ reason: String) { self.reason = reason }
    }

    enum Opcode: UInt8 {
        case continuation = 0, text = 1, binary = 2, close = 8, ping = 9, pong = 10

        /// Control frames are never in fragments and have at most 125 bytes (section 5.5).
        var isControl: Bool { rawValue & 8 != 0 }
    }

    /// Maximum bytes of a message, all fragments together. istep requests at most a year of hours at about 100 bytes
    /// each.
    static let maximumMessage = 4 << 20
    /// Maximum frames of a message. A server that splits a message into more frames only keeps a client busy.
    static let maximumFragments = 4096

    private var buffer: [UInt8] = []
    /// Bytes of the buffer that were read.
    private var position = 0
    /// The message whose last fragment was not received yet.
    private var message: [UInt8]?
    private var fragments = 0
    private let limit: Int

    init(limit: Int = maximumMessage) { self.limit = limit }

    /// - Parameter bytes: as they were received, split anywhere.
    mutating func append(_ bytes: some Sequence<UInt8>) {
        buffer.removeFirst(position)
        position = 0
        buffer.append(contentsOf: bytes)
    }

    /// The next complete event; nil if more bytes are needed.
    mutating func next() throws(Violation) -> Event? {
        while let frame = try nextFrame() {
            switch frame.opcode {
            case .pong: continue
            case .ping: return .ping(frame.payload)
            case .close: return try close(frame.payload)
            case .binary: throw Violation("sent bytes where a text was expected")
            case .text, .continuation: if let text = try add(frame) { return .text(text) }
            }
        }
        return nil
    }

    private struct Frame {
        var isLast: Bool
        var opcode: Opcode
        var payload: [UInt8]
    }

    private mutating func nextFrame() throws(Violation) -> Frame? {
        let bytes = buffer[position...]
        guard bytes.count >= 2 else { return nil }
        let first = bytes[position], second = bytes[position + 1]
        guard first & 0x70 == 0 else { throw Violation("set a bit of an extension that was not agreed on") }
        guard let opcode = Opcode(rawValue: first & 0x0f) else {
            throw Violation("sent a frame of an unknown kind, \(first & 0x0f)")
        }
        guard second & 0x80 == 0 else { throw Violation("masked a frame, which only clients do") }
        let isLast = first & 0x80 != 0
        let short = Int(second)
        if opcode.isControl, !isLast || short > 125 {
            throw Violation("sent a control frame that is too long or in pieces")
        }

        let extra = short == 126 ? 2 : short == 127 ? 8 : 0
        guard bytes.count >= 2 + extra else { return nil }
        var length = UInt64(short)
        if extra > 0 {
            length = bytes[(position + 2)..<(position + 2 + extra)].reduce(0) { $0 << 8 | UInt64($1) }
            // Section 5.2: the shortest form, and no sign bit.
            guard length >= (extra == 2 ? 126 : 65_536), length < 1 << 63 else {
                throw Violation("wrote the length of a frame wrongly")
            }
        }
        guard length <= UInt64(limit - (opcode.isControl ? 0 : message?.count ?? 0)) else {
            throw Violation("sent a message of more than \(limit / 1024) KiB")
        }
        let start = position + 2 + extra, end = start + Int(length)
        guard buffer.count >= end else { return nil }
        position = end
        return Frame(isLast: isLast, opcode: opcode, payload: Array(buffer[start..<end]))
    }

    /// - Returns: the message, once it is complete.
    private mutating func add(_ frame: Frame) throws(Violation) -> String? {
        guard (frame.opcode == .continuation) == (message != nil) else {
            throw Violation(
                message == nil
                    ? "continued a message that it had not begun" : "began a message in the middle of another")
        }
        fragments += 1
        guard fragments <= Self.maximumFragments else {
            throw Violation("cut a message into more than \(Self.maximumFragments) pieces")
        }
        // In place: a copy for each of thousands of fragments would take long.
        if message == nil { message = frame.payload } else { message?.append(contentsOf: frame.payload) }
        guard frame.isLast else { return nil }
        let whole = message ?? []
        (message, fragments) = (nil, 0)
        guard let text = String(validating: whole, as: UTF8.self) else {
            throw Violation("sent a text that is not UTF-8")
        }
        return text
    }

    private func close(_ payload: [UInt8]) throws(Violation) -> Event {
        if payload.isEmpty { return .close(code: nil, reason: "") }
        guard payload.count >= 2, let reason = String(validating: payload[2...], as: UTF8.self) else {
            throw Violation("closed with a status that cannot be read")
        }
        return .close(code: Int(payload[0]) << 8 | Int(payload[1]), reason: reason)
    }

    // MARK: Sending

    /// A whole message or control frame in one frame.
    ///
    /// - Parameter mask: new and unpredictable for each frame (section 5.3), so that the author of the text cannot
    ///   choose the bytes that a proxy on the way receives.
    static func encoded(_ opcode: Opcode, _ payload: [UInt8], mask: UInt32) -> [UInt8] {
        var bytes: [UInt8] = [0x80 | opcode.rawValue]
        switch payload.count {
        case ...125: bytes.append(0x80 | UInt8(payload.count))
        case ...65_535: bytes += [0x80 | 126] + bigEndian(UInt64(payload.count)).suffix(2)
        default: bytes += [0x80 | 127] + bigEndian(UInt64(payload.count))
        }
        let key = Array(bigEndian(UInt64(mask)).suffix(4))
        bytes += key
        bytes.reserveCapacity(bytes.count + payload.count)
        for (index, byte) in payload.enumerated() { bytes.append(byte ^ key[index & 3]) }
        return bytes
    }

    private static func bigEndian(_ value: UInt64) -> [UInt8] {
        (0..<8).map { UInt8(truncatingIfNeeded: value >> (56 - 8 * $0)) }
    }
}
