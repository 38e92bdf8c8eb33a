import Foundation
import MQTT
import MQTTTestSupport
import Support
import Testing

@Suite(.timeLimit(.minutes(5)))
struct TLSTests {
    private func withBroker(_ body: (_ broker: RealBroker, _ authority: String) async throws -> Void) async throws {
        let directory = try await Certificates.make()
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let options = ["cafile", "certfile", "keyfile"].map { option in
            "\(option) \(directory)/\(option == "cafile" ? "ca.pem" : option == "certfile" ? "server.pem" : "server.key")"
        }
        try await RealBroker.with(users: ["anna": "opensesame"], options: options) { broker in
            try await body(broker, "\(directory)/ca.pem")
        }
    }

    @Test func `a broker certificate of an authority from the environment is trusted`() async throws {
        try await withBroker { broker, authority in
            await #expect(processExitsWith: .success) { [port = broker.port as Int, authority = authority as String] in
                setenv("SSL_CERT_FILE", authority, 1)
                let messages = try (0..<100).map { try MQTTMessage.text("t/\($0)", "\($0)") }
                try await MQTT.publish(messages, to: address(port))
                try await MQTT.check(address(port))
            }
        }
    }

    @Test func `a broker certificate of an authority in a file is trusted`() async throws {
        try await withBroker { broker, authority in
            try await MQTT.publish([.text("a", "1")], to: address(broker.port, authorities: authority))
            let other = await failure(
                [try .text("a", "1")], try address(broker.port, host: "127.0.0.1", authorities: authority))
            #expect("\(other!)".contains("host name verification failed"))
        }
    }

    @Test func `a file of authorities that cannot be read is named`() async throws {
        let directory = try await Certificates.make()
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let missing = directory + "/missing.pem", key = directory + "/server.key"
        try await withBroker { broker, _ in
            let error = await failure([try .text("a", "1")], try address(broker.port, authorities: missing))
            #expect(
                error
                    == .notSent(
                        reason: "localhost:\(broker.port): the certificates in \"\(missing)\" cannot be read: "
                            + "check `ca_file`"))
            let unsuitable = await failure([try .text("a", "1")], try address(broker.port, authorities: key))
            guard case .notSent(let reason) = unsuitable, reason.contains("`ca_file`") else {
                Issue.record("\(String(describing: unsuitable))")
                return
            }
        }
    }

    @Test func `a broker with an untrusted certificate receives no credentials`() async throws {
        try await withBroker { broker, _ in
            let error = await failure([try .text("a", "1")], try address(broker.port))
            #expect(
                error
                    == .notSent(
                        reason: "localhost:\(broker.port): TLS failed: certificate verify failed; check `host` and "
                            + "`port`, or name the file of its authority in `ca_file`"))
            #expect(!broker.log.contains("anna"))
        }
    }

    @Test func `a broker with a certificate for another host receives no credentials`() async throws {
        try await withBroker { broker, authority in
            await #expect(processExitsWith: .success) { [port = broker.port as Int, authority = authority as String] in
                setenv("SSL_CERT_FILE", authority, 1)
                let error = await failure([try .text("a", "1")], try address(port, host: "127.0.0.1"))
                guard case .notSent(let reason) = error else { return #expect(error == nil, "other than notSent") }
                #expect(reason.hasPrefix("127.0.0.1:\(port): TLS failed: host name verification failed; check `host`"))
            }
            #expect(!broker.log.contains("anna"))
        }
    }

    @Test func `a broker without TLS is reported as not sent`() async throws {
        try await RealBroker.with { broker in
            guard case .notSent = await failure([try .text("a", "1")], try address(broker.port)) else {
                Issue.record("not reported as not sent")
                return
            }
        }
    }

    /// Repeated, because the library's result depends on how much it has received when it checks.
    @Test(arguments: [true, false])
    func `a connection that ends during the handshake ends the call`(isReset: Bool) async throws {
        let broker = try FakeBroker { wire, _ in
            // A TLS record: its length follows type and version (RFC 8446, section 5.1).
            let header = wire.read(5)
            guard header.count == 5 else { return }
            _ = wire.read(Int(header[3]) << 8 | Int(header[4]))
            if isReset { wire.reset() }
        }
        let address = try MQTTBroker(host: "localhost", port: broker.port, tls: true),
            message = try MQTTMessage.text("a", "1")
        for _ in 0..<10 {
            guard case .notSent(let reason) = await failure([message], address) else {
                Issue.record("not reported as not sent")
                return
            }
            // The call did not end by its time limit.
            #expect(!reason.contains("within"))
        }
    }

    @Test func `a stalled handshake ends at the time limit`() async throws {
        let broker = try FakeBroker { wire, _ in wire.readAll() }
        let address = try MQTTBroker(host: "localhost", port: broker.port, tls: true)
        let error = await failure([try .text("a", "1")], address, timeout: .milliseconds(300))
        #expect(error == .notSent(reason: "localhost:\(broker.port): could not connect to the broker within 0.3 s"))
    }
}

private func address(_ port: Int, host: String = "localhost", authorities: String? = nil) throws -> MQTTBroker {
    try MQTTBroker(
        host: host, port: port, tls: true, username: "anna", password: Secret("opensesame"), authorities: authorities)
}
