internal import Quoting

extension HTTPRequest {
    /// What goes out, to be shown: the request line, the headers with secrets as bullets, an empty line, the body. Lines end with `\n`,
    /// control characters are escaped. `User-Agent` is missing, which is the transport's.
    public var preview: String {
        var lines = ["\(method) \(url.target) HTTP/1.1", "Host: \(url.authority)"]
        if !has("Accept") { lines.append("Accept: */*") }
        lines += headers.map { "\($0.name): \($0.value.masked)" }
        if let length = announcedLength { lines.append("Content-Length: \(length)") }
        return (lines.map { printable($0) } + ["", shownBody]).joined(separator: "\n")
    }

    /// Whether a header of this name, whatever its case, is among those that are set.
    func has(_ name: String) -> Bool { headers.contains { $0.name.lowercased() == name.lowercased() } }

    /// A body of zero bytes is announced where a server expects one by the method (RFC 9110, section 8.6).
    var announcesLength: Bool { body != nil || ["POST", "PUT", "PATCH"].contains(method) }

    private var announcedLength: String? {
        guard announcesLength else { return nil }
        // The length of a form would tell that of its secrets.
        if case .form(let fields) = body, let secret = fields.compactMap(\.value.secret).first { return secret.description }
        return String(payload?.count ?? 0)
    }

    private var shownBody: String {
        switch body {
        case .bytes(let bytes):
            String(validating: bytes, as: UTF8.self).map { printable($0, keeping: ["\n", "\t"]) }
                ?? "(\(bytes.count) bytes that are not text)"
        case .form(let fields):
            fields.map {
                let value = $0.value.secret == nil ? PercentEncoding.encoded($0.value.masked) : $0.value.masked
                return PercentEncoding.encoded($0.name) + "=" + value
            }.joined(separator: "&")
        case nil: ""
        }
    }
}
