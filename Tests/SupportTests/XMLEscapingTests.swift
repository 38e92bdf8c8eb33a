import Support
import Testing

@Suite(.timeLimit(.minutes(5))) struct XMLEscapingTests {
    private static let contexts: [XMLContext] = [.text, .attribute, .html, .notification]

    @Test func `characters with a meaning in markup become references`() {
        let text = "a&b<c>\"d\"'e'\r\n\t]]>"
        #expect(xmlEscaped(text, in: .text) == "a&amp;b&lt;c&gt;&quot;d&quot;&apos;e&apos;&#13;\n\t]]&gt;")
        #expect(xmlEscaped(text, in: .attribute) == "a&amp;b&lt;c&gt;&quot;d&quot;&apos;e&apos;&#13;&#10;&#9;]]&gt;")
        #expect(xmlEscaped(text, in: .html) == "a&amp;b&lt;c&gt;&quot;d&quot;&#39;e&#39;&#13;\n\t]]&gt;")
        #expect(xmlEscaped(text, in: .notification) == "a&amp;b&lt;c&gt;\"d\"'e'\r\n\t]]&gt;")
    }

    @Test(arguments: contexts) func `characters that XML does not allow are replaced`(context: XMLContext) {
        let escaped = xmlEscaped("a\0b\u{1b}[31mc\u{fffe}\u{ffff}", in: context)
        #expect(escaped == "a\u{fffd}b\u{fffd}[31mc\u{fffd}\u{fffd}")
    }

    @Test(arguments: contexts) func `other characters stay`(context: XMLContext) {
        for text in ["", "plain text, 100 %", "Zoë 🚶‍♀️ \u{202e}שלום\u{202c} e\u{301}\u{85}"] {
            #expect(Array(xmlEscaped(text, in: context).unicodeScalars) == Array(text.unicodeScalars))
        }
    }

    @Test(arguments: contexts) func `a character of markup before a combining mark is escaped`(context: XMLContext) {
        #expect(Array(xmlEscaped("<\u{301}b", in: context).unicodeScalars) == Array("&lt;\u{301}b".unicodeScalars))
    }

    @Test(arguments: contexts) func `unwanted characters are replaced before they become references`(
        context: XMLContext
    ) {
        let escaped = xmlEscaped("é\r\u{202e}<", in: context) { $0 == "\r" || $0 == "\u{202e}" }
        #expect(escaped == "é\u{fffd}\u{fffd}&lt;")
    }
}
