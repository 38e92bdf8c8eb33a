import TestSupport
import Testing

@testable import Settings

/// Documents in which the line of each key is known, compared with the results of the parser and the scan.
@Suite(.timeLimit(.minutes(10)), .cpuBound) struct RandomDocumentTests {
    @Test(arguments: 0..<100)
    func `every key of a random document has the correct line`(seed: UInt64) throws {
        var document = RandomDocument(seed: seed)
        document.write()
        let file = try ConfigFile(text: document.text, path: "c")
        var found: [String: Int?] = [:]
        gather(file.entries, [], &found)
        #expect(found == document.lines.mapValues(Optional.some), "\(document.text)")
    }

    private func gather(_ entries: [String: SettingEntry], _ path: [String], _ found: inout [String: Int?]) {
        for (name, entry) in entries {
            found[(path + [name]).joined(separator: "/")] = .some(entry.line)
            if case .table(let inner) = entry.value { gather(inner, path + [name], &found) }
        }
    }
}

private struct RandomDocument {
    private var random: SeededGenerator
    private(set) var text = ""
    /// Line numbers by path, with slashes.
    private(set) var lines: [String: Int] = [:]
    private var line = 1

    init(seed: UInt64) { random = SeededGenerator(seed: seed) }

    private mutating func pick<Value>(_ values: [Value]) -> Value {
        values[Int.random(in: values.indices, using: &random)]
    }

    private mutating func put(_ piece: String) {
        text += piece
        line += piece.utf8.count { $0 == 0x0A }
    }

    mutating func write() {
        for _ in 0..<Int.random(in: 0...4, using: &random) { pair(in: []) }
        for table in 0..<Int.random(in: 0...5, using: &random) {
            let path = ["share", "t\(table)"] + pick([[], ["sub.x"], ["a", "é"]])
            filler()
            put(pick(["[", " [ "]))
            note(path)
            put(path.map { quoted($0) }.joined(separator: pick([".", " . "])) + pick(["]", " ] # [no]"]) + end())
            for _ in 0..<Int.random(in: 0...4, using: &random) { pair(in: path) }
        }
    }

    private mutating func end() -> String { pick(["\n", "\r\n", " # x = \"1\n"]) }

    private mutating func filler() { put(pick(["", "", "\n", "# [share.t0]\n", "  \t\r\n", "# '''\n"])) }

    private mutating func quoted(_ name: String) -> String {
        let isBare = name.utf8.allSatisfy { $0 < 0x80 && $0 != 0x20 && $0 != 0x2E }
        return pick(["\"\(name)\"", "'\(name)'"] + (isBare ? [name] : []))
    }

    private mutating func pair(in table: [String]) {
        filler()
        let key = pick([["k\(lines.count)"], ["k\(lines.count)", "b"], ["\(lines.count) x"]])
        put(pick(["", "  "]))
        note(table + key)
        put(key.map { quoted($0) }.joined(separator: ".") + pick(["=", " = "]))
        value(table + key)
        put(end())
    }

    private mutating func value(_ path: [String]) {
        if Int.random(in: 0..<5, using: &random) == 0 {
            put("{ ")
            note(path + ["y"])
            note(path + ["z", "w"])
            put("y = '}', z . \"w\" = [ { q = 1 }, \n ] }")
        } else {
            put(
                pick([
                    "1", "-1.5e3", "true", "'#'", "\"\\\"]\"", "2026-03-01", "2026-03-01 10:00:00Z", "07:32:00", "\"\"",
                    "''",
                    "'''\n[share.t1]\nk1 = 1'''", "'''''it's'''''", "\"\"\"\"quoted\\\"\"\"\"\"\"",
                    "\"\"\"\\\n  k2 = 2\n\"\"\"", "\"\"\"\"\"\"",
                    "[]", "[ 'a', # ]\n \"b]\",\n]", "[[1], [{ k3 = '}' }]]", "inf", "0x1F", "\"\\u005D \\U0001F6B6\"",
                ]))
        }
    }

    /// The first line of each table on the way, until it has a header.
    private mutating func note(_ path: [String]) {
        for count in 1..<path.count {
            let parent = path[..<count].joined(separator: "/")
            if lines[parent] == nil { lines[parent] = line }
        }
        lines[path.joined(separator: "/")] = line
    }
}
