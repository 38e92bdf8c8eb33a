import PageExchange
import Foundation
import TestSupport
import Testing

@testable import StepPages

/// Who reaches the pages, and what may change something.
@Suite(.timeLimit(.minutes(5))) struct RequestGuardTests {
    private let fixture = PagesFixture()

    private func status(_ request: PageRequest?) async -> Int { await fixture.pages.respond(to: request).status }

    @Test(arguments: ["127.0.0.1:7837", "localhost:7837", "LOCALHOST:7837", "[::1]:7837"])
    func `requests to the names of this machine are served`(_ host: String) async {
        #expect(await status(PagesFixture.request("GET", "/plan", headers: ["host": host])) == 200)
    }

    /// A page elsewhere can make its own name lead to 127.0.0.1 after it was loaded.
    @Test(arguments: [
        "evil.example:7837", "127.0.0.1.evil.example:7837", "localhost.evil.example", "127.0.0.1@evil.example",
        "127.0.0.1:7837:80",
        "127.0.0.1:",
        "127.0.0.1:+80", "127.0.0.1:99999", "192.168.1.2:7837", "0.0.0.0:7837", "[::]:7837", "",
    ]) func `requests to other names are not served, whatever cookie they have`(_ host: String) async {
        let request = PagesFixture.request(
            "GET", "/plan",
            headers: ["host": host, "cookie": "istep-7837=\(PagesFixture.cookie); istep-80=\(PagesFixture.cookie)"])
        #expect(await status(request) == 421)
    }

    @Test(arguments: [
        "", "istep-7837=", "istep-7837=wrong", "istep-80=\(PagesFixture.cookie)", "x=istep-7837=\(PagesFixture.cookie)",
    ])
    func `without the cookie nothing is shown`(_ cookie: String) async {
        for target in ["/", "/day", "/plan", "/istep.css", "/events", "/nowhere", "/day/2026-11-01.json"] {
            let response = await fixture.pages.respond(
                to: PagesFixture.request("GET", target, headers: ["cookie": cookie]))
            #expect(response.status == 403 && !response.text.contains("anna"), "\(target)")
        }
        #expect(
            await status(
                PagesFixture.request("POST", "/sync", form: "key=\(PagesFixture.formKey)", headers: ["cookie": cookie]))
                == 403)
    }

    @Test func `commands on the pages of a demo are about the demo`() async throws {
        var fixture = try PagesFixture.ofAnna()
        #expect(await fixture.get("/share").text.contains(">istep config kinds<"))
        fixture.demo = "--demo"
        let share = await fixture.get("/share").text
        for command in ["config kinds", "config example KIND", "share --list --check --with NAME"] {
            #expect(share.contains(">istep --demo \(command)<"), "\(command)")
        }
        let refused = await fixture.pages.respond(to: PagesFixture.request("GET", "/", headers: ["cookie": ""]))
        #expect(refused.text.contains("istep --demo serve --open"), "\(refused.text)")
    }

    @Test func `a token opens the pages once`() async {
        fixture.access.add("secret")
        #expect(await status(PagesFixture.request("HEAD", "/open/secret", headers: ["cookie": ""])) == 403)
        #expect(await status(PagesFixture.request("POST", "/open/secret", headers: ["cookie": ""])) == 403)
        let opened = await fixture.pages.respond(
            to: PagesFixture.request("GET", "/open/secret", headers: ["cookie": ""]))
        #expect(opened.status == 200 && !opened.text.contains("secret"))
        #expect(opened.header("Set-Cookie") == "istep-7837=\(PagesFixture.cookie); Path=/; HttpOnly; SameSite=Strict")
        #expect(await status(PagesFixture.request("GET", "/open/secret", headers: ["cookie": ""])) == 403)
    }

    @Test(arguments: [
        ("", "/"), ("?user=ben", "/?user=ben"), ("?user=%22%3E%3Cb%3E", "/?user=%22%3E%3Cb%3E"),
        ("?user=//evil.example", "/?user=%2F%2Fevil.example"),
    ]) func `an address leads to the first page of the user that it names`(_ query: String, _ first: String) async {
        fixture.access.add("secret")
        let opened = await fixture.pages.respond(
            to: PagesFixture.request("GET", "/open/secret" + query, headers: ["cookie": ""]))
        #expect(
            opened.text.contains("content=\"0; url=\(first)\"") && opened.text.contains("<a href=\"\(first)\">"),
            "\(opened.text)")
    }

    @Test(arguments: [
        ["origin": ""], ["origin": "null"], ["origin": "http://evil.example"], ["origin": "https://127.0.0.1:7837"],
        ["origin": "http://127.0.0.1:80"],
        ["sec-fetch-site": "cross-site"], ["sec-fetch-site": "same-site"], ["sec-fetch-site": "none"],
    ]) func `a form of another page changes nothing`(_ headers: [String: String]) async throws {
        _ = fixture.history.addUser(named: "anna")
        let request = PagesFixture.request(
            "POST", "/plan", form: "key=\(PagesFixture.formKey)&" + Self.plan, headers: headers)
        #expect(await status(request) == 403)
        #expect(try fixture.history.plans(of: 1).isEmpty)
    }

    @Test(arguments: [
        "", "key=", "key=wrong", "key=\(PagesFixture.formKey.dropLast())", "key=\(PagesFixture.formKey)f",
        "KEY=\(PagesFixture.formKey)",
    ])
    func `a form without the key changes nothing`(_ key: String) async throws {
        _ = fixture.history.addUser(named: "anna")
        #expect(await status(PagesFixture.request("POST", "/plan", form: "\(key)&\(Self.plan)")) == 403)
        #expect(try fixture.history.plans(of: 1).isEmpty)
    }

    @Test func `a form with a valid key and origin is accepted`() async throws {
        _ = fixture.history.addUser(named: "anna")
        #expect(await fixture.post("/plan", Self.plan).status == 303)
        #expect(try fixture.history.plans(of: 1).count == 1)
    }

    @Test func `nothing is changed by following a link`() async throws {
        _ = fixture.history.addUser(named: "anna")
        for target in ["/sync", "/outbox/retry", "/outbox/drop", "/notices/dismiss", "/profile"] {
            #expect(
                await status(PagesFixture.request("GET", "\(target)?key=\(PagesFixture.formKey)")) == 404, "\(target)")
        }
        #expect(await status(PagesFixture.request("DELETE", "/plan")) == 405)
    }

    @Test func `every answer has strict security headers`() async {
        for request in [
            PagesFixture.request("GET", "/plan"), PagesFixture.request("GET", "/plan", headers: ["cookie": ""]),
            PagesFixture.request("GET", "/nowhere"),
            nil,
            PagesFixture.request("GET", "/istep.js"),
        ] {
            let response = await fixture.pages.respond(to: request)
            let policy = response.header("Content-Security-Policy") ?? ""
            #expect(
                policy.hasPrefix("default-src 'none'") && policy.contains("frame-ancestors 'none'")
                    && !policy.contains("unsafe"))
            #expect(
                response.header("X-Content-Type-Options") == "nosniff" && response.header("Cache-Control") == "no-store"
            )
            #expect(response.header("Referrer-Policy") == "same-origin")
        }
    }

    /// Who is not let in gets no style sheet: the page has its own, which the policy allows by its hash.
    @Test func `the page for those who are not let in has a style that the policy allows`() async throws {
        let response = await fixture.pages.respond(to: PagesFixture.request("GET", "/", headers: ["cookie": ""]))
        let style = try #require(response.text.firstMatch(of: /<style>(.*)<\/style>/)).1
        let process = ChildProcess(), input = Pipe(), output = Pipe()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/sha256sum")
        (process.standardInput, process.pipe) = (input.fileHandleForReading, output)
        try process.run()
        try input.fileHandleForWriting.write(contentsOf: Data(style.utf8))
        try input.fileHandleForWriting.close()
        let hex = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self).prefix(64)
        let bytes = stride(from: 0, to: 64, by: 2).compactMap { UInt8(hex.dropFirst($0).prefix(2), radix: 16) }
        let policy = response.header("Content-Security-Policy") ?? ""
        #expect(
            bytes.count == 32 && policy.contains("style-src 'self' 'sha256-\(Data(bytes).base64EncodedString())'"),
            "\(policy)")
    }

    /// Its style sheet is within it: a browser that opens it by its address draws it black where the policy forbids
    /// that.
    @Test(arguments: ["/day.svg", "/day/2026-11-17.svg", "/year/2026.svg"])
    func `a picture may have its own style sheet and nothing else`(_ target: String) async throws {
        _ = try fixture.walk(fixture.history.addUser(named: "anna"), steps: [4000, 100])
        let response = await fixture.pages.respond(to: PagesFixture.request("GET", target))
        #expect(
            response.status == 200 && response.header("Content-Type") == "image/svg+xml"
                && response.text.contains("<style>"))
        let policy =
            "default-src 'none'; style-src 'unsafe-inline'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'"
        #expect(response.header("Content-Security-Policy") == policy)
        #expect(
            response.header("X-Content-Type-Options") == "nosniff" && response.header("Cache-Control") == "no-store")
    }

    static let plan = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"].map {
        "\($0)=8000"
    }.joined(separator: "&")
}
