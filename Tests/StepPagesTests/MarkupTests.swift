import StepDomain
import Testing

@testable import StepPages

/// What is written into a page can never become an element, an attribute or an address of its own.
@Suite(.timeLimit(.minutes(5))) struct MarkupTests {
    private static let hostile = "<script>alert(1)</script>\"' onload=x &amp; \u{202e}\u{0}\u{7}"

    @Test func `text and attribute values are escaped`() {
        let markup = Element.p(Attribute(.ariaLabel, Self.hostile)) { Self.hostile }
        #expect(
            !markup.source.contains("<script") && !markup.source.contains("\u{202e}")
                && !markup.source.contains("\u{0}"))
        #expect(markup.source.contains("&lt;script&gt;") && markup.source.contains("&quot;&#39; onload=x &amp;amp;"))
        // Only the brackets of the element and the quotes of its attribute are left.
        #expect(markup.source.count { $0 == "<" } == 2 && markup.source.count { $0 == "\"" } == 2)
    }

    @Test func `letters of all scripts stay`() {
        #expect(Markup.text("Zoë 歩数 👟").source == "Zoë 歩数 👟")
        #expect(Markup.text("plain").source == "plain")
    }

    @Test func `an address stays on the same server`() {
        for word in [
            "javascript:alert(1)", "//evil.example/", "http://evil.example", "..", ".", "a/../../b", "\" onclick=\"x",
            "日",
        ] {
            let link = Link([word], query: [("q", word), ("empty", "")]).text
            #expect(
                link.hasPrefix("/") && !link.hasPrefix("//") && !link.dropFirst().prefix { $0 != "?" }.contains("/"),
                "\(link)")
            #expect(
                link.utf8.allSatisfy { (0x21..<0x7f).contains($0) && $0 != 0x22 && $0 != 0x3c }
                    && !link.contains("empty"), "\(link)")
            #expect(link.split(separator: "?").first.map { $0 != "/." && $0 != "/.." } == true, "\(link)")
        }
        #expect(Link([]).text == "/" && Link(["day", "2026-11-03"]).text == "/day/2026-11-03")
        #expect(Link(fragment: "day-1\"").text == "#day-1%22")
        #expect(
            Link(["month", "2026-11"], query: [("user", "Zoë")]).with(suffix: "csv").text
                == "/month/2026-11.csv?user=Zo%C3%AB")
    }

    @Test func `coordinates are short and always numbers`() {
        func text(_ value: Double) -> String { Element.rect(Attribute(.x, value)).source }
        #expect(
            text(1.25) == "<rect x=\"1.3\"/>" && text(-0.44) == "<rect x=\"-0.4\"/>" && text(3) == "<rect x=\"3\"/>")
        #expect(
            text(.nan) == "<rect x=\"0\"/>" && text(.infinity) == "<rect x=\"0\"/>"
                && text(1e300) == "<rect x=\"10000000\"/>")
    }

    @Test func `a name with bidirectional control characters does not reorder the text around it`() {
        #expect(PageContext.name("a\u{202e}b").source == "<bdi>a\u{fffd}b</bdi>")
        #expect(PageContext.name(String(repeating: "x", count: 500)).source.count < 100)
    }

    /// WCAG 2.1, 1.4.3 (text) and 1.4.11 (marks of charts), by its formula for relative luminance.
    @Test(arguments: [Palette.light, .dark]) func `contrasts are those of WCAG AA`(_ palette: Palette) {
        func luminance(_ colour: Palette.Colour) -> Double {
            let parts = [colour.red, colour.green, colour.blue].map { value -> Double in
                let share = Double(value) / 255
                return share <= 0.04045 ? share / 12.92 : pow24((share + 0.055) / 1.055)
            }
            return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]
        }
        func contrast(_ a: Palette.Colour, _ b: Palette.Colour) -> Double {
            let (light, dark) = (max(luminance(a), luminance(b)), min(luminance(a), luminance(b)))
            return (light + 0.05) / (dark + 0.05)
        }
        #expect(contrast(Palette.Colour(0xffffff), Palette.Colour(0)) == 21)
        for ground in [Tone.page, .card, .sunk] {
            for tone in [Tone.text, .muted, .accent, .warn, .bad] {
                #expect(contrast(palette[tone], palette[ground]) >= 4.5, "\(tone)")
            }
        }
        for (tone, ground) in [
            (Tone.onAccent, Tone.accent), (.accent, .soft), (.warn, .warnSoft), (.bad, .badSoft), (.text, .raised),
        ] {
            #expect(contrast(palette[tone], palette[ground]) >= 4.5, "\(tone)")
        }
        for tone in [Tone.walk, .below, .run, .unknown, .border] {
            #expect(contrast(palette[tone], palette[.card]) >= 3, "\(tone)")
        }
        // The two ends of a heat map can be distinguished, and each tone from the next.
        #expect(contrast(palette[.heat0], palette[.heat4]) >= 4.5)
        for (a, b) in zip(Calendar.tones, Calendar.tones.dropFirst()) {
            #expect(contrast(palette[a], palette[b]) >= 1.15)
        }
    }

    /// x to the power of 2.4, without a library: x² · x^(2/5) by Newton's method.
    private func pow24(_ x: Double) -> Double {
        var root = 1.0
        for _ in 0..<60 { root -= (root * root * root * root * root - x * x) / (5 * root * root * root * root) }
        return x * x * root
    }
}
