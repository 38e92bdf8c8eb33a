import Foundation
import Systemd
import Testing

/// What arrives at a socket such as systemd's.
@Suite(.timeLimit(.minutes(5))) struct ServiceNotifierTests {
    @Test(arguments: [false, true]) func `each notification is one datagram`(isAbstract: Bool) throws {
        let socket = try DatagramSocket(isAbstract: isAbstract)
        let notifier = try #require(ServiceNotifier(environment: ["NOTIFY_SOCKET": socket.name]))
        #expect(notifier.ready("Waiting for 2 pedometers"))
        #expect(notifier.alive())
        #expect(notifier.status("two\nREADY=1\u{7f}lines"))
        #expect(notifier.stopping())
        #expect(socket.received() == ["READY=1\nSTATUS=Waiting for 2 pedometers", "WATCHDOG=1", "STATUS=two READY=1 lines", "STOPPING=1"])
    }

    @Test func `no notifier is created without a usable socket name`() {
        #expect(ServiceNotifier(environment: [:]) == nil)
        #expect(ServiceNotifier(environment: ["NOTIFY_SOCKET": ""]) == nil)
        #expect(ServiceNotifier(environment: ["NOTIFY_SOCKET": "@"]) == nil)
        #expect(ServiceNotifier(environment: ["NOTIFY_SOCKET": "vsock:2:1"]) == nil)
        #expect(ServiceNotifier(environment: ["NOTIFY_SOCKET": "/" + String(repeating: "x", count: 107)]) == nil)
        #expect(ServiceNotifier(environment: ["NOTIFY_SOCKET": "/" + String(repeating: "x", count: 106)]) != nil)
        #expect(ServiceNotifier(environment: ["NOTIFY_SOCKET": "@" + String(repeating: "x", count: 107)]) != nil)
    }

    @Test func `a missing socket is not an error`() throws {
        let name = try DatagramSocket(isAbstract: true).name
        #expect(try #require(ServiceNotifier(environment: ["NOTIFY_SOCKET": name])).alive() == false)
    }

    @Test func `a notification does not block on a full socket`() throws {
        let socket = try DatagramSocket(isAbstract: true)
        let notifier = try #require(ServiceNotifier(environment: ["NOTIFY_SOCKET": socket.name]))
        var taken = 0
        while taken < 100_000, notifier.alive() { taken += 1 }
        #expect(taken > 0 && taken < 100_000)
    }

    @Test(arguments: [
        (["WATCHDOG_USEC": "120000000"], Duration.seconds(60)), (["WATCHDOG_USEC": "120000000", "WATCHDOG_PID": "42"], .seconds(60)),
        (["WATCHDOG_USEC": "120000000", "WATCHDOG_PID": "43"], nil), (["WATCHDOG_USEC": "0"], nil), (["WATCHDOG_USEC": "-1"], nil),
        (["WATCHDOG_USEC": "soon"], nil), ([:], nil), (["WATCHDOG_USEC": "18446744073709551615"], .seconds(86_400)),
    ])
    func `the watchdog is notified at half its interval`(environment: [String: String], interval: Duration?) throws {
        let all = environment.merging(["NOTIFY_SOCKET": "/run/systemd/notify"]) { $1 }
        #expect(try #require(ServiceNotifier(environment: all, processIdentifier: 42)).watchdogInterval == interval)
    }
}

/// A bound socket: a unique path, or a unique abstract name.
private final class DatagramSocket {
    let name: String
    private let descriptor: Int32

    init(isAbstract: Bool) throws {
        let unique = "istep-notify-\(UUID().uuidString)"
        name = isAbstract ? "@" + unique : NSTemporaryDirectory() + unique
        descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        var bytes = Array(name.utf8)
        if isAbstract { bytes[0] = 0 }
        try #require(bytes.count < 108)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        let length = socklen_t(2 + bytes.count)
        let result = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, length) }
        }
        try #require(result == 0)
    }

    deinit {
        close(descriptor)
        if name.hasPrefix("/") { unlink(name) }
    }

    /// The datagrams that have arrived: a datagram to a Unix socket has arrived once `sendto` has returned.
    func received() -> [String] {
        var messages: [String] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = recv(descriptor, &buffer, buffer.count, 0)
            guard count > 0 else { return messages }
            messages.append(String(decoding: buffer[..<count], as: UTF8.self))
        }
    }
}
