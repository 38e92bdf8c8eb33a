import Testing

@testable import StepViews

@Suite(.timeLimit(.minutes(5))) struct KeyDecoderTests {
    private func keys(_ text: String) -> [KeyDecoder.Key] {
        var decoder = KeyDecoder()
        return decoder.keys(text.utf8)
    }

    @Test func `arrow and page keys are decoded in both cursor modes`() {
        #expect(
            keys("\u{1b}[D\u{1b}[C\u{1b}[A\u{1b}[B\u{1b}OD\u{1b}OC\u{1b}[5~\u{1b}[6~") == [
                .left, .right, .up, .down, .left, .right, .pageUp, .pageDown,
            ])
    }

    @Test func `Home and End are decoded in the forms of all terminals`() {
        #expect(keys("\u{1b}[H\u{1b}OH\u{1b}[1~\u{1b}[7~") == Array(repeating: .home, count: 4))
        #expect(keys("\u{1b}[F\u{1b}OF\u{1b}[4~\u{1b}[8~") == Array(repeating: .end, count: 4))
    }

    @Test func `characters and control characters are decoded`() {
        #expect(
            keys("aS?\r\u{7f}\u{3}") == [
                .character("a"), .character("S"), .character("?"), .enter, .backspace, .control("c"),
            ])
    }

    @Test func `a lone escape is the key, at the end or before a character`() {
        #expect(keys("\u{1b}") == [.escape] && keys("\u{1b}q") == [.escape, .character("q")])
    }

    @Test func `an arrow that was read together with an escape before it is kept`() {
        #expect(keys("\u{1b}\u{1b}[D") == [.escape, .left] && keys("\u{1b}\u{1b}") == [.escape, .escape])
        #expect(keys("\u{1b}\u{1b}OC\u{1b}") == [.escape, .right, .escape])
    }

    @Test func `an escape sequence can arrive in pieces, and unknown ones are ignored`() {
        var decoder = KeyDecoder()
        #expect(decoder.keys([0x1b, 0x5b]) == [] && decoder.keys([0x44]) == [.left])
        #expect(keys("\u{1b}[1;5D\u{1b}[200~x") == [.character("x")])
        #expect(keys("é") == [])
    }

    /// A terminal that sends anything at all: no sequence blocks the keys after it for long.
    @Test func `garbage does not block later keys`() {
        let garbage = "\u{1b}[" + String(repeating: "1", count: 5000)
        #expect(keys(garbage + "q").last == .character("q") || keys(garbage + "qq").last == .character("q"))
    }
}
