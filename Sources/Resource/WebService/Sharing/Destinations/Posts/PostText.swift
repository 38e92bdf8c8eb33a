/// The text of a post that a server shows as HTML: without tags, with entities decoded. No parser: servers of posts send few tags, and
/// what cannot be told is not matched.
enum PostText {
    static func text(ofHTML html: String) -> String {
        var text = ""
        var rest = html[...]
        while let opening = rest.firstIndex(of: "<") {
            text += rest[..<opening]
            // Tags part words: paragraphs and line breaks are tags.
            text += " "
            guard let closing = rest[opening...].firstIndex(of: ">") else { return decoded(text) }
            rest = rest[rest.index(after: closing)...]
        }
        return decoded(text + rest)
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
            // Numbers and names are short; a longer one is none.
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
