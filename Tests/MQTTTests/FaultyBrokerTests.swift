import Glibc
import MQTT
import MQTTTestSupport
import Testing

/// Against a broker that misbehaves.
@Suite(.timeLimit(.minutes(5)))
struct FaultyBrokerTests {
    private func reason(_ error: MQTTError?) -> String {
        switch error {
        case .notSent(let reason), .unanswered(let reason), .refused(_, let reason), .refusedInPart(_, let reason),
            .libraryMissing(let reason):
            reason
        case .cancelled, nil: ""
        }
    }

    @Test func `a refused connection is reported as not sent`() async throws {
        let port = FreePort.find()
        let error = await failure([try .text("a", "1")], try MQTTBroker(host: "localhost", port: port, tls: false))
        #expect(error == .notSent(reason: "localhost:\(port): Connection refused"))
    }

    @Test func `an unknown host name is reported as not sent`() async throws {
        let error = await failure([try .text("a", "1")], try MQTTBroker(host: "no-such-host.invalid", tls: true))
        guard case .notSent(let reason) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(reason.hasPrefix("no-such-host.invalid:8883: "))
    }

    @Test func `a broker that never answers is reported as not sent`() async throws {
        let broker = try FakeBroker { wire, _ in wire.readAll() }
        let error = await failure([try .text("a", "1")], try broker.address(), timeout: .milliseconds(300))
        guard case .notSent = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test func `the limit of the whole ends a call before that of silence`() async throws {
        let broker = try FakeBroker { wire, _ in wire.readAll() }
        let error = await failure(
            [try .text("a", "1")], try broker.address(), timeout: .seconds(200), whole: .milliseconds(300))
        #expect(error == .notSent(reason: "127.0.0.1:\(broker.port): could not connect to the broker within 0.3 s"))
    }

    @Test func `a broker that closes at once is retried with older MQTT`() async throws {
        let broker = try FakeBroker { _, _ in }
        let error = await failure([try .text("a", "1")], try broker.address())
        #expect(error == .notSent(reason: "127.0.0.1:\(broker.port): the broker closed the connection"))
        #expect(broker.connections == 2)
    }

    @Test func `a connection reset is reported as not sent`() async throws {
        let broker = try FakeBroker { wire, _ in
            _ = wire.readPacket()
            wire.reset()
        }
        guard case .notSent = await failure([try .text("a", "1")], try broker.address()) else {
            Issue.record("not reported as not sent")
            return
        }
    }

    @Test func `publishing falls back to MQTT 3 for an old broker`() async throws {
        let broker = try FakeBroker { wire, number in
            guard let connect = wire.readPacket() else { return }
            if number == 0 {
                // The answer that MQTT 3.1.1 specifies, and that mosquitto 1.5 sent.
                wire.write([0x20, 2, 0, connect.protocolLevel == 5 ? 1 : 0])
                return
            }
            wire.write([0x20, 2, 0, connect.protocolLevel == 4 ? 0 : 1])
            while let packet = wire.readPacket(), packet.type == 3 { wire.acknowledge(packet) }
        }
        try await MQTT.publish([.text("a", "1"), .text("b", "1")], to: broker.address())
        #expect(broker.connections == 2)
    }

    @Test func `a rejected password is reported as refused credentials`() async throws {
        let broker = try FakeBroker { wire, _ in
            _ = wire.readPacket()
            wire.write([0x20, 2, 0, 5])
            wire.readAll()
        }
        let error = await failure([try .text("a", "1")], try broker.address())
        guard case .refused(credentials: true, let reason) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(reason.contains("not authorised"))
    }

    @Test(arguments: [
        Array("HTTP/1.1 400 Bad Request\r\n\r\n".utf8), [0x20, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF], [0x20, 0], [0x20, 1, 0],
        [0x00, 0x00],
        [0xF0, 0x00], [0x30, 2, 0, 0], [0x40, 2, 0, 1], [0x90, 2, 0, 1], [0xD0, 0], [0xE0, 0],
        [UInt8](repeating: 0xFF, count: 1000),
    ])
    func `an invalid answer to the connection request is reported as not sent`(answer: [UInt8]) async throws {
        let broker = try FakeBroker { wire, _ in
            _ = wire.readPacket()
            wire.write(answer)
        }
        let error = await failure([try .text("a", "1")], try broker.address(), timeout: .seconds(5))
        guard case .notSent = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(!reason(error).unicodeScalars.contains { $0.value < 32 })
    }

    /// There is no subscription, so nothing large can be a valid answer: packets of 256 MB and of 128 KB, and small
    /// ones without end.
    @Test(arguments: [[UInt8(0x30), 0xFF, 0xFF, 0xFF, 0x7F], [0x30, 0x80, 0x80, 0x08], [0xD0, 0]])
    func `a flood of data ends the call`(begin: [UInt8]) async throws {
        let broker = try FakeBroker { wire, _ in
            wire.accept()
            _ = wire.readPacket()
            let flood =
                begin.count > 2
                ? [UInt8](repeating: 0, count: 65_536) : Array(repeatElement(begin, count: 32_768).joined())
            wire.write(begin)
            while wire.write(flood) {}
        }
        let error = await failure([try .text("a", "1")], try broker.address())
        guard case .unanswered = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(reason(error).contains("unrequested packets"))
    }

    /// The library ignores SIGPIPE. For a command in a pipe that is wrong: it would continue to write after the reader
    /// has ended.
    @Test func `publishing leaves the handling of SIGPIPE unchanged`() async {
        await #expect(processExitsWith: .signal(SIGPIPE)) {
            signal(SIGPIPE, SIG_DFL)
            // The broker resets the connection; that alone must not end the process.
            let broker = try FakeBroker { wire, _ in
                wire.accept()
                wire.reset()
            }
            let messages = try (0..<200).map { try MQTTMessage.text("t\($0)", String(repeating: "x", count: 10_000)) }
            let error = await failure(messages, try broker.address())
            guard error != nil else { exit(3) }
            kill(getpid(), SIGPIPE)
            pause()
        }
    }
}
