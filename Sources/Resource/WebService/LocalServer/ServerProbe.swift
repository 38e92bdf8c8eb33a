internal import Glibc
internal import Support

/// Determines whether the program that listens at a port of this machine serves the same pages. It asks a question that
/// only a server with the same access folder can answer. Any other program may have the port, even one of this user; it
/// must not be taken for the pages, and must not receive a token.
public struct ServerProbe: Sendable {
    private let port: UInt16
    private let seconds: Int

    /// Bytes of a response. A server of these pages sends less.
    private static let maximumBytes = 16_384

    /// - Parameter seconds: the time after which a listener that has not answered is not taken for these pages. A
    ///   server that systemd starts for this request answers within one or two, and on a slow or busy machine within
    ///   some more.
    public init(port: UInt16, seconds: Int = 15) {
        self.port = port
        self.seconds = seconds
    }

    /// - Parameters:
    ///   - history: what the pages show, such as the path of its file.
    ///   - access: the access folder of the pages.
    /// - Throws: `AccessFolder.Failure`.
    public func finds(_ history: String, by access: AccessFolder) throws(AccessFolder.Failure) -> Bool {
        let question = try access.ask()
        defer { access.withdraw(question) }
        return body(at: AccessFolder.proofPath + question.id) == Array((question.answer + "\n" + history).utf8)
    }

    /// The body of a response with the status 200; nil for any other answer, and if there is none in time.
    private func body(at target: String) -> [UInt8]? {
        let end = Self.uptime() + seconds
        let number = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard number >= 0 else { return nil }
        defer { close(number) }
        var limit = timeval(tv_sec: seconds, tv_usec: 0)
        setsockopt(number, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        setsockopt(number, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        var address = sockaddr_in(loopback: port)
        let code = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(number, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        let request = Array("GET \(target) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nConnection: close\r\n\r\n".utf8)
        guard code == 0, send(number, request, request.count, Int32(MSG_NOSIGNAL)) == request.count else { return nil }
        var response: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        // A listener that sends single bytes gains no time.
        while response.count <= Self.maximumBytes, Self.uptime() <= end {
            let count = recv(number, &buffer, buffer.count, 0)
            if count == 0 { return Self.body(of: response) }
            if count < 0, errno != EINTR { return nil }
            if count > 0 { response += buffer[..<count] }
        }
        return nil
    }

    /// The body of a complete response.
    private static func body(of response: [UInt8]) -> [UInt8]? {
        guard response.starts(with: Array("HTTP/1.1 200 ".utf8)) else { return nil }
        let separator = Array("\r\n\r\n".utf8)
        for start in response.indices where response[start...].starts(with: separator) {
            return Array(response[(start + separator.count)...])
        }
        return nil
    }

    /// Seconds of a clock that is never set.
    private static func uptime() -> Int {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return time.tv_sec
    }
}

/// The user whose program listens on a port of this machine.
public enum LoopbackOwner {
    /// - Returns: the user's number; nil if nothing listens at 127.0.0.1 on this port.
    public static func user(ofPort port: UInt16) -> UInt32? { user(ofPort: port, in: contents(of: "/proc/net/tcp")) }

    /// - Parameter table: as in `/proc/net/tcp` (proc(5)): addresses in hexadecimal, the state 0A for listening, the
    ///   user in the eighth column.
    static func user(ofPort port: UInt16, in table: String) -> UInt32? {
        // 127.0.0.1 as the kernel prints it on a little-endian machine.
        let address = "0100007F:" + port.digits(radix: 16, uppercase: true, width: 4)
        for line in table.split(separator: "\n").dropFirst() {
            let words = line.split(separator: " ")
            if words.count > 7, words[1] == address, words[3] == "0A" { return UInt32(words[7]) }
        }
        return nil
    }

    /// All of a file of /proc; empty if it cannot be read. Its size is 0 and a read returns at most a page: Foundation
    /// stops after the first.
    private static func contents(of path: String) -> String {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return "" }
        defer { close(file) }
        var bytes: [UInt8] = []
        var page = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = read(file, &page, page.count)
            guard count > 0 else { break }
            bytes += page[..<count]
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
