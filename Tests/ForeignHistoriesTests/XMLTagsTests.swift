import StepDomain
import TestSupport
import Testing

@testable import ForeignHistories

/// Tags of an XML file: what is read of them, and what is refused.
@Suite(.timeLimit(.minutes(10)), .cpuBound) struct XMLTagsTests {
    /// Gives so many bytes at a time.
    private final class Pieces: ByteStream {
        private var rest: ArraySlice<UInt8>
        private let size: Int

        init(_ text: String, _ size: Int) { (rest, self.size) = (Array(text.utf8)[...], size) }

        func read(into buffer: UnsafeMutableRawBufferPointer) throws(ImportError) -> Int {
            let piece = rest.prefix(min(size, buffer.count))
            buffer.copyBytes(from: piece)
            rest = rest.dropFirst(piece.count)
            return piece.count
        }
    }

    /// The attributes of the elements `R` with the attribute `t="s"`.
    private func read(_ text: String, pieces: Int = 1 << 20) throws -> [[String]] {
        var found: [[String]] = []
        let search = XMLTags.Search(name: "R", kind: ("t", "s"), parent: "C")
        let stream = TextStream(Pieces(text, pieces), path: "x.xml")
        try XMLTags(stream, head: [], path: "x.xml", search).read { attributes throws(ImportError) in
            found.append(
                attributes.map { "\(String(decoding: $0.name, as: UTF8.self))=\($0.value.decoded ?? "no XML")" })
        }
        return found
    }

    private static let good = """
        <H a='1'>
          <!-- <R t="s" n="0"/> -- > -->
          <?pi <R t="s" n="0"/> ?><![CDATA[ <R t="s"> & ]]>
          <R t="s" n="1"/><R n = '2' t='s' >text &amp; &#65; &lt;<M k="v"/></R>
          <C><R t="s" n="8"/><C/><D><C><R t="s" n="9"/></C></D><R t="s" n="9"></R></C><C/>
          <R n="6" t="&#115;"/><R t="&#x73;&#120;"/><R t="&s"/>
          <R t="x" n="3"/><RR t="s" n="4"/><R n="5"/>
          <R t="s" n="a>b" q='"' d="&lt;&#x41;&amp;&gt;&quot;&apos;"
        \t/>
        </H >

        """
    private static let wanted = [["n=1"], ["n=2"], ["n=6"], ["n=a>b", "q=\"", "d=<A&>\"'"]]

    @Test(arguments: [1, 2, 3, 7, 64, 1 << 20])
    func `elements of a kind are found, however the bytes come`(pieces: Int) throws {
        #expect(try read(Self.good, pieces: pieces) == Self.wanted)
    }

    /// Each name is compared with the others.
    @Test func `an element with more attributes than any program writes is refused`() {
        let many = (0..<200).map { "a\($0)='1'" }.joined(separator: " ")
        #expect(throws: ImportError.self) { try read("<H><R t='s' \(many)/></H>") }
        #expect(throws: Never.self) { try read("<H><R t='x' \(many)/></H>") }
    }

    @Test func `a file that was cut anywhere is refused`() {
        let text = Array(Self.good.utf8), end = Self.good.utf8.count - 2
        for count in 0..<end {
            #expect(throws: ImportError.self, "\(count)") { try read(String(decoding: text[..<count], as: UTF8.self)) }
        }
    }

    @Test(arguments: [
        "<H>&a;</H>", "<H><!DOCTYPE H></H>", "<H><!ENTITY a \"b\"></H>", "<H></H></H>", "<H></H><H></H>", "<H/>x",
        "<H><R t=\"s\"n=\"1\"/></H>", "<H><R t=s/></H>", "<H><R t/></H>", "<H>< R/></H>", "<H><R t=\"a<b\"/></H>",
        "<H><R / t=\"s\"></H>", "<H><![CDATA[x]]></H><![CDATA[x]]>", "x<H/>", "<H><R =\"1\"/></H>",
        String(repeating: "<H>", count: 100), "<H>&#1114112;</H>", "<H>& </H>",
        "<H><R t=\"s\" t=\"s\"/></H>", "<H><R n=\"1\" t=\"s\" n=\"1\"/></H>", "<H>\0</H>", "<H a=\"\0\"/>",
    ])
    func `what is no XML, declares something or has no end is refused`(text: String) { expectRefusal(of: text) }

    /// No arguments: the log of the tests would have them.
    @Test func `a tag and a comment of six million bytes are refused`() {
        expectRefusal(of: "<H a=\"" + String(repeating: "x", count: 6 << 20) + "\"/>")
        expectRefusal(of: "<H><!--" + String(repeating: " ", count: 6 << 20) + "--></H>")
    }

    private func expectRefusal(of text: String) {
        do {
            _ = try read(text, pieces: 1 << 16)
            Issue.record("it was read")
        } catch ImportError.malformed(let path, _) {
            #expect(path == "x.xml")
        } catch {
            Issue.record("\(error)")
        }
    }

    @Test func `a text can have any length`() throws {
        let text = String(repeating: "long ", count: 2 << 20)
        #expect(try read("<H>\(text)<R t='s' n='1'/>\(text)</H>", pieces: 1 << 16) == [["n=1"]])
    }

    @Test(arguments: [("a & b", nil), ("&amp;&#65;", "&A"), ("&amp", nil), ("&a;", nil), ("", ""), ("a", "a")])
    func `a value is decoded, or it is no XML`(_ written: String, _ value: String?) {
        var bytes = Array(written.utf8)
        bytes.withUnsafeMutableBufferPointer { #expect(UnsafeBufferPointer($0).decoded == value) }
    }

    @Test(arguments: [1, 5, 1 << 16])
    func `what comes before the outermost element is left out`(pieces: Int) throws {
        func skip(_ text: String) throws -> String {
            String(
                decoding: try XMLProlog.skip(Pieces(text, pieces), upTo: "HealthData", path: "x.xml").prefix(12),
                as: UTF8.self)
        }
        for before in [
            "", "<?xml version=\"1.0\"?>\n", "\u{feff}<?xml version='1.0' encoding = 'utf-8' ?>",
            "<!-- <HealthData> -->",
            "<!--<!ENTITY a \"b\">--><HealthDatabase/>", "<!DOCTYPE HealthData [\n<!ELEMENT HealthData (Record*)\n]>\n",
        ] {
            #expect(try skip(before + "<HealthData><Re").hasPrefix("<HealthData>"), "\(before)")
        }
        for (text, reason) in [
            ("<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?><HealthData>", "ISO-8859-1"),
            ("<!DOCTYPE HealthData [<!ENTITY a \"b\">]><HealthData>", "entities"), ("<HealthDat>", "no element"),
            ("<!-- <HealthData>", "no element"), ("", "no element"),
        ] {
            do {
                _ = try skip(text)
                Issue.record("\(text) was read")
            } catch ImportError.malformed(_, let found) {
                #expect(found.contains(reason))
            }
        }
    }

    @Test func `damaged bytes end with an error or are read, and nothing else`() {
        var generator = SeededGenerator(seed: 11)
        let good = Array(Self.good.utf8)
        for _ in 0..<500 {
            var bytes = good
            for _ in 0..<Int.random(in: 1...4, using: &generator) {
                let index = Int.random(in: 0..<bytes.count, using: &generator)
                switch Int.random(in: 0..<3, using: &generator) {
                case 0: bytes[index] = UInt8.random(in: 0...255, using: &generator)
                case 1: bytes.remove(at: index)
                default: bytes.insert(Array("<>/\"'&!?=-".utf8).randomElement(using: &generator)!, at: index)
                }
            }
            do { _ = try read(String(decoding: bytes, as: UTF8.self), pieces: 170) } catch {
                #expect(error is ImportError)
            }
        }
    }
}
