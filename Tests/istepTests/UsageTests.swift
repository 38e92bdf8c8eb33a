import Foundation
import Testing

/// Invalid words on the command line: exit code 64 and an error that says what to write instead.
@Suite(.timeLimit(.minutes(5))) struct UsageTests {
    @Test(arguments: [
        ["show", "2014-02-30"], ["show", "someday"], ["show", "2014-4-20"], ["plan", "-5"], ["plan", "ten"],
        ["plan", "--on", "sunnyday=3"], ["profile", "--height", "1.78"], ["profile", "--weight", "abc"],
        ["profile", "--birth", "2014-13-01"], ["sync", "--days", "0"], ["scan", "--timeout", "0"],
        ["gatt", "read", "nonsense", "180f", "2a19"], ["gatt", "read", "C0:DE:00:00:00:01", "180", "2a19"],
        ["gatt", "read", "C0:DE:00:00:00:01", "180f", "2a19", "--format", "u7"], ["gatt", "write", "C0:DE:00:00:00:01", "180f", "2a19", "zz"],
        ["gatt", "notify", "C0:DE:00:00:00:01", "180f", "2a19", "--count", "0"],
        ["gatt", "capture", "ring", "--output", "-"],
        ["scan", "--service", "xyz"], ["add", "--model", "nonsense"], ["add", "--model", "colmi", "--format", "u16le"],
        ["add", "C0:DE:00:00:00:01", "--model", "generic", "--service", "180d"], ["frobnicate"],
        ["add", ""], ["add", "zz:zz"], ["add", "C0:DE:00:00:00:0"], ["add", "--name", "a\u{1b}b"], ["profile", "--height", "0x80"],
        ["profile", "--weight", "1e2"], ["profile", "--weight", "nan"], ["profile", "--birth", "0001-01-01"],
        ["profile", "--from", "monday"], ["plan", "--from", "-3"], ["scan", "--timeout", "0x10"],
        ["correct"], ["correct", "yesterday"], ["correct", "yesterday", "--steps", "many"], ["correct", "yesterday", "--steps", "-5"],
        ["correct", "yesterday", "--steps", "5", "--remove"], ["correct", "yesterday", "--remove", "--reason", "x"],
        ["correct", "someday", "--steps", "5"], ["correct", "2999-01-01", "--steps", "5"], ["correct", "yesterday", "--steps", "200001"],
        ["correct", "yesterday", "--steps=-5"], ["correct", "yesterday", "--steps", "5", "--reason", ""],
        ["correct", "yesterday", "--steps", "5", "--reason", "a\u{1b}b"],
        ["plan", "8000", "--user", ""], ["plan", "8000", "--user", "a\u{7}b"], ["plan", "8000", "--user", "a\u{fffd}b"],
        ["devices", "--rename", "band"], ["devices", "ring", "watch", "--rename", "band"], ["devices", "ring", "--rename", " "],
        ["devices", "ring", "--rename", "a\u{1b}b"], ["json", "browse"],
    ])
    func `invalid arguments give exit code 64`(_ words: [String]) async throws {
        let folder = try Folder()
        let result = try await Command(folder: folder).run(words)
        #expect(result.status == 64)
        #expect(result.output == "")
        #expect(!result.error.isEmpty)
    }

    @Test(arguments: [
        (["shwo"], "'istep shwo'; did you mean 'istep show'?"), (["Sync", "ring"], "did you mean 'istep sync'?"),
        (["gatt", "raed", "C0:DE:00:00:00:01"], "'istep gatt raed'; did you mean 'istep gatt read'?"),
        (["frobnicate", "--json"], "There is no command 'istep frobnicate'."),
    ])
    func `an unknown command is reported with the most similar one`(_ words: [String], message: String) async throws {
        let result = try await Command(folder: try Folder()).run(words)
        #expect(result.status == 64 && result.error.contains(message) && result.error.contains("--help`"), "\(result)")
    }

    @Test func `a user name that is not UTF-8 is rejected`() async throws {
        let istep = Command(folder: try Folder())
        let result = try await istep.start(["plan", "8000"], redirected: "--user \"$(printf 'a\\377b')\"").result
        #expect(result.status == 64)
        #expect(result.error.contains("--user"))
    }

    @Test func `a day in the future is rejected`() async throws {
        let istep = Command(folder: try Folder())
        _ = try await istep("plan", "8000")
        let result = try await istep("show", "9999-12-31")
        #expect(result.status == 64)
        #expect(result.output == "")
        #expect(result.error.contains("9999-12-31 has not begun") && result.error.contains("Give a past day"))
    }

    @Test(arguments: [["plan", "9000", "--from", "-3"], ["profile", "--from", "-3", "--weight", "70"]])
    func `a relative day is accepted by every command`(_ words: [String]) async throws {
        let istep = Command(folder: try Folder())
        let result = try await istep.run(words + ["--json"])
        #expect(result.status == 0, "\(result.error)")
        let dayAgo = try await istep("show", "-3", "--json").json["day"] as? String
        #expect(dayAgo != nil && result.output.contains("\"validFrom\" : \"\(dayAgo ?? "")\""))
    }

    @Test(arguments: [["plan", "9000", "--from", "0001-01-01"], ["profile", "--from", "1969-12-31", "--weight", "70"]])
    func `a plan or a profile before the first day of the calendar is rejected`(_ words: [String]) async throws {
        let istep = Command(folder: try Folder())
        let result = try await istep.run(words)
        #expect(result.status == 64 && result.output == "")
        #expect(result.error.contains("cannot begin on \(words.contains("0001-01-01") ? "0001-01-01" : "1969-12-31")"))
        #expect(result.error.contains("Give a day from 1970-01-01 to 9999-12-31."))
        // Nothing was stored: the first plan still holds from the beginning.
        #expect(try await istep("plan", "8000").output.contains("from the beginning"))
    }

    // MARK: People

    @Test func `a mistyped user name does not create a user`() async throws {
        let istep = Command(folder: try Folder())
        #expect(try await istep("plan", "8000", "--user", "anna").status == 0)
        for words in [["plan", "8000"], ["profile", "--weight", "70"]] {
            let result = try await istep.run(words + ["--user", "anan"])
            #expect(result.status == 64)
            #expect(result.error.contains("anna") && result.error.contains("istep add --user NAME"))
        }
        #expect((try await istep("status", "--json").json["users"] as? [Any])?.count == 1)
    }

    @Test func `a failed add does not create a user`() async throws {
        let istep = Command(folder: try Folder())
        #expect(try await istep("add", "ring", "--user", "ben").status == 69)
        #expect(try await istep("show", "--user", "ben").status == 64)
    }

    // MARK: Configuration

    @Test func `a scan uses the configured time-out`() async throws {
        let folder = try Folder()
        let config = folder.path + "/config.toml"
        try Data("timeout = 3\n".utf8).write(to: URL(fileURLWithPath: config))
        let istep = Command(folder: folder)
        #expect(try await istep("scan", "--config", config).error.contains("Scanning for 3 seconds"))
        #expect(try await istep("scan", "--config", config, "--timeout", "2").error.contains("Scanning for 2 seconds"))
        #expect(try await istep("scan").error.contains("Scanning for 10 seconds"))
    }

    /// `.packaging/release` and the notes of a release need both.
    @Test func `the version is the newest of the changelog`() async throws {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        let changelog = try String(contentsOf: root.appendingPathComponent(".github/CHANGELOG.md"), encoding: .utf8)
        let newest = try #require(changelog.firstMatch(of: /\n## \[(\d+\.\d+\.\d+)\] - \d{4}-\d{2}-\d{2}\n/)?.1)
        #expect(try await Command(folder: try Folder())("--version").output == "\(newest)\n")
    }

    /// The parser wraps at 80 columns and does not indent what it wraps: half of an example would be pasted as a command.
    @Test func `examples in the help fit on their lines`() async throws {
        let istep = Command(folder: try Folder())
        let all = try await istep("--help").output
        let section = try #require(all.components(separatedBy: "SUBCOMMANDS:\n").last)
        let commands = section.split(separator: "\n").compactMap { line -> String? in
            line.hasPrefix("  ") && !line.hasPrefix("   ") ? line.split(separator: " ").first.map(String.init) : nil
        }
        try #require(commands.count > 20)
        for command in commands + [""] {
            let help = command.isEmpty ? all : try await istep("help", command).output
            let overview = try #require(help.components(separatedBy: "USAGE:").first)
            var isExample = false
            for line in overview.split(separator: "\n", omittingEmptySubsequences: false) {
                #expect(!isExample || line.isEmpty || line.hasPrefix(" "), "\(command): \(line)")
                isExample = line.hasPrefix("  ")
            }
        }
    }

    @Test func `the help lists every command`() async throws {
        let folder = try Folder()
        let istep = Command(folder: folder)
        let help = try await istep("--help")
        #expect(help.status == 0)
        for command in ["scan", "add", "devices", "forget", "sync", "show", "history", "browse", "correct", "profile", "plan", "status", "demo"]
        {
            #expect(help.output.contains("\n  \(command) "))
        }
    }
}
