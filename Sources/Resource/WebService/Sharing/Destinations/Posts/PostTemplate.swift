internal import Settings
internal import StepDomain
internal import Support

/// The text of a post, with names in braces in place of figures.
///
/// A line, or a part of a line between ` · ` marks, is left out if a figure in it is not known for the day.
struct PostTemplate: Hashable, Sendable {
    enum Piece: Hashable, Sendable {
        case text(String)
        case figure(PostFigure)
    }

    typealias Part = [Piece]

    /// The lines, each with its parts.
    let lines: [[Part]]

    static let standard = """
        {weekday} {date}: {steps} steps
        {percentage} of the goal of {goal} · {distance} · {calories}
        {bars}
        """

    static let separator = " · "

    enum Problem: Error, Hashable {
        /// A name in braces that is not a figure.
        case unknownName
        /// An opening brace without a closing one.
        case openBrace
    }

    init(_ text: String) throws(Problem) {
        var lines: [[Part]] = []
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            var parts: [Part] = []
            for part in line.split(separator: Self.separator, omittingEmptySubsequences: false) {
                parts.append(try Self.pieces(part))
            }
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

    /// Whether every post contains its date: the date is in a part that is never left out.
    var hasDate: Bool {
        lines.joined().contains { part in part.contains(.figure(.date)) && part.isAlwaysKnown }
    }

    /// The text for a day.
    ///
    /// - Parameter value: the text of a figure; nil if it is not known.
    /// - Returns: the text without surrounding white space; empty if nothing is left.
    func text(_ value: (PostFigure) -> String?) -> String {
        let texts = lines.compactMap { line -> String? in
            let parts = line.compactMap { text($0, value) }
            return parts.isEmpty ? nil : parts.joined(separator: Self.separator)
        }
        return String(texts.joined(separator: "\n").trimming(while: \.isWhitespace))
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

    /// Characters of the longest text that it can give for a day.
    var longest: Int { text { String(repeating: "8", count: $0.longest) }.count }
}

extension PostTemplate.Part {
    /// Whether it is in the text of every day.
    var isAlwaysKnown: Bool {
        allSatisfy { if case .figure(let figure) = $0 { figure.isAlwaysKnown } else { true } }
    }
}

/// The pattern of all texts that a template can give for a day, whatever the day's figures. It is used to find a post
/// again.
///
/// White space is not part of it, as web pages change it.
struct PostPattern {
    private enum Token {
        case character(Character)
        /// One character or more of these.
        case run(Set<Character>)
    }

    private var tokens: [Token] = []
    /// Ends of the ranges of tokens that can be left out, by their start.
    private var skips: [Int: [Int]] = [:]

    init(_ template: PostTemplate, _ day: Day) {
        for line in template.lines {
            for (index, part) in line.enumerated() {
                if index > 0 { optional { $0.add(PostTemplate.separator) } }
                if part.isAlwaysKnown { add(part, day) } else { optional { $0.add(part, day) } }
            }
        }
    }

    private mutating func optional(_ body: (inout PostPattern) -> Void) {
        let start = tokens.count
        body(&self)
        skips[start, default: []].append(tokens.count)
    }

    private mutating func add(_ part: PostTemplate.Part, _ day: Day) {
        for piece in part {
            switch piece {
            case .text(let text): add(text)
            case .figure(let figure):
                if let alphabet = figure.alphabet {
                    tokens.append(.run(alphabet))
                } else {
                    add(figure.fixedValue(of: day) ?? "")
                }
            }
        }
    }

    private mutating func add(_ text: String) { tokens += text.filter { !$0.isWhitespace }.map(Token.character) }

    /// Whether the whole text matches the pattern. All paths through the pattern are followed at the same time, so that
    /// no text takes long.
    func matches(_ text: String) -> Bool {
        var positions = reached([0])
        for character in text where !character.isWhitespace {
            var next: Set<Int> = []
            for position in positions where position < tokens.count {
                switch tokens[position] {
                case .character(let own): if own == character { next.insert(position + 1) }
                case .run(let alphabet): if alphabet.contains(character) { next.formUnion([position, position + 1]) }
                }
            }
            if next.isEmpty { return false }
            positions = reached(next)
        }
        return positions.contains(tokens.count)
    }

    /// The positions, and those that are reached by leaving out optional parts.
    private func reached(_ positions: Set<Int>) -> Set<Int> {
        var all = positions
        var new = positions
        while !new.isEmpty {
            new = Set(new.flatMap { skips[$0] ?? [] }).subtracting(all)
            all.formUnion(new)
        }
        return all
    }
}

extension TableReader {
    /// The key `text`: the template of a post.
    mutating func template(standard: String) -> PostTemplate? {
        let names = PostFigure.allCases.map { "{\($0.rawValue)}" }.joined(separator: " ")
        let expected = "a text that names \(names)"
        let given = text("text", expected, mayHaveLines: true)
        if given == nil, table.keys.contains("text") { return nil }
        do {
            return try PostTemplate(given ?? standard)
        } catch {
            refuse(
                "text",
                expected: expected
                    + (error == .openBrace ? ", each with a } behind it" : ", and nothing else in braces"))
            return nil
        }
    }
}
