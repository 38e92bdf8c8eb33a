import CCurl
import Foundation
import Support
import Testing
import WebTestSupport

@testable import HTTP

/// Failures in which certainly no server has received the request.
@Suite(.timeLimit(.minutes(5))) struct NotSentTests {
    @Test func `a refused connection is reported as not sent`() async throws {
        let port = try UnansweredPort.refusing()
        let error = await failure(
            CurlTransport.forTests(), HTTPRequest(method: "PUT", url: try WebAddress(port.url + "/secret")))
        #expect(
            error
                == .notSent(
                    reason:
                        "no connection to \(port.url): Connection refused; check its address and whether the server runs"
                ))
    }

    @Test func `an attempt to connect ends at its time limit`() async throws {
        let port = try UnansweredPort.notAccepting()
        let transport = CurlTransport.forTests(connect: .milliseconds(150))
        let error = await failure(transport, HTTPRequest(method: "PUT", url: try WebAddress(port.url)))
        #expect(
            error
                == .notSent(
                    reason: "no connection to \(port.url) within 150 ms; check its address and the network"))
    }

    /// The limit for the whole exchange includes connecting.
    @Test func `the limit for the whole exchange includes connecting`() async throws {
        let port = try UnansweredPort.notAccepting()
        let transport = CurlTransport.forTests(whole: .milliseconds(150))
        let error = await failure(transport, HTTPRequest(method: "PUT", url: try WebAddress(port.url)))
        #expect(
            error
                == .notSent(
                    reason: "no connection to \(port.url) within 150 ms; check its address and the network"))
    }

    /// A failed request does not affect the transport's next one.
    @Test func `a failed request does not affect the next one`() async throws {
        let port = try UnansweredPort.refusing()
        let server = try LoopbackServer.start { _ in .reply(status: 204) }
        let transport = CurlTransport.forTests()
        for _ in 1...3 {
            #expect(await failure(transport, HTTPRequest(method: "PUT", url: try WebAddress(port.url))) != nil)
            #expect(try await transport.send(server.put()).status == 204)
        }
        #expect(server.log.connections == 1)
    }

    static let unsendable: [(HTTPRequest.Header, String)] = [
        (.init("X-One", "a\r\nX-Two: b"), "the value of the header X-One has a control character in it"),
        (.init("X-One", "a\nX-Two: b"), "the value of the header X-One has a control character in it"),
        (.init("X-One", "a\rb"), "the value of the header X-One has a control character in it"),
        (.init("X-One", "a\0b"), "the value of the header X-One has a control character in it"),
        (.init("X-One", "a\u{7F}"), "the value of the header X-One has a control character in it"),
        (.init("X-One", "a\u{85}"), "the value of the header X-One has a control character in it"),
        (.bearer(Secret("a\r\nX-Two: b")), "the value of the header Authorization has a control character in it"),
        (
            .init("X-One", .secret(prefix: "\n", Secret("a"))),
            "the value of the header X-One has a control character in it"
        ),
        (
            .basic(user: "a:b", password: Secret("c")),
            "a user of basic or digest authentication cannot have a colon in the name"
        ),
        (.init("X One", "a"), "\"X One\" is not a header name"),
        (.init("X-One: a\r\nX-Two", "b"), "\"X-One: a\\u{d}\\u{a}X-Two\" is not a header name"),
        (.init("", "a"), "\"\" is not a header name"),
        (.init("Ü", "a"), "\"Ü\" is not a header name"),
        (.init("content-length", "3"), "the header content-length cannot be set; istep sets it"),
        (.init("Transfer-Encoding", "chunked"), "the header Transfer-Encoding cannot be set; istep sets it"),
        (.init("Host", "elsewhere"), "the header Host cannot be set; istep sets it"),
    ]

    @Test(arguments: unsendable) func `a request with an invalid header is not sent`(
        _ header: HTTPRequest.Header, _ words: String
    ) async throws {
        let server = try LoopbackServer.start { _ in .reply() }
        var request = try server.put()
        request.headers = [.init("Accept", "*/*"), header]
        #expect(await failure(CurlTransport.forTests(), request) == .notSent(reason: words))
        #expect(server.log.connections == 0)
    }

    /// Base64 encodes a line break like any other character.
    @Test func `a password for basic authentication may contain any characters`() async throws {
        let server = try LoopbackServer.start { _ in .reply() }
        var request = try server.put()
        request.headers = [.basic(user: "anna", password: Secret("a\r\nb"))]
        _ = try await CurlTransport.forTests().send(request)
        #expect(server.requests[0].header("Authorization") == "Basic YW5uYTphDQpi")
    }

    @Test(arguments: ["", "GET /", "PUT\r\n", "GÉT"]) func `a request with an invalid method is not sent`(
        method: String
    ) async throws {
        let request = HTTPRequest(method: method, url: try WebAddress("http://localhost:1/"))
        let error = try #require(await failure(CurlTransport.forTests(), request))
        #expect("\(error)".hasSuffix("is not a method"))
        #expect(!error.mayHaveArrived)
    }

    /// A proxy from the environment would receive requests that should stay on this machine, and would answer them.
    @Test func `requests to loopback do not use a proxy`() async {
        await #expect(processExitsWith: .success) {
            let proxy = try LoopbackServer.start { _ in .reply() }
            let server = try LoopbackServer.start { _ in .reply(status: 204) }
            for name in ["http_proxy", "HTTPS_PROXY", "ALL_PROXY"] { setenv(name, proxy.url, 1) }
            #expect(try await CurlTransport.forTests().send(server.put()).status == 204)
            #expect(proxy.log.connections == 0)
            // Shows that the proxy is used for other addresses; otherwise the test would prove nothing.
            let elsewhere = HTTPRequest(method: "GET", url: try WebAddress("http://192.0.2.1/", insecure: true))
            _ = try await CurlTransport.forTests().send(elsewhere)
            #expect(proxy.log.connections == 1)
        }
    }

    @Test func `a missing or wrong library is reported`() throws {
        let missing = try #require(CurlLibrary.load("libcurl-that-is-not-there.so.4"))
        #expect(
            missing.hasPrefix(
                "sharing needs libcurl: sudo apt-get install libcurl4 (libcurl-that-is-not-there.so.4: cannot open"))
        let other = try #require(CurlLibrary.load("libc.so.6"))
        #expect(other.contains("undefined symbol: curl_global_init"))
    }
}
