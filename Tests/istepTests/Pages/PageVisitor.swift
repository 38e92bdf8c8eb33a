import Foundation
import Support
import TestSupport
import Testing

/// A client of the pages, as a browser without scripts.
struct PageVisitor: Sendable {
    let port: UInt16
    var cookie = ""
    /// What the opened address leads on to.
    var first = "/"

    func get(_ target: String) async throws -> (status: Int, text: String) {
        try await send("GET \(target) HTTP/1.1\r\n", "")
    }

    /// Sends a form with the key of a page.
    func post(_ target: String, _ form: String = "") async throws -> (status: Int, text: String) {
        let key = try #require(try await get("/plan").text.firstMatch(of: /name="key" value="([0-9a-f]{64})"/)).1
        let body = "key=\(key)&\(form)"
        return try await send(
            "POST \(target) HTTP/1.1\r\nOrigin: http://127.0.0.1:\(port)\r\nContent-Length: \(body.utf8.count)\r\n",
            body)
    }

    /// The page of what a form began, once that has ended.
    func activity() async throws -> String {
        // Answered until it has ended.
        _ = try await get("/events")
        return try await get("/activity").text
    }

    private func send(_ line: String, _ body: String) async throws -> (status: Int, text: String) {
        let visitor = self
        let answer = try await blocking {
            let client = try LoopbackClient(port: visitor.port)
            client.send(
                "\(line)Host: 127.0.0.1:\(visitor.port)\r\nCookie: \(visitor.cookie)\r\nConnection: close\r\n\r\n\(body)"
            )
            return client.receiveAll()
        }
        return (Int(answer.dropFirst(9).prefix(3)) ?? 0, answer)
    }

    /// Exchanges the token of an address.
    static func open(_ address: String) async throws -> PageVisitor {
        let url = try #require(URL(string: address))
        var visitor = PageVisitor(port: UInt16(try #require(url.port)))
        let opened = try await visitor.get(String(address.dropFirst("http://127.0.0.1:\(visitor.port)".count)))
        #expect(opened.status == 200)
        visitor.cookie = String(try #require(opened.text.firstMatch(of: /Set-Cookie: ([^;]+);/)).1)
        visitor.first = String(try #require(opened.text.firstMatch(of: /content="0; url=([^"]+)"/)).1)
        return visitor
    }
}

/// The address that `istep serve` prints.
enum ServedAddress {
    static func first(in output: String) -> String? {
        output.firstMatch(of: /http:\/\/127\.0\.0\.1:[0-9]+\/open\/[0-9a-f]{64}/).map { String($0.0) }
    }
}

/// Starts it at a free port and ends it after `body`.
func serving(
    _ istep: Command, _ words: [String] = [], _ body: (_ address: String, Running) async throws -> Void
) async throws {
    let running = try istep.start(["serve", "--port", "0"] + words)
    do {
        try await running.until { ServedAddress.first(in: $0) != nil }
        try await body(try #require(ServedAddress.first(in: running.outputSoFar)), running)
    } catch {
        Issue.record("\(error)")
    }
    running.send(SIGTERM)
    _ = await running.result
}
