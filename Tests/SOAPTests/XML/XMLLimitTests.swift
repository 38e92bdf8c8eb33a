import Testing

@testable import SOAP

@Suite(.timeLimit(.minutes(5))) struct XMLLimitTests {
    private func read(_ text: String, _ limits: XMLLimits = XMLLimits()) throws(XMLProblem) -> XMLElement {
        try XMLReader.read(Array(text.utf8), limits: limits)
    }

    private func nested(_ depth: Int) -> String {
        String(repeating: "<a>", count: depth) + String(repeating: "</a>", count: depth)
    }

    @Test func `the nesting depth of elements is limited`() throws {
        _ = try read(nested(64))
        #expect(throws: XMLProblem.tooDeep(limit: 64)) { try read(nested(65)) }
        // Also without closing tags: the document is refused while it is read.
        #expect(throws: XMLProblem.tooDeep(limit: 64)) { try read(String(repeating: "<a>", count: 100_000)) }
    }

    @Test func `the number of elements is limited`() throws {
        let limits = XMLLimits(elements: 10)
        _ = try read("<r>" + String(repeating: "<a/>", count: 9) + "</r>", limits)
        #expect(throws: XMLProblem.tooMany("elements", limit: 10)) {
            try read("<r>" + String(repeating: "<a/>", count: 10) + "</r>", limits)
        }
    }

    @Test func `the number of attributes of an element is limited`() throws {
        func element(_ count: Int) -> String { "<a " + (0..<count).map { "x\($0)='1'" }.joined(separator: " ") + "/>" }
        _ = try read(element(64))
        #expect(throws: XMLProblem.tooMany("attributes", limit: 64)) { try read(element(65)) }
    }

    @Test func `the number of prefixes in scope is limited`() throws {
        func element(_ count: Int) -> String {
            "<a " + (0..<count).map { "xmlns:x\($0)='u'" }.joined(separator: " ") + "/>"
        }
        _ = try read(element(64))
        #expect(throws: XMLProblem.tooMany("prefixes", limit: 64)) { try read(element(65)) }
        // Any number is allowed one after another.
        _ = try read("<r>" + (0..<1000).map { "<a xmlns:x\($0)='u'/>" }.joined() + "</r>")
    }

    @Test func `the size of a document is limited`() throws {
        #expect(throws: XMLProblem.tooLarge(limit: 1024)) {
            try read("<a>" + String(repeating: "x", count: 1024) + "</a>", XMLLimits(bytes: 1024))
        }
        let long = String(repeating: "wörd ", count: 100_000)
        #expect(try read("<a>\(long)</a>").text == long)
    }
}
