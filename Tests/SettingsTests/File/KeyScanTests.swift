import Testing

@testable import Settings

@Suite(.timeLimit(.minutes(5))) struct KeyScanTests {
    /// The line of a key by its path.
    private func line(of path: String..., in text: String) -> Int? {
        let positions = KeyScan(text).positions
        var key: KeyPositions.Key? = .root
        for name in path { key = key.flatMap { positions.key(name, in: $0) } }
        return key.flatMap(positions.line)
    }

    private static let garden = #"""
        # [share.garden]
        user = "Ada" # url = 1
        note = """
        [share.garden]
        url = 3
        """
        words = """
        \"""
        url = 4 \
        ""\""""

        [share.other]
        url = "other" # ]
        list = [
          "url = 5", # ] }
          [ 1, 2 ], { url = 6 }, 'a\',
        ]
        [ share . "gard\u0065n" ] # header
        kind = 1979-05-27 07:32:00
         'url'= "x\"#"
        limits.most = 1
        limits.least = 2
        headers = { "X-Y" = "}", z.w = [ "}" ] }
        """#

    @Test func `a key is found on its line, not in strings or comments`() throws {
        let text = Self.garden
        #expect(try ConfigFile(text: text, path: "c").entries.count == 4)
        #expect(line(of: "user", in: text) == 2)
        #expect(line(of: "note", in: text) == 3)
        #expect(line(of: "words", in: text) == 7)
        #expect(line(of: "share", "other", in: text) == 12)
        #expect(line(of: "share", "other", "url", in: text) == 13)
        #expect(line(of: "share", "other", "list", in: text) == 14)
        #expect(line(of: "share", "garden", in: text) == 18)
        #expect(line(of: "share", "garden", "kind", in: text) == 19)
        #expect(line(of: "share", "garden", "url", in: text) == 20)
        #expect(line(of: "share", "garden", "limits", in: text) == 21)
        #expect(line(of: "share", "garden", "limits", "least", in: text) == 22)
        #expect(line(of: "share", "garden", "headers", "X-Y", in: text) == 23)
        #expect(line(of: "share", "garden", "headers", "z", "w", in: text) == 23)
        #expect(line(of: "url", in: text) == nil)
        #expect(line(of: "share", "url", in: text) == nil)
    }

    @Test func `the line of a table is its header or its first key`() {
        #expect(line(of: "share", "a", in: "\n[share.a.headers]\nx = 1\n[share.a]\ny = 2") == 4)
        #expect(line(of: "share", in: "\n[share.a.headers]\nx = 1\n[share.a]\ny = 2") == 2)
        #expect(line(of: "share", "a", in: "x = 1\nshare.a.x = 1\nshare.a.y = 2") == 2)
        #expect(line(of: "share", "a", in: "[[share]]\na = 1\n[[share]]\na = 2") == 2)
    }

    @Test(
        arguments: [
            ("a = \"\\u0000\"", 1), ("\n\"\\U00000000\" = 1", 2), ("a = \"\"\"\n\nx\\u0000\"\"\"", 3),
            ("a = [\n'', { b = \"\\u0000\" }]", 2),
            ("a = '\\u0000'", nil), ("# \\u0000", nil), ("a = \"\\\\u0000\"", nil), ("a = \"\\u0001\"", nil),
        ] as [(String, Int?)])
    func `an escaped NUL character is found with its line`(text: String, line: Int?) throws {
        #expect(KeyScan(text).lineOfNUL == line)
        let error = line.map { SettingsError.containsNUL(path: "c", line: $0) }
        do throws(SettingsError) {
            _ = try ConfigFile(text: text, path: "c")
            #expect(error == nil)
        } catch let found {
            #expect(found == error)
        }
    }

    @Test(arguments: [
        "[", "a", "a = ", "a = [", "a = {", "= ]]] }", "\"", "'''", "a = \"\\", "a = \"\\u00", "a.", "[a", "a = {b",
        ",", "\u{FEFF}",
    ])
    func whatIsNoTOMLHasAnEndToo(text: String) {
        _ = KeyScan(text)
        _ = KeyScan(String(repeating: text, count: 1000))
    }
}
