import TestSupport
import Testing

@testable import StepPages

/// Who reaches the pages, and what may change something.
@Suite(.timeLimit(.minutes(5))) struct GateTests {
    private let lab = PagesLab()

    private func status(_ request: PageRequest?) async -> Int { await lab.pages.respond(to: request).status }

    @Test(arguments: ["127.0.0.1:7837", "localhost:7837", "LOCALHOST:7837", "[::1]:7837"])
    func `names of this machine are served`(_ host: String) async {
        #expect(await status(PagesLab.request("GET", "/plan", headers: ["host": host])) == 200)
    }

    /// A page elsewhere can make its own name lead to 127.0.0.1 after it was loaded.
    @Test(arguments: [
        "evil.example:7837", "127.0.0.1.evil.example:7837", "localhost.evil.example", "127.0.0.1@evil.example", "127.0.0.1:7837:80",
        "127.0.0.1:",
        "127.0.0.1:+80", "127.0.0.1:99999", "192.168.1.2:7837", "0.0.0.0:7837", "[::]:7837", "",
    ]) func `other names are not served, whatever cookie they have`(_ host: String) async {
        let request = PagesLab.request(
            "GET", "/plan", headers: ["host": host, "cookie": "istep-7837=\(PagesLab.cookie); istep-80=\(PagesLab.cookie)"])
        #expect(await status(request) == 421)
    }

    @Test(arguments: ["", "istep-7837=", "istep-7837=wrong", "istep-80=\(PagesLab.cookie)", "x=istep-7837=\(PagesLab.cookie)"])
    func `without the cookie nothing is shown`(_ cookie: String) async {
        for target in ["/", "/day", "/plan", "/istep.css", "/events", "/nowhere", "/day/2026-11-01.json"] {
            let response = await lab.pages.respond(to: PagesLab.request("GET", target, headers: ["cookie": cookie]))
            #expect(response.status == 403 && !response.text.contains("anna"), "\(target)")
        }
        #expect(await status(PagesLab.request("POST", "/sync", form: "key=\(PagesLab.formKey)", headers: ["cookie": cookie])) == 403)
    }

    @Test func `a token opens the pages once`() async {
        lab.access.add("secret")
        #expect(await status(PagesLab.request("HEAD", "/open/secret", headers: ["cookie": ""])) == 403)
        #expect(await status(PagesLab.request("POST", "/open/secret", headers: ["cookie": ""])) == 403)
        let opened = await lab.pages.respond(to: PagesLab.request("GET", "/open/secret", headers: ["cookie": ""]))
        #expect(opened.status == 200 && !opened.text.contains("secret"))
        #expect(opened.header("Set-Cookie") == "istep-7837=\(PagesLab.cookie); Path=/; HttpOnly; SameSite=Strict")
        #expect(await status(PagesLab.request("GET", "/open/secret", headers: ["cookie": ""])) == 403)
    }

    @Test(arguments: [
        ("", "/"), ("?user=ben", "/?user=ben"), ("?user=%22%3E%3Cb%3E", "/?user=%22%3E%3Cb%3E"),
        ("?user=//evil.example", "/?user=%2F%2Fevil.example"),
    ]) func `an address leads to the first page of the user that it names`(_ query: String, _ first: String) async {
        lab.access.add("secret")
        let opened = await lab.pages.respond(to: PagesLab.request("GET", "/open/secret" + query, headers: ["cookie": ""]))
        #expect(opened.text.contains("content=\"0; url=\(first)\"") && opened.text.contains("<a href=\"\(first)\">"), "\(opened.text)")
    }

    @Test(arguments: [
        ["origin": ""], ["origin": "null"], ["origin": "http://evil.example"], ["origin": "https://127.0.0.1:7837"],
        ["origin": "http://127.0.0.1:80"],
        ["sec-fetch-site": "cross-site"], ["sec-fetch-site": "same-site"], ["sec-fetch-site": "none"],
    ]) func `a form of another page changes nothing`(_ headers: [String: String]) async throws {
        _ = lab.history.addUser(named: "anna")
        let request = PagesLab.request("POST", "/plan", form: "key=\(PagesLab.formKey)&" + Self.plan, headers: headers)
        #expect(await status(request) == 403)
        #expect(try lab.history.plans(of: 1).isEmpty)
    }

    @Test(arguments: ["", "key=", "key=wrong", "key=\(PagesLab.formKey.dropLast())", "key=\(PagesLab.formKey)f", "KEY=\(PagesLab.formKey)"])
    func `a form without the key changes nothing`(_ key: String) async throws {
        _ = lab.history.addUser(named: "anna")
        #expect(await status(PagesLab.request("POST", "/plan", form: "\(key)&\(Self.plan)")) == 403)
        #expect(try lab.history.plans(of: 1).isEmpty)
    }

    @Test func `the same form with key and origin changes it`() async throws {
        _ = lab.history.addUser(named: "anna")
        #expect(await lab.post("/plan", Self.plan).status == 303)
        #expect(try lab.history.plans(of: 1).count == 1)
    }

    @Test func `nothing is changed by following a link`() async throws {
        _ = lab.history.addUser(named: "anna")
        for target in ["/sync", "/outbox/retry", "/outbox/drop", "/notices/dismiss", "/profile"] {
            #expect(await status(PagesLab.request("GET", "\(target)?key=\(PagesLab.formKey)")) == 404, "\(target)")
        }
        #expect(await status(PagesLab.request("DELETE", "/plan")) == 405)
    }

    @Test func `every answer has strict security headers`() async {
        for request in [
            PagesLab.request("GET", "/plan"), PagesLab.request("GET", "/plan", headers: ["cookie": ""]), PagesLab.request("GET", "/nowhere"),
            nil,
            PagesLab.request("GET", "/istep.js"),
        ] {
            let response = await lab.pages.respond(to: request)
            let policy = response.header("Content-Security-Policy") ?? ""
            #expect(policy.hasPrefix("default-src 'none'") && policy.contains("frame-ancestors 'none'") && !policy.contains("unsafe"))
            #expect(response.header("X-Content-Type-Options") == "nosniff" && response.header("Cache-Control") == "no-store")
            #expect(response.header("Referrer-Policy") == "same-origin")
        }
    }

    static let plan = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"].map { "\($0)=8000" }.joined(separator: "&")
}
