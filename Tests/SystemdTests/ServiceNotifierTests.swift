import Systemd
import TestSupport
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
        #expect(
            socket.received() == [
                "READY=1\nSTATUS=Waiting for 2 pedometers", "WATCHDOG=1", "STATUS=two READY=1 lines", "STOPPING=1",
            ])
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
        (["WATCHDOG_USEC": "120000000"], Duration.seconds(60)),
        (["WATCHDOG_USEC": "120000000", "WATCHDOG_PID": "42"], .seconds(60)),
        (["WATCHDOG_USEC": "120000000", "WATCHDOG_PID": "43"], nil), (["WATCHDOG_USEC": "0"], nil),
        (["WATCHDOG_USEC": "-1"], nil),
        (["WATCHDOG_USEC": "soon"], nil), ([:], nil), (["WATCHDOG_USEC": "18446744073709551615"], .seconds(86_400)),
    ])
    func `the watchdog is notified at half its interval`(environment: [String: String], interval: Duration?) throws {
        let all = environment.merging(["NOTIFY_SOCKET": "/run/systemd/notify"]) { $1 }
        #expect(try #require(ServiceNotifier(environment: all, processIdentifier: 42)).watchdogInterval == interval)
    }
}
