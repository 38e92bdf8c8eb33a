import Settings
import StepDomain
import Testing

@Suite(.timeLimit(.minutes(5))) struct TableReaderTests {
    private enum Kind: String, CaseIterable { case rest, soap, file }

    @Test func `a valid table is read`() throws {
        let text = """
            [share.garden]
            kind = "soap"
            url = "https://steps.example.org"
            template = "Walked\\n\\t{steps}"
            suffix = ""
            insecure = true
            attempts = 3
            from = 2026-02-28
            until = "2028-02-29"
            users = ["Ada", "Ben"]
            user = "Ada"
            headers = { "X-Household" = "garden", empty = "" }
            output = "~/steps.jsonl"
            other = "/var/steps"
            """
        var reader = try reader(text)
        #expect(reader.choice("kind", of: Kind.self) == .soap)
        #expect(reader.requireText("url", "an address") == "https://steps.example.org")
        #expect(reader.text("template", "a text", mayHaveLines: true) == "Walked\n\t{steps}")
        #expect(reader.text("suffix", "a text", mayBeEmpty: true) == "")
        #expect(reader.flag("insecure") == true)
        #expect(reader.integer("attempts", in: 1...3, "a number") == 3)
        #expect(reader.date("from") == "2026-02-28")
        #expect(reader.date("until") == "2028-02-29")
        #expect(reader.texts("users", "names") == ["Ada", "Ben"])
        #expect(reader.texts("user", "names") == ["Ada"])
        #expect(reader.textTable("headers", "headers") == ["X-Household": "garden", "empty": ""])
        #expect(reader.path("output", "a file") == "/home/ada/steps.jsonl")
        #expect(reader.path("other", "a file") == "/var/steps")
        #expect(reader.value("other", "a path") { $0.split(separator: "/").count } == 2)
        #expect(reader.problems == [])
        try reader.finish()
    }

    @Test func `an absent key is nil and not a problem`() throws {
        var reader = try reader("[share.garden]")
        #expect(reader.choice("kind", of: Kind.self) == nil)
        #expect(reader.text("a", "x") == nil)
        #expect(reader.flag("b") == nil)
        #expect(reader.integer("c", in: 1...2, "x") == nil)
        #expect(reader.date("e") == nil)
        #expect(reader.texts("f", "x") == nil)
        #expect(reader.textTable("g", "x") == nil)
        #expect(reader.path("h", "x") == nil)
        #expect(reader.secret("i", isRequired: false) == nil)
        try reader.finish()
    }

    @Test func `all problems of a table are reported in the order of lines`() throws {
        var reader = try reader(
            """
            user = "Ada"
            [share.garden]
            attempts = 0
            urll = "https://x"

            kind = "rset"
            zzz = 1
            """)
        let attempts = reader.integer("attempts", in: 1...9, "how often to try")
        let url = reader.requireText("url", "the address of the server, such as https://…")
        let kind = reader.choice("kind", of: Kind.self)
        #expect(attempts == nil && url == nil && kind == nil)
        let error = #expect(throws: SettingsProblems.self) { try reader.finish() }
        #expect(error?.category == .configuration)
        #expect(error?.errors.count == 5)
        #expect(
            error?.description == """
                "c.toml", line 2: [share.garden] lacks `url`, which has to be the address of the server, such as https://…
                "c.toml", line 3: `share.garden.attempts` is "0"; it has to be how often to try, from 1 to 9
                "c.toml", line 4: unknown key "urll" in [share.garden]; did you mean `url`?
                "c.toml", line 6: `share.garden.kind` is "rset"; it has to be `rest`, `soap` or `file`; did you mean `rest`?
                "c.toml", line 7: unknown key "zzz" in [share.garden]; known keys: `attempts`, `url`, `kind`
                """)
    }

    @Test func `a wrong key is reported once even if it is read repeatedly`() throws {
        var reader = try reader("[share.garden]\nurl = 3")
        for _ in 0..<3 { #expect(reader.requireText("url", "x") == nil && reader.requireText("kind", "y") == nil) }
        let error = #expect(throws: SettingsProblems.self) { try reader.finish() }
        #expect(error?.errors.count == 2)
    }

    @Test func `no key is reported as unknown while the kind is invalid`() throws {
        var reader = try reader("[share.garden]\nurl = 'x'\nkind = 'REST'")
        #expect(reader.requireChoice("kind", among: ["rest", "soap"]) == nil)
        let error = #expect(throws: SettingsProblems.self) { try reader.finish(isComplete: false) }
        #expect(
            error?.description
                == "\"c.toml\", line 3: `share.garden.kind` is \"REST\"; it has to be `rest` or `soap`; did you mean `rest`?"
        )
    }

    @Test func `a table without known keys suggests no key`() throws {
        var reader = try reader("[share.garden]\n'u l' = 1")
        let error = #expect(throws: SettingsProblems.self) { try reader.finish() }
        #expect(error?.description == "\"c.toml\", line 2: unknown key \"u l\" in [share.garden]")
    }

    @Test func `problems found by the caller are reported like other problems`() throws {
        var reader = try reader(
            "[share.garden]\nurl = 'ftp://x'\nproxy = 'http://ada:pass@x'\nheaders.'A b' = 'pass'\nlist = [1]\nhalf = 0.5"
        )
        let proxy = reader.text("proxy", "x", isPrivate: true)
        let headers = reader.textTable("headers", "x")
        #expect(proxy != nil && headers != nil)
        reader.refuse("proxy", expected: "an address without a password")
        reader.refuse("headers", entry: "A b", expected: "a text under a name of letters and dashes")
        reader.refuse("url", expected: "an address that starts with https://")
        reader.refuse("url", expected: "an address", isPrivate: true)
        reader.refuse("list", expected: "shorter")
        reader.refuse("half", expected: "whole")
        reader.refuse("kind", expected: "`rest`")
        let error = #expect(throws: SettingsProblems.self) { try reader.finish() }
        #expect(
            error?.description == """
                "c.toml", line 1: [share.garden] lacks `kind`, which has to be `rest`
                "c.toml", line 2: `share.garden.url` is "ftp://x"; it has to be an address that starts with https://
                "c.toml", line 2: `share.garden.url` has to be an address
                "c.toml", line 3: `share.garden.proxy` has to be an address without a password
                "c.toml", line 4: `share.garden.headers."A b"` has to be a text under a name of letters and dashes
                "c.toml", line 5: `share.garden.list` has to be shorter
                "c.toml", line 6: `share.garden.half` is "0.5"; it has to be whole
                """)
    }
}

/// A reader of `[share.garden]`.
func reader(_ text: String, home: String? = "/home/ada") throws -> TableReader {
    TableReader(try #require(SettingsTable.destinations(in: text, path: "c.toml").first), home: home)
}
