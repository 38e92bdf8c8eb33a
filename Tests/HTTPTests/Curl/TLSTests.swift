import Foundation
import HTTP
import Testing
import WebTestSupport

/// Nothing is sent to a server that cannot prove its identity.
@Suite(.timeLimit(.minutes(5))) struct TLSTests {
    private func get(_ url: String) throws -> HTTPRequest { HTTPRequest(method: "GET", url: try WebAddress(url)) }

    @Test func `a self-signed certificate is rejected`() async throws {
        try await withDirectory { directory in
            let server = try await TLSServer.start(Certificate(in: directory, names: "IP:127.0.0.1"))
            #expect(
                await failure(CurlTransport.forTests(), try get(server.url))
                    == .notSent(
                        reason:
                            "the certificate of \(server.url) is not trusted: SSL certificate problem: self-signed certificate; "
                            + "check the address, or name the file of its authority in `ca_file`"))
        }
    }

    /// The same request to the same server is answered if its certificate is trusted.
    @Test func `a configured certificate authority is trusted`() async throws {
        try await withDirectory { directory in
            let certificate = try await Certificate(in: directory, names: "IP:127.0.0.1")
            let server = try await TLSServer.start(certificate)
            let answer = try await CurlTransport.forTests().trusting(certificate.path).send(get(server.url))
            #expect(answer.status == 200)
            #expect(answer.text.contains("TLSv1.3"))
        }
    }

    @Test func `a certificate authority from the environment is trusted`() async throws {
        try await withDirectory { directory in
            let certificate = try await Certificate(in: directory, names: "IP:127.0.0.1")
            let server = try await TLSServer.start(certificate)
            await #expect(processExitsWith: .success) {
                [url = server.url as String, path = certificate.path as String] in
                setenv("SSL_CERT_FILE", path, 1)
                let request = HTTPRequest(method: "GET", url: try WebAddress(url))
                #expect(try await CurlTransport.forTests().send(request).status == 200)
            }
        }
    }

    @Test func `a certificate for another host is rejected`() async throws {
        try await withDirectory { directory in
            let certificate = try await Certificate(in: directory, names: "DNS:elsewhere.example,IP:127.0.0.2")
            let server = try await TLSServer.start(certificate)
            let error = await failure(CurlTransport.forTests(authorities: certificate.path), try get(server.url))
            guard case .notSent(let reason) = error else { return #expect(error == nil, "refused") }
            #expect(
                reason.hasPrefix(
                    "the certificate of \(server.url) is not trusted: SSL: no alternative certificate subject name matches"
                ))
        }
    }

    @Test func `an expired certificate is rejected`() async throws {
        try await withDirectory { directory in
            let certificate = try await Certificate(in: directory, names: "IP:127.0.0.1", expired: true)
            let server = try await TLSServer.start(certificate)
            let error = await failure(CurlTransport.forTests(authorities: certificate.path), try get(server.url))
            #expect("\(error!)".contains("is not trusted: SSL certificate problem: certificate has expired; check"))
            #expect(!error!.mayHaveArrived)
        }
    }

    /// RFC 8996 forbids TLS 1.0 and 1.1.
    @Test func `an old TLS version is rejected`() async throws {
        try await withDirectory { directory in
            let certificate = try await Certificate(in: directory, names: "IP:127.0.0.1")
            let server = try await TLSServer.start(certificate, .web, ["-tls1_1", "-cipher", "DEFAULT@SECLEVEL=0"])
            let error = await failure(CurlTransport.forTests(authorities: certificate.path), try get(server.url))
            #expect("\(error!)".hasPrefix("no TLS connection to \(server.url): "))
            #expect(!error!.mayHaveArrived)
        }
    }

    @Test func `garbage after the handshake is reported as unanswered`() async throws {
        try await withDirectory { directory in
            let certificate = try await Certificate(in: directory, names: "IP:127.0.0.1")
            let server = try await TLSServer.start(certificate, .backwards)
            let error = await failure(CurlTransport.forTests(authorities: certificate.path), try get(server.url))
            #expect(error == .unanswered(reason: "the answer of \(server.url) is not HTTP; check the address"))
        }
    }

    @Test func `no request is sent to a port without TLS`() async throws {
        let server = try LoopbackServer.start { _ in .reply() }
        let url = "https://127.0.0.1:\(server.port)"
        let error = await failure(CurlTransport.forTests(), try get(url))
        #expect("\(error!)".hasPrefix("no TLS connection to \(url): "))
        #expect("\(error!)".hasSuffix("; check that its port is one for https"))
        #expect(!error!.mayHaveArrived)
        #expect(server.requests.isEmpty)
    }

    @Test func `a TLS handshake ends at the limit for connecting`() async throws {
        let server = try LoopbackServer.start(arrival: { _ in .ignore }) { _ in .reply() }
        let url = "https://127.0.0.1:\(server.port)"
        let error = await failure(CurlTransport.forTests(connect: .milliseconds(150)), try get(url))
        #expect(error == .notSent(reason: "no connection to \(url) within 150 ms; check its address and the network"))
    }

    @Test(arguments: [Arrival.close, .closeAfter(bytes: 10)]) func `a request is not sent if the handshake is aborted`(
        arrival: Arrival
    )
        async throws
    {
        let server = try LoopbackServer.start(arrival: { _ in arrival }) { _ in .reply() }
        let error = try #require(await failure(CurlTransport.forTests(), try get("https://127.0.0.1:\(server.port)")))
        #expect(!error.mayHaveArrived)
    }

    @Test func `missing authority certificates are reported`() async throws {
        let server = try LoopbackServer.start { _ in .reply() }
        let url = "https://127.0.0.1:\(server.port)"
        let error = await failure(CurlTransport.forTests(authorities: "/nowhere/ca.pem"), try get(url))
        #expect("\(error!)".hasPrefix("there are no certificates of authorities to check \(url) against: "))
        #expect("\(error!)".contains("/nowhere/ca.pem"))
        #expect("\(error!)".hasSuffix("; check `ca_file` and SSL_CERT_FILE, or sudo apt-get install ca-certificates"))
    }
}
