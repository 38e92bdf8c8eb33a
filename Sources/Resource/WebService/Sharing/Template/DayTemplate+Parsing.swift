extension DayTemplate {
    /// Why a text is no template; in words that go on from "it has to be".
    struct Problem: Error, Hashable, CustomStringConvertible {
        let description: String
    }

    init(_ text: String) throws(Problem) {
        var parser = Parser(rest: Array(text))
        pieces = try parser.pieces(inBrackets: false)
    }

    private struct Parser {
        var rest: [Character]
        var position = 0

        init(rest: [Character]) { self.rest = rest }

        private var next: Character? { position < rest.count ? rest[position] : nil }

        mutating func pieces(inBrackets: Bool) throws(Problem) -> [Piece] {
            var pieces: [Piece] = []
            var words = ""
            func flushed() -> [Piece] { words.isEmpty ? [] : [.literal(words)] }
            while let character = next {
                position += 1
                switch character {
                case "{", "}", "[", "]":
                    if next == character {
                        position += 1
                        words.append(character)
                        continue
                    }
                default:
                    words.append(character)
                    continue
                }
                switch character {
                case "]" where inBrackets: return pieces + flushed()
                case "[" where !inBrackets:
                    pieces += flushed()
                    words = ""
                    pieces.append(.optional(try self.pieces(inBrackets: true)))
                case "{":
                    pieces += flushed()
                    words = ""
                    pieces.append(.field(try field()))
                default: throw Problem(description: "a text in which \(character)\(character) stands for \(character)")
                }
            }
            if inBrackets { throw Problem(description: "a text in which every [ has its ]; [[ stands for [") }
            return pieces + flushed()
        }

        private mutating func field() throws(Problem) -> Field {
            guard let end = rest[position...].firstIndex(of: "}") else {
                throw Problem(description: "a text in which every { has its }; {{ stands for {")
            }
            let name = String(rest[position..<end])
            position = end + 1
            guard let field = Field(rawValue: name) else {
                let known = Field.allCases.map { "{\($0.rawValue)}" }.joined(separator: ", ")
                throw Problem(description: "a text with no other names than \(known)")
            }
            return field
        }
    }
}
