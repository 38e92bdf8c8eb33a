import HTTP
import Testing

@Suite struct PreviewTests {
    private func preview(_ body: [UInt8]?, headers: [HTTPRequest.Header] = []) throws -> String {
        HTTPRequest(method: "PUT", url: try WebAddress("https://a.example/x"), headers: headers, body: body).preview
    }

    @Test func aBodyOfSeveralLinesIsShownAsItIs() throws {
        #expect(try preview(Array("a\n\tb\n".utf8)).hasSuffix("Content-Length: 5\n\na\n\tb\n"))
    }

    @Test func whatWouldSteerATerminalIsEscaped() throws {
        let text = try preview(Array("\u{1B}[2J\r".utf8), headers: [.init("X-One", "a\u{1B}\n")])
        #expect(text.contains("X-One: a\\u{1b}\\u{a}\n"))
        #expect(text.hasSuffix("\n\n\\u{1b}[2J\\u{d}"))
    }

    @Test func bytesAreCounted() throws {
        #expect(try preview([0xFF, 0xFE]).hasSuffix("\n\n(2 bytes that are not text)"))
    }
}
