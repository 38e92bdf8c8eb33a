import HTTP
import Support
import TestSupport
import Testing

/// The part of a server's answer that a user reads.
@Suite(.timeLimit(.minutes(5))) struct WordsTests {
    static let bodies: [(String, String)] = [
        ("", ""),
        ("  plain \r\n text\t", "plain text"),
        (#"{"title":"Bad day","detail":"it has 25 hours","status":422}"#, "Bad day: it has 25 hours"),
        (#"{"title":"Bad day"}"#, "Bad day"),
        (#"{"error":"The access token is invalid"}"#, "The access token is invalid"),
        (#"{"error":"invalid_grant","error_description":"The token expired"}"#, "The token expired"),
        (#"{"error":{"code":7,"message":"no such user"}}"#, "no such user"),
        (#"{"code":"invalid","message":"unable to parse"}"#, "unable to parse"),
        (#"{"errors":["a","b"]}"#, "a; b"),
        (
            #"{"errors":{"value":["is too large"],"daystamp":"is missing","number":3}}"#,
            "daystamp is missing; value is too large"
        ),
        (#"{"errors":[{"message":"a"},{"title":"b","detail":"c"}]}"#, "a; b: c"),
        (#"[{"message":"a"}]"#, "a"),
        (#"{"message":"","error":"b"}"#, "b"),
        (#"{"steps":8123}"#, #"{"steps":8123}"#),
        (#"{"message": 5}"#, #"{"message": 5}"#),
        (#"{"message": "cut"#, #"{"message": "cut"#),
        (#"{"message":"\u001b[2Jhidden\u202e"}"#, "?[2Jhidden?"),
        (#"{"message":"two\nlines"}"#, "two lines"),
        (
            "<html><head><title>404 Not Found</title></head><body><h1>404 Not Found</h1><hr>nginx</body></html>",
            "404 Not Found"
        ),
        ("<!DOCTYPE html><HTML><TITLE>Sign in &amp; out</TITLE>", "Sign in & out"),
        (
            "\n<html><style>h1 { color: red }</style><script>if (a < b) {}</script><!-- a > b --><h1>Too&nbsp;many</h1><p>requests</p>",
            "Too many requests"
        ),
        ("<html><title></title><p>a &lt; b &amp;lt; c</p>", "a < b &lt; c"),
        ("<p>cut <b", "cut"),
        ("<", ""),
        ("1 < 2 and 3 > 2", "1 < 2 and 3 > 2"),
        ("\u{1B}]0;title\u{7}\0", "?]0;title??"),
    ]

    @Test(arguments: bodies) func `the message of an answer is a single line`(_ body: String, _ words: String) {
        #expect(HTTPResponse(status: 400, body: Array(body.utf8)).words(hiding: []) == words)
    }

    @Test func `the message has at most 200 characters`() {
        let longest = String(repeating: "ü", count: 200)
        #expect(HTTPResponse(status: 400, body: Array(longest.utf8)).words(hiding: []) == longest)
        #expect(
            HTTPResponse(status: 400, body: Array((longest + "ü").utf8)).words(hiding: []) == longest.dropLast() + "…")
        // One character can consist of any number of scalars.
        let endless = "a" + String(repeating: "\u{301}", count: 50_000)
        #expect(HTTPResponse(status: 400, body: Array(endless.utf8)).words(hiding: []).utf8.count < 2000)
    }

    @Test func `invalid UTF-8 is replaced`() {
        #expect(HTTPResponse(status: 400, body: [0xFF, 0x61, 0xC3]).words(hiding: []) == "\u{FFFD}a\u{FFFD}")
    }

    /// A secret that is cut in half would not be found.
    @Test func `secrets are masked before the message is cut`() {
        let secret = Secret("t0ps3cret-t0ps3cret")
        let body = String(repeating: "x", count: 190) + " t0ps3cret-t0ps3cret"
        let words = HTTPResponse(status: 400, body: Array(body.utf8)).words(hiding: [Secret("other"), secret])
        #expect(words == String(repeating: "x", count: 190) + " \(secret)")
        let json = #"{"error":"bad token t0ps3cret-t0\u0070s3cret"}"#
        #expect(HTTPResponse(status: 400, body: Array(json.utf8)).words(hiding: [secret]) == "bad token \(secret)")
    }

    /// Whatever stands before it: blanks are joined, and secrets that are masked become shorter.
    @Test func `no part of a secret is shown at the end of what is searched`() {
        let secret = Secret("t0ps3cret-t0ps3cret")
        for start in [String(repeating: " ", count: 3990), String(repeating: "t0ps3cret-t0ps3cret", count: 209)] {
            for filler in ["", "x", "xxxxxxx", "xxxxxxxxxxxxx"] {
                let text =
                    start + filler + String(repeating: "t0ps3cret-t0ps3cret", count: 20)
                    + String(repeating: " ", count: 9000)
                let words = HTTPResponse(status: 400, body: Array(text.utf8)).words(hiding: [secret])
                #expect(!words.contains("t0p"), "\(words)")
            }
        }
    }

    @Test func `a line of another text is masked before it is cut`() {
        let secret = Secret("t0ps3cret")
        #expect(HTTPResponse.line(of: " a\n\u{1b}b ", hiding: [secret]) == "a ?b")
        #expect(HTTPResponse.line(of: "Anna t0ps3cret", hiding: [secret], limit: 10) == "Anna \(secret)")
        #expect(HTTPResponse.line(of: "Anna of t0ps3cret", hiding: [secret], limit: 10) == "Anna of •…")
        #expect(HTTPResponse.line(of: #"{"message":"t0ps3cret"}"#, hiding: []) == #"{"message":"t0ps3cret"}"#)
    }

    @Test(arguments: ["\"", "\\\"", ""]) func `an answer of Digest that a server repeats is masked`(_ quote: String) {
        let words = HTTPResponse.line(
            of: "no: nonce=\(quote)ab\(quote), response=\(quote)8ca523f5e9506fed4657c9700eebdbec\(quote), qop=auth",
            hiding: [])
        #expect(words.contains("nonce") && words.contains("qop=auth") && !words.contains("8ca5"), "\(words)")
    }

    /// Bodies that are deeper than any parser's stack and larger than any sentence take little time and cause no
    /// failure.
    @Test(
        .timeLimit(.minutes(10)), .cpuBound,
        arguments: ["[", "{\"error\":", "<", "<!--", "<script>", "&amp;", "\u{1B}", " ", "{\"errors\":[", "</"])
    func `hostile bodies give a short message in little time`(piece: String) {
        let body = String(repeating: piece, count: 256 * 1024 / piece.utf8.count)
        let secrets = [Secret("t0ps3cret"), Secret(String(repeating: piece, count: 20))]
        #expect(HTTPResponse(status: 500, body: Array(body.utf8)).words(hiding: secrets).count <= 200)
    }
}
