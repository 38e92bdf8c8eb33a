import HTTP
import Testing

@Suite(.timeLimit(.minutes(5))) struct AddressPartsTests {
    @Test func `path segments are appended percent-encoded`() throws {
        let base = try WebAddress("https://a.example")
        let path = base.appending(path: ["users", "Anna Maria/ü", "100%", "~a-b_c.d", "?#"])
        #expect("\(path)" == "https://a.example/users/Anna%20Maria%2F%C3%BC/100%25/~a-b_c.d/%3F%23")
        #expect("\(try WebAddress("https://a.example/api/").appending(path: ["x"]))" == "https://a.example/api/x")
        #expect(
            "\(try WebAddress("https://a.example/api?k=v").appending(path: ["x"]))" == "https://a.example/api/x?k=v")
        #expect(base.appending(path: []) == base)
    }

    /// A user called `..` must not lead to another resource.
    @Test func `dot segments are encoded and not resolved`() throws {
        let base = try WebAddress("https://a.example/users")
        #expect("\(base.appending(path: ["..", ".", "..."]))" == "https://a.example/users/%2E%2E/%2E/...")
    }

    @Test(arguments: [
        ("https://a.example/a/b%2Fc/d.json?k=v", "https://a.example/a/b%2Fc/?k=v"),
        ("https://a.example/a/b/", "https://a.example/a/"),
        ("https://a.example/a", "https://a.example/"), ("https://a.example", "https://a.example/"),
        ("https://a.example//", "https://a.example/"),
    ]) func `the parent of an address is the folder of its path`(text: String, parent: String) throws {
        #expect("\(try WebAddress(text).parent)" == parent)
    }

    @Test func `query items are appended percent-encoded`() throws {
        let base = try WebAddress("https://a.example/x")
        let query = base.appending(query: [("a b", "1&2=3"), ("ü", "+/?")])
        #expect("\(query)" == "https://a.example/x?a%20b=1%262%3D3&%C3%BC=%2B%2F%3F")
        #expect("\(query.appending(query: [("c", "")]))" == "\(query)&c=")
        #expect("\(try WebAddress("https://a.example/?").appending(query: [("a", "b")]))" == "https://a.example/?a=b")
        #expect(base.appending(query: []) == base)
    }

    @Test func `template values are inserted percent-encoded`() throws {
        let values = ["user": "Anna/../ü", "date": "2026-11-21", "host": "a.example"]
        #expect(
            "\(try WebAddress.filled("https://a.example/users/{user}/days/{date}?d={date}", values))"
                == "https://a.example/users/Anna%2F..%2F%C3%BC/days/2026-11-21?d=2026-11-21")
        #expect("\(try WebAddress.filled("https://{host}/", values))" == "https://a.example/")
        #expect("\(try WebAddress.filled("https://a.example/", [:]))" == "https://a.example/")
    }

    /// A value is never treated as a template.
    @Test func `placeholders inside values are not replaced`() throws {
        #expect(
            "\(try WebAddress.filled("https://a.example/{a}", ["a": "{b}", "b": "c"]))" == "https://a.example/%7Bb%7D")
    }

    static let bad: [(String, WebAddress.Problem)] = [
        ("https://a.example/{usr}", .unknownName("usr", known: ["date", "user"])),
        ("https://a.example/{}", .unknownName("", known: ["date", "user"])),
        ("https://a.example/{User}", .unknownName("User", known: ["date", "user"])),
        ("https://a.example/{user", .character("{")),
        ("https://a.example/user}", .character("}")),
        ("https://a.example/{{user}}", .unknownName("{user", known: ["date", "user"])),
        ("{user}://a.example/", .scheme("anna%20maria")),
        ("http://a.example/{user}", .insecure(host: "a.example")),
    ]

    @Test(arguments: bad) func `an invalid template is rejected`(_ template: String, _ problem: WebAddress.Problem) {
        #expect(throws: problem) { try WebAddress.filled(template, ["user": "Anna Maria", "date": "2026-11-21"]) }
    }
}
