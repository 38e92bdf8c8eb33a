internal import Foundation
public import Quoting

extension HTTPResponse {
    /// Unicode scalars of the longest line of words; a character can be of any number of them.
    private static let longestWords = 200
    /// How much of what a server says is looked at for secrets, which takes its time.
    private static let longestFinding = 4000

    /// The server's words in one line for a user, at most 200 characters, nothing in it that a terminal would obey. Empty where the
    /// server said nothing readable. Not scrubbed: a server may repeat the secrets that it was sent.
    public var words: String { words(hiding: []) }

    /// As `words`, with every occurrence of `secrets` replaced by bullets, before anything is cut.
    ///
    /// From JSON it takes `title` and `detail` (RFC 9457), `error_description` (RFC 6749), `error`, `message` or `errors`; from HTML the
    /// title, else the text; else the text as it is.
    public func words(hiding secrets: [Secret]) -> String {
        // A body in an encoding that was not asked for is no text.
        guard (header("Content-Encoding") ?? "identity").lowercased() == "identity" else { return "" }
        let found = JSONWords.find(in: body) ?? HTMLText.text(of: text)
        let start = String(found.unicodeScalars.prefix(HTTPResponse.longestFinding))
        let scrubbed = secrets.reduce(start) { $1.scrubbed(from: $0) }
        return HTTPResponse.line(scrubbed)
    }

    private static func line(_ text: String) -> String {
        let spaced = text.unicodeScalars.map { $0.properties.isWhitespace ? " " : $0.isUnfitForTerminals ? "?" : $0 }
        var view = String.UnicodeScalarView()
        view.append(contentsOf: spaced)
        let line = String(view).split(separator: " ").joined(separator: " ")
        return line.unicodeScalars.count > longestWords ? String(line.unicodeScalars.prefix(longestWords - 1)) + "…" : line
    }
}

/// What an answer in JSON says in words.
enum JSONWords {
    /// Nil where it is no JSON, or none of the words that are known is in it.
    static func find(in body: [UInt8]) -> String? {
        guard let first = body.first(where: { !" \t\r\n".utf8.contains($0) }), first == UInt8(ascii: "{") || first == UInt8(ascii: "["),
            let json = try? JSONSerialization.jsonObject(with: Data(body))
        else { return nil }
        return text(json, depth: 0)
    }

    private static func text(_ value: Any, depth: Int) -> String? {
        guard depth < 4 else { return nil }
        switch value {
        case let text as String: return text.isEmpty ? nil : text
        case let list as [Any]:
            let texts = list.prefix(5).compactMap { text($0, depth: depth + 1) }
            return texts.isEmpty ? nil : texts.joined(separator: "; ")
        case let object as [String: Any]: return known(object, depth: depth)
        default: return nil
        }
    }

    private static func known(_ object: [String: Any], depth: Int) -> String? {
        func said(_ key: String) -> String? { object[key].flatMap { text($0, depth: depth + 1) } }
        let problem = [said("title"), said("detail")].compactMap(\.self)
        if !problem.isEmpty { return problem.joined(separator: ": ") }
        for key in ["error_description", "error", "message", "errors"] {
            if let words = said(key) { return words }
        }
        // Below `errors`, fields with what is wrong with each: {"value": ["is too large"]}.
        guard depth > 0 else { return nil }
        let fields = object.keys.sorted().prefix(5).compactMap { key in said(key).map { key + " " + $0 } }
        return fields.isEmpty ? nil : fields.joined(separator: "; ")
    }
}
