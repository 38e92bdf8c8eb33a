internal import Foundation
internal import Glibc
internal import TestSupport
internal import Synchronization

/// A simulated modem, which answers AT commands (3GPP TS 27.007 and 27.005) over a socket instead of a serial line.
public final class SerialModem: Sendable {
    /// Its answer to a message that it is to send.
    public enum Sending: Sendable {
        /// `+CMGS` and OK.
        case confirm
        /// OK without the message reference.
        case confirmWithoutReference
        /// `+CMS ERROR` with this number.
        case fail(Int)
        /// `+CME ERROR` with this number.
        case failAsEquipment(Int)
        /// Nothing at all.
        case silence
    }

    /// The name by which ModemManager's tests know such a port: `abstract:` and the name of a socket.
    public let port: String
    private let listener: Listener

    private struct State {
        var sending: [Sending] = []
        var sent: [String] = []
        var watchers: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())

    public init() throws {
        let name = "istep-modem-\(UUID().uuidString)"
        let port = "abstract:" + name
        self.port = port
        let socket = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        // An abstract name begins with U+0000 and needs no file.
        withUnsafeMutableBytes(of: &address.sun_path) { $0.dropFirst().copyBytes(from: port.utf8) }
        let length = socklen_t(MemoryLayout<sa_family_t>.size + 1 + port.utf8.count)
        withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { _ = bind(socket, $0, length) }
        }
        listener = try Listener(socket, backlog: 5)
        Thread.detachNewThread { [listener, weak self] in
            while let line = listener.accept() {
                Thread.detachNewThread { [weak self] in
                    Self.serve(line) { self?.answer($0) }
                    shutdown(line, Int32(SHUT_RDWR))
                    close(line)
                }
            }
        }
    }

    deinit { listener.end() }

    /// The answers to the next messages; the last one applies to all that follow.
    public func onSend(_ sending: Sending...) { state.withLock { $0.sending = sending } }

    /// The messages that it was given to send, as received: hexadecimal digits of a submit PDU.
    public var sent: [String] { state.withLock { $0.sent } }

    /// Returns once it has been given a message.
    public func wasGivenOne() async {
        await withCheckedContinuation { continuation in
            let isThere = state.withLock { state in
                if state.sent.isEmpty { state.watchers.append(continuation) }
                return !state.sent.isEmpty
            }
            if isThere { continuation.resume() }
        }
    }

    // MARK: The line

    /// Reads commands, which end with a carriage return, and messages, which end with Ctrl-Z.
    private static func serve(_ line: Int32, _ answer: (String) -> String?) {
        var bytes: [UInt8] = []
        var byte: UInt8 = 0
        while recv(line, &byte, 1, 0) == 1 {
            if byte != 13 && byte != 26 {
                // Skips the line feed after a carriage return; messages consist of digits and contain none.
                if byte != 10 { bytes.append(byte) }
                continue
            }
            let text = String(decoding: bytes, as: UTF8.self) + (byte == 26 ? "\u{1A}" : "")
            bytes = []
            let reply = Array((answer(text) ?? "").utf8)
            if !reply.isEmpty { send(line, reply, reply.count, Int32(MSG_NOSIGNAL)) }
        }
    }

    private func answer(_ command: String) -> String {
        if command.last == "\u{1A}" { return take(String(command.dropLast())) }
        if command.hasPrefix("AT+CMGS=") { return "\r\n> " }
        guard let words = SerialAnswers.known[command] else { return "\r\nERROR\r\n" }
        return words.isEmpty ? "\r\nOK\r\n" : "\r\n\(words)\r\n\r\nOK\r\n"
    }

    private func take(_ message: String) -> String {
        let (what, watchers) = state.withLock { state in
            state.sent.append(message)
            defer { state.watchers = [] }
            let what = state.sending.count > 1 ? state.sending.removeFirst() : state.sending.first ?? .confirm
            return (what, state.watchers)
        }
        for watcher in watchers { watcher.resume() }
        return switch what {
        case .confirm: "\r\n+CMGS: 7\r\n\r\nOK\r\n"
        case .confirmWithoutReference: "\r\nOK\r\n"
        case .fail(let number): "\r\n+CMS ERROR: \(number)\r\n"
        case .failAsEquipment(let number): "\r\n+CME ERROR: \(number)\r\n"
        case .silence: ""
        }
    }
}
