import Foundation
import Testing

@testable import Settings

@Suite(.timeLimit(.minutes(5))) struct HostileFileTests {
    private func problems(_ text: String) -> [SettingsError] {
        do throws(SettingsProblems) {
            for table in try SettingsTable.destinations(in: text, path: "c") {
                var reader = TableReader(table, home: nil)
                _ = reader.textTable("headers", "names and values")
                try reader.finish()
            }
        } catch {
            return error.errors
        }
        return []
    }

    /// Start, repeated part, count, end: a complete text as an argument would fill the test log.
    @Test(arguments: [
        ("a", ".a", 32_000, " = 1"), ("[a", ".a", 32_000, "]"), ("share.a", ".a", 32_000, " = 1"),
        ("a = ", "{a.b=", 100, "1" + String(repeating: "}", count: 100)),
        ("a = [", "{a.b=[", 60, "1" + String(repeating: "]}", count: 60) + "]"),
    ])
    func `tables nested more than 64 levels deep are rejected`(start: String, repeated: String, count: Int, end: String)
    {
        let text = start + String(repeating: repeated, count: count) + end
        #expect(problems(text) == [.tooDeep(path: "c", line: 1, limit: 64)])
        #expect(
            problems(text).first?.description
                == "\"c\", line 1: tables are nested more than 64 levels deep; istep has no such keys")
    }

    @Test func `tables within the depth limit and nested arrays are parsed`() {
        let tables = "share.a" + String(repeating: ".a", count: 61) + " = 1"
        #expect(
            problems(tables) == [
                .unknownEntry("a", table: "[share.a]", source: .file("c", line: 1), nearest: nil, known: ["headers"])
            ])
        let arrays = "[share.a]\nheaders = " + String(repeating: "[", count: 200) + String(repeating: "]", count: 200)
        #expect(problems(arrays).map(\.line) == [2])
    }

    @Test func `only the first hundred problems of a file are reported`() {
        let keys = (0..<6000).map { "k\($0)=1" }.joined(separator: "\n")
        for text in [keys, "[share.x]\n" + keys, "[share.x.headers]\n" + keys] {
            let problems = problems(text)
            #expect(problems.count == 101)
            #expect(problems.last == .andMore(path: "c"))
            #expect(problems.dropLast().compactMap(\.line) == Array(problems[0].line!..<problems[0].line! + 100))
        }
        let names = problems((0..<4000).map { "[share.'\($0) ']" }.joined(separator: "\n"))
        #expect(names.count == 101)
        #expect(names.last?.description == "\"c\": there may be more errors; fix these first")
    }

    @Test func `thousands of destinations are read`() {
        #expect(problems((0..<4000).map { "[share.\($0)]" }.joined(separator: "\n")) == [])
    }

    @Test func `the error about an overlong number does not show its digits`() throws {
        for text in ["token = 99999999999999999999999", "token = 0x99999999999999999999999", "token = 9.9e99999999999"]
        {
            let shown = try #require(problems(text).first).description
            #expect(!shown.contains("9999"), "\(shown)")
            #expect(shown.contains("the number "))
        }
    }

    @Test func `the message of the parser is shown without control characters`() throws {
        let shown = try #require(problems("\"\u{202E}a\u{85}\" = 1\n\"\u{202E}a\u{85}\" = 1").first).description
        #expect(shown.unicodeScalars.allSatisfy { !$0.properties.isBidiControl && $0.value != 0x85 })
    }
}
