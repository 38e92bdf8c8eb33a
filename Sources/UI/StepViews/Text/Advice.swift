internal import Support

/// What the user can do about something: sentences, and commands to paste into a shell.
///
/// A view puts each command on a line of its own and never cuts it, so a command is separate from the sentences around
/// it. It is written as a string literal: `"Make it writable: \(command: "chmod u+w", path)"`. Words after the first
/// are data, and are quoted for the shell.
public struct Advice: Sendable {
    public enum Part: Sendable {
        case prose(String)
        case command(ShellCommand)
    }

    public private(set) var parts: [Part] = []

    public init(_ parts: [Part]) { self.parts = parts }

    /// Text that has its commands between backticks, as the errors of `BlueZ` and others write them. A single word
    /// between backticks is not a command but the name of a setting, and stays as it is.
    ///
    /// - Parameter markup: text of the program itself: text of a device or a server could contain a command of its own.
    public init(markup: String) {
        let pieces = markup.split(separator: "`", omittingEmptySubsequences: false)
        // A last backtick without a partner does not begin a command.
        let isBalanced = pieces.count % 2 == 1
        for (index, piece) in pieces.enumerated() {
            let isQuoted = index % 2 == 1 && (isBalanced || index < pieces.count - 1)
            if isQuoted, piece.contains(" ") {
                parts.append(.command(ShellCommand(String(piece))))
            } else {
                append(isQuoted ? "`\(piece)`" : (index % 2 == 1 ? "`" : "") + piece)
            }
        }
    }

    /// The one command of a text that has a single pair of backticks; nil for any other text.
    ///
    /// For errors whose words name a command: a path in it that has a backtick itself must not become part of another
    /// command.
    public init?(commandOf markup: String) {
        let advice = Advice(markup: markup)
        guard markup.utf8.count(where: { $0 == UInt8(ascii: "`") }) == 2, let command = advice.commands.first else {
            return nil
        }
        self.init([.command(command)])
    }

    /// The commands in their order.
    public var commands: [ShellCommand] {
        parts.compactMap { if case .command(let command) = $0 { command } else { nil } }
    }

    /// The reverse of `init(markup:)`: the text with its commands between backticks.
    public var markup: String {
        parts.map { part in
            switch part {
            case .prose(let text): text
            case .command(let command): "`\(command.text())`"
            }
        }.joined()
    }

    private mutating func append(_ prose: String) {
        if case .prose(let text)? = parts.last {
            parts[parts.count - 1] = .prose(text + prose)
        } else if !prose.isEmpty {
            parts.append(.prose(prose))
        }
    }
}

extension Advice: CustomStringConvertible {
    /// All of it on one line, for a log or a program.
    public var description: String {
        parts.map { part in
            switch part {
            case .prose(let text): text
            case .command(let command): command.text()
            }
        }.joined()
    }
}

/// Two with the same text are equal.
extension Advice: Hashable {
    public static func == (a: Advice, b: Advice) -> Bool { a.description == b.description }
    public func hash(into hasher: inout Hasher) { hasher.combine(description) }
}

extension Advice: ExpressibleByStringInterpolation {
    public init(stringLiteral text: String) { append(text) }

    public init(stringInterpolation interpolation: StringInterpolation) { self = interpolation.advice }

    public struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var advice = Advice([])

        public init(literalCapacity: Int, interpolationCount: Int) {}

        public mutating func appendLiteral(_ literal: String) { advice.append(literal) }

        public mutating func appendInterpolation(_ value: some CustomStringConvertible) {
            advice.append(value.description)
        }

        public mutating func appendInterpolation(_ other: Advice) {
            for part in other.parts {
                if case .prose(let text) = part { advice.append(text) } else { advice.parts.append(part) }
            }
        }

        /// - Parameters:
        ///   - line: the program and its fixed arguments, in shell syntax.
        ///   - words: further arguments, quoted where the shell would split or expand them.
        public mutating func appendInterpolation(command line: String, _ words: String...) {
            advice.parts.append(.command(ShellCommand(line, words)))
        }
    }
}

/// A command to paste into a shell (bash, zsh, ksh, or any of POSIX.1-2024).
public struct ShellCommand: Sendable {
    let line: String
    let words: [String]

    /// - Parameters:
    ///   - line: the program and its fixed arguments, in shell syntax.
    ///   - words: further arguments of any content.
    public init(_ line: String, _ words: [String] = []) {
        self.line = line
        self.words = words
    }

    /// One word of a command, quoted where the shell would split or expand it.
    public static func quoted(_ word: String) -> String { shellQuoted(word) }

    /// The command as one line without control characters.
    ///
    /// - Parameter isASCII: for a terminal that shows only ASCII: other characters are written as the bytes of their
    ///   UTF-8.
    public func text(isASCII: Bool = false) -> String {
        ([line] + words.map { shellQuoted($0, isASCII: isASCII) }).joined(separator: " ")
    }
}
