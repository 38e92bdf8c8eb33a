import CCurl
import Testing

@testable import HTTP

/// Messages for failures that cannot be produced on loopback.
@Suite(.timeLimit(.minutes(5))) struct CurlFailureTests {
    private func failure(_ code: CURLcode, _ words: String = "") -> CurlFailure {
        // The standard messages of the codes come from libcurl.
        _ = CurlLibrary.problem
        return CurlFailure(
            code: code, osError: 0, words: words, excess: nil, origin: "https://a.example", limits: HTTPLimits())
    }

    @Test func `an unknown host or proxy is reported with advice`() {
        #expect(
            failure(CURLE_COULDNT_RESOLVE_HOST).reasonBeforeSending
                == "no address was found for https://a.example; check its name and this machine's network")
        #expect(
            failure(CURLE_COULDNT_RESOLVE_PROXY).reasonBeforeSending
                == "no address was found for the proxy on the way to https://a.example; check the environment variables of proxies"
        )
    }

    @Test func `control characters in messages of libcurl are escaped`() {
        #expect(
            failure(CURLE_SSL_CONNECT_ERROR, "\u{1B}[2Jreason\n").reasonBeforeSending
                == "no TLS connection to https://a.example: \\u{1b}[2Jreason\\u{a}; check that its port is one for https"
        )
    }

    /// libcurl's message can repeat what a server sent, and a server can repeat what it received.
    @Test func `messages of libcurl are omitted after the request was sent`() {
        for code in 0...100 {
            let words = failure(CURLcode(rawValue: UInt32(code)), "t0ps3cret").reasonAfterSending
            #expect(!words.contains("t0ps3cret") && words.contains("https://a.example"), "\(code)")
        }
        #expect(
            failure(CURLE_READ_ERROR).reasonAfterSending
                == "no answer from https://a.example: Failed to open/read local data from file/application")
    }
}
