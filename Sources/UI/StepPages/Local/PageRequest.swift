/// The fields of a query or a form: each with its first value.
package struct FormFields: Hashable, Sendable {
    private var values: [String: String] = [:]

    init() {}

    /// Reads `a=1&b=2` as browsers write it (application/x-www-form-urlencoded).
    ///
    /// - Returns: nil for text that is no UTF-8, or has more fields than any of the forms.
    package init?(_ text: some StringProtocol) {
        let pairs = text.split(separator: "&", omittingEmptySubsequences: true)
        guard pairs.count <= 64 else { return nil }
        for pair in pairs {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = Self.decoded(parts[0], isForm: true),
                let value = Self.decoded(parts.count > 1 ? parts[1] : "", isForm: true)
            else {
                return nil
            }
            if values[name] == nil { values[name] = value }
        }
    }

    /// The value without blanks at its ends; nil if the field is missing or empty.
    subscript(name: String) -> String? {
        guard var trimmed = values[name]?[...] else { return nil }
        while trimmed.first == " " { trimmed.removeFirst() }
        while trimmed.last == " " { trimmed.removeLast() }
        return trimmed.isEmpty ? nil : String(trimmed)
    }

    /// - Returns: nil for a percent sign without two digits, and for bytes that are not UTF-8.
    static func decoded(_ text: some StringProtocol, isForm: Bool) -> String? {
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "%"):
                // `UInt8(_:radix:)` alone would accept a sign.
                let digits = rest.prefix(2)
                guard digits.count == 2, digits.allSatisfy({ Character(UnicodeScalar($0)).isHexDigit }),
                    let value = UInt8(String(decoding: digits, as: UTF8.self), radix: 16)
                else { return nil }
                rest.removeFirst(2)
                bytes.append(value)
            case UInt8(ascii: "+") where isForm: bytes.append(UInt8(ascii: " "))
            default: bytes.append(byte)
            }
        }
        return String(validating: bytes, as: UTF8.self)
    }
}

/// A request for a page.
package struct PageRequest: Hashable, Sendable {
    /// In capitals.
    package var method: String
    /// Between the slashes, decoded; empty for the root.
    package var path: [String]
    package var query: FormFields
    package var form: FormFields
    /// Names in lower case.
    package var headers: [String: String]

    /// - Parameters:
    ///   - target: path and query as they were sent.
    ///   - headers: with names in lower case.
    /// - Returns: nil for what no browser sends for these pages.
    package init?(method: String, target: String, headers: [String: String], body: [UInt8] = []) {
        let parts = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        guard let first = parts.first, first.hasPrefix("/") else { return nil }
        var path: [String] = []
        for part in first.split(separator: "/", omittingEmptySubsequences: true) {
            guard let decoded = FormFields.decoded(part, isForm: false) else { return nil }
            path.append(decoded)
        }
        guard let query = FormFields(parts.count > 1 ? parts[1] : "") else { return nil }
        self.method = method
        self.path = path
        self.query = query
        self.headers = headers
        form = FormFields()
        guard method == "POST" else { return }
        guard let text = String(validating: body, as: UTF8.self), let form = FormFields(text) else { return nil }
        self.form = form
    }

    /// The cookie of this name.
    func cookie(_ name: String) -> String? {
        for part in (headers["cookie"] ?? "").split(separator: ";") {
            let pair = part.drop { $0 == " " }.split(separator: "=", maxSplits: 1)
            if pair.count == 2, pair[0] == name { return String(pair[1]) }
        }
        return nil
    }
}
