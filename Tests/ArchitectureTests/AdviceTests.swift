import Foundation
import Testing

/// What errors and views advise. A view puts each command on a line of its own: words behind it in the same sentence
/// would stand alone. A log and a document have all of it on one line: there a mark stands between a command and the
/// next words.
@Suite(.timeLimit(.minutes(5))) struct AdviceTests {
    /// Lines of code. Literals that continue on the next line are joined, and each interpolated command is in
    /// backticks.
    private static func lines(of source: Source) -> [Substring] {
        source.code.map(\.text).joined(separator: "\n")
            .replacing(" \\\n", with: " ").replacing("\"\n+ \"", with: "")
            .replacing(/\\\(command: (?:[^()]|\([^()]*\))*\)/, with: "`a b`")
            .split(separator: "\n")
            // Not the lines of an example configuration.
            .filter { !$0.hasPrefix("#") }
    }

    /// - Parameter isLast: whether no other command follows in the same literal.
    private static func mayFollow(_ words: Substring, isLast: Bool) -> Bool {
        if ["", "."].contains(words) || words.prefixMatch(of: /\. [A-Z]/) != nil { return true }
        let begins = words.hasPrefix("; ") || words.hasPrefix(", ")
        return !isLast && (["; ", ", ", ", then "].contains(words) || (begins && words.hasSuffix(": ")))
    }

    @Test func `no words follow a command in the same sentence`() throws {
        var commands = 0
        for source in try Source.modules().values.joined() {
            for line in Self.lines(of: source) {
                let pieces = line.split(separator: "`", omittingEmptySubsequences: false)
                guard pieces.count % 2 == 1 else { continue }
                // A single word between backticks is the name of a setting.
                for index in stride(from: 1, to: pieces.count, by: 2) where pieces[index].contains(" ") {
                    commands += 1
                    let words = pieces[index + 1].prefix { $0 != "\"" }
                    let isLast = index + 2 == pieces.count || words.endIndex < pieces[index + 1].endIndex
                    #expect(Self.mayFollow(words, isLast: isLast), "\(source.path): \(line)")
                }
            }
        }
        #expect(commands > 100, "\(commands)")
    }

    /// Without them, a command is not on a line of its own, and does not get the options that it needs.
    @Test func `commands in the advice of errors are in backticks`() throws {
        for source in try Source.modules().values.joined() {
            let lines = Self.lines(of: source)
            let errors = ["ReportableError", "CommandFailure(", "ServiceError"]
            guard lines.contains(where: { line in errors.contains { line.contains($0) } }) else { continue }
            for (before, line) in zip([""] + lines, lines) where line.contains(": istep ") {
                // What a command prints as its result is no advice.
                if before.contains("result(") || line.contains("result(") { continue }
                #expect(!line.contains(/: istep (?!recognises|then )[a-z]/), "\(source.path): \(line)")
            }
        }
    }
}
