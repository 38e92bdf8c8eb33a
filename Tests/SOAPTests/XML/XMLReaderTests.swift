import Testing

@testable import SOAP

@Suite(.timeLimit(.minutes(5))) struct XMLReaderTests {
    private func read(_ text: String) throws(XMLProblem) -> XMLElement { try XMLReader.read(Array(text.utf8)) }

    @Test func `names are resolved by their namespace prefixes`() throws {
        let root = try read(
            #"<a xmlns="urn:1" xmlns:p="urn:2" x="1" p:x="2"><p:b/><b xmlns=""/><b xmlns:p="urn:3" p:y="3"><p:c/></b><p:d/></a>"#
        )
        #expect(root.name == XMLName("a", in: "urn:1"))
        #expect(root.attributes == [XMLName("x"): "1", XMLName("x", in: "urn:2"): "2"])
        #expect(
            root.children.map(\.name) == [
                XMLName("b", in: "urn:2"), XMLName("b"), XMLName("b", in: "urn:1"), XMLName("d", in: "urn:2"),
            ])
        #expect(root.children[2].children.map(\.name) == [XMLName("c", in: "urn:3")])
    }

    @Test func `prefixes within text are resolved in the scope of their element`() throws {
        let root = try read(#"<a xmlns="urn:1" xmlns:p="urn:2"><b xmlns:p="urn:3"/><c/><d xmlns=""/></a>"#)
        #expect(root.children[0].resolve(" p:X\n") == XMLName("X", in: "urn:3"))
        #expect(root.children[1].resolve("p:X") == XMLName("X", in: "urn:2"))
        #expect(root.children[1].resolve("X") == XMLName("X", in: "urn:1"))
        #expect(root.children[2].resolve("X") == XMLName("X"))
        #expect(root.resolve("unknown:X:Y") == XMLName("X:Y"))
        #expect(root.resolve("") == XMLName("", in: "urn:1"))
    }

    @Test func `the text of an element excludes child elements and comments`() throws {
        let root = try read("<a>one <b>not</b><!-- nor this --><?nor this?><![CDATA[<two>]]>&amp;&#x20AC;&#10;</a>")
        #expect(root.text == "one <two>&€\n")
        #expect(root.children.map(\.text) == ["not"])
    }

    @Test func `a byte order mark and a UTF-8 declaration are accepted`() throws {
        #expect(
            try XMLReader.read([0xEF, 0xBB, 0xBF] + Array("<?xml version='1.0' encoding='Utf-8'?><a/>".utf8)).name.local
                == "a")
        #expect(try read("<?xml version='1.0' encoding='us-ascii'?><a/>").name.local == "a")
    }

    @Test(arguments: [
        "<!DOCTYPE a><a/>", "<!DOCTYPE a SYSTEM 'file:///etc/passwd'><a/>",
        "<!DOCTYPE a PUBLIC 'x' 'http://127.0.0.1/x.dtd'><a/>",
        "<!DOCTYPE a [<!ENTITY x SYSTEM 'file:///etc/passwd'>]><a>&x;</a>",
        "<!DOCTYPE a [<!ENTITY % x SYSTEM 'http://127.0.0.1/'> %x;]><a/>",
        "<!DOCTYPE a [<!ENTITY b 'bbbbbbbb'><!ENTITY c '&b;&b;&b;&b;'><!ENTITY d '&c;&c;&c;&c;'>]><a>&d;</a>",
        "<?xml version='1.0'?><!-- first --><!DOCTYPE a [<!ATTLIST a x CDATA 'y'>]><a/>",
    ])
    func `document type declarations are rejected`(text: String) {
        #expect(throws: XMLProblem.doctype) { try read(text) }
    }

    @Test(arguments: ["ISO-8859-1", "UTF-16", "windows-1252", "UTF-7", "x\u{1}y"])
    func `unsupported encodings are rejected`(name: String) {
        #expect(throws: XMLProblem.self) { try read("<?xml version='1.0' encoding='\(name)'?><a/>") }
    }

    @Test func `a UTF-16 document is rejected`() {
        let bytes = "<a/>".utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
        for bytes in [bytes, [0xFF, 0xFE] + bytes] { #expect(throws: XMLProblem.notUTF8) { try XMLReader.read(bytes) } }
    }

    @Test(arguments: [
        "", " ", "text", "<", "<a", "<a>", "</a>", "<a></b>", "<a/><b/>", "<a/>text", "<a x=1/>", "<a x='1' x='2'/>",
        "<a>&nothing;</a>",
        "<a>&#0;</a>", "<a>&#xD800;</a>", "<a>&#x110000;</a>", "<a>\u{1}</a>", "<a>\0</a>", "<p:a/>", "<a p:x='1'/>",
        "<a xmlns:p=''/>",
        "<a xmlns:xml='urn:1'/>", "<a xmlns:xmlns='urn:1'/>", "<a xmlns:p='u' xmlns:q='u' p:x='1' q:x='2'/>",
        "<a:b:c xmlns:a='u'/>",
        "<a>]]></a>", "<a><!-- -- --></a>", "<?xml version='1.0'?", " <?xml version='1.0'?><a/>", "{\"json\": true}",
        "<!doctype html><p>",
        "<html><br></html>",
    ])
    func `a document that is not well-formed is rejected`(text: String) {
        #expect(throws: XMLProblem.self) { try read(text) }
    }

    @Test(
        arguments: [[0xC3], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xF5, 0x80, 0x80, 0x80], [0x80], [0xFF]] as [[UInt8]])
    func `invalid UTF-8 is rejected`(bytes: [UInt8]) {
        #expect(throws: XMLProblem.self) { try XMLReader.read(Array("<a>".utf8) + bytes + Array("</a>".utf8)) }
    }

    @Test func `a syntax error is reported with line and column`() {
        #expect(throws: XMLProblem.malformed("mismatched tag", line: 2, column: 6)) { try read("<a>\n<b></c></a>") }
    }
}
