/// What a page says, without its markup. No parser: good enough for the error pages of servers.
enum HTMLText {
    /// The page's title, else all of its text; a text that is no page as it is.
    static func text(of page: String) -> String {
        let start = page.drop(while: \.isWhitespace)
        guard start.hasPrefix("<") else { return page }
        let title = element("title", in: start).map { withoutTags($0) } ?? ""
        return title.isEmpty ? withoutTags(start) : title
    }

    private static func element(_ name: String, in page: Substring) -> Substring? {
        // The names are ASCII, and so their case changes no length.
        guard let opening = page.firstRange(of: "<\(name)>") ?? page.firstRange(of: "<\(name.uppercased())>") else { return nil }
        let rest = page[opening.upperBound...]
        guard let closing = rest.firstRange(of: "</") else { return nil }
        return rest[..<closing.lowerBound]
    }

    private static func withoutTags(_ page: Substring) -> String {
        var result = ""
        var rest = page
        while let opening = rest.firstIndex(of: "<") {
            result += rest[..<opening] + " "
            let tag = rest[opening...].prefix(8).lowercased()
            // What is in these is not for readers.
            let closing = tag.hasPrefix("<style") ? "</style>" : tag.hasPrefix("<script") ? "</script>" : tag.hasPrefix("<!--") ? "-->" : ">"
            guard let end = rest[opening...].firstRange(of: closing) else { return unescaped(result) }
            rest = rest[end.upperBound...]
        }
        return unescaped(result + rest)
    }

    private static func unescaped(_ text: String) -> String {
        let entities = [("&nbsp;", " "), ("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&amp;", "&")]
        let result = entities.reduce(text) { $0.replacing($1.0, with: $1.1) }
        return result.allSatisfy(\.isWhitespace) ? "" : result
    }
}
