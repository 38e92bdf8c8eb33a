import TestSupport
import StepDomain
import Testing

@testable import Settings

/// Documents that are invalid or almost invalid TOML. The parser (toml++ 3.3) ends the process by an assertion on some
/// of them.
@Suite(.timeLimit(.minutes(10)), .cpuBound) struct MutatedDocumentTests {
    @Test(arguments: [
        ("[.share.diary]\nkind = \"file\"", 1, 2), ("a = 1\n[", 0, 0), ("user = \"anna\"\n[ =]", 2, 3),
        ("[[.a]]", 1, 3), ("[[[a]]]", 1, 3),
        ("[ [a]]", 1, 3), ("[\u{a0}a]", 1, 2),
        ("a = [}", 1, 6), ("a = [1, }]", 1, 9), ("a = [\n  1,\n  ?]", 3, 3), ("a = { b = [}", 1, 12),
        ("[a]\nb = [\u{85}]", 2, 6),
        ("a = 2026-03-01T", 1, 5), ("a = 2026-03-01T:[a", 1, 5), ("a = 2026-03-01 x", 1, 5),
        ("a = [2026-03-01 1, 2]", 1, 6),
        ("a = [2026-_0--01 1, 2]", 1, 6),
        ("\n\na = [ 2026-03-01tZ ]", 3, 7),
    ])
    func `text that would make the parser fail an assertion is a syntax error with its line`(
        text: String, line: Int, column: Int
    ) throws {
        do throws(SettingsError) {
            _ = try ConfigFile(text: text, path: "c")
            Issue.record("accepted: \(text)")
        } catch {
            guard case .syntax("c", let foundLine, let foundColumn, let reason) = error else {
                Issue.record("\(error)")
                return
            }
            #expect(error.category == .configuration)
            #expect(!reason.contains("toml.hpp"))
            if line > 0 { #expect((foundLine, foundColumn) == (line, column), "\(text): \(reason)") }
        }
    }

    @Test func `an error that the TOML parser reports has the correct line`() throws {
        for (text, line) in [("hello\n[.a]", 1), ("a =\n[}", 1), ("= 1\n[.a]", 1), ("a = \"\n[.b]\"", 1)] {
            do throws(SettingsError) {
                _ = try ConfigFile(text: text, path: "c")
                Issue.record("accepted: \(text)")
            } catch {
                #expect(error.line == line, "\(text)")
            }
        }
    }

    @Test(arguments: [
        "a = 2026-03-01", "a = 2026-03-01 # T:", "a = 2026-03-01  ", "a = [2026-03-01 , 2026-03-01 07:32:00]",
        "a = 2026-03-01t07:32:00z",
        "a = [ # ]\n -inf, +1, .5e1\n]",
    ])
    func `the key scan finds no fault in valid values`(text: String) {
        #expect(KeyScan(text).fault == nil)
    }

    /// A fault would show as a test that does not finish: a failed assertion ends the process.
    @Test(arguments: 0..<8) func `no mutation of a document ends the process`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<1000 {
            let text = mutated(Self.documents.randomElement(using: &random) ?? "", &random)
            do throws(SettingsError) { _ = try ConfigFile(text: text, path: "c") } catch {
                #expect(error.category == .configuration)
            }
        }
    }

    private static let documents = [
        "user = \"anna\"\n[share.diary]\nkind = \"file\"\npath = '/a'\n",
        "[a.b]\nx.y = { q = 1, 'z' = [1, 2] }\n[[t]]\nd = 2026-03-01T10:00:00Z\n",
        "a = \"\"\"\nx\\\n y\"\"\"\nb = '''q'''\nn = -1.5e3\nh = 0x1F\no = 0o7\ni = inf\nt = 07:32:00.5\nf = true\n",
    ]
    private static let pieces = [
        ".", "[", "]", "[[", "]]", "=", "\"", "'", "\"\"\"", "'''", "{", "}", ",", "#", "\n", "\r\n", "\\", "\\u0000",
        "\\x", "_", "+", "-", "e",
        "inf", "nan", "0x", "0b1", "2026-", "2026-03-01", "T", "Z", "\t", " ", "\u{feff}", "\u{7f}", "\u{1}", "\u{85}",
        "\u{a0}", "é", "🚶", "a",
        "1",
        ":", "true", "[.", "{.", "..",
    ]

    private func mutated(_ text: String, _ random: inout SeededGenerator) -> String {
        var scalars = Array(text.unicodeScalars)
        for _ in 0..<Int.random(in: 1...6, using: &random) {
            let index = Int.random(in: 0...scalars.count, using: &random)
            switch Int.random(in: 0..<4, using: &random) {
            case 0:
                scalars.insert(contentsOf: (Self.pieces.randomElement(using: &random) ?? "").unicodeScalars, at: index)
            case 1: scalars.removeSubrange(index..<min(scalars.count, index + Int.random(in: 1...4, using: &random)))
            case 2: scalars.removeSubrange(index...)
            default:
                let start = Int.random(in: 0...scalars.count, using: &random)
                scalars.insert(contentsOf: scalars[start..<min(scalars.count, start + 7)], at: index)
            }
        }
        return String(String.UnicodeScalarView(scalars))
    }
}
