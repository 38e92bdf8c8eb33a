internal import HTTP

/// What the body of an answer shows about a delivery, where the service defines no form of its own.
extension HTTPResponse {
    /// Why an answer of 2xx does not confirm a delivery; nil if nothing speaks against it.
    ///
    /// A network's sign-in page, and the start page of a site that answers every request with it, have this status too.
    var doubt: String? {
        if isCoded { return "its answer is compressed, although istep does not accept that" }
        return isPage ? "it answered with a web page" : nil
    }

    /// Whether the body has a coding, such as gzip. Requests accept none (`Accept-Encoding: identity`), so that a
    /// server which uses one does not read what it is sent.
    private var isCoded: Bool {
        !body.isEmpty && !["", "identity"].contains((header("Content-Encoding") ?? "").lowercased())
    }

    /// Whether it is a web page.
    ///
    /// The type alone is not enough: PHP and others call every answer HTML, even an empty one, and a page can come as
    /// `text/plain`, or without a type.
    var isPage: Bool {
        // There may be blanks before the semicolon (RFC 9110, section 5.6.6).
        let type = header("Content-Type")?.prefix { !"; \t".contains($0) }.lowercased() ?? ""
        // A byte order mark may stand first.
        let start = body.drop { " \t\r\n\u{c}\u{feff}".utf8.contains($0) }
        guard start.first == UInt8(ascii: "<") else { return false }
        return type == "text/html" || type == "application/xhtml+xml" || Self.opensPage(start.prefix(1000))
    }

    /// Whether markup begins like a page, by the elements that the MIME Sniffing Standard names
    /// (mimesniff.spec.whatwg.org, section 7.1). Comments and the declaration of XML may stand before them. Other XML
    /// is the answer of a service.
    private static func opensPage(_ start: ArraySlice<UInt8>) -> Bool {
        var rest = Substring(String(decoding: start, as: UTF8.self).lowercased())
        while let skipped = rest.prefixMatch(of: /<!--.*?-->\s*|<\?xml.*?\?>\s*/.dotMatchesNewlines()) {
            rest = rest[skipped.range.upperBound...]
        }
        let elements =
            /<(?:!doctype html|html|head|title|body|script|style|iframe|meta|link|h1|div|font|table|center|a|b|br|p)(?:[\s\/>]|$)/
        return rest.hasPrefix("<!--") || rest.prefixMatch(of: elements) != nil
    }

    /// Whether it is JSON that reports a failure, as many services do with a status of 200:
    /// - `ok` or `success` is false, or neither is true and there is an `error`, or there are `errors`,
    /// - `status` is `fail` or `error` (JSend, https://github.com/omniti-labs/jsend), or the number of an HTTP error.
    var reportsFailure: Bool {
        guard let result = json(ReportedResult.self) else { return false }
        let flags = [result.ok?.flag, result.success?.flag]
        if flags.contains(false) || result.status?.isFailedStatus == true { return true }
        if flags.contains(true) { return false }
        return [result.error, result.errors].contains { $0?.isError == true }
    }
}

/// The keys by which services report the result of a request.
private struct ReportedResult: Decodable {
    var ok, success, status, error, errors: Value?

    struct Value: Decodable {
        /// The value, if it is true or false, also as a text. A number may be a code: 0 often means that there was no
        /// error.
        var flag: Bool?
        /// Whether it describes an error: true, a text, a number other than 0, or a list or an object with such a
        /// value.
        let isError: Bool
        /// Whether it is the status of a request that failed.
        var isFailedStatus = false

        private static let noError: Set = ["", "0", "none", "null", "false", "ok", "success"]
        private static let flags = ["true": true, "yes": true, "false": false, "no": false]
        private static let failedStatuses: Set = ["error", "fail", "failed", "failure"]

        /// Levels of lists and objects that are read. Each type that is tried costs as much as the path to the value is
        /// long.
        private static let deepest = 8

        init(from decoder: any Decoder) throws {
            guard decoder.codingPath.count <= Self.deepest else {
                isError = true
                return
            }
            let container = try decoder.singleValueContainer()
            if let value = try? container.decode(Bool.self) {
                (flag, isError) = (value, value)
            } else if let text = try? container.decode(String.self) {
                let text = text.lowercased()
                flag = Self.flags[text]
                isError = !Self.noError.contains(text)
                isFailedStatus = Self.failedStatuses.contains(text)
            } else if let number = try? container.decode(Double.self) {
                isError = number != 0
                isFailedStatus = 400..<600 ~= number
            } else if let list = try? container.decode([Value].self) {
                isError = list.contains(where: \.isError)
            } else if let object = try? container.decode([String: Value].self) {
                isError = object.values.contains(where: \.isError)
            } else {
                isError = false
            }
        }
    }
}
