internal import CCurl
internal import Support

/// Sets libcurl's options for a request. The memory that libcurl refers to is valid as long as this object exists.
final class CurlOptions {
    private let easy: UnsafeMutableRawPointer
    private var headers: UnsafeMutablePointer<curl_slist>?
    private var isGood = true

    init(_ easy: UnsafeMutableRawPointer) { self.easy = easy }

    deinit { ccurl_slist_free_all(headers) }

    /// - Returns: false if libcurl does not know an option or has no memory.
    func set(_ request: HTTPRequest, _ settings: CurlSettings, _ transfer: Transfer) -> Bool {
        setConnection(request, settings)
        setRequest(request)
        setCallbacks(transfer)
        return isGood
    }

    private func setConnection(_ request: HTTPRequest, _ settings: CurlSettings) {
        set(CURLOPT_URL, request.url.description)
        // The path is sent as the preview shows it, including dot segments.
        set(CURLOPT_PATH_AS_IS, 1)
        set(CURLOPT_PROTOCOLS, Int(CURLPROTO_HTTP | CURLPROTO_HTTPS))
        set(CURLOPT_USERAGENT, settings.userAgent)
        set(CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2))
        if let path = settings.authorities { set(CURLOPT_CAINFO, path) }
        if request.url.isLoopback { set(CURLOPT_PROXY, "") }
        set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
        set(CURLOPT_NOSIGNAL, 1)
        set(CURLOPT_CONNECTTIMEOUT_MS, Int(settings.limits.connect.milliseconds))
        set(CURLOPT_TIMEOUT_MS, Int(settings.limits.whole.milliseconds))
        // On a kept connection a request can be lost if the server closes it at the same moment, and it would not be
        // known whether the request arrived.
        set(CURLOPT_FRESH_CONNECT, request.isRepeatable ? 0 : 1)
        set(CURLOPT_FORBID_REUSE, request.isRepeatable ? 0 : 1)
        // Abandons a name lookup that hangs; libcurl before 7.87 cannot do that, and waits.
        ccurl_set_long(easy, CURLOPT_QUICK_EXIT, 1)
    }

    private func setRequest(_ request: HTTPRequest) {
        if request.method == "HEAD" {
            set(CURLOPT_NOBODY, 1)
        } else if request.announcesLength {
            let body = request.payload ?? []
            check(ccurl_set_size(easy, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(body.count)))
            // Without a pointer, libcurl would request the body by a callback.
            (body.isEmpty ? [0] : body).withUnsafeBytes {
                check(
                    ccurl_set_pointer(easy, CURLOPT_COPYPOSTFIELDS, UnsafeMutableRawPointer(mutating: $0.baseAddress)))
            }
        }
        set(CURLOPT_CUSTOMREQUEST, request.method)
        if let (user, password) = request.digest { check(ccurl_set_digest(easy, user, password.reveal())) }
        for header in request.headers {
            if case .digest = header.value { continue }
            let value = header.value.revealed
            // "Name:" would remove the header instead.
            add(value.isEmpty ? header.name + ";" : "\(header.name): \(value)")
        }
        // Removes the type that libcurl would add to any body, and the `Expect` header, which asks whether to send it.
        if !request.has("Content-Type") { add("Content-Type:") }
        add("Expect:")
        // Without this header a server may choose any coding (RFC 9110, section 12.5.3). Nothing here decodes one.
        if !request.has("Accept-Encoding") { add("Accept-Encoding: identity") }
        check(ccurl_set_list(easy, CURLOPT_HTTPHEADER, headers))
    }

    private func setCallbacks(_ transfer: Transfer) {
        let pointer = Unmanaged.passUnretained(transfer).toOpaque()
        check(ccurl_set_pointer(easy, CURLOPT_ERRORBUFFER, transfer.errorBuffer.baseAddress))
        for option in [CURLOPT_PREREQDATA, CURLOPT_HEADERDATA, CURLOPT_WRITEDATA] {
            check(ccurl_set_pointer(easy, option, pointer))
        }
        check(ccurl_set_sockets(easy))
        check(
            ccurl_set_prerequest(easy) { pointer, _, _, _, _ in
                Transfer.at(pointer).shouldSend() ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT
            })
        check(
            ccurl_set_receiver(easy, CURLOPT_HEADERFUNCTION) { bytes, size, count, pointer in
                Transfer.at(pointer).take(line: UnsafeRawBufferPointer(start: bytes, count: size * count))
                    ? size * count : 0
            })
        check(
            ccurl_set_receiver(easy, CURLOPT_WRITEFUNCTION) { bytes, size, count, pointer in
                Transfer.at(pointer).take(body: UnsafeRawBufferPointer(start: bytes, count: size * count))
                    ? size * count : 0
            })
    }

    private func set(_ option: CURLoption, _ value: Int) { check(ccurl_set_long(easy, option, value)) }

    private func set(_ option: CURLoption, _ value: String) { check(ccurl_set_text(easy, option, value)) }

    private func add(_ line: String) {
        guard let list = ccurl_slist_append(headers, line) else { return isGood = false }
        headers = list
    }

    private func check(_ code: CURLcode) { isGood = isGood && code == CURLE_OK }
}

extension Transfer {
    fileprivate static func at(_ pointer: UnsafeMutableRawPointer?) -> Transfer {
        Unmanaged<Transfer>.fromOpaque(pointer!).takeUnretainedValue()
    }
}
