import HTTP
import Testing

@Suite(.timeLimit(.minutes(5))) struct PreviewTests {
    private func preview(_ body: [UInt8]?, headers: [HTTPRequest.Header] = []) throws -> String {
        HTTPRequest(method: "PUT", url: try WebAddress("https://a.example/x"), headers: headers, body: body).preview
    }

    @Test(arguments: [
        ("", "/x"), ("?bucket=steps&precision=s", "/x?bucket=steps&precision=s"), ("?token=geheim", "/x?token=•••••"),
        ("?db=a&API_KEY=geheim=&x", "/x?db=a&API_KEY=•••••&x"),
        ("?access_token=geheim&db=b", "/x?access_token=•••••&db=b"),
    ]) func `secrets in the query are masked`(query: String, shown: String) throws {
        let text = HTTPRequest(method: "GET", url: try WebAddress("https://a.example/x" + query)).preview
        #expect(text.hasPrefix("GET \(shown) HTTP/1.1\n"))
    }

    @Test(arguments: [
        ("/services/T024BE7LH/B0C3K1/xoxKq83mAlq0PZy51bTrX9", "/services/T024BE7LH/B0C3K1/•••••"),
        ("/api/webhook/5f0c", "/api/webhook/•••••"), ("/api/webhook/living-room-steps", "/api/webhook/•••••"),
        ("/api/webhooks/1093/aB-c", "/api/webhooks/•••••/aB-c"),
        ("/x/3f2504e0-4f89-11d3-9a0c-0305e82c3301/y?a=b", "/x/•••••/y?a=b"),
        ("/users/Anna/days/2014-04-20", "/users/Anna/days/2014-04-20"),
        ("/dav/anna/2014/04/steps-2014-04-20.json", "/dav/anna/2014/04/steps-2014-04-20.json"),
        ("/api/v1/athlete/i12345/wellness/2014-04-20", "/api/v1/athlete/i12345/wellness/2014-04-20"),
        ("/hooks/steps", "/hooks/steps"), ("/bot123456:AAHdqTcvCH1vGWJx/sendMessage", "/•••••/sendMessage"),
        ("/rooms/!room:example.org/send", "/rooms/!room:example.org/send"),
        ("/api/states/sensor.istep_the_long_walker_2000", "/api/states/sensor.istep_the_long_walker_2000"),
    ]) func `secrets in the path are masked`(path: String, shown: String) throws {
        let text = HTTPRequest(method: "GET", url: try WebAddress("https://a.example" + path)).preview
        #expect(text.hasPrefix("GET \(shown) HTTP/1.1\n"), "\(text.prefix(100))")
    }

    @Test func `a body of several lines is shown unchanged`() throws {
        #expect(try preview(Array("a\n\tb\n".utf8)).hasSuffix("Content-Length: 5\n\na\n\tb\n"))
    }

    @Test func `control characters are escaped`() throws {
        let text = try preview(Array("\u{1B}[2J\r".utf8), headers: [.init("X-One", "a\u{1B}\n")])
        #expect(text.contains("X-One: a\\u{1b}\\u{a}\n"))
        #expect(text.hasSuffix("\n\n\\u{1b}[2J\\u{d}"))
    }

    @Test func `a binary body is shown as its number of bytes`() throws {
        #expect(try preview([0xFF, 0xFE]).hasSuffix("\n\n(2 bytes that are not text)"))
    }
}
