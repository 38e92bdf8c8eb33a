import CCurl
import Testing

@testable import HTTP

/// Words for what cannot be brought about on loopback.
@Suite struct CurlFailureTests {
    private func failure(_ code: CURLcode, _ words: String = "") -> CurlFailure {
        // The codes' standard words are libcurl's.
        _ = CurlLibrary.problem
        return CurlFailure(code: code, osError: 0, words: words, excess: nil, origin: "https://a.example", limits: HTTPLimits())
    }

    @Test func anUnknownHost() {
        #expect(failure(CURLE_COULDNT_RESOLVE_HOST).beforeDeparture
            == "no address was found for https://a.example; check its name and this machine's network")
        #expect(failure(CURLE_COULDNT_RESOLVE_PROXY).beforeDeparture
            == "no address was found for the proxy on the way to https://a.example; check the environment variables of proxies")
    }

    @Test func libcurlsWordsCannotSteerATerminal() {
        #expect(failure(CURLE_SSL_CONNECT_ERROR, "\u{1B}[2Jreason\n").beforeDeparture
            == "no TLS connection to https://a.example: \\u{1b}[2Jreason\\u{a}; check that its port speaks https")
    }

    /// libcurl's words can repeat what a server sent, and a server what it was sent.
    @Test func libcurlsWordsAreNotToldOnceTheRequestWasOut() {
        for code in 0...100 {
            let words = failure(CURLcode(rawValue: UInt32(code)), "t0ps3cret").afterDeparture
            #expect(!words.contains("t0ps3cret") && words.contains("https://a.example"), "\(code)")
        }
        #expect(failure(CURLE_READ_ERROR).afterDeparture
            == "no answer from https://a.example: Failed to open/read local data from file/application")
    }
}
