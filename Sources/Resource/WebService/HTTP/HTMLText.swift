/// The text of HTML, without its markup. Not a full parser: it is for the error pages of servers and for posts, which
/// have few tags.
public enum HTMLText {
    /// The text of a part of a page. Tags separate words: paragraphs and line breaks are tags.
    public static func text(of html: some StringProtocol) -> String {
        var text = ""
        var rest = Substring(html)
        while let opening = rest.firstIndex(of: "<") {
            text += rest[..<opening] + " "
            let tag = rest[opening...].prefix(8).lowercased()
            // The content of these is not meant for readers.
            let closing =
                tag.hasPrefix("<style")
                ? "</style>" : tag.hasPrefix("<script") ? "</script>" : tag.hasPrefix("<!--") ? "-->" : ">"
            guard let end = rest[opening...].firstRange(of: closing) else { return decoded(text) }
            rest = rest[end.upperBound...]
        }
        return decoded(text + rest)
    }

    /// The page's title, else all of its text; empty if it has none. A text that is not a page is returned unchanged.
    static func text(ofPage page: String) -> String {
        let start = page.drop(while: \.isWhitespace)
        guard start.hasPrefix("<") else { return page }
        let title = element("title", in: start).map { text(of: $0) } ?? ""
        let shown = title.allSatisfy(\.isWhitespace) ? text(of: start) : title
        return shown.allSatisfy(\.isWhitespace) ? "" : shown
    }

    private static func element(_ name: String, in page: Substring) -> Substring? {
        // The names are ASCII, and so their case changes no length.
        guard let opening = page.firstRange(of: "<\(name)>") ?? page.firstRange(of: "<\(name.uppercased())>") else {
            return nil
        }
        let rest = page[opening.upperBound...]
        guard let closing = rest.firstRange(of: "</") else { return nil }
        return rest[..<closing.lowerBound]
    }

    private static let entities: [String: Character] = [
        "amp": "&", "lt": "<", "gt": ">", "quot": "\"", "apos": "'", "nbsp": "\u{A0}",
    ]

    private static func decoded(_ text: String) -> String {
        guard text.contains("&") else { return text }
        var result = ""
        var rest = text[...]
        while let start = rest.firstIndex(of: "&") {
            result += rest[..<start]
            rest = rest[start...]
            // Entities are short; a longer name or number is not an entity.
            let name = rest.dropFirst().prefix(10).prefix { $0 != ";" }
            let end = rest.index(rest.startIndex, offsetBy: name.count + 1)
            if end < rest.endIndex, rest[end] == ";", let character = character(String(name)) {
                result.append(character)
                rest = rest[rest.index(after: end)...]
            } else {
                result.append("&")
                rest = rest.dropFirst()
            }
        }
        return result + rest
    }

    private static func character(_ name: String) -> Character? {
        if let known = entities[name] { return known }
        guard name.hasPrefix("#") else { return nil }
        let isHex = name.dropFirst().lowercased().hasPrefix("x")
        let number = isHex ? UInt32(name.dropFirst(2), radix: 16) : UInt32(name.dropFirst(), radix: 10)
        return number.flatMap(Unicode.Scalar.init).map(Character.init)
    }
}
