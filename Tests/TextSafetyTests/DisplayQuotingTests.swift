import TextSafety
import Testing

@Suite(.timeLimit(.minutes(5))) struct DisplayQuotingTests {
    @Test(arguments: [
        ("", "\"\""), ("Anna's ring", "\"Anna's ring\""), ("a\"b\\c", #""a\"b\\c""#), ("\u{1b}[2J", #""\u{1b}[2J""#),
        ("a\u{202e}b", #""a\u{202e}b""#), ("👩‍👩‍👧 é", "\"👩‍👩‍👧 é\""), ("a\nb", #""a\u{a}b""#),
    ])
    func `characters that a terminal would interpret are escaped in quoted text`(text: String, shown: String) {
        #expect(quoted(text) == shown)
    }

    @Test func `control characters are escaped in unquoted text, except given ones`() {
        #expect(printable("plain é \"x\" \\") == "plain é \"x\" \\")
        #expect(printable("a\tb\nc\u{7f}") == #"a\u{9}b\u{a}c\u{7f}"#)
        #expect(printable("a\tb\nc\u{7f}", keeping: ["\n", "\t"]) == "a\tb\nc\\u{7f}")
    }
}
