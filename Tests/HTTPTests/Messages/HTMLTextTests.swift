import HTTP
import Testing

@Suite(.timeLimit(.minutes(5))) struct HTMLTextTests {
    @Test(arguments: [
        ("<p>a<br>b</p><p>c</p>", "a b c"),
        ("&lt;p&gt; &amp;amp; &quot;&#39;&apos;&nbsp;&#x20AC;&#8364;", "<p> &amp; \"'' €€"),
        (
            "a & b &c; &#x110000; &#; &#xZ; &toolongtobeanentity;",
            "a & b &c; &#x110000; &#; &#xZ; &toolongtobeanentity;"
        ),
        ("<a href=\"x\">y", "y"), ("a <b", "a"), ("<<<", ""), ("&", "&"), ("&amp", "&amp"),
    ])
    func `HTML is converted to plain text`(html: String, text: String) {
        let words = HTMLText.text(of: html).split(whereSeparator: \.isWhitespace)
        #expect(words == text.split(whereSeparator: \.isWhitespace))
    }
}
