/// The text of a post, with names in braces where figures come.
///
/// A line, or a part of a line between ` · ` marks, goes with what is in it: where a figure in it is not known of a day, it is left out.
struct PostTemplate: Hashable, Sendable {
    enum Piece: Hashable, Sendable {
        case text(String)
        case figure(PostFigure)
    }

    typealias Part = [Piece]

    /// Lines of parts.
    let lines: [[Part]]

    static let standard = """
        {weekday} {date}: {steps} steps
        {percentage} of the goal of {goal} · {distance} · {calories}
        {bars}
        """

    static let separator = " · "

    enum Problem: Error, Hashable {
        /// Something in braces that is no figure.
        case unknownName
        /// An opening brace without a closing one.
        case openBrace
    }

    init(_ text: String) throws(Problem) {
        var lines: [[Part]] = []
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            var parts: [Part] = []
            for part in line.split(separator: Self.separator, omittingEmptySubsequences: false) { parts.append(try Self.pieces(part)) }
            lines.append(parts)
        }
        self.lines = lines
    }

    private static func pieces(_ text: Substring) throws(Problem) -> Part {
        var pieces: Part = []
        var rest = text
        while let opening = rest.firstIndex(of: "{") {
            if opening > rest.startIndex { pieces.append(.text(String(rest[..<opening]))) }
            guard let closing = rest[opening...].firstIndex(of: "}") else { throw .openBrace }
            let name = String(rest[rest.index(after: opening)..<closing])
            guard let figure = PostFigure(rawValue: name) else { throw .unknownName }
            pieces.append(.figure(figure))
            rest = rest[rest.index(after: closing)...]
        }
        if !rest.isEmpty { pieces.append(.text(String(rest))) }
        return pieces
    }

    /// Whether every post tells which day it is of: the date stands in a part that is never left out.
    var hasDate: Bool {
        lines.joined().contains { part in part.contains(.figure(.date)) && part.isAlwaysKnown }
    }

    /// The text for a day.
    ///
    /// - Parameter value: of a figure; nil where it is not known.
    /// - Returns: without white space around it; empty where nothing is left.
    func text(_ value: (PostFigure) -> String?) -> String {
        let texts = lines.compactMap { line -> String? in
            let parts = line.compactMap { text($0, value) }
            return parts.isEmpty ? nil : parts.joined(separator: Self.separator)
        }
        return texts.joined(separator: "\n").trimmingSpace()
    }

    private func text(_ part: Part, _ value: (PostFigure) -> String?) -> String? {
        var result = ""
        for piece in part {
            switch piece {
            case .text(let text): result += text
            case .figure(let figure):
                guard let value = value(figure) else { return nil }
                result += value
            }
        }
        return result
    }

    /// Characters of the longest text that a day can make of it.
    var longest: Int { text { String(repeating: "8", count: $0.longest) }.count }
}

extension PostTemplate.Part {
    /// Whether it is left out of the text of no day.
    var isAlwaysKnown: Bool {
        allSatisfy { if case .figure(let figure) = $0 { figure.isAlwaysKnown } else { true } }
    }
}

extension String {
    fileprivate func trimmingSpace() -> String {
        var text = drop(while: \.isWhitespace)
        while text.last?.isWhitespace == true { text.removeLast() }
        return String(text)
    }
}
