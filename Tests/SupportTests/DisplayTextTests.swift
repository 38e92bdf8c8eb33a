import Support
import Testing

@Suite(.timeLimit(.minutes(5))) struct DisplayTextTests {
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

    @Test func `characters that a terminal would interpret are removed or replaced`() {
        #expect(stripped("a\u{1b}[2J\u{202e}b é") == "a[2Jb é")
        #expect(replaced("a\u{1b}[2J\u{202e}b é", with: "?") == "a?[2J?b é")
    }

    @Test(arguments: [(20, "20"), (0.5, "0.5"), (-3, "-3"), (1e300, "1e+300")])
    func `a number has a fraction only if that is not zero`(number: Double, text: String) {
        #expect(brief(number) == text)
    }
}
