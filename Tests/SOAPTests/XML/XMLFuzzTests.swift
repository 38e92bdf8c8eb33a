import Support
import TestSupport
import Testing

@testable import SOAP

/// Any input is either read or refused, and the result is the same in every run.
@Suite(.timeLimit(.minutes(5))) struct XMLFuzzTests {
    @Test(arguments: 1...8 as ClosedRange<UInt64>)
    func `random bytes are read or rejected`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<500 {
            let bytes = (0..<Int.random(in: 0...200, using: &random)).map { _ in
                UInt8.random(in: 0...255, using: &random)
            }
            _ = try? SOAPReply(bytes)
        }
    }

    /// Pieces of XML in any order get much further into the parser than random bytes.
    @Test(arguments: 1...8 as ClosedRange<UInt64>)
    func `random pieces of XML are read or rejected`(seed: UInt64) {
        let pieces = [
            "<s:Envelope xmlns:s=\"http://schemas.xmlsoap.org/soap/envelope/\">", "</s:Envelope>", "<s:Body>",
            "</s:Body>", "<s:Fault>",
            "</s:Fault>", "<faultcode>", "</faultcode>", "s:Client", "<a", ">", "/>", " x='1'", " xmlns='u'",
            " xmlns:p='u'", "<p:b>", "</p:b>",
            "&amp;", "&x;", "&#1;", "<![CDATA[", "]]>", "<!--", "-->", "<?pi", "?>", "<!DOCTYPE a [", "<!ENTITY x 'y'>",
            "]>", "text",
            "\u{202E}",
        ]
        var random = SeededGenerator(seed: seed)
        for _ in 0..<500 {
            let text = (0..<Int.random(in: 1...30, using: &random)).compactMap { _ in
                pieces.randomElement(using: &random)
            }.joined()
            _ = try? SOAPReply(Array(text.utf8))
        }
    }

    private static let answers = [
        Envelopes.wrap("<r:okResponse xmlns:r=\"urn:r\"><r:result>true</r:result></r:okResponse>"),
        Envelopes.fault11("s:Client.X", "nö"),
        Envelopes.fault12("s:Sender", subcode: "<s:Subcode><s:Value>s:x</s:Value></s:Subcode>"),
    ].map { Array($0.utf8) }

    @Test func `truncated answers are rejected`() {
        for answer in Self.answers {
            for count in answer.indices {
                #expect(throws: SOAPReply.Problem.self) { try SOAPReply(Array(answer.prefix(count))) }
            }
        }
    }

    @Test(arguments: 1...8 as ClosedRange<UInt64>)
    func `answers with random changes give the same result each time`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        for answer in Self.answers {
            for _ in 0..<100 {
                var bytes = answer
                for _ in 0..<Int.random(in: 1...4, using: &random) {
                    let index = Int.random(in: bytes.indices, using: &random)
                    switch Int.random(in: 0..<3, using: &random) {
                    case 0: bytes[index] = UInt8.random(in: 0...255, using: &random)
                    case 1: bytes.remove(at: index)
                    default: bytes.insert(UInt8.random(in: 0...255, using: &random), at: index)
                    }
                }
                let (first, second) = (try? SOAPReply(bytes), try? SOAPReply(bytes))
                #expect(first == second)
            }
        }
    }

    @Test(arguments: 1...8 as ClosedRange<UInt64>)
    func `escaped text is read back unchanged`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let special: [Unicode.Scalar] = [
            "&", "<", ">", "\"", "'", "\r", "\n", "\t", "]", " ", "é", "🚶", "\u{202E}", "\u{2028}", "\u{85}",
            "\u{FFFD}",
        ]
        for _ in 0..<100 {
            var text = String.UnicodeScalarView()
            for _ in 0..<Int.random(in: 0...40, using: &random) {
                let any = Unicode.Scalar(UInt32.random(in: 0x20...0x10FFFF, using: &random)) ?? "x"
                let one = Bool.random(using: &random) ? special.randomElement(using: &random) ?? "x" : any
                if one.isXMLCharacter { text.append(one) }
            }
            let value = String(text)
            let document = "<a x=\"\(xmlEscaped(value, in: .attribute))\">\(xmlEscaped(value, in: .text))</a>"
            let element = try XMLReader.read(Array(document.utf8))
            #expect(Array(element.text.unicodeScalars) == Array(value.unicodeScalars))
            #expect(Array((element.attributes[XMLName("x")] ?? "").unicodeScalars) == Array(value.unicodeScalars))
        }
    }
}
