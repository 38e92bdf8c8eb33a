import Testing
import TestSupport
import WebTestSupport

@testable import HTTP

/// Frames of servers, hostile ones above all (RFC 6455, section 5).
@Suite(.timeLimit(.minutes(5))) struct WebSocketFramesTests {
    private typealias Event = WebSocketFrames.Event

    private func events(_ bytes: [UInt8], limit: Int = 1000, pieces: Int = .max) throws -> [Event] {
        var frames = WebSocketFrames(limit: limit)
        var events: [Event] = []
        var rest = bytes[...]
        while !rest.isEmpty {
            frames.append(rest.prefix(pieces))
            rest = rest.dropFirst(pieces)
            while let event = try frames.next() { events.append(event) }
        }
        return events
    }

    @Test(arguments: [0, 1, 125, 126, 127, 65_535, 65_536]) func `a text of any length arrives, in any pieces`(
        _ length: Int
    ) throws {
        let text = String(repeating: "x", count: length)
        for pieces in [Int.max, 1000] {
            #expect(try events(WebSocketPeer.text(text), limit: 70_000, pieces: pieces) == [.text(text)])
        }
    }

    @Test func `fragments become one message, with control frames between them`() throws {
        let bytes =
            WebSocketPeer.frame(1, [0xc3], isLast: false) + WebSocketPeer.frame(9, [7, 8]) + WebSocketPeer.frame(10, [])
            + WebSocketPeer.frame(0, [], isLast: false) + WebSocketPeer.frame(0, [0xa4])
            + WebSocketPeer.frame(8, [0x03, 0xe8, 0x6f, 0x6b])
        for pieces in [Int.max, 1] {
            #expect(
                try events(bytes, pieces: pieces) == [.ping([7, 8]), .text("ä"), .close(code: 1000, reason: "ok")])
        }
    }

    @Test func `a close frame without a status has neither code nor reason`() throws {
        #expect(try events(WebSocketPeer.frame(8, [])) == [.close(code: nil, reason: "")])
    }

    static let violations: [(String, [UInt8])] = [
        ("extension", [0xc1, 1, 65]), ("unknown kind", [0x83, 0]), ("unknown kind", [0x8b, 0]),
        ("masked", [0x81, 0x81, 1, 2, 3, 4, 5]),
        ("control frame", [0x09, 0]), ("control frame", [0x89, 126, 0, 126]), ("length", [0x81, 126, 0, 5]),
        ("length", [0x81, 127, 0, 0, 0, 0, 0, 0, 0xff, 0xff]), ("length", [0x81, 127, 0x80, 0, 0, 0, 0, 1, 0, 0]),
        ("more than", [0x81, 127, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff]),
        ("more than", [0x81, 126, 0x04, 0x01]),
        ("not begun", [0x80, 1, 65]), ("in the middle", [0x01, 1, 65, 0x81, 1, 66]), ("not UTF-8", [0x81, 1, 0xff]),
        ("bytes", [0x82, 1, 0]),
        ("status", [0x88, 1, 3]), ("status", [0x88, 3, 3, 0xe8, 0xff]),
    ]

    @Test(arguments: violations.indices) func `invalid frames of a server are protocol violations`(_ index: Int) {
        let (words, bytes) = Self.violations[index]
        let violation = #expect(throws: WebSocketFrames.Violation.self) { try events(bytes, limit: 1024) }
        #expect(violation?.reason.contains(words) == true, "\(violation?.reason ?? "")")
    }

    @Test func `fragments together are no longer than a message`() {
        let half = [UInt8](repeating: 65, count: 600)
        #expect(throws: WebSocketFrames.Violation.self) {
            try events(WebSocketPeer.frame(1, half, isLast: false) + WebSocketPeer.frame(0, half), limit: 1024)
        }
    }

    @Test func `the longest message arrives in as many fragments as are allowed`() throws {
        let piece = [UInt8](repeating: 65, count: WebSocketFrames.maximumMessage / WebSocketFrames.maximumFragments)
        var frames = WebSocketFrames()
        for index in 0..<WebSocketFrames.maximumFragments {
            let isLast = index == WebSocketFrames.maximumFragments - 1
            frames.append(WebSocketPeer.frame(index == 0 ? 1 : 0, piece, isLast: isLast))
            guard case .text(let text) = try frames.next() else {
                #expect(!isLast)
                continue
            }
            #expect(isLast && text.utf8.count == WebSocketFrames.maximumMessage)
        }
    }

    @Test func `a message of too many empty fragments is a protocol violation`() {
        let empty = WebSocketPeer.frame(0, [], isLast: false)
        let bytes =
            WebSocketPeer.frame(1, [], isLast: false) + (0..<WebSocketFrames.maximumFragments).flatMap { _ in empty }
        #expect(throws: WebSocketFrames.Violation.self) { try events(bytes) }
    }

    @Test func `random bytes cause no crash of the frame decoder`() {
        var generator = SeededGenerator(seed: 6455)
        for _ in 0..<2000 {
            let bytes = (0..<Int.random(in: 0...40, using: &generator)).map { _ in
                UInt8.random(in: .min ... .max, using: &generator)
            }
            _ = try? events(bytes, pieces: 3)
        }
    }

    @Test(arguments: [0, 125, 126, 65_535, 65_536]) func `sent frames are masked and have their length`(_ length: Int) {
        let payload = (0..<length).map { UInt8(truncatingIfNeeded: $0) }
        let bytes = WebSocketFrames.encoded(.text, payload, mask: 0x0102_0304)
        let head = length < 126 ? 2 : length < 65_536 ? 4 : 10
        #expect(bytes[0] == 0x81 && bytes[1] & 0x80 != 0)
        #expect(Array(bytes[head..<(head + 4)]) == [1, 2, 3, 4])
        #expect(bytes.dropFirst(head + 4).enumerated().map { $1 ^ [1, 2, 3, 4][$0 & 3] } == payload)
    }

    /// RFC 6455, section 5.7: "Hello" with the key 37 fa 21 3d.
    @Test func `the example of RFC 6455 is encoded as in the standard`() {
        #expect(
            WebSocketFrames.encoded(.text, Array("Hello".utf8), mask: 0x37fa_213d) == [
                0x81, 0x85, 0x37, 0xfa, 0x21, 0x3d, 0x7f, 0x9f, 0x4d, 0x51, 0x58,
            ])
    }
}
