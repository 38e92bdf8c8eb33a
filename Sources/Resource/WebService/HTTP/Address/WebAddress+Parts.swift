extension WebAddress {
    /// With segments added to the path, each percent-encoded, so that a slash in one stays inside of it.
    public func appending(path segments: [String]) -> WebAddress {
        var result = self
        for segment in segments {
            if !result.path.hasSuffix("/") { result.path += "/" }
            result.path += PercentEncoding.encoded(segment)
        }
        return result
    }

    /// With names and values added to the query, percent-encoded.
    ///
    /// An address is shown and logged by servers: what is secret belongs into a header or a form.
    public func appending(query items: [(String, String)]) -> WebAddress {
        guard !items.isEmpty else { return self }
        let added = items.map { PercentEncoding.encoded($0) + "=" + PercentEncoding.encoded($1) }.joined(separator: "&")
        var result = self
        result.query = query.map { $0.isEmpty ? added : $0 + "&" + added } ?? added
        return result
    }

    /// Fills a template: each `{name}` becomes the value of that name, percent-encoded; then the whole is checked as an address.
    /// - Throws: `Problem.unknownName` for a name without a value, else as `init`.
    public static func filled(
        _ template: String, _ values: [String: String], insecure: Bool = false
    ) throws(Problem) -> WebAddress {
        var text = ""
        var rest = template[...]
        while let opening = rest.firstIndex(of: "{") {
            text += rest[..<opening]
            rest = rest[rest.index(after: opening)...]
            guard let closing = rest.firstIndex(of: "}") else { throw .character("{") }
            let name = String(rest[..<closing])
            guard let value = values[name] else { throw .unknownName(name, known: values.keys.sorted()) }
            text += PercentEncoding.encoded(value)
            rest = rest[rest.index(after: closing)...]
        }
        return try WebAddress(text + rest, insecure: insecure)
    }
}
