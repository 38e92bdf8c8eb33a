import Testing

@testable import StepViews

@Suite(.timeLimit(.minutes(5))) struct PrintableTests {
    @Test(arguments: ["R02_A1B2", "Annas Uhr", "Zoë", "腕時計", "часы", "שעון", "ساعة", "\u{231a} 2"])
    func `ordinary names are unchanged`(name: String) { #expect(Printable(name).description == name) }

    @Test(arguments: [
        ("a\u{1b}[2Jb", "a\u{fffd}[2Jb"), ("a\u{7}\r\nb", "a\u{fffd}\u{fffd}\u{fffd}b"),
        ("a\u{9b}31mb", "a\u{fffd}31mb"),
        ("a\u{7f}b\u{0}", "a\u{fffd}b\u{fffd}"), ("\u{202e}gnp.exe", "\u{fffd}gnp.exe"),
        ("\u{2066}x\u{2069}", "\u{fffd}x\u{fffd}"),
        ("a\u{2028}b\u{2029}", "a\u{fffd}b\u{fffd}"), ("\u{feff}a\u{200b}", "\u{fffd}a\u{fffd}"),
        ("\u{e000}\u{e0041}", "\u{fffd}\u{fffd}"),
        ("a\u{3164}", "a\u{fffd}"), ("a\u{200d}b\u{200c}c\u{fe0f}", "abc"), ("", ""),
    ])
    func `control and invisible characters are replaced`(name: String, printable: String) {
        #expect(Printable(name).description == printable)
    }

    @Test func `no harmful Unicode scalar is printed`() {
        for value in UInt32(0)...0x10ffff {
            guard let scalar = Unicode.Scalar(value) else { continue }
            let shown = Printable(String(scalar)).description
            guard shown.unicodeScalars.allSatisfy({ !Printable.isHarmful($0) || $0 == "\u{fffd}" }) else {
                Issue.record("U+\(String(value, radix: 16)) comes through")
                continue
            }
        }
    }

    @Test func `line breaks remain and lines are not truncated`() {
        #expect(Printable.lines("a\u{1b}[31m\nb\r\n\nc\n") == "a\u{fffd}[31m\nb\u{fffd}\n\nc\n")
        let long = String(repeating: "腕", count: 500)
        #expect(Printable.lines(long + "\n" + long) == long + "\n" + long)
        #expect(Printable.lines("") == "")
    }

    @Test func `long names end with an ellipsis`() {
        #expect(Printable(String(repeating: "a", count: 64)).description.count == 64)
        let long = Printable(String(repeating: "a", count: 65)).description
        #expect(long == String(repeating: "a", count: 63) + "…")
        #expect(Printable("腕時計", limit: 5).description == "腕時…")
        #expect(Printable("ab", limit: 1).description == "…")
        #expect(Printable("a", limit: 0).description == "a")
        #expect(Columns.of(Printable(String(repeating: "腕", count: 100_000)).description) <= 64)
    }

    @Test func `the number of combining marks is limited`() {
        let tower = "a" + String(repeating: "\u{301}", count: 50) + "b"
        #expect(Printable(tower).description.unicodeScalars.count == 5)
        #expect(Printable(tower).description.hasSuffix("b"))
    }
}
