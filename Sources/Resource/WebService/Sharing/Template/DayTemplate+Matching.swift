internal import StepDomain

extension DayTemplate {
    /// Whether a text can be what this template made of a day, whatever figures the day had then: by it a post is recognised whose
    /// answer was lost.
    ///
    /// Blanks and line ends count as one blank: servers and pages change them.
    func couldBe(_ text: String, of day: SharedDay) -> Bool {
        let words = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        let matcher = Matcher(text: Array(words), day: day)
        return matcher.places(behind: pieces, from: [0]).contains { matcher.skip($0) == matcher.text.count }
    }

    /// Follows all ways through the text at once, so that no text takes longer than its length makes it.
    private struct Matcher {
        let text: [Character]
        let day: SharedDay
        /// Of a figure; a dash is what stands for one that is not known.
        private static let figure = Set("0123456789,.–")
        private static let longestFigure = 16
        private static let bars = Set(Bars.blocks + ["–"])
        private static let longestBars = 26

        /// - Parameter starts: places in the text that what comes before can have led to.
        func places(behind pieces: [Piece], from starts: Set<Int>) -> Set<Int> {
            pieces.reduce(starts) { places, piece in
                switch piece {
                case .literal(let words): return Set(places.compactMap { literal(words, at: $0) })
                case .optional(let inner): return places.union(self.places(behind: inner, from: places))
                case .field(let field):
                    switch field {
                    case .user, .date, .weekday: return Set(places.compactMap { literal(field.value(of: day) ?? "", at: $0) })
                    case .bars: return run(of: Self.bars, upTo: Self.longestBars, from: places)
                    case .steps, .distance, .calories, .percentage, .goal:
                        return run(of: Self.figure, upTo: Self.longestFigure, from: places)
                    }
                }
            }
        }

        /// The place behind a literal, blanks counted as one; nil where the text goes on otherwise.
        private func literal(_ words: String, at start: Int) -> Int? {
            var place = start
            for character in words {
                if character.isWhitespace {
                    place = skip(place)
                } else {
                    guard place < text.count, text[place] == character else { return nil }
                    place += 1
                }
            }
            return place
        }

        func skip(_ start: Int) -> Int { start < text.count && text[start] == " " ? start + 1 : start }

        private func run(of allowed: Set<Character>, upTo most: Int, from starts: Set<Int>) -> Set<Int> {
            var ends: Set<Int> = []
            for start in starts {
                var place = skip(start)
                let limit = min(place + most, text.count)
                while place < limit, allowed.contains(text[place]) {
                    place += 1
                    ends.insert(place)
                }
            }
            return ends
        }
    }
}
