internal import Glibc
public import StepDomain

/// Reports the state of this process to the systemd that started it: ready, at work, alive, about to end
/// (`sd_notify(3)`, without its library).
///
/// Each report is one datagram to the socket that systemd names in `$NOTIFY_SOCKET`. It never waits: a systemd that
/// does not read must not delay the service.
public struct ServiceNotifier: ServiceSupervisor {
    private let address: SocketAddress
    /// The longest interval between two calls of `alive`; nil if systemd keeps no watchdog for this process.
    ///
    /// Half of what systemd allows, as `sd_watchdog_enabled(3)` recommends, and never longer than a day.
    public let watchdogInterval: Duration?

    /// - Parameters:
    ///   - environment: `NOTIFY_SOCKET`, `WATCHDOG_USEC` and `WATCHDOG_PID` are read.
    ///   - processIdentifier: by default the number of this process: an inherited environment is meant for another
    ///     process.
    /// - Returns: nil if no systemd expects reports from this process.
    public init?(environment: [String: String], processIdentifier: Int32? = nil) {
        guard let name = environment["NOTIFY_SOCKET"], let address = SocketAddress(name) else { return nil }
        self.address = address
        let isMine = environment["WATCHDOG_PID"].map { $0 == String(processIdentifier ?? getpid()) } ?? true
        let limit = environment["WATCHDOG_USEC"].flatMap { UInt64($0) } ?? 0
        let day: UInt64 = 86_400_000_000
        watchdogInterval = isMine && limit > 0 ? .microseconds(Int64(min(limit / 2, day))) : nil
    }

    /// Start-up is complete: units that wait for this service continue.
    ///
    /// - Returns: whether systemd's socket accepted it; the other methods return the same.
    @discardableResult
    public func ready(_ status: String) -> Bool { send("READY=1\nSTATUS=\(Self.line(status))") }

    /// What the service is doing, for `systemctl status`.
    @discardableResult
    public func status(_ text: String) -> Bool { send("STATUS=\(Self.line(text))") }

    /// Resets the watchdog: must be called by the loop that would hang if the service hung.
    @discardableResult
    public func alive() -> Bool { send("WATCHDOG=1") }

    /// The service begins to stop, by itself or on request.
    @discardableResult
    public func stopping() -> Bool { send("STOPPING=1") }

    private func send(_ message: String) -> Bool {
        // One socket per report: reports are rare, and no socket can be inherited or break.
        let socket = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard socket >= 0 else { return false }
        defer { close(socket) }
        let bytes = Array(message.utf8)
        let sent = address.withPointer { pointer, length in
            sendto(socket, bytes, bytes.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT), pointer, length)
        }
        return sent == bytes.count
    }

    /// A line feed would start another variable (`sd_notify(3)`). The views have made the text printable.
    private static func line(_ text: String) -> String {
        String(
            String.UnicodeScalarView(text.unicodeScalars.map { $0.properties.generalCategory == .control ? " " : $0 }))
    }
}

/// The address of a Unix socket: a path, or with a leading `@` a name in the abstract namespace.
private struct SocketAddress: Sendable {
    private let name: [UInt8]

    init?(_ text: String) {
        var name = Array(text.utf8)
        let isAbstract = name.first == UInt8(ascii: "@")
        // A path needs its terminating zero; `vsock:` and similar addresses are for virtual machines.
        guard isAbstract || name.first == UInt8(ascii: "/"), name.count > 1,
            name.count <= MemoryLayout.size(ofValue: sockaddr_un().sun_path) - (isAbstract ? 0 : 1)
        else { return nil }
        if isAbstract { name[0] = 0 }
        self.name = name
    }

    func withPointer<R>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> R) -> R {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: name) }
        // The length shows where an abstract name ends; a path ends at its zero, too.
        let length = MemoryLayout.offset(of: \sockaddr_un.sun_path)! + name.count
        return withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(length)) }
        }
    }
}
