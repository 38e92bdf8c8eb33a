import MQTT
import Support
import Testing

@Suite(.timeLimit(.minutes(5))) struct MQTTBrokerTests {
    @Test func `the default ports are the registered ones`() throws {
        #expect(try MQTTBroker(host: "localhost", tls: false).port == 1883)
        #expect(try MQTTBroker(host: "broker.example.org", tls: true).port == 8883)
    }

    @Test(arguments: [
        "localhost", "LOCALHOST", "broker.localhost", "127.0.0.1", "127.255.255.254", "::1", "0:0:0:0:0:0:0:1",
    ])
    func `loopback is allowed without TLS`(host: String) throws {
        #expect(try !MQTTBroker(host: host, tls: false).isEncrypted)
    }

    @Test(arguments: [
        "broker.example.org", "192.168.1.2", "128.0.0.1", "127.1", "0x7f.0.0.1", "::2", "fe80::1%eth0",
        "::ffff:127.0.0.1",
        "localhost.example.org", "127.0.0.1.example.org", "notlocalhost",
    ])
    func `another host requires TLS or the insecure option`(host: String) throws {
        #expect(throws: MQTTBroker.Problem.notEncrypted(host: host)) { try MQTTBroker(host: host, tls: false) }
        _ = try MQTTBroker(host: host, tls: true)
        _ = try MQTTBroker(host: host, tls: false, insecure: true)
    }

    @Test(arguments: [
        "", "mqtt://localhost", "local host", "localhost\n", "localhost:1883", "[::1]", "a\0b", "höst", "-x", ".",
        "::1%", "::1%a b",
        String(repeating: "a", count: 254),
    ])
    func `an invalid host is rejected`(host: String) {
        #expect(throws: MQTTBroker.Problem.badHost(host)) { try MQTTBroker(host: host, tls: true) }
    }

    @Test(arguments: [0, -1, 65_536])
    func `an invalid port is rejected`(port: Int) {
        #expect(throws: MQTTBroker.Problem.badPort(port)) { try MQTTBroker(host: "localhost", port: port, tls: false) }
    }

    @Test func `user name and password are validated`() {
        func broker(_ username: String?, _ password: String?) throws -> MQTTBroker {
            try MQTTBroker(host: "localhost", tls: false, username: username, password: password.map(Secret.init))
        }
        #expect(throws: MQTTBroker.Problem.passwordWithoutUsername) { try broker(nil, "x") }
        #expect(throws: MQTTBroker.Problem.badUsername) { try broker("", "x") }
        #expect(throws: MQTTBroker.Problem.badUsername) { try broker("a\nb", "x") }
        #expect(throws: MQTTBroker.Problem.badPassword) { try broker("anna", "") }
        #expect(throws: MQTTBroker.Problem.badPassword) { try broker("anna", "a\0b") }
        #expect(throws: MQTTBroker.Problem.badPassword) { try broker("anna", String(repeating: "a", count: 65_536)) }
        #expect(throws: Never.self) { try broker("anna", nil) }
    }

    @Test func `a password set later changes no other property`() throws {
        let broker = try MQTTBroker(host: "broker.example.org", port: 7, tls: false, username: "anna", insecure: true)
        let whole = try MQTTBroker(
            host: "broker.example.org", port: 7, tls: false, username: "anna", password: Secret("opensesame"),
            insecure: true)
        #expect(try broker.with(password: Secret("opensesame")) == whole)
        #expect(throws: MQTTBroker.Problem.badPassword) { try broker.with(password: Secret("")) }
    }

    @Test func `no description contains the password`() throws {
        let broker = try MQTTBroker(host: "::1", tls: false, username: "anna", password: Secret("opensesame"))
        var dumped = ""
        dump(broker, to: &dumped)
        for text in ["\(broker)", String(reflecting: broker), dumped] { #expect(!text.contains("sesame")) }
        #expect("\(broker)" == "[::1]:1883")
    }

    @Test func `problem descriptions give advice without control characters`() {
        let problems: [MQTTBroker.Problem] = [
            .badHost("\u{1B}[2J"), .badPort(0), .notEncrypted(host: "x"), .badUsername, .badPassword,
            .passwordWithoutUsername,
        ]
        for problem in problems {
            #expect(problem.description.contains(":") && !problem.description.contains("\u{1B}"))
        }
    }
}
