import Support
import Testing

@Suite(.timeLimit(.minutes(5))) struct PercentEncodingTests {
    @Test(arguments: [
        ("", ""), ("az-AZ_09.~", "az-AZ_09.~"), ("a b/c?d&e=f", "a%20b%2Fc%3Fd%26e%3Df"), ("é\n\0", "%C3%A9%0A%00"),
        ("%41", "%2541"),
        // Other segments of dots are names.
        (".", "%2E"), ("..", "%2E%2E"), ("...", "..."), ("a.", "a."),
    ])
    func `a segment of a path is percent-encoded`(text: String, encoded: String) {
        #expect(percentEncodedComponent(text) == encoded)
    }

    @Test func `given bytes are not percent-encoded`() {
        #expect(percentEncoded("/a.b/é", keeping: \.isAlphanumeric) == "%2Fa%2Eb%2F%C3%A9")
        #expect(percentEncoded("/a.b/é") { $0 < 0x80 } == "/a.b/%C3%A9")
        #expect((0...255).filter { UInt8($0).isAlphanumeric }.count == 62)
        #expect((0...255).filter { UInt8($0).isUnreserved }.count == 66)
    }
}
