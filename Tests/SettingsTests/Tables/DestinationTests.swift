import Settings
import StepDomain
import Testing

@Suite(.timeLimit(.minutes(5))) struct DestinationTests {
    @Test func `destination tables are returned in the order of their names`() throws {
        let tables = try SettingsTable.destinations(
            in:
                "user = 'Ada'\n[share.pond]\nkind = 'file'\n\n[share.garden]\nkind = 3\nurl = 'x'\n[share.pond.headers]\na = 'b'",
            path: "c.toml"
        )
        #expect(tables.map(\.name) == ["garden", "pond"])
        #expect(tables.map(\.path) == [["share", "garden"], ["share", "pond"]])
        #expect(tables.map(\.source) == [.file("c.toml", line: 5), .file("c.toml", line: 2)])
        #expect(tables.map(\.keys) == [["kind", "url"], ["kind", "headers"]])
        #expect(tables.map { $0.text("kind") } == [nil, "file"])
        #expect(try SettingsTable.destinations(in: "[share]", path: "c") == [])
    }

    @Test(
        arguments: [
            (
                "share = 3",
                "line 1: `share` has to be a table for each destination, such as [share.garden], not a number"
            ),
            (
                "[[share]]\nkind = 'rest'",
                "line 1: `share` has to be a table for each destination, such as [share.garden], not an array"
            ),
            (
                "\nshare.kind = 'rest'",
                "line 2: `share.kind` has to be a table, [share.NAME], with the keys of one destination, not a text"
            ),
            (
                "[share]\nkind = 'rest'",
                "line 2: `share.kind` has to be a table, [share.NAME], with the keys of one destination, not a text"
            ),
            (
                "[[share.garden]]\nkind = 'rest'",
                "line 1: `share.garden` has to be a table, [share.NAME], with the keys of one destination, not an array"
            ),
            ("[shares.x]\nkind = 'rest'", "line 1: unknown key \"shares\"; did you mean `share`?"),
            ("[Share.x]", "line 1: unknown key \"Share\"; did you mean `share`?"),
            (
                "[share.'my garden']",
                "line 1: \"my garden\" cannot be a name in [share.NAME]; it has to be 1 to 32 characters of a-z, A-Z, 0-9, - and _"
            ),
            (
                "[share.'']",
                "line 1: \"\" cannot be a name in [share.NAME]; it has to be 1 to 32 characters of a-z, A-Z, 0-9, - and _"
            ),
            (
                "[share.\"\\u001B[2J\"]",
                "line 1: \"\\u{1b}[2J\" cannot be a name in [share.NAME]; it has to be 1 to 32 characters of a-z, A-Z, 0-9, - and _"
            ),
            ("[share.gärten]", nil),
            (
                "[share.\"gärten\"]",
                "line 1: \"gärten\" cannot be a name in [share.NAME]; it has to be 1 to 32 characters of a-z, A-Z, 0-9, - and _"
            ),
        ] as [(String, String?)])
    func `an invalid destination table is reported with its line`(text: String, expected: String?) {
        let error = #expect(throws: SettingsProblems.self) { try SettingsTable.destinations(in: text, path: "c.toml") }
        #expect(error?.errors.count == 1)
        #expect(error?.category == .configuration)
        if let expected { #expect(error?.description == "\"c.toml\", " + expected) }
    }

    @Test func `a printed table shows no values`() throws {
        let tables = try SettingsTable.destinations(
            in: "[share.garden]\ntoken = 's3cret'\nheaders.a = 's3cret'", path: "c.toml")
        var dumped = ""
        dump(tables, to: &dumped)
        for text in [
            "\(tables)", "\(tables[0])", String(reflecting: tables[0]), dumped, "\(TableReader(tables[0], home: nil))",
        ] {
            #expect(text.contains("[share.garden] in \"c.toml\", line 1"))
            #expect(!text.contains("s3cret"))
        }
    }

    @Test func `the name of a destination has 32 characters at most`() throws {
        let long = "Abc-_0" + String(repeating: "x", count: 26)
        #expect(try SettingsTable.destinations(in: "[share.\(long)]", path: "c").map(\.name) == [long])
        #expect(throws: SettingsProblems.self) { try SettingsTable.destinations(in: "[share.\(long)y]", path: "c") }
    }

    @Test func `all problems are reported in the order of lines`() {
        let text = "[share.' ']\n[share]\nkind = 'rest'\nurl = 'x'\n[zzz]\n[share.garden]\n[share.'/']"
        let error = #expect(throws: SettingsProblems.self) { try SettingsTable.destinations(in: text, path: "c.toml") }
        #expect(
            error?.description == """
                "c.toml", line 1: " " cannot be a name in [share.NAME]; it has to be 1 to 32 characters of a-z, A-Z, 0-9, - and _
                "c.toml", line 3: `share.kind` has to be a table, [share.NAME], with the keys of one destination, not a text
                "c.toml", line 4: `share.url` has to be a table, [share.NAME], with the keys of one destination, not a text
                "c.toml", line 5: unknown key "zzz"; known keys: `user`, `adapter`, `database`, `timeout`, `notifications`, `backups`, `frames`, `week-start`, `units`, `restart-adapter`, `recover`, `share`, `import`
                "c.toml", line 7: "/" cannot be a name in [share.NAME]; it has to be 1 to 32 characters of a-z, A-Z, 0-9, - and _
                """)
    }
}
