import Testing

@testable import SOAP

@Suite(.timeLimit(.minutes(5))) struct XMLTextTests {
    @Test func `special characters of XML are escaped`() {
        #expect(XMLText.escaped("a&b<c>\"d\"'e'\r\n\t]]>") == "a&amp;b&lt;c&gt;&quot;d&quot;&apos;e&apos;&#13;\n\t]]&gt;")
        #expect(XMLText.escaped("\r\n\t", isAttribute: true) == "&#13;&#10;&#9;")
    }

    @Test func `characters not allowed in XML are replaced`() {
        #expect(XMLText.escaped("a\0b\u{1B}[31mc\u{FFFE}\u{FFFF}") == "a\u{FFFD}b\u{FFFD}[31mc\u{FFFD}\u{FFFD}")
    }

    @Test func `other characters are not changed`() {
        let text = "Zoë 🚶‍♀️ \u{202E}שלום\u{202C} e\u{301}\u{85}"
        #expect(Array(XMLText.escaped(text).unicodeScalars) == Array(text.unicodeScalars))
    }

    @Test(arguments: ["a", "_", "shareStepData", "a-b.c_1"]) func `plain names are accepted`(name: String) {
        #expect(XMLName.isPlain(name))
    }

    @Test(arguments: ["", "1a", "-a", ".a", "a b", "a:b", "a>", "<a", "é", "a\n", "a\0", String(repeating: "a", count: 129)])
    func `names that are not plain are rejected`(name: String) {
        #expect(!XMLName.isPlain(name))
    }

    @Test func `a name from a server is quoted and shortened`() {
        #expect(XMLName("a\u{1B}b" + String(repeating: "c", count: 500)).description.hasPrefix("\"a\\u{1b}b"))
        #expect(XMLName(String(repeating: "c", count: 500)).description.count == 82)
    }
}
