internal import CCurl
internal import Glibc

/// Why a transfer failed, in words for a user.
struct CurlFailure {
    let code: CURLcode
    let osError: Int32
    /// libcurl's words, which may have parts of a certificate in them.
    let words: String
    let excess: String?
    let origin: String
    let limits: HTTPLimits

    /// Where nothing of the request went out.
    var beforeDeparture: String {
        switch code {
        case CURLE_COULDNT_RESOLVE_HOST:
            "no address was found for \(origin); check its name and this machine's network"
        case CURLE_COULDNT_RESOLVE_PROXY:
            "no address was found for the proxy on the way to \(origin); check the environment variables of proxies"
        case CURLE_OPERATION_TIMEDOUT:
            "no connection to \(origin) within \(min(limits.connect, limits.whole).inSeconds); check its address and the network"
        case CURLE_COULDNT_CONNECT:
            "no connection to \(origin): \(osReason ?? reason); check its address and whether the server runs"
        case CURLE_PEER_FAILED_VERIFICATION:
            "the certificate of \(origin) is not trusted: \(reason); check the address, or name the file of its authority in SSL_CERT_FILE"
        case CURLE_SSL_CACERT_BADFILE:
            "there are no certificates of authorities to check \(origin) against: \(reason); check SSL_CERT_FILE, or apt-get install ca-certificates"
        case CURLE_SSL_CONNECT_ERROR:
            "no TLS connection to \(origin): \(reason); check that its port speaks https"
        default: "no connection to \(origin): \(reason)"
        }
    }

    /// Where the request may have arrived. Without libcurl's words on it, as a server may have put into them what it was sent.
    var afterDeparture: String {
        if let excess { return "\(origin) answered with \(excess); is it the right address?" }
        return switch code {
        case CURLE_OK: "\(origin) gave no final answer"
        case CURLE_GOT_NOTHING: "\(origin) closed the connection without an answer"
        case CURLE_PARTIAL_FILE: "\(origin) closed the connection in the middle of its answer"
        case CURLE_OPERATION_TIMEDOUT: "no whole answer from \(origin) within \(limits.whole.inSeconds)"
        // A bad argument: what libcurl's store of headers calls a line that is none.
        case CURLE_UNSUPPORTED_PROTOCOL, CURLE_WEIRD_SERVER_REPLY, CURLE_BAD_CONTENT_ENCODING, CURLE_BAD_FUNCTION_ARGUMENT,
            CURLE_HTTP2, CURLE_HTTP2_STREAM:
            "what \(origin) answered is no HTTP; is it the right address?"
        // What libcurl says of a header longer than 100 KiB; from 8.6 on it has a code for it, CURLE_TOO_LARGE.
        case CURLE_OUT_OF_MEMORY, CURLcode(rawValue: 100): "\(origin) answered with an endless header; is it the right address?"
        case CURLE_RECV_ERROR where osError == 0: "the answer of \(origin) could not be read to its end"
        case CURLE_SEND_ERROR, CURLE_RECV_ERROR, CURLE_ABORTED_BY_CALLBACK:
            "the connection to \(origin) was lost" + (osReason.map { ": " + $0 } ?? "")
        default: "no answer from \(origin): \(String(cString: ccurl_easy_strerror(code)))"
        }
    }

    private var osReason: String? { osError == 0 ? nil : String(cString: strerror(osError)) }

    private var reason: String { printable(words.isEmpty ? String(cString: ccurl_easy_strerror(code)) : words) }
}
