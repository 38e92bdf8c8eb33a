internal import StepDomain

/// What every text that a template makes of a day has in common, whatever the day's figures: by it a post is found again.
///
/// White space is no part of it, as web pages have it as they like.
struct PostPattern {
    private enum Token {
        case character(Character)
        /// One character or more of these.
        case run(Set<Character>)
    }

    private var tokens: [Token] = []
    /// Ends of what can be left out, by its beginning.
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
                    add(figure == .date ? "\(day)" : day.weekday.name.prefix(1).uppercased() + day.weekday.name.dropFirst())
                }
            }
        }
    }

    private mutating func add(_ text: String) { tokens += text.filter { !$0.isWhitespace }.map(Token.character) }

    /// Whether a text is of this pattern as a whole. All ways through the pattern are gone at the same time, so that no text takes long.
    func matches(_ text: String) -> Bool {
        var places = reached([0])
        for character in text where !character.isWhitespace {
            var next: Set<Int> = []
            for place in places where place < tokens.count {
                switch tokens[place] {
                case .character(let own): if own == character { next.insert(place + 1) }
                case .run(let alphabet): if alphabet.contains(character) { next.formUnion([place, place + 1]) }
                }
            }
            if next.isEmpty { return false }
            places = reached(next)
        }
        return places.contains(tokens.count)
    }

    /// With the places to which what can be left out leads.
    private func reached(_ places: Set<Int>) -> Set<Int> {
        var all = places
        var new = places
        while !new.isEmpty {
            new = Set(new.flatMap { skips[$0] ?? [] }).subtracting(all)
            all.formUnion(new)
        }
        return all
    }
}
